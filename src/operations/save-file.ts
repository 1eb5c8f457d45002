// Saves a file into a folder. Two steps, because the bytes arrive in between: `admitSave` decides everything that can be
// decided before a byte is read; `saveFile` writes the record that makes the received bytes visible.

import { randomUUIDv7 } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeptBlob } from '../catalog/verbs/contents.ts';
import type { Idempotency } from '../catalog/verbs/idempotency.ts';
import type { SavedFile, SavedVersion } from '../catalog/verbs/save-file.ts';
import type { StoredContent } from '../catalog/verbs/stored-content.ts';
import { type Caller, type SpaceAccess, toFolderId } from '../domain/caller.ts';
import { readMediaType, toContentType } from '../domain/content-type.ts';
import type { ConflictBehavior, EntryTimes } from '../domain/entry.ts';
import { Fault } from '../domain/fault.ts';
import { checkMatch } from '../domain/match.ts';
import { fileNotFound, folderNotFound, notAFolder } from '../domain/missing.ts';
import { checkName, toNameKey } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import { toSortedProperties } from '../domain/properties.ts';
import { Refusal, storageFull } from '../domain/refusal.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { discardBlobs } from './discard-blobs.ts';
import { mayBeRepeated, toIdempotency } from './idempotency.ts';
import { byCaller } from './origin.ts';
import { discardContent, fileTooLarge, type ReceivedContent } from './receive-content.ts';

export interface SaveTarget {
  /** As sent; null or empty for the root. */
  folderId: string | null;
  /** The name, if it is known before the bytes come. */
  fileName: string | null;
  /** How many bytes are coming, where that was said. */
  declaredBytes: number | null;
  /** Nothing but the folder is left that could refuse the save: whoever writes it looks at the folder anyway. */
  skipFolderCheck: boolean;
  /** With one, it may be a repeated request, which gets the first result again. */
  idempotencyKey: string | null;
  /** Of what the key is, if not of the save of one file. */
  operation?: Idempotency['operation'];
  /** What to do where the name is taken, if that is known before the bytes come. */
  conflict?: ConflictBehavior | null;
}

/** Where a save goes. */
export interface Destination {
  access: SpaceAccess;
  folder: string;
}

/** Refuses what cannot succeed. */
export async function admitSave(cabinet: Cabinet, caller: Caller, target: SaveTarget): Promise<Destination> {
  const folder = toFolderId(caller, target.folderId);
  const missing = () => folderNotFound('FolderId');
  const access = await requireAccess(cabinet, caller, { action: 'write', id: folder, missing });
  if (target.fileName !== null) checkName(target.fileName, 'FileName', cabinet.names);
  checkRoom(cabinet, target.declaredBytes);
  if (target.skipFolderCheck) return { access, folder };
  const found = await cabinet.catalog.findEntry({ space: access.space, id: folder });
  if (found?.kind !== 'folder') {
    // "The first result again", although the folder has gone since.
    const { operation = 'save-file', idempotencyKey: key } = target;
    if (await mayBeRepeated(cabinet, caller, { operation, key })) return { access, folder };
    throw found === null ? missing() : notAFolder('FolderId');
  }
  await checkNameFree(cabinet, access.space, folder, target);
  await checkShortage(cabinet, caller, access, target);
  return { access, folder };
}

/** A name that is taken is told before the bytes are sent, unless they may be sent once more. */
async function checkNameFree(
  { catalog }: Cabinet,
  space: number,
  folder: string,
  { fileName, conflict = null, idempotencyKey }: SaveTarget,
): Promise<void> {
  if (fileName === null || conflict === null || conflict === 'Rename' || idempotencyKey !== null) return;
  await catalog.checkNaming({ space, folder, name: fileName, nameKey: toNameKey(fileName), conflict });
}

/** What does not fit is refused before it is sent, unless it may be what is there already: that again adds nothing. */
async function checkShortage(cabinet: Cabinet, caller: Caller, access: SpaceAccess, target: SaveTarget): Promise<void> {
  const { declaredBytes, fileName, idempotencyKey } = target;
  if (declaredBytes === null || idempotencyKey !== null) return;
  const shortage = await cabinet.quotas.findShortage(access, caller.actor, declaredBytes);
  if (shortage === null) return;
  const folder = toFolderId(caller, target.folderId);
  const named = fileName === null ? null : { space: access.space, folder, nameKey: toNameKey(fileName) };
  const sizeBytes = named === null ? null : await cabinet.catalog.findSizeOf(named);
  if (sizeBytes === null || sizeBytes < declaredBytes) throw shortage;
}

