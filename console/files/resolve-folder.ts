// A shared address may name a file instead of a folder: then its folder is shown with the file selected.

import { findFolder, showEntry } from '@cabinet/client';
import { useEffect } from 'react';
import { currentRoute, go } from '../routing/router.ts';
import { useSession } from '../session/session-context.tsx';

export function useResolvedFolder(id: string): void {
  const { cabinet, space } = useSession();
  useEffect(() => {
    if (id === space.RootFolderId) return;
    const abort = new AbortController();
    const { signal } = abort;
    const look = async () => {
      const { Entry, Path } = await showEntry(cabinet, id, { signal });
      if (Entry.Type === 'folder') return;
      const above = Path.slice(0, Path.lastIndexOf('/')) || '/';
      const { Folder } = await findFolder(cabinet, above, { limit: 1, signal });
      go({ page: 'files', id: Folder.Id, params: { ...currentRoute().params, look: id } }, { isReplaced: true });
    };
    // The list shows the error if it does not exist.
    look().catch(() => undefined);
    return () => abort.abort();
  }, [id, cabinet, space]);
}
