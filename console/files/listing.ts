// The entries of a folder, page by page. Own actions and the change feed update the loaded pages in place; pages are not refetched
// because of a change.

import { compareNames, type Entry, type FolderPage, type Order, showFolder } from '@cabinet/client';

export type { Order } from '@cabinet/client';

import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useSession } from '../session/session-context.tsx';

const firstPage = 200;
const laterPages = 1000;

type Pages = InfiniteData<FolderPage, string | undefined>;

export interface Listing {
  folder: Entry | null;
  /** Those that are loaded. */
  entries: readonly Entry[];
  /** How many are in the folder. */
  total: number;
  /** Whether all are loaded. */
  isWhole: boolean;
  isLoading: boolean;
  error: Error | null;
  loadMore(): void;
  /** Resolves with everything that is in the folder. */
  loadAll(): Promise<readonly Entry[]>;
  retry(): void;
}

export function useListing(folderId: string, order: Order): Listing {
  const { cabinet } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['listing', folderId, order],
    queryFn: ({ pageParam, signal }) =>
      showFolder(cabinet, folderId, {
        order,
        limit: pageParam === undefined ? firstPage : laterPages,
        cursor: pageParam,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const entries = useMemo(() => data?.pages.flatMap(({ Children }) => Children) ?? [], [data]);
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const loadAll = useCallback(async () => {
    let last = await fetchNextPage();
    while (last.hasNextPage && last.error === null) last = await fetchNextPage();
    return last.data?.pages.flatMap(({ Children }) => Children) ?? [];
  }, [fetchNextPage]);
  return {
    folder: data?.pages[0]?.Folder ?? null,
    entries,
    total: hasNextPage ? Math.max(entries.length, data?.pages[0]?.childCount ?? 0) : entries.length,
    isWhole: data !== undefined && !hasNextPage,
    isLoading: isFetching,
    error: query.error,
    loadMore,
    loadAll: hasNextPage ? loadAll : async () => entries,
    retry: () => void query.refetch(),
  };
}

/** The current state of an entry and its folder; null if it is in no folder any more. */
export interface EntryUpdate {
  id: string;
  entry: Entry | null;
  parent: string | null;
}

/** Called after changes, with the ids of the folders that they are in; null where that is not known. */
type ChangeListener = (parents: ReadonlySet<string | null>) => void;

const changeListeners = new Set<ChangeListener>();

export function onListingChange(listener: ChangeListener): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

/** Updates every loaded listing. */
export function updateListings(queries: QueryClient, placed: readonly EntryUpdate[]): void {
  place(queries, placed);
  if (placed.length === 0) return;
  const parents = new Set(placed.map(({ parent }) => parent));
  for (const listener of changeListeners) listener(parents);
}

/** Takes over what a page of a folder says now: the sizes of its subfolders, and how many entries it has. */
export function updateFolder(queries: QueryClient, { Folder, Children, childCount }: FolderPage): void {
  for (const [key, data] of queries.getQueriesData<Pages>({ queryKey: ['listing', Folder.Id] })) {
    if (data === undefined) continue;
    const [, folderId, order] = key as [string, string, Order];
    const sizes = new Map(data.pages.flatMap((page) => page.Children).map(({ Id, Size }) => [Id, Size]));
    const changed = Children.filter(({ Id, Type, Size }) => Type === 'folder' && (sizes.get(Id) ?? Size) !== Size).map(
      (entry): [string, EntryUpdate] => [entry.Id, { id: entry.Id, entry, parent: folderId }],
    );
    const { pages, pageParams } = placeIn(data, new Map(changed), { folderId, order });
    queries.setQueryData<Pages>(key, { pageParams, pages: pages.map((page) => ({ ...page, Folder, childCount })) });
  }
}

function place(queries: QueryClient, placed: readonly EntryUpdate[]): void {
  const byId = new Map(placed.map((one) => [one.id, one]));
  for (const [key, data] of queries.getQueriesData<Pages>({ queryKey: ['listing'] })) {
    if (data === undefined) continue;
    const [, folderId, order] = key as [string, string, Order];
    queries.setQueryData<Pages>(key, placeIn(data, byId, { folderId, order }));
  }
}

function placeIn(data: Pages, byId: ReadonlyMap<string, EntryUpdate>, at: { folderId: string; order: Order }): Pages {
  const pages = data.pages.map((page) => {
    const own = byId.get(page.Folder.Id);
    const folder = own?.entry ?? page.Folder;
    const isTouched = page.Children.some(({ Id }) => byId.has(Id));
    if (!isTouched && folder === page.Folder) return page;
    return { ...page, Folder: folder, Children: page.Children.filter(({ Id }) => !byId.has(Id)) };
  });
  const compare = toComparison(at.order);
  for (const { entry, parent } of byId.values()) {
    if (entry === null || parent !== at.folderId) continue;
    insert(pages, entry, compare);
  }
  return { ...data, pages };
}

/** Not inserted beyond the loaded pages: a later page will have it. */
function insert(pages: FolderPage[], entry: Entry, compare: (a: Entry, b: Entry) => number): void {
  const found = pages.findIndex(({ Children }) => {
    const last = Children.at(-1);
    return last !== undefined && compare(entry, last) < 0;
  });
  const index = found === -1 ? pages.length - 1 : found;
  const page = pages[index];
  if (page === undefined || (found === -1 && page.next !== null)) return;
  const at = page.Children.findIndex((other) => compare(entry, other) < 0);
  const children = page.Children.toSpliced(at === -1 ? page.Children.length : at, 0, entry);
  pages[index] = { ...page, Children: children };
}

/** The order of the service: folders first, ties by id. */
function toComparison(order: Order): (a: Entry, b: Entry) => number {
  const sign = order.startsWith('-') ? -1 : 1;
  const by = comparisons[order.replace('-', '')] ?? compareByName;
  return (a, b) => {
    if (a.Type !== b.Type) return a.Type === 'folder' ? -1 : 1;
    return sign * (by(a, b) || compareValues(a.Id, b.Id));
  };
}

function compareByName(a: Entry, b: Entry): number {
  return compareNames(a.Name, b.Name);
}

const comparisons: Record<string, (a: Entry, b: Entry) => number> = {
  size: (a, b) => compareValues(a.Size, b.Size),
  modified: (a, b) => compareValues(a.ModifiedAt, b.ModifiedAt),
};

function compareValues(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
