// Deleting entries, seeing what was deleted, bringing it back, and removing it for good.

import type { TrashPage } from '../catalog/verbs/trash.ts';
import { type Caller, selectSpace, toFolderIdIn } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { entryNotFound } from '../domain/missing.ts';
import { checkName } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import type { Precondition } from '../domain/precondition.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import type { EntryView } from './show-entry.ts';

interface DeleteRequest {
  id: string;
  isPermanent: boolean;
  precondition: Precondition | null;
}

/** Returns the entry as it was. */
export async function deleteEntry(cabinet: Cabinet, caller: Caller, request: DeleteRequest): Promise<EntryView> {
  const { id, isPermanent, precondition } = request;
  const { space } = await requireAccess(cabinet, caller, {
    action: 'write',
    id,
    missing: entryNotFound,
    isTrashMeant: isPermanent,
  });
  const removal = { space, id, precondition, ...byCaller(cabinet, caller) };
  const deleted = await (isPermanent ? cabinet.catalog.removeEntry(removal) : cabinet.catalog.trashEntry(removal));
  if (deleted === null) throw entryNotFound();
  if (isPermanent) cabinet.purger.nudge();
  return deleted;
}

interface RestoreRequest {
  id: string;
  /** Null for the original folder. */
  parentFolderId: string | null;
  /** Null for the original name. */
  name: string | null;
  conflict: ConflictBehavior;
  precondition: Precondition | null;
}

export async function restoreEntry(cabinet: Cabinet, caller: Caller, request: RestoreRequest): Promise<EntryView> {
  const { id, conflict, precondition, parentFolderId } = request;
  const access = await requireAccess(cabinet, caller, {
    action: 'write',
    id,
    missing: entryNotFound,
    isTrashMeant: true,
  });
  const restored = await cabinet.catalog.restoreEntry({
    space: access.space,
    id,
    parent: parentFolderId === null ? null : toFolderIdIn(access, parentFolderId),
    name: request.name === null ? null : checkName(request.name, 'Name', cabinet.names),
    conflict,
    precondition,
    ...byCaller(cabinet, caller),
  });
  if (restored === null) throw entryNotFound();
  return restored;
}

interface TrashRequest {
  after: readonly [trashedAt: number, entry: number] | null;
  limit: number;
}

export async function listTrash({ catalog }: Cabinet, caller: Caller, request: TrashRequest): Promise<TrashPage> {
  const access = selectSpace(caller);
  authorize(caller, 'read', access);
  return await catalog.listTrash({ space: access.space, ...request });
}

/** Permanently removes everything in the trash. Returns the number of trashed entries, each counted with its tree as one. */
export async function emptyTrash(cabinet: Cabinet, caller: Caller): Promise<number> {
  const access = selectSpace(caller);
  authorize(caller, 'write', access);
  const origin = byCaller(cabinet, caller);
  return await removeTrashed(cabinet, { space: access.space, before: origin.at + 1, ...origin });
}

/** `space` null for every space. */
export async function removeTrashed(
  { catalog, purger }: Cabinet,
  filter: Parameters<typeof catalog.emptyTrash>[0],
): Promise<number> {
  let count = 0;
  for (let removed = -1; removed !== 0; count += removed) removed = await catalog.emptyTrash(filter);
  if (count > 0) purger.nudge();
  return count;
}
