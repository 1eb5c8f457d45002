// The folders in a folder. Every order lists folders first, so reading stops at the first file.

import { showFolder } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { useGround } from '../session/ground.tsx';
import type { Step } from './chain.ts';

const pageSize = 500;
const mostFolders = 2_000;

export function useSubfolders(folderId: string, isWanted = true): readonly Step[] | null {
  const { cabinet } = useGround();
  const { data } = useQuery({
    queryKey: ['tree', folderId],
    enabled: isWanted,
    queryFn: async ({ signal }): Promise<Step[]> => {
      const found: Step[] = [];
      for (let cursor: string | undefined; found.length < mostFolders; ) {
        const { Children, next } = await showFolder(cabinet, folderId, { limit: pageSize, cursor, signal });
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
