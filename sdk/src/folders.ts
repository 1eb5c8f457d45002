// Folders: create them, show them, list what is in them.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Entry, Envelope, Operations, Properties } from './description.ts';
import { makeKey } from './keys.ts';
import {
  defaultPageSize,
  eachPage,
  type ListOptions,
  type Paged,
  type PageOptions,
  readCursor,
  readPage,
} from './pages.ts';
import { call, send } from './request.ts';

/** The id that means the root folder. */
export const rootFolder = '-root-';

export interface NewFolder {
  /** The id of the folder to create it in; the root by default. */
  parent?: string | undefined;
  /** Its name; or `path`: names with / between them, where missing folders are made on the way. */
  name?: string | undefined;
  path?: string | undefined;
  /** If the name is taken: fail (by default), take `name (2)`, or give the folder that is there. */
  conflict?: 'Fail' | 'Rename' | 'Existing' | undefined;
  properties?: Properties | undefined;
  objectType?: string | undefined;
}

/** Creates a folder and returns its entry. Sent again after a lost connection, it is still created once. */
export async function createFolder(cabinet: Cabinet, folder: NewFolder, options: CallOptions = {}): Promise<Entry> {
  return (await createFolderWithChildren(cabinet, folder, options)).Folder;
}

/** The same, and returns what is in the folder too: with `conflict: 'Existing'` there may be something. */
export function createFolderWithChildren(
  cabinet: Cabinet,
  folder: NewFolder,
  options: CallOptions = {},
): Promise<Envelope> {
  return call(cabinet, 'POST /folders', {
    ...options,
    headers: { 'Idempotency-Key': makeKey() },
    json: {
      FolderName: folder.name,
      RelativePath: folder.path,
      ParentFolderId: folder.parent,
      ConflictBehavior: folder.conflict,
      Properties: folder.properties,
      ObjectType: folder.objectType,
    },
    isRepeatable: true,
  });
}

export type Order = NonNullable<Operations['GET /folders/{id}']['query']['order']>;

export interface ShowFolderOptions extends PageOptions {
  /** Folders come first in every order. */
  order?: Order | undefined;
  /** The number of the child that the page begins with, from 0; a negative number counts from the end. Not with `cursor`. */
  offset?: number | undefined;
}

/** A page of a folder. */
export type FolderPage = Paged<Envelope> & {
  /** How many are in the folder, on all pages. */
  childCount: number;
  /** The cursor of the page before this one, if `offset` began this page or one after it was reached so; null at the start. */
  previous: string | null;
};

/** A folder and a page of what is in it; `next` is the cursor of the page after it. */
export async function showFolder(
  cabinet: Cabinet,
  folder: string,
  { signal, ...query }: ShowFolderOptions = {},
): Promise<FolderPage> {
  return await readFolder(await send(cabinet, 'GET /folders/{id}', { path: { id: folder }, query, signal }));
}

async function readFolder(response: Response): Promise<FolderPage> {
  const page = await readPage<Envelope>(response);
  const childCount = Number(response.headers.get('childcount') ?? page.Children.length);
  return { ...page, childCount, previous: readCursor(response, 'prev') };
}

/** The same by the path from the root, such as `/Invoices/2026`. */
export async function findFolder(
  cabinet: Cabinet,
  path: string,
  { signal, ...query }: ShowFolderOptions = {},
): Promise<FolderPage> {
  return await readFolder(await send(cabinet, 'GET /folders', { query: { ...query, path }, signal }));
}

export interface ListChildrenOptions extends ListOptions {
  /** Folders come first in every order. */
  order?: Order | undefined;
}

/** Everything in a folder, over all pages. */
export async function* listChildren(
  cabinet: Cabinet,
  folder: string = rootFolder,
  { signal, order, pageSize = defaultPageSize }: ListChildrenOptions = {},
): AsyncGenerator<Entry, void, undefined> {
  const pages = eachPage((cursor) => showFolder(cabinet, folder, { signal, order, limit: pageSize, cursor }));
  for await (const { Children } of pages) yield* Children;
}
