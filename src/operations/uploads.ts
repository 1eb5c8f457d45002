// Resumable uploads: creates, finds and removes them. They are the same in every protocol: a row with the number of durable bytes,
// and a blob that grows. Any token of the same application, and of the same person if there is one, can resume an upload; for
// everyone else it does not exist.

import { randomBytes } from 'node:crypto';
import { newBlobId } from '../blobs/blobs.ts';
import type { LeftBytes, Upload, UploadProtocol } from '../catalog/verbs/uploads.ts';
import { type Caller, selectSpace } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { authorize, isAllowed } from '../domain/permission.ts';
import type { Precondition } from '../domain/precondition.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { admitSave, checkCapacity } from './save-file.ts';

/** The parameters of the save once all bytes have arrived. */
export interface UploadRequest {
  /** As sent; null or empty for the root. */
  folderId: string | null;
  fileName: string;
  contentType: string | null;
  /** As in any save; null when not sent. */
  objectType: string | null;
  properties: Record<string, string> | null;
  comment: string | null;
  conflict: ConflictBehavior;
  /** Checked when the upload begins, and again when the file is saved. Uploads that an older release began have none. */
  precondition?: Precondition | null;
  idempotencyKey: string | null;
  /** The expected SHA-256 of the whole content, base64. */
  sha256: string | null;
  isMinimal: boolean;
}

/** The parameters stored with an upload, as JSON. */
interface UploadNotes {
  /** Null for a partial upload, which is not saved by itself. */
  save: (Omit<UploadRequest, 'folderId'> & { space: number; folder: string }) | null;
  /** The client's metadata, returned as it was sent. */
  metadata: string | null;
  /** The parts of a final upload, as the client named them. */
  parts: string | null;
  /** Their ids. */
  partIds?: readonly string[];
}

export interface NewUpload {
  protocol: UploadProtocol;
  kind: Upload['kind'];
  lengthBytes: number | null;
  /** Null for a partial upload. */
  save: UploadRequest | null;
  metadata: string | null;
  parts: string | null;
  partIds?: readonly string[];
}

export async function beginUpload(cabinet: Cabinet, caller: Caller, request: NewUpload): Promise<Upload> {
  const { protocol, kind, lengthBytes, metadata, parts, partIds = [] } = request;
  const notes: UploadNotes = { save: await admit(cabinet, caller, request), metadata, parts, partIds };
  const upload = {
    id: randomBytes(16).toString('hex'),
    ...toOwner(caller),
    protocol,
    kind,
    request: JSON.stringify(notes),
    lengthBytes,
    blob: newBlobId(),
    space: notes.save?.space ?? findParkingSpace(caller),
    expiresAt: cabinet.clock.now() + cabinet.limits.uploadMs,
  };
  await cabinet.catalog.beginUpload(upload);
  return { ...upload, sizeBytes: 0, grown: '', turn: 0, isBusy: false, isLast: false, result: null };
}

async function admit(cabinet: Cabinet, caller: Caller, { save, lengthBytes }: NewUpload): Promise<UploadNotes['save']> {
  if (save === null) {
    authorize(caller, 'write');
    checkCapacity(cabinet, lengthBytes);
    return null;
  }
  const { folderId, ...rest } = save;
  const { fileName, idempotencyKey, precondition = null } = rest;
  const target = {
    folderId,
    fileName,
    declaredBytes: lengthBytes,
    skipFolderCheck: false,
    idempotencyKey,
    precondition,
  };
  const { access, folder } = await admitSave(cabinet, caller, target);
  return { ...rest, space: access.space, folder };
}

/** Where the bytes of a partial upload count: its file is not known yet, so in the space that the request names, or else in the
 *  first one where the caller can write. */
function findParkingSpace(caller: Caller): number {
  const writable =
    caller.spaces.find((one) => isAllowed(one, 'write')) ?? (caller.grants ?? []).find(({ role }) => role === 'editor');
  if (caller.spaceId === null && writable !== undefined) return writable.space;
  const shared = (caller.grants ?? []).find(({ spaceId, role }) => spaceId === caller.spaceId && role === 'editor');
  if (shared !== undefined) return shared.space;
  const access = selectSpace(caller);
  authorize(caller, 'write', access);
  return access.space;
}

function toOwner({ appKey, actor }: Caller): { appKey: string; actor: string } {
  return { appKey, actor };
}

export function readNotes({ request }: Upload): UploadNotes {
  return JSON.parse(request) as UploadNotes;
}

/** Refuses an upload that does not exist, belongs to someone else, uses another protocol, or has expired. */
export async function requireUpload(
  { catalog, clock }: Cabinet,
  caller: Caller,
  { id, protocol }: { id: string; protocol: UploadProtocol },
): Promise<Upload> {
  authorize(caller, 'write');
  const upload = await catalog.findUpload({ id, ...toOwner(caller) });
  if (upload === null || (upload.protocol !== protocol && protocol === 'tus')) throw uploadNotFound();
  if (upload.protocol !== protocol) throw tusVersionUnsupported();
  if (upload.expiresAt < clock.now())
    throw new Refusal('UploadExpired', 'This upload has expired: no bytes arrived for too long.');
  return upload;
}

/** Where an unfinished upload goes on. Null: it is finished, or not the caller's, or gone. */
export async function findOffset({ catalog, clock }: Cabinet, caller: Caller, id: string): Promise<number | null> {
  const upload = await catalog.findUpload({ id, ...toOwner(caller) });
  return upload === null || upload.result !== null || upload.expiresAt < clock.now() ? null : upload.sizeBytes;
}

export function tusVersionUnsupported(): Refusal {
  return new Refusal('TusVersionUnsupported', 'The header Tus-Resumable: 1.0.0 is missing.', {
    target: 'Tus-Resumable',
  });
}

export function uploadNotFound(): Refusal {
  return new Refusal('UploadNotFound', 'There is no such upload.', {
    hint: 'It was completed or removed, has expired, or belongs to someone else. Start a new one.',
  });
}

/** Ends a request that is writing to the upload and removes it with its bytes. A file that it became stays. */
export async function removeUpload(
  cabinet: Cabinet,
  caller: Caller,
  request: { id: string; protocol: UploadProtocol },
): Promise<void> {
  const release = await cabinet.uploads.acquire(request.id, () => undefined);
  try {
    await requireUpload(cabinet, caller, request);
    await dropUpload(cabinet, request.id);
  } finally {
    release();
  }
}

export async function dropUpload(cabinet: Cabinet, id: string): Promise<void> {
  const left = await cabinet.catalog.dropUpload({ id });
  if (left !== null) await abandonBytes(cabinet, left);
}

/** For the sweeper. */
export async function expireUploads(cabinet: Cabinet, now: number): Promise<number> {
  const { count, left } = await cabinet.catalog.expireUploads({ at: now });
  for (const bytes of left) await abandonBytes(cabinet, bytes);
  return count;
}

/** Best effort: the sweeper removes what cannot be removed now. */
export async function abandonBytes({ blobs }: Cabinet, { blob, sizeBytes, grown }: LeftBytes): Promise<void> {
  await blobs.abandon(blob, { sizeBytes, state: grown }).catch(() => undefined);
}
