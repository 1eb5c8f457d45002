// Creates a folder under a parent folder.

import { randomUUIDv7 } from 'node:crypto';
import type { CreateFolder, WantedFolder } from '../catalog/verbs/create-folder.ts';
import { type Caller, toFolderId } from '../domain/caller.ts';
import type { ConflictBehavior, Entry, EntryTimes } from '../domain/entry.ts';
import { folderNotFound } from '../domain/missing.ts';
import { checkName, checkRelativePath, type NameRules, toNameKey } from '../domain/name.ts';
import type { Precondition } from '../domain/precondition.ts';
import { toSortedProperties } from '../domain/properties.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { checkFree } from './free-space.ts';
import { toIdempotency } from './idempotency.ts';
import { type FolderListing, firstPageLimit } from './list-folder.ts';
import { byCaller } from './origin.ts';

export interface CreateFolderRequest {
  parentFolderId: string | null;
  folderName: string;
  /** `folderName` is a path, `a/b/c`: missing folders on the way are created. */
  isRelativePath?: boolean;
  objectType: string | null;
  properties: Record<string, string> | null;
  conflict: ConflictBehavior;
  precondition?: Precondition | null;
  idempotencyKey: string | null;
  /** The times of an imported folder. */
  times?: EntryTimes;
}

export interface CreatedFolder extends FolderListing {
  isReplayed: boolean;
}

export async function createFolder(
  cabinet: Cabinet,
  caller: Caller,
  request: CreateFolderRequest,
): Promise<CreatedFolder> {
  const parent = toFolderId(caller, request.parentFolderId);
  const missing = () => folderNotFound('ParentFolderId');
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id: parent, missing });
  checkFree(cabinet, null);
  const { folder, isExisting, isReplayed } = await cabinet.catalog.createFolder({
    space,
    parent,
    ...toFolderName(request, cabinet.names),
    objectType: request.objectType,
    properties: request.properties,
    conflict: request.conflict,
    ...(request.precondition && { precondition: request.precondition }),
    ...(request.times !== undefined && { times: request.times }),
    ...byCaller(cabinet, caller),
    idempotency: toIdempotency(caller, 'create-folder', request.idempotencyKey, [
      space,
      parent,
      ...toParameters(request),
    ]),
  });
  if (isExisting) return { ...(await showExisting(cabinet, space, folder)), isReplayed };
  return { folder, children: [], next: null, isReplayed };
}

type FolderName = Pick<CreateFolder, 'id' | 'name' | 'nameKey' | 'way'>;

function toFolderName({ folderName, isRelativePath }: CreateFolderRequest, rules: NameRules): FolderName {
  if (isRelativePath) return toNestedFolder(checkRelativePath(folderName, rules));
  return toNew(checkName(folderName, 'FolderName', rules));
}

/** The last name, and the folders on the way to it. */
export function toNestedFolder(names: readonly string[]): FolderName {
  return { ...toNew(names.at(-1) ?? ''), way: names.slice(0, -1).map(toNew) };
}

function toNew(name: string): WantedFolder {
  return { id: randomUUIDv7(), name, nameKey: toNameKey(name) };
}

/** "`Existing` answers 200 with the existing folder and its first page of children." */
async function showExisting(cabinet: Cabinet, space: number, folder: Entry): Promise<FolderListing> {
  const page = await cabinet.catalog.listFolder({ space, folder: folder.id, limit: firstPageLimit });
  return page ?? { folder, children: [], next: null };
}

function toParameters({ folderName, objectType, properties, conflict, precondition }: CreateFolderRequest): unknown[] {
  const named = [folderName, objectType, toSortedProperties(properties), conflict];
  return precondition ? [...named, { precondition }] : named;
}
