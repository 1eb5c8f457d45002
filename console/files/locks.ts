// Who has locked what: programs lock files over WebDAV while they edit them.

import { type Lock, listLocks } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session-context.tsx';

/** A lock may end by itself, which no change reports. */
const againMs = 60_000;

function useLocks(id: string, of: 'entry' | 'children'): readonly Lock[] {
  const { cabinet } = useSession();
  const { data } = useQuery({
    queryKey: ['locks', of, id],
    queryFn: ({ signal }) => listLocks(cabinet, id, { of, signal }),
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? againMs : false),
  });
  return data ?? [];
}

/** Those that cover an entry, also from folders above it. */
export function useLocksOf(id: string): readonly Lock[] {
  return useLocks(id, 'entry');
}

/** By entry: those on what is directly in a folder. */
export function useLocksIn(folderId: string): ReadonlyMap<string, readonly Lock[]> {
  return Map.groupBy(useLocks(folderId, 'children'), ({ EntryId }) => EntryId);
}
