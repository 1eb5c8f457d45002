// The entries that a person has starred.

import { listStarred, starEntry, unstarEntry } from '@cabinet/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { showError } from '../parts/error-text.ts';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';

const maxStarred = 2_000;
const none: ReadonlySet<string> = new Set();

export function useStarred(): ReadonlySet<string> {
  const { cabinet } = useSession();
  const { data } = useQuery({
    queryKey: ['starred', 'ids', cabinet.spaceId],
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const ids = new Set<string>();
      for await (const { Entry } of listStarred(cabinet, { signal })) {
        ids.add(Entry.Id);
        if (ids.size === maxStarred) break;
      }
      return ids;
    },
  });
  return data ?? none;
}

export function useStar(): (ids: readonly string[], isStarred: boolean) => Promise<void> {
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const words = useWords();
  return useCallback(
    async (ids, isStarred) => {
      try {
        for (const id of ids) await (isStarred ? starEntry(cabinet, id) : unstarEntry(cabinet, id));
        notify({ text: isStarred ? words.files.starred(ids.length) : words.files.unstarred(ids.length) });
      } catch (error) {
        showError(error, words);
      }
      await queries.invalidateQueries({ queryKey: ['starred'] });
    },
    [cabinet, queries, words],
  );
}
