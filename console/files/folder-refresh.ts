// Sizes of subfolders and the number of entries change by what happens beneath them, which no change says. After changes, the open
// folder asks for them again, and another one when it is opened.

import { showFolder } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useSession } from '../session/session-context.tsx';
import { type Listing, type Order, onListingChange, updateFolder } from './listing.ts';

/** Changes that come together are answered by one request. */
const pauseMs = 300;
const maxFolders = 200;

let changeCount = 0;
onListingChange(() => {
  changeCount += 1;
});
/** By folder: how many changes there had been when it was left. */
const leftAt = new Map<string, number>();

export function useFolderRefresh(folderId: string, order: Order, { entries, isWhole }: Listing): void {
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const folders = entries.findIndex(({ Type }) => Type === 'file');
  const wanted = useRef({ limit: 1, hasFolders: false, isWhole });
  wanted.current = {
    limit: Math.max(1, Math.min(maxFolders, folders === -1 ? entries.length : folders)),
    hasFolders: entries[0]?.Type === 'folder',
    isWhole,
  };
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = async () => {
      timer = undefined;
      const { limit } = wanted.current;
      const page = await showFolder(cabinet, folderId, { order, limit, signal: abort.signal }).catch(() => null);
      if (page !== null) updateFolder(queries, page);
    };
    const stop = onListingChange((parents) => {
      const { hasFolders, isWhole } = wanted.current;
      const isElsewhere = parents.size > 1 || !parents.has(folderId);
      if (!isWhole || (hasFolders && isElsewhere)) timer ??= setTimeout(() => void refresh(), pauseMs);
    });
    if ((leftAt.get(folderId) ?? changeCount) < changeCount) timer = setTimeout(() => void refresh(), 0);
    return () => {
      leftAt.set(folderId, changeCount);
      stop();
      clearTimeout(timer);
      abort.abort();
    };
  }, [cabinet, queries, folderId, order]);
}
