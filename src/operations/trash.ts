// Deleting entries, seeing what was deleted, bringing it back, and removing it for good.

import type { TrashPage } from '../catalog/verbs/trash.ts';
import { type Caller, toFolderIdIn } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { entryNotFound } from '../domain/missing.ts';
import { checkName } from '../domain/name.ts';
import type { Precondition } from '../domain/precondition.ts';
import { requireAccess, requireSpace, requireTarget, requireView, toVisible } from './access.ts';
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
  const access = await requireAccess(cabinet, caller, {
    action: 'write',
    id,
    missing: entryNotFound,
    isTrashMeant: isPermanent,
    isLeaving: true,
  });
  const { space } = access;
  const removal = { space, id, precondition, ...byCaller(cabinet, caller) };
  const deleted = await (isPermanent ? cabinet.catalog.removeEntry(removal) : cabinet.catalog.trashEntry(removal));
  if (deleted === null) throw entryNotFound();
  if (isPermanent) cabinet.purger.nudge();
  return access.view === undefined ? deleted : { ...deleted, path: access.view.path ?? '' };
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
    isLeaving: true,
  });
  const parent = parentFolderId === null ? null : toFolderIdIn(access, parentFolderId);
  if (parent !== null) await requireTarget(cabinet, caller, { access, parent });
  const restored = await cabinet.catalog.restoreEntry({
    space: access.space,
    id,
    parent,
    name: request.name === null ? null : checkName(request.name, 'Name', cabinet.names),
    conflict,
    precondition,
    ...byCaller(cabinet, caller),
  });
  if (restored === null) throw entryNotFound();
  return await toVisible(cabinet, access, restored);
}

interface TrashRequest {
  after: readonly [trashedAt: number, entry: number] | null;
  limit: number;
}

export async function listTrash(cabinet: Cabinet, caller: Caller, request: TrashRequest): Promise<TrashPage> {
  const { space, view } = requireView(caller);
  if (view !== undefined) return await listSharedTrash(cabinet, { space, principals: view.principals }, request);
  return await cabinet.catalog.listTrash({ space, ...request });
}

const scannedTops = 200;

/** Only what the grants show, with paths from there. Pages are filled, so that they do not tell how much else there is. */
async function listSharedTrash(
  { catalog }: Cabinet,
  { space, principals }: { space: number; principals: readonly string[] },
  { after, limit }: TrashRequest,
): Promise<TrashPage> {
  const entries: TrashPage['entries'] = [];
  for (let from = after; ; ) {
    const page = await catalog.listTrash({ space, after: from, limit: scannedTops });
    for (const trashed of page.entries) {
      const granted = await catalog.resolveGrants({ space, id: trashed.details.entry.id, principals });
      if (granted === null) continue;
      const last = entries.at(-1);
      if (entries.length === limit && last !== undefined) return { entries, next: last.place };
      entries.push({ ...trashed, details: { ...trashed.details, path: granted.path } });
    }
    if (page.next === null) return { entries, next: null };
    from = page.next;
  }
}

/** Permanently removes everything in the trash. Returns the number of trashed entries, each counted with its tree as one. */
export async function emptyTrash(cabinet: Cabinet, caller: Caller): Promise<number> {
  const access = requireSpace(caller, 'write');
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
