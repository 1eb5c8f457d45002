// What folders and files have in common: show, rename, move, copy, delete.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Entry, Lock, ShownEntry } from './description.ts';
import { type CabinetError, toCabinetError } from './errors.ts';
import { call } from './request.ts';

/** An entry with its path and, for files, its digest and version. */
export function showEntry(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<ShownEntry> {
  return call(cabinet, 'GET /entries/{id}', { ...options, path: { id } });
}

/** The locks that cover an entry, or those on what is directly in a folder: who holds what, and until when. */
export async function listLocks(
  cabinet: Cabinet,
  id: string,
  { of, ...options }: CallOptions & { of?: 'entry' | 'children' | undefined } = {},
): Promise<Lock[]> {
  return (await call(cabinet, 'GET /entries/{id}/locks', { ...options, path: { id }, query: { of } })).Locks;
}

/** A file by its path from the root, such as `/Invoices/a.pdf`. */
export function findFile(cabinet: Cabinet, path: string, options: CallOptions = {}): Promise<ShownEntry> {
  return call(cabinet, 'GET /files', { ...options, query: { path } });
}

export interface EntryChange {
  name?: string | undefined;
  /** The id of the folder to move it to; `-root-` for the root. */
  parent?: string | undefined;
  /** Merged into what there is; null removes a key. */
  properties?: Record<string, string | null> | undefined;
  objectType?: string | undefined;
  /** If the name is taken: fail (by default), or take `name (2)`. */
  conflict?: 'Fail' | 'Rename' | undefined;
  /** Only if its `ETag` is still this one; otherwise `PreconditionFailed`. */
  ifMatch?: string | undefined;
}

export interface ChangeRequest extends EntryChange {
  id: string;
}

/** Renames, moves, or sets properties: whatever is given, in one step. */
export function changeEntry(
  cabinet: Cabinet,
  { id, ifMatch, ...change }: ChangeRequest,
  options: CallOptions = {},
): Promise<ShownEntry> {
  return call(cabinet, 'PATCH /entries/{id}', {
    ...options,
    path: { id },
    headers: { 'If-Match': ifMatch },
    json: {
      Name: change.name,
      ParentFolderId: change.parent,
      Properties: change.properties,
      ObjectType: change.objectType,
      ConflictBehavior: change.conflict,
    },
    // Sent twice, a condition would fail because of our own change, and a second free name would be found.
    isRepeatable: ifMatch === undefined && change.conflict !== 'Rename',
  });
}

export interface CopyRequest {
  id: string;
  /** The id of the folder to copy it to; the root by default. */
  parent?: string | undefined;
  /** The name that it has, by default. */
  name?: string | undefined;
  /** If the name is taken: fail (by default), or take `name (2)`. */
  conflict?: 'Fail' | 'Rename' | undefined;
}

/** Copies a file or a whole tree; no bytes are moved. */
export function copyEntry(
  cabinet: Cabinet,
  { id, ...request }: CopyRequest,
  options: CallOptions = {},
): Promise<ShownEntry> {
  return call(cabinet, 'POST /entries/{id}/copy', {
    ...options,
    path: { id },
    json: { ParentFolderId: request.parent, Name: request.name, ConflictBehavior: request.conflict },
  });
}

export interface DeleteRequest {
  id: string;
  /** For good, instead of into the trash. */
  permanent?: boolean | undefined;
  /** Only if its `ETag` is still this one; otherwise `PreconditionFailed`. */
  ifMatch?: string | undefined;
}

/** Moves a file or a whole tree to the trash, or removes it for good. */
export function deleteEntry(
  cabinet: Cabinet,
  { id, permanent, ifMatch }: DeleteRequest,
  options: CallOptions = {},
): Promise<ShownEntry> {
  return call(cabinet, 'DELETE /entries/{id}', {
    ...options,
    path: { id },
    query: { permanent: permanent === true ? 'true' : undefined },
    headers: { 'If-Match': ifMatch },
  });
}

export interface EntriesChange {
  action: 'move' | 'copy' | 'trash' | 'restore' | 'delete';
  /** At most 5,000. */
  ids: readonly string[];
  /** The id of the folder to move, copy or restore them to; `-root-` for the root. Needed to move. */
  parent?: string | undefined;
  /** If a name is taken: fail (by default), or take `name (2)`. */
  conflict?: 'Fail' | 'Rename' | undefined;
}

/** Does the same to many entries. For each of them, in order: the entry, or the error that it met. */
export async function changeEntries(
  cabinet: Cabinet,
  { action, ids, parent, conflict }: EntriesChange,
  options: CallOptions = {},
): Promise<(Entry | CabinetError)[]> {
  const { Results = [] } = await call(cabinet, 'POST /entries/batch', {
    ...options,
    json: { Action: action, EntryIds: [...ids], ParentFolderId: parent, ConflictBehavior: conflict },
  });
  return Results.map((result) => (result.Error === undefined ? (result.Entry as Entry) : toCabinetError(result.Error)));
}

export interface Job {
  /** How many entries it is done with. */
  done: number;
  total: number;
  /** `failed` by a fault of the service, `interrupted` by its end. */
  state: 'running' | 'done' | 'failed' | 'interrupted';
}

/** How far a job of `POST /entries/batch` with `Prefer: respond-async` is. */
export async function showJob(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<Job> {
  const { Job } = await call(cabinet, 'GET /jobs/{id}', { ...options, path: { id } });
  return { done: Job.Done, total: Job.Total, state: Job.State };
}
