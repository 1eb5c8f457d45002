// Reading links and changing them; every change refreshes all lists of links.

import { listEntryShares, listShares, type ShareFields, showSpace } from '@cabinet/client';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../session/session-context.tsx';
import type { ShareRules } from './link-fields.ts';

/** More are not loaded into a page. */
const maxLinks = 5_000;
const pageSize = 1_000;

export const linksKey = ['links'] as const;

export function useEntryLinks(entryId: string): UseQueryResult<ShareFields[]> {
  const { cabinet } = useSession();
  return useQuery({
    queryKey: [...linksKey, 'entry', entryId],
    staleTime: 0,
    queryFn: ({ signal }) => Array.fromAsync(listEntryShares(cabinet, entryId, { signal })),
  });
}

/** Those of the open space, newest first: the person's own, or for managers everybody's. */
export function useLinks({ isAll }: { isAll: boolean }): UseQueryResult<ShareFields[]> {
  const { cabinet, space } = useSession();
  return useQuery({
    queryKey: [...linksKey, isAll ? 'all' : 'mine', space.Id],
    queryFn: async ({ signal }) => {
      const links: ShareFields[] = [];
      for await (const link of listShares(cabinet, { all: isAll, pageSize, signal })) {
        links.push(link);
        if (links.length === maxLinks) break;
      }
      return links;
    },
  });
}

/** Null: the space has none of its own, or they are not known yet. A guest of the space is not shown them. */
export function useShareRules(): ShareRules | null {
  const { cabinet, space, isGuest } = useSession();
  const { data } = useQuery({
    queryKey: [...linksKey, 'rules', space.Id],
    enabled: !isGuest,
    queryFn: async ({ signal }) => (await showSpace(cabinet, space.Id, { signal })).Shares ?? null,
  });
  return data ?? null;
}

const none: ReadonlySet<string> = new Set();

/** The entries that the person shares by a link that works, for badges. One request for a space, not one for each entry. */
export function useLinkedEntries(): ReadonlySet<string> {
  const { data } = useLinks({ isAll: false });
  return data === undefined ? none : toLinked(data);
}

const linked = new WeakMap<readonly ShareFields[], ReadonlySet<string>>();

function toLinked(links: readonly ShareFields[]): ReadonlySet<string> {
  const known = linked.get(links);
  if (known !== undefined) return known;
  const ids = new Set(links.filter(({ State }) => State === 'active').map(({ EntryId }) => EntryId));
  linked.set(links, ids);
  return ids;
}

export function useRefreshLinks(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: linksKey });
}