export function checkRoom(cabinet: Cabinet, declaredBytes: number | null): void {
  const { limits } = cabinet;
  if ((declaredBytes ?? 0) > limits.fileBytes) throw fileTooLarge(limits.fileBytes);
  checkFree(cabinet, declaredBytes);
}

export function checkFree({ limits, freeBytes }: Cabinet, declaredBytes: number | null): void {
  if (freeBytes() - (declaredBytes ?? 0) < limits.reserveBytes) throw storageFull();
}

export interface SaveRequest {
  /** As `admitSave` returned it. */
  destination: Destination;
  fileName: string;
  /** As the client named it; null when it did not. */
  contentType: string | null;
  objectType: string | null;
  properties: Record<string, string> | null;
  /** What the client says of this version. */
  comment: string | null;
  conflict: ConflictBehavior;
  idempotencyKey: string | null;
  /** One of many, remembered in their name; the result holds what is shown of the file. `earlier`: it was saved before. */
  inBatch?: { idempotency: Idempotency | null; earlier: SavedFile | null };
  /** For what comes from elsewhere. */
  times?: EntryTimes;
  /** The upload that brought the bytes, and ends with this. */
  upload?: { id: string; turn: number };
  received: ReceivedContent;
}

/** The received bytes belong to this call: when no record points to them in the end, they are let go. */
export async function saveFile(cabinet: Cabinet, caller: Caller, request: SaveRequest): Promise<SavedFile> {
  const save = async () => {
    const access = renewAccess(caller, request.destination.access, () => folderNotFound('FolderId'));
    authorize(caller, 'write', access);
    return request.inBatch?.earlier ?? (await write(cabinet, caller, request));
  };
  return await keepReceived(cabinet, request.received, save, request.upload !== undefined);
}

export interface VersionDestination {
  access: SpaceAccess;
  fileId: string;
}

/** Refuses a new version that cannot succeed, before its bytes are read. */
export async function admitVersion(
  cabinet: Cabinet,
  caller: Caller,
  {
    fileId,
    declaredBytes,
    ifMatch,
  }: { fileId: string; declaredBytes: number | null; ifMatch: readonly string[] | null },
): Promise<VersionDestination> {
  const access = await requireAccess(cabinet, caller, { action: 'write', id: fileId, missing: fileNotFound });
  checkRoom(cabinet, declaredBytes);
  const found = await cabinet.catalog.findEntry({ space: access.space, id: fileId });
  if (found?.kind !== 'file') throw fileNotFound();
  if (ifMatch !== null) await checkContent(cabinet, { space: access.space, fileId, ifMatch });
  // One that is not larger may be what is there already: that again adds nothing.
  const more = (declaredBytes ?? 0) > found.sizeBytes ? (declaredBytes ?? 0) : 0;
  const shortage = more === 0 ? null : await cabinet.quotas.findShortage(access, caller.actor, more);
  if (shortage !== null) throw shortage;
  return { access, fileId };
}

async function checkContent(
  { catalog }: Cabinet,
  { space, fileId, ifMatch }: { space: number; fileId: string; ifMatch: readonly string[] },
): Promise<void> {
  const content = await catalog.findContent({ space, id: fileId, version: null });
  if (content === null) throw fileNotFound();
  checkMatch(ifMatch, Buffer.from(content.sha256).toString('base64'));
}

export interface SaveVersionRequest {
  /** As `admitVersion` returned it. */
  destination: VersionDestination;
  contentType: string | null;
  comment: string | null;
  /** The digests, base64, of which the present content must have one; null: whatever it is. */
  ifMatch: readonly string[] | null;
  received: ReceivedContent;
}

/** A new version of a file that is named by its id. */
export async function saveVersion(
  cabinet: Cabinet,
  caller: Caller,
  { destination, ...request }: SaveVersionRequest,
): Promise<SavedVersion> {
  const { content, head } = request.received;
  return await keepReceived(cabinet, request.received, async () => {
    const { space } = destination.access;
    authorize(caller, 'write', renewAccess(caller, destination.access, fileNotFound));
    const found = await cabinet.catalog.findEntry({ space, id: destination.fileId });
    if (found === null) throw fileNotFound();
    const saved = await cabinet.catalog.saveVersion({
      space,
      file: destination.fileId,
      contentType: toContentType(request.contentType ?? undefined, head, found.name),
      isContentTypeDeclared: isDeclared(request.contentType),
      objectType: null,
      properties: null,
      content,
      comment: request.comment,
      keptVersions: cabinet.limits.keptVersions,
      ifMatch: request.ifMatch,
      ...byCaller(cabinet, caller),
    });
    if (saved === null) throw fileNotFound();
    return saved;
  });
}

