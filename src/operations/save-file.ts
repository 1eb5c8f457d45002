// Saves a file into a folder, in two steps because the bytes arrive in between: `admitSave` checks everything that can be checked
// before a byte is read; `saveFile` writes the record that makes the received bytes visible.

import { randomUUIDv7 } from 'node:crypto';
import type { Idempotency } from '../catalog/verbs/idempotency.ts';
import type { SavedFile, SavedVersion } from '../catalog/verbs/save-file.ts';
import type { StoredContent } from '../catalog/verbs/stored-content.ts';
import type { FinishingUpload } from '../catalog/verbs/usage.ts';
import { type Caller, type SpaceAccess, toFolderId } from '../domain/caller.ts';
import { readMediaType, toContentType } from '../domain/content-type.ts';
import type { ConflictBehavior, EntryTimes } from '../domain/entry.ts';
import { Fault } from '../domain/fault.ts';
import { fileNotFound, folderNotFound, notAFolder } from '../domain/missing.ts';
import { checkName, toNameKey } from '../domain/name.ts';
import { checkPrecondition, type Precondition, toContentEtag } from '../domain/precondition.ts';
import { toSortedProperties } from '../domain/properties.ts';
import { Refusal } from '../domain/refusal.ts';
import { renewAccess, requireAccess, toVisible } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { discardBlobs } from './discard-blobs.ts';
import { checkFree } from './free-space.ts';
import { mayBeRepeated, toIdempotency } from './idempotency.ts';
import { isKept as isBlobKept } from './kept-blobs.ts';
import { noteRecent } from './note-recent.ts';
import { byCaller } from './origin.ts';
import { discardContent, fileTooLarge, type ReceivedContent } from './receive-content.ts';

interface SaveTarget {
  /** As sent; null or empty for the root. */
  folderId: string | null;
  /** The name, if it is known before the bytes arrive. */
  fileName: string | null;
  /** The declared length; null when it is unknown. */
  declaredBytes: number | null;
  /** Everything else has been checked already, and the verb that writes the save checks the folder anyway. */
  skipFolderCheck: boolean;
  /** A repeated request with the same key gets the first result again. */
  idempotencyKey: string | null;
  /** The operation of the key; by default the save of one file. */
  operation?: Idempotency['operation'];
  /** What to do when the name exists, if that is known before the bytes arrive. */
  conflict?: ConflictBehavior | null;
  precondition?: Precondition | null;
}

/** The folder that a file is saved into. */
export interface Destination {
  access: SpaceAccess;
  folder: string;
}

/** Refuses a save that cannot succeed. */
export async function admitSave(cabinet: Cabinet, caller: Caller, target: SaveTarget): Promise<Destination> {
  const folder = toFolderId(caller, target.folderId);
  const missing = () => folderNotFound('FolderId');
  const access = await requireAccess(cabinet, caller, { action: 'write', id: folder, missing });
  if (target.fileName !== null) checkName(target.fileName, 'FileName', cabinet.names);
  checkCapacity(cabinet, target.declaredBytes);
  if (target.skipFolderCheck) return { access, folder };
  const entry = await cabinet.catalog.findEntry({ space: access.space, id: folder });
  if (entry?.kind !== 'folder') {
    // "The first result again", although the folder has been removed since.
    const { operation = 'save-file', idempotencyKey: key } = target;
    if (await mayBeRepeated(cabinet, caller, { operation, key })) return { access, folder };
    throw entry === null ? missing() : notAFolder('FolderId');
  }
  await checkNameFree(cabinet, access.space, folder, target);
  await checkShortage(cabinet, caller, access, target);
  return { access, folder };
}

