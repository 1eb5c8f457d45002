// The entries of a folder: the first page, and what is around the rows that are shown. Own actions and the change feed update what is
// loaded in place; nothing is refetched because of a change.

import { type Cabinet, type Entry, type FolderPage, type Order, showFolder } from '@cabinet/client';

export type { Order } from '@cabinet/client';

import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useSession } from '../session/session-context.tsx';
import type { Sequence } from '../viewer/neighbours.ts';
import { toComparison } from './entry-order.ts';
import { ListLoader } from './list-loader.ts';
import { toSequence } from './list-sequence.ts';
import {
  beginListed,
  type EntryUpdate,
  entryAt,
  findStretch,
  isWhole,
  type Listed,
  placeEntries,
  positionOf,
  settle,
} from './stretches.ts';

const firstPage = 200;

/** Entries by their position in the folder. */
export interface Rows {
  /** Those that are loaded, in order. Between two of them others may be missing. */
  entries: readonly Entry[];
  /** How many are in the folder. */
  total: number;
  /** Undefined: not loaded. */
  at(position: number): Entry | undefined;
  /** -1: not loaded. */
  positionOf(id: string): number;
  /** The position nearest to `to` where everything from `from` on is loaded. */
  reach(from: number, to: number): number;
  /** Resolves with everything that is in the folder; null after an error, which the list shows. */
  loadAll(): Promise<readonly Entry[] | null>;
}

export interface Listing extends Rows {
  folder: Entry | null;
  /** Whether all are loaded. */
  isWhole: boolean;
  isLoading: boolean;
  error: Error | null;
  /** Loads what is missing around the rows from `first` to `last`. */
  show(first: number, last: number): void;
  /** Resolves with the last entry of the folder; null after an error, and if there is none. */
  loadEnd(): Promise<Entry | null>;
  /** The entries beside this one, as far as they are loaded without a gap. */
  sequenceOf(id: string | undefined): Sequence;
  retry(): void;
}

export function useListing(folderId: string, order: Order): Listing {
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: toKey(folderId, order),
    queryFn: async ({ signal }) =>
      beginListed(await showFolder(cabinet, folderId, { order, limit: firstPage, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const loader = useLoader(cabinet, queries, { folderId, order });
  const { data: listed = null } = query;
  const entries = useMemo(() => listed?.stretches.flatMap((stretch) => stretch.entries) ?? [], [listed]);
  return {
    ...toRows(listed, entries),
    folder: listed?.folder ?? null,
    isWhole: listed !== null && isWhole(listed),
    isLoading: query.isFetching || loader.isLoading,
    error: query.error ?? loader.error,
    show: (first, last) => loader.show({ first, last }),
    loadAll: () => loader.loadAll(),
    loadEnd: () => loader.loadEnd(),
    sequenceOf: (id) => toSequence(listed, id, loader),
    retry: () => void (query.error === null ? loader.retry() : query.refetch()),
  };
}

function toKey(folderId: string, order: Order) {
  return ['listing', folderId, order] as const;
}

function toRows(listed: Listed | null, entries: readonly Entry[]): Omit<Rows, 'loadAll'> {
  if (listed === null) return { entries, total: 0, at: () => undefined, positionOf: () => -1, reach: () => 0 };
  return {
    entries,
    total: listed.total,
    at: (position) => entryAt(listed, position),
    positionOf: (id) => positionOf(listed, id),
    reach(from, to) {
      const stretch = findStretch(listed, { first: from, last: from });
      if (stretch === undefined) return Math.max(0, Math.min(entries.length - 1, to));
      return Math.max(stretch.start, Math.min(stretch.start + stretch.entries.length - 1, to));
    },
  };
}

/** One for each list, which ends with it. */
function useLoader(cabinet: Cabinet, queries: QueryClient, at: { folderId: string; order: Order }): ListLoader {
  const { folderId, order } = at;
  const [, setCount] = useState(0);
  const loader = useMemo(() => {
    const key = toKey(folderId, order);
    return new ListLoader({
      read: () => queries.getQueryData<Listed>(key) ?? null,
      write: (listed) => queries.setQueryData<Listed>(key, listed),
      fetch: (page, signal) => showFolder(cabinet, folderId, { order, ...page, signal }),
      compare: toComparison(order),
      onChange: () => setCount((count) => count + 1),
    });
  }, [cabinet, queries, folderId, order]);
  useEffect(() => {
    loader.open();
    return () => loader.close();
  }, [loader]);
  return loader;
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
  const byId = new Map(placed.map((one) => [one.id, one]));
  updateEach(queries, ['listing'], (listed, order) => placeEntries(listed, byId, toComparison(order)));
  if (placed.length === 0) return;
  const parents = new Set(placed.map(({ parent }) => parent));
  for (const listener of changeListeners) listener(parents);
}

/** Takes over what a page of a folder says now: the sizes of its subfolders, and how many entries it has. */
export function updateFolder(queries: QueryClient, { Folder, Children, childCount }: FolderPage): void {
  updateEach(queries, ['listing', Folder.Id], (listed, order) => {
    const sizes = new Map(listed.stretches.flatMap(({ entries }) => entries).map(({ Id, Size }) => [Id, Size]));
    const changed = Children.filter(({ Id, Type, Size }) => Type === 'folder' && (sizes.get(Id) ?? Size) !== Size).map(
      (entry): [string, EntryUpdate] => [entry.Id, { id: entry.Id, entry, parent: Folder.Id }],
    );
    const { stretches } = placeEntries(listed, new Map(changed), toComparison(order));
    return settle(Folder, childCount, stretches);
  });
}

function updateEach(
  queries: QueryClient,
  key: readonly string[],
  update: (listed: Listed, order: Order) => Listed,
): void {
  for (const [found, listed] of queries.getQueriesData<Listed>({ queryKey: key })) {
    if (listed !== undefined) queries.setQueryData<Listed>(found, update(listed, found[2] as Order));
  }
}
