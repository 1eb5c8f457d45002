// What was deleted and can be restored.

import type { Cabinet, CallOptions } from './connect.ts';
import type { EmptiedTrash, ShownEntry, TrashPage } from './description.ts';
import { callPage, defaultPageSize, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';
import { call } from './request.ts';

export type Trashed = TrashPage['Entries'][number];

/** Everything in the trash, what was deleted last first. */
export async function* listTrash(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<Trashed, void, undefined> {
  const pages = eachPage((cursor) => trashPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Entries } of pages) yield* Entries;
}

/** A page of it. */
export function trashPage(cabinet: Cabinet, { signal, ...query }: PageOptions = {}): Promise<Paged<TrashPage>> {
  return callPage(cabinet, 'GET /trash', { query, signal });
}

export interface RestoreRequest {
  id: string;
  /** The id of the folder to restore it to; by default the one in which it was. */
  parent?: string | undefined;
  /** The name that it had, by default. */
  name?: string | undefined;
  /** If the name is taken: fail (by default), or take `name (2)`. */
  conflict?: 'Fail' | 'Rename' | undefined;
}

/** Takes a file or a whole tree out of the trash. */
export function restoreEntry(
  cabinet: Cabinet,
  { id, ...request }: RestoreRequest,
  options: CallOptions = {},
): Promise<ShownEntry> {
  return call(cabinet, 'POST /entries/{id}/restore', {
    ...options,
    path: { id },
    json: { ParentFolderId: request.parent, Name: request.name, ConflictBehavior: request.conflict },
  });
}

/** Removes for good what is in the trash. */
export function emptyTrash(cabinet: Cabinet, options: CallOptions = {}): Promise<EmptiedTrash> {
  return call(cabinet, 'DELETE /trash', options);
}
