// An address may name a file where a folder belongs: someone sent it. Then its folder is shown, and the file looked at.

import { findFolder, showEntry } from '@cabinet/client';
import { useEffect } from 'react';
import { go, here } from '../routing/router.ts';
import { useGround } from '../session/ground.tsx';

export function useRealFolder(id: string): void {
  const { cabinet, space } = useGround();
  useEffect(() => {
    if (id === space.RootFolderId) return;
    const abort = new AbortController();
    const { signal } = abort;
    const look = async () => {
      const { Entry, Path } = await showEntry(cabinet, id, { signal });
      if (Entry.Type === 'folder') return;
      const above = Path.slice(0, Path.lastIndexOf('/')) || '/';
      const { Folder } = await findFolder(cabinet, above, { limit: 1, signal });
      go({ page: 'files', id: Folder.Id, params: { ...here().params, look: id } }, { isReplaced: true });
    };
    // What is not there is told by the list.
    look().catch(() => undefined);
    return () => abort.abort();
  }, [id, cabinet, space]);
}
