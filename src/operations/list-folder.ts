// Shows a folder with a page of its children.

import type { ChildrenRequest } from '../catalog/verbs/children-page.ts';
import type { FolderPage } from '../catalog/verbs/list-folder.ts';
import type { SavedFile } from '../catalog/verbs/save-file.ts';
import type { Caller } from '../domain/caller.ts';
import { folderNotFound, notAFolder } from '../domain/missing.ts';
import { runSlice } from '../runtime/pacing.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';

export type FolderListing = Omit<FolderPage, 'asOf'>;

/** "100 in all" */
export const firstPageLimit = 100;
export const maxPageLimit = 1000;

interface ListFolderRequest extends Omit<ChildrenRequest, 'space'> {
  folderId: string;
}

/** Also says how many children there are in all. */
export async function listFolder(
  cabinet: Cabinet,
  caller: Caller,
  request: ListFolderRequest,
): Promise<FolderListing & { childCount: number }> {
  const { folderId: folder, ...page } = request;
  const missing = () => folderNotFound('FolderId');
  const { space } = await requireAccess(cabinet, caller, { action: 'read', id: folder, missing });
  if (request.order?.endsWith('natural')) await addNaturalKeys(cabinet, space, folder);
  const listing = await cabinet.catalog.listFolder({ space, folder, ...page });
  if (listing === null) throw missing();
  if (listing.folder.kind !== 'folder') throw notAFolder('FolderId');
  const isFirst = request.after === undefined && request.before === undefined && request.offset === undefined;
  const isWhole = isFirst && listing.next === null;
  const childCount = isWhole ? listing.children.length : await cabinet.catalog.countChildren({ space, folder });
  return { ...listing, childCount };
}

async function addNaturalKeys({ catalog }: Cabinet, space: number, folder: string): Promise<void> {
  if (!(await catalog.lacksNaturalKeys({ space, folder }))) return;
  for (let added = 1; added > 0; ) added = await runSlice(() => catalog.addNaturalKeys({ space, folder }));
}

/** The folder of a file that was just saved: the file first, its siblings in order, 100 in all. */
export async function listSiblings(cabinet: Cabinet, space: number, saved: SavedFile): Promise<FolderListing> {
  const { folder, file, position } = saved;
  const params = { space, folder: folder.id, limit: firstPageLimit - 1, exclude: file.id, atLeast: position };
  const page = await cabinet.catalog.listFolder(params);
  if (page === null) return { folder, children: [file], next: null };
  return { ...page, children: [file, ...page.children] };
}
