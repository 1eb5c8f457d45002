// Shows an entry, or the entries of a folder in pages, with the digests of their contents.

import type { ListedEntry, ListedPage, ListWithContents } from '../catalog/verbs/list-with-contents.ts';
import type { Caller } from '../domain/caller.ts';
import { entryNotFound, folderNotFound } from '../domain/missing.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';

export async function listWithContents(
  cabinet: Cabinet,
  caller: Caller,
  request: Omit<ListWithContents, 'space'>,
): Promise<ListedPage> {
  const missing = () => folderNotFound('FolderId');
  const place = { action: 'read', id: request.folder, missing } as const;
  const { space } = await requireAccess(cabinet, caller, place);
  const page = await cabinet.catalog.listWithContents({ space, ...request });
  if (page === null) throw missing();
  return page;
}

export async function findWithContent(cabinet: Cabinet, caller: Caller, { id }: { id: string }): Promise<ListedEntry> {
  const { space } = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
  const member = await cabinet.catalog.findWithContent({ space, id });
  if (member === null) throw entryNotFound();
  return member;
}