/** Refuses an existing name and a failed precondition before the bytes are sent, unless the request may be a repeated one. */
async function checkNameFree(
  { catalog }: Cabinet,
  space: number,
  folder: string,
  { fileName, conflict = null, precondition = null, idempotencyKey }: SaveTarget,
): Promise<void> {
  if (fileName === null || idempotencyKey !== null) return;
  // `Rename` accepts any name, so that only the precondition is left to check.
  const strict = conflict ?? 'Rename';
  if (strict === 'Rename' && precondition === null) return;
  await catalog.checkNaming({
    space,
    folder,
    name: fileName,
    nameKey: toNameKey(fileName),
    conflict: strict,
    precondition,
  });
}

/** Refuses what exceeds the quota before it is sent, unless the same content may be there already: saving it again adds nothing. */
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

export function checkCapacity(cabinet: Cabinet, declaredBytes: number | null): void {
  const { limits } = cabinet;
  if ((declaredBytes ?? 0) > limits.fileBytes) throw fileTooLarge(limits.fileBytes);
  checkFree(cabinet, declaredBytes);
}

interface SaveRequest {
  /** As `admitSave` returned it. */
  destination: Destination;
  fileName: string;
  /** As the client declared it; null when it did not. */
  contentType: string | null;
  objectType: string | null;
  properties: Record<string, string> | null;
  /** The client's comment on this version. */
  comment: string | null;
  conflict: ConflictBehavior;
  /** Of the content of the file that has the name. */
  precondition?: Precondition | null;
  idempotencyKey: string | null;
  /** Part of a batch: the idempotency key is the batch's, and the result has the file's details. `earlier`: the result of an earlier
   *  attempt. */
  inBatch?: { idempotency: Idempotency | null; earlier: SavedFile | null };
  /** The times of an imported file. */
  times?: EntryTimes;
  /** The upload that received the bytes; it ends with this save. */
  upload?: FinishingUpload;
  received: ReceivedContent;
}

/** Takes ownership of the received bytes: discards them when no record references them in the end. */
export async function saveFile(cabinet: Cabinet, caller: Caller, request: SaveRequest): Promise<SavedFile> {
  const save = async () => {
    const { access, folder: id } = request.destination;
    const missing = () => folderNotFound('FolderId');
    await renewAccess(cabinet, caller, access, { action: 'write', id, missing });
    const saved = request.inBatch?.earlier ?? (await write(cabinet, caller, request));
    if (request.inBatch === undefined) noteRecent(cabinet, caller, { space: access.space, id: saved.file.id });
    return saved;
  };
  const { space } = request.destination.access;
  return await keepReceived(cabinet, { received: request.received, space }, save, request.upload !== undefined);
}

interface VersionDestination {
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
    precondition,
  }: { fileId: string; declaredBytes: number | null; precondition: Precondition | null },
): Promise<VersionDestination> {
  const access = await requireAccess(cabinet, caller, { action: 'write', id: fileId, missing: fileNotFound });
  checkCapacity(cabinet, declaredBytes);
  const file = await cabinet.catalog.findEntry({ space: access.space, id: fileId });
  if (file?.kind !== 'file') throw fileNotFound();
  if (precondition !== null) await checkContent(cabinet, { space: access.space, fileId, precondition });
  // A content that is not larger may be the current one: saving it again adds nothing.
  const more = (declaredBytes ?? 0) > file.sizeBytes ? (declaredBytes ?? 0) : 0;
  const shortage = more === 0 ? null : await cabinet.quotas.findShortage(access, caller.actor, more);
  if (shortage !== null) throw shortage;
  return { access, fileId };
}

async function checkContent(
  { catalog }: Cabinet,
  { space, fileId, precondition }: { space: number; fileId: string; precondition: Precondition },
): Promise<void> {
  const content = await catalog.findContent({ space, id: fileId, version: null });
  if (content === null) throw fileNotFound();
  checkPrecondition(precondition, { etag: toContentEtag(content.sha256), modifiedAt: content.modifiedAt });
}

