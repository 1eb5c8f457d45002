// Lists, restores, removes and comments the versions of a file.

import type { ChangedVersion, Version, VersionPage } from '../catalog/verbs/versions.ts';
import type { Caller } from '../domain/caller.ts';
import { fileNotFound, versionNotFound } from '../domain/missing.ts';
import { checkEntryPrecondition, type Precondition } from '../domain/precondition.ts';
import { requireAccess, toVisible } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { discardBlobs } from './discard-blobs.ts';
import { byCaller } from './origin.ts';
import type { EntryView } from './show-entry.ts';

interface VersionsRequest {
  fileId: string;
  /** Only versions below this one; null starts at the newest. */
  below: number | null;
  limit: number;
}

export async function listVersions(cabinet: Cabinet, caller: Caller, request: VersionsRequest): Promise<VersionPage> {
  const { fileId: file, ...page } = request;
  const { space } = await requireAccess(cabinet, caller, { action: 'read', id: file, missing: fileNotFound });
  const versions = await cabinet.catalog.listVersions({ space, file, ...page });
  if (versions === null) throw fileNotFound();
  return versions;
}

interface VersionRequest {
  fileId: string;
  version: number;
  /** Of the file's entry. */
  precondition: Precondition | null;
}

export function restoreVersion(cabinet: Cabinet, caller: Caller, request: VersionRequest): Promise<EntryView> {
  return changeVersion(cabinet, caller, request, cabinet.catalog.restoreVersion);
}

export function removeVersion(cabinet: Cabinet, caller: Caller, request: VersionRequest): Promise<EntryView> {
  return changeVersion(cabinet, caller, request, cabinet.catalog.removeVersion);
}

async function changeVersion(
  cabinet: Cabinet,
  caller: Caller,
  { fileId: file, version, precondition }: VersionRequest,
  change: Cabinet['catalog']['restoreVersion'],
): Promise<EntryView> {
  const access = await requireAccess(cabinet, caller, { action: 'write', id: file, missing: fileNotFound });
  const { space } = access;
  const { keptVersions } = cabinet.limits;
  const changed: ChangedVersion | null = await change({
    space,
    file,
    version,
    keptVersions,
    precondition,
    ...byCaller(cabinet, caller),
  });
  if (changed === null) throw fileNotFound();
  await discardBlobs(cabinet.blobs, changed.freedBlobs);
  return await toVisible(cabinet, access, changed.details);
}

/** Checks a request to change a version before its body is read. */
export async function admitVersion(
  cabinet: Cabinet,
  caller: Caller,
  { fileId: file, version, precondition }: VersionRequest,
): Promise<void> {
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id: file, missing: fileNotFound });
  const versions = await cabinet.catalog.listVersions({ space, file, below: version + 1, limit: 1 });
  if (versions === null) throw fileNotFound();
  if (versions.versions[0]?.version !== version) throw versionNotFound();
  const details = precondition === null ? null : await cabinet.catalog.findDetails({ space, id: file });
  if (details !== null) checkEntryPrecondition(precondition, details);
}

interface CommentRequest extends VersionRequest {
  comment: string | null;
}

export async function commentVersion(cabinet: Cabinet, caller: Caller, request: CommentRequest): Promise<Version> {
  const { fileId: file, version, comment, precondition } = request;
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id: file, missing: fileNotFound });
  const commented = await cabinet.catalog.commentVersion({
    space,
    file,
    version,
    comment,
    precondition,
    ...byCaller(cabinet, caller),
  });
  if (commented === null) throw fileNotFound();
  return commented;
}