async function keepReceived<Saved extends SavedFile>(
  cabinet: Cabinet,
  received: ReceivedContent,
  save: () => Promise<Saved>,
  isUpload = false,
): Promise<Saved> {
  const { content } = received;
  let saved: Saved;
  let isKept: boolean;
  try {
    saved = await save();
    isKept = saved.isBlobUsed || (await replacesLostBlob(cabinet, content));
  } catch (error) {
    // An upload can be tried again, unless it was refused.
    if (isOpen(error) || (isUpload && !(error instanceof Refusal))) forgetLease(cabinet, content);
    else await discardContent(cabinet, content);
    throw error;
  }
  if (isKept) forgetLease(cabinet, content);
  else await discardContent(cabinet, content);
  await discardBlobs(cabinet.blobs, saved.freedBlobs);
  return saved;
}

/** Whether the record may be written all the same: then its bytes must stay, for it may be found later. */
function isOpen(error: unknown): boolean {
  return error instanceof Fault && (error.kind === 'fatal' || error.kind === 'unsure');
}

function forgetLease({ leases }: Cabinet, { blob }: StoredContent): void {
  if (blob !== null) leases.forget(blob);
}

/** The bytes may have taken long: what counts is what the caller may do now. */
export function renewAccess({ spaces }: Caller, access: SpaceAccess, missing: () => Refusal): SpaceAccess {
  const now = spaces.find(({ space }) => space === access.space);
  if (now === undefined) throw missing();
  return now;
}

/** The same bytes are kept once. But a 200 must not rest on a blob that the disk has lost, cut or changed: all of it is
 *  read, and if it is not what has just arrived, ours replaces it. */
async function replacesLostBlob(cabinet: Cabinet, content: StoredContent): Promise<boolean> {
  const { catalog } = cabinet;
  if (content.blob === null) return false;
  const kept = await catalog.findBlob({ sha256: content.sha256 });
  if (kept === null || (await holds(cabinet, kept, content))) return false;
  return await catalog.replaceBlob({ lost: kept.blob, content });
}

/** By the checksums that were just made; those of the record, by which it is read later, must be the same. */
async function holds({ blobs }: Cabinet, kept: KeptBlob, { sizeBytes, checksums }: StoredContent): Promise<boolean> {
  const expected = Buffer.from(checksums ?? []);
  if (kept.checksums === null || !expected.equals(kept.checksums)) return false;
  let index = 0;
  try {
    for await (const chunk of blobs.open(kept.blob, 0, sizeBytes)) {
      if (crc32(chunk) !== expected.readUInt32LE(index * 4)) return false;
      index += 1;
    }
    return true;
  } catch {
    return false;
  }
}

function write(cabinet: Cabinet, caller: Caller, request: SaveRequest): Promise<SavedFile> {
  const { content, head } = request.received;
  const name = checkName(request.fileName, 'FileName', cabinet.names);
  return cabinet.catalog.saveFile({
    space: request.destination.access.space,
    folder: request.destination.folder,
    id: randomUUIDv7(),
    name,
    nameKey: toNameKey(name),
    contentType: toContentType(request.contentType ?? undefined, head, name),
    isContentTypeDeclared: isDeclared(request.contentType),
    objectType: request.objectType,
    properties: request.properties,
    content,
    comment: request.comment,
    keptVersions: cabinet.limits.keptVersions,
    conflict: request.conflict,
    ...(request.times !== undefined && { times: request.times }),
    ...(request.upload !== undefined && { upload: request.upload }),
    ...byCaller(cabinet, caller),
    ...(request.inBatch !== undefined && { isShown: true }),
    idempotency:
      request.inBatch === undefined
        ? toIdempotency(caller, 'save-file', request.idempotencyKey, toParameters(request))
        : request.inBatch.idempotency,
  });
}

function isDeclared(contentType: string | null): boolean {
  return contentType !== null && readMediaType(contentType)?.essence !== 'application/octet-stream';
}

function toParameters(request: SaveRequest): unknown[] {
  const { destination, fileName, contentType, objectType, properties, comment, conflict, received } = request;
  const sha256 = Buffer.from(received.content.sha256).toString('hex');
  const { access, folder } = destination;
  const named = [
    access.space,
    folder,
    fileName,
    contentType,
    objectType,
    toSortedProperties(properties),
    conflict,
    sha256,
  ];
  return comment === null ? named : [...named, comment];
}
