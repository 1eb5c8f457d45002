// Creates a folder under a parent folder.

import { hash, randomUUIDv7 } from 'node:crypto';
import { type Caller, toFolderId } from '../domain/caller.ts';
import type { ConflictBehavior, Entry } from '../domain/entry.ts';
import { checkName, toNameKey } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import { toSortedProperties } from '../domain/properties.ts';
import type { Cabinet } from './cabinet.ts';
import { type FolderListing, firstPageLimit } from './list-folder.ts';

export interface CreateFolderRequest {
  parentFolderId: string | null;
  folderName: string;
  objectType: string | null;
  properties: Record<string, string> | null;
  conflict: ConflictBehavior;
  idempotencyKey: string | null;
}

export interface CreatedFolder extends FolderListing {
  isReplayed: boolean;
}

export async function createFolder(
  cabinet: Cabinet,
  caller: Caller,
  request: CreateFolderRequest,
): Promise<CreatedFolder> {
  authorize(caller, 'write');
  const name = checkName(request.folderName, 'FolderName', cabinet.names);
  const parent = toFolderId(caller, request.parentFolderId);
  const { folder, isExisting, isReplayed } = await cabinet.catalog.createFolder({
    space: caller.space,
    parent,
    id: randomUUIDv7(),
    name,
    nameKey: toNameKey(name),
    objectType: request.objectType,
    properties: request.properties,
    conflict: request.conflict,
    by: caller.actor,
    at: Date.now(),
    request: caller.requestId,
    idempotency: toIdempotency(caller, parent, request),
  });
  if (isExisting) return { ...(await showExisting(cabinet, caller, folder)), isReplayed };
  return { folder, children: [], next: null, isReplayed };
}

/** "`Existing` answers 200 with the existing folder and its first page of children." */
async function showExisting(cabinet: Cabinet, caller: Caller, folder: Entry): Promise<FolderListing> {
  const asked = { space: caller.space, folder: folder.id, limit: firstPageLimit };
  return (await cabinet.catalog.listFolder(asked)) ?? { folder, children: [], next: null };
}

function toIdempotency(caller: Caller, parent: string, request: CreateFolderRequest) {
  if (request.idempotencyKey === null) return null;
  const { folderName, objectType, properties, conflict } = request;
  const fingerprint = hash(
    'sha256',
    JSON.stringify([parent, folderName, objectType, toSortedProperties(properties), conflict]),
  );
  return { appKey: caller.appKey, operation: 'create-folder', key: request.idempotencyKey, fingerprint } as const;
}
