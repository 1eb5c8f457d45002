// Copies or moves an entry to a name in a folder, over what has that name. A file over a file is a new version of that file;
// anything else that is replaced goes to the trash.

import type { EntryDetails } from '../catalog/verbs/tree.ts';
import type { Caller } from '../domain/caller.ts';
import type { Entry } from '../domain/entry.ts';
import { entryNotFound } from '../domain/missing.ts';
import { checkName, toNameKey } from '../domain/name.ts';
import type { Precondition } from '../domain/precondition.ts';
import { requireAccess, requireMove, requireSource, requireTarget } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { changeEntry } from './change-entry.ts';
import { copyEntry } from './copy-entry.ts';
import { discardBlobs } from './discard-blobs.ts';
import { checkFree } from './free-space.ts';
import { byCaller } from './origin.ts';

export interface Transfer {
  isMove: boolean;
  source: EntryDetails;
  parentFolderId: string;
  name: string;
  /** What has the name; null: nothing. */
  replaced: EntryDetails | null;
  /** A folder is copied without what is in it. */
  isShallow: boolean;
  /** Of the source. */
  precondition: Precondition | null;
}

/** Whether one of the two is a folder that contains the other, at any depth. */
export async function areNested(
  { catalog }: Cabinet,
  space: number,
  [one, other]: readonly [Entry, Entry],
): Promise<boolean> {
  const isWithin = async (inner: Entry, outer: Entry) =>
    outer.kind === 'folder' && (await catalog.findBeneath({ space, top: outer.id, id: inner.id })) !== null;
  return (await isWithin(one, other)) || (await isWithin(other, one));
}

export async function transferEntry(cabinet: Cabinet, caller: Caller, transfer: Transfer): Promise<void> {
  const { source, replaced, isMove, parentFolderId, name, precondition, isShallow } = transfer;
  const { id } = source.entry;
  if (replaced !== null && source.entry.kind === 'file' && replaced.entry.kind === 'file') {
    await replaceFile(cabinet, caller, { ...transfer, replaced });
  } else if (!isMove) {
    const copy = { id, parentFolderId, name, conflict: 'Fail', precondition, isShallow } as const;
    await copyEntry(cabinet, caller, { ...copy, replaced: replaced?.entry.id ?? null });
  } else if (replaced === null) {
    const unchanged = { properties: null, objectType: null };
    await changeEntry(cabinet, caller, { id, parentFolderId, name, precondition, conflict: 'Fail', ...unchanged });
  } else await moveOver(cabinet, caller, { ...transfer, replaced });
}

type Replacement = Transfer & { replaced: EntryDetails };

async function replaceFile(
  cabinet: Cabinet,
  caller: Caller,
  { source, replaced, isMove, precondition }: Replacement,
): Promise<void> {
  const { id } = source.entry;
  const access = await requireSource(cabinet, caller, id);
  const place = { access, parent: replaced.entry.id, missing: entryNotFound };
  await (isMove ? requireMove(cabinet, caller, { ...place, id }) : requireTarget(cabinet, caller, place));
  const { space } = access;
  checkFree(cabinet, null);
  const done = await cabinet.catalog.replaceFile({
    space,
    id,
    replaced: replaced.entry.id,
    isMove,
    precondition,
    keptVersions: cabinet.limits.keptVersions,
    ...byCaller(cabinet, caller),
  });
  if (done === null) throw entryNotFound();
  await discardBlobs(cabinet.blobs, done.freedBlobs);
  if (isMove) cabinet.purger.nudge();
}

async function moveOver(
  cabinet: Cabinet,
  caller: Caller,
  { source, replaced, parentFolderId, name, precondition }: Replacement,
): Promise<void> {
  const { id } = source.entry;
  const access = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  await requireMove(cabinet, caller, { access, id, parent: parentFolderId });
  const { space } = access;
  checkName(name, 'Destination', cabinet.names);
  const moved = await cabinet.catalog.moveOver({
    space,
    id,
    replaced: replaced.entry.id,
    parent: parentFolderId,
    name: { name, nameKey: toNameKey(name) },
    properties: null,
    objectType: null,
    precondition,
    conflict: 'Fail',
    ...byCaller(cabinet, caller),
  });
  if (moved === null) throw entryNotFound();
}
