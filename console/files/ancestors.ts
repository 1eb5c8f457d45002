// The folders from the root to a folder, for breadcrumbs and the tree. An entry has its path; the ids of its ancestors are looked up once.

import { findFolder, showEntry } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session-context.tsx';

export interface Ancestor {
  id: string;
  name: string;
}

/** From the root, whose name is the space's, to the folder itself. */
export function useAncestors(folderId: string): readonly Ancestor[] {
  const { cabinet, space } = useSession();
  const root = { id: space.RootFolderId, name: space.Name };
  const { data } = useQuery({
    queryKey: ['chain', space.Id, folderId],
    enabled: folderId !== root.id,
    queryFn: async ({ signal }): Promise<Ancestor[]> => {
      const { Path, Entry } = await showEntry(cabinet, folderId, { signal });
      const names = Path.split('/').slice(1, -1);
      const paths = names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
      const found = await Promise.all(paths.map((path) => findFolder(cabinet, path, { limit: 1, signal })));
      return [...found.map(({ Folder }) => ({ id: Folder.Id, name: Folder.Name })), { id: Entry.Id, name: Entry.Name }];
    },
  });
  if (folderId === root.id) return [root];
  return data === undefined ? [root] : [root, ...data];
}

/** The folder that an entry is in. */
export function parentOf(ancestors: readonly Ancestor[]): Ancestor | null {
  return ancestors.at(-2) ?? null;
}
