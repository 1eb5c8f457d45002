// The subfolders of a folder. Folders come first in every order, so reading stops at the first file.

import { showFolder } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session-context.tsx';
import type { Ancestor } from './ancestors.ts';

const pageSize = 500;
const maxFolders = 2_000;

export function useSubfolders(folderId: string, isWanted = true): readonly Ancestor[] | null {
  const { cabinet } = useSession();
  const { data } = useQuery({
    queryKey: ['tree', folderId],
    enabled: isWanted,
    queryFn: async ({ signal }): Promise<Ancestor[]> => {
      const found: Ancestor[] = [];
      for (let cursor: string | undefined; found.length < maxFolders; ) {
        const { Children, next } = await showFolder(cabinet, folderId, {
          order: 'natural',
          limit: pageSize,
          cursor,
          signal,
        });
        const folders = Children.filter(({ Type }) => Type === 'folder');
        found.push(...folders.map(({ Id, Name }) => ({ id: Id, name: Name })));
        if (next === null || folders.length < Children.length) break;
        cursor = next;
      }
      return found;
    },
  });
  return data ?? null;
}
