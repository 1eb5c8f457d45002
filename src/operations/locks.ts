// Locks: taking one on an entry or on a new name, refreshing and releasing it. A lock lasts at most an hour, and binds every way to
// change what it covers.

import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { Lock } from '../catalog/verbs/locks.ts';
import type { SaveFile } from '../catalog/verbs/save-file.ts';
import type { Caller, SpaceAccess } from '../domain/caller.ts';
import { toContentType } from '../domain/content-type.ts';
import { entryNotFound, folderNotFound } from '../domain/missing.ts';
import { checkName, toNameKey } from '../domain/name.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { checkFree } from './free-space.ts';
import { byCaller } from './origin.ts';
import { toInline } from './receive-content.ts';

export const maxLockSeconds = 3600;

export interface LockRequest {
  isDeep: boolean;
  isExclusive: boolean;
  /** The element `DAV:owner` as XML, and its text; null: none was sent. */
  owner: string | null;
  ownerText: string | null;
  seconds: number;
}

export async function lockEntry(
  cabinet: Cabinet,
  caller: Caller,
  { id, ...request }: LockRequest & { id: string },
): Promise<Lock> {
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  return await cabinet.catalog.takeLock({ space, on: { id }, ...toTaken(cabinet, caller, request) });
}

/** Makes an empty file of this name, in the same commit. */
export async function lockNewName(
  cabinet: Cabinet,
  caller: Caller,
  { folderId, name, ...request }: LockRequest & { folderId: string; name: string },
): Promise<Lock> {
  const missing = () => folderNotFound('FolderId');
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id: folderId, missing });
  checkFree(cabinet, null);
  const { content, ...file } = toEmptyFile(cabinet, caller, {
    space,
    folder: folderId,
    name: checkName(name, 'FileName', cabinet.names),
  });
  return await cabinet.catalog.takeLock({ space, on: { file }, content, ...toTaken(cabinet, caller, request) });
}

function toTaken(cabinet: Cabinet, caller: Caller, { seconds, ...request }: LockRequest) {
  const expiresAt = toEnd(cabinet, seconds);
  return { ...request, token: `opaquelocktoken:${randomUUID()}`, expiresAt, ...byCaller(cabinet, caller) };
}

function toEnd({ clock }: Cabinet, seconds: number): number {
  return clock.now() + Math.min(Math.max(seconds, 1), maxLockSeconds) * 1000;
}

function toEmptyFile(
  cabinet: Cabinet,
  caller: Caller,
  { space, folder, name }: { space: number; folder: string; name: string },
): SaveFile {
  const { content, head } = toInline([]);
  return {
    space,
    folder,
    id: randomUUIDv7(),
    name,
    nameKey: toNameKey(name),
    contentType: toContentType(undefined, head, name),
    isContentTypeDeclared: false,
    objectType: null,
    properties: null,
    content,
    comment: null,
    keptVersions: null,
    conflict: 'Fail',
    idempotency: null,
    ...byCaller(cabinet, caller),
  };
}

/** Those of the caller that cover the entry and whose tokens the caller has sent; none: there is no such lock. */
export async function refreshLocks(
  cabinet: Cabinet,
  caller: Caller,
  { id, seconds }: { id: string; seconds: number },
): Promise<Lock[]> {
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  return await cabinet.catalog.refreshLocks({
    space,
    id,
    expiresAt: toEnd(cabinet, seconds),
    ...byCaller(cabinet, caller),
  });
}

/** False: the entry has no such lock. */
export async function releaseLock(
  cabinet: Cabinet,
  caller: Caller,
  { id, token }: { id: string; token: string },
): Promise<boolean> {
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  return await cabinet.catalog.releaseLock({ space, id, token, ...byCaller(cabinet, caller) });
}

/** Those that cover an entry; with `isWithin` those on the entries directly in a folder. */
export async function findLocks(
  cabinet: Cabinet,
  caller: Caller,
  { id, isWithin = false }: { id: string; isWithin?: boolean },
): Promise<Lock[]> {
  const { catalog, clock } = cabinet;
  const access = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
  const place = { space: access.space, id, at: clock.now() };
  const locks = await (isWithin ? catalog.findLocksIn(place) : catalog.findLocks(place));
  return access.view === undefined
    ? locks
    : await Promise.all(locks.map((lock) => toVisibleLock(cabinet, access, id, lock)));
}

/** A lock on a folder above what is shared is shown as one on the requested entry. */
async function toVisibleLock(
  { catalog }: Cabinet,
  { space, view }: SpaceAccess,
  id: string,
  lock: Lock,
): Promise<Lock> {
  const { principals = [], path = '' } = view ?? {};
  const found = await catalog.resolveGrants({ space, id: lock.entryId, principals });
  return found === null ? { ...lock, entryId: id, path: path ?? '' } : { ...lock, path: found.path };
}

/** The same for whoever wants to know who holds an entry: one that is not there is refused. */
export async function showLocks(
  cabinet: Cabinet,
  caller: Caller,
  request: { id: string; isWithin: boolean },
): Promise<Lock[]> {
  const { id } = request;
  const { space } = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
  if ((await cabinet.catalog.findEntry({ space, id })) === null) throw entryNotFound();
  return await findLocks(cabinet, caller, request);
}

/** Refuses a save that a lock forbids, before its bytes are sent. */
export async function checkUnlocked(cabinet: Cabinet, caller: Caller, { id }: { id: string }): Promise<void> {
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  const { at, by, lockTokens = [] } = byCaller(cabinet, caller);
  await cabinet.catalog.checkUnlocked({ space, id, at, by, lockTokens });
}