interface SaveVersionRequest {
  /** As `admitVersion` returned it. */
  destination: VersionDestination;
  contentType: string | null;
  comment: string | null;
  /** Of the content. */
  precondition: Precondition | null;
  received: ReceivedContent;
}

export interface ShownVersion extends SavedVersion {
  /** Whether the caller also sees the folder that contains the file. */
  isFolderVisible: boolean;
}

/** Saves a new version of the file with this id. */
export async function saveVersion(
  cabinet: Cabinet,
  caller: Caller,
  { destination, ...request }: SaveVersionRequest,
): Promise<ShownVersion> {
  const { content, head } = request.received;
  let { access } = destination;
  const { space } = access;
  const saved = await keepReceived(cabinet, { received: request.received, space }, async () => {
    const id = destination.fileId;
    access = await renewAccess(cabinet, caller, access, { action: 'write', id, missing: fileNotFound });
    const file = await cabinet.catalog.findEntry({ space, id: destination.fileId });
    if (file === null) throw fileNotFound();
    const saved = await cabinet.catalog.saveVersion({
      space,
      file: destination.fileId,
      contentType: toContentType(request.contentType ?? undefined, head, file.name),
      isContentTypeDeclared: isDeclared(request.contentType),
      objectType: null,
      properties: null,
      content,
      comment: request.comment,
      keptVersions: cabinet.limits.keptVersions,
      precondition: request.precondition,
      ...byCaller(cabinet, caller),
    });
    if (saved === null) throw fileNotFound();
    noteRecent(cabinet, caller, { space, id: destination.fileId });
    return saved;
  });
  const isFolderVisible = access.view === undefined || access.view.parentRole !== null;
  return { ...saved, isFolderVisible, details: await toVisible(cabinet, access, saved.details) };
}

async function keepReceived<Saved extends SavedFile>(
  cabinet: Cabinet,
  { received, space }: { received: ReceivedContent; space: number },
  save: () => Promise<Saved>,
  isUpload = false,
): Promise<Saved> {
  const { content } = received;
  let saved: Saved;
  let isKept: boolean;
  try {
    saved = await save();
    isKept =
      saved.isBlobUsed ||
      (await replacesLostBlob(cabinet, content, { space, file: saved.file.id, version: saved.version }));
  } catch (error) {
    // An upload can be retried, unless it was refused.
    if (mayBeWritten(error) || (isUpload && !(error instanceof Refusal))) forgetLease(cabinet, content);
    else await discardContent(cabinet, content);
    throw error;
  }
  if (isKept) forgetLease(cabinet, content);
  else await discardContent(cabinet, content);
  await discardBlobs(cabinet.blobs, saved.freedBlobs);
  return saved;
}

/** Whether the record may have been written despite the error: then its bytes must stay. */
function mayBeWritten(error: unknown): boolean {
  return error instanceof Fault && (error.kind === 'fatal' || error.kind === 'unsure');
}

function forgetLease({ leases }: Cabinet, { blob }: StoredContent): void {
  if (blob !== null) leases.forget(blob);
}

/** Equal contents of a space are stored once. But a 200 must not rely on a blob that the disk has lost, truncated or corrupted: the stored
 *  blob is verified, and replaced by the new one if it differs. */
async function replacesLostBlob(
  cabinet: Cabinet,
  content: StoredContent,
  saved: { space: number; file: string; version: number },
): Promise<boolean> {
  const { catalog } = cabinet;
  if (content.blob === null) return false;
  const kept = await catalog.findBlob({ ...saved, sha256: content.sha256 });
  if (kept === null || (await isBlobKept(cabinet, kept, content))) return false;
  return await catalog.replaceBlob({ lost: kept.blob, content });
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
    ...(request.precondition && { precondition: request.precondition }),
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
  // Those that are absent are left out, so that keys of earlier releases stay valid.
  const { precondition } = request;
  return [...named, ...(comment === null ? [] : [comment]), ...(precondition ? [{ precondition }] : [])];
}
