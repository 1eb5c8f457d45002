// Resumable uploads: begins one, tells how far it has come, removes it. Whichever protocol they are spoken of in, they are the same
// thing: a row that says how many bytes are durable, and a blob that grows. Any token of the same application, and of the same
// person if there is one, goes on with it; for anyone else it does not exist.

import { randomBytes } from 'node:crypto';
import { newBlobId } from '../blobs/blobs.ts';
import type { LeftBytes, Upload, UploadProtocol } from '../catalog/verbs/uploads.ts';
import type { Caller } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { admitSave, checkRoom } from './save-file.ts';

/** What the save will be asked for, once the bytes are whole. */
export interface UploadRequest {
  /** As sent; null or empty for the root. */
  folderId: string | null;
  fileName: string;
  contentType: string | null;
  /** As any save takes them; null: not said. */
  objectType: string | null;
  properties: Record<string, string> | null;
  comment: string | null;
  conflict: ConflictBehavior;
  idempotencyKey: string | null;
  /** The SHA-256 that the whole must have, base64. */
  sha256: string | null;
  isMinimal: boolean;
}

/** What is remembered with an upload. */
export interface UploadNotes {
  /** Null for a part, which is not saved by itself. */
  save: (Omit<UploadRequest, 'folderId'> & { space: number; folder: string }) | null;
  /** What the client wants to be told again, as it sent it. */
  metadata: string | null;
  /** What a final one is made of, as the client named it. */
  parts: string | null;
}

export interface NewUpload {
  protocol: UploadProtocol;
  kind: Upload['kind'];
  lengthBytes: number | null;
  /** Null for a part. */
  save: UploadRequest | null;
  metadata: string | null;
  parts: string | null;
}

export async function beginUpload(cabinet: Cabinet, caller: Caller, asked: NewUpload): Promise<Upload> {
  const { protocol, kind, lengthBytes, metadata, parts } = asked;
  const notes: UploadNotes = { save: await admit(cabinet, caller, asked), metadata, parts };
  const begun = {
    id: randomBytes(16).toString('hex'),
    ...toOwner(caller),
    protocol,
    kind,
    asked: JSON.stringify(notes),
    lengthBytes,
    blob: newBlobId(),
    expiresAt: cabinet.clock.now() + cabinet.limits.uploadMs,
  };
  await cabinet.catalog.beginUpload(begun);
  return { ...begun, sizeBytes: 0, grown: '', turn: 0, isBusy: false, isLast: false, result: null };
}

async function admit(cabinet: Cabinet, caller: Caller, { save, lengthBytes }: NewUpload): Promise<UploadNotes['save']> {
  if (save === null) {
    authorize(caller, 'write');
    checkRoom(cabinet, lengthBytes);
    return null;
  }
  const { folderId, ...rest } = save;
  const { fileName, idempotencyKey } = rest;
  const target = { folderId, fileName, declaredBytes: lengthBytes, skipFolderCheck: false, idempotencyKey };
  const { access, folder } = await admitSave(cabinet, caller, target);
  return { ...rest, space: access.space, folder };
}

export function toOwner({ appKey, actor }: Caller): { appKey: string; actor: string } {
  return { appKey, actor };
}

export function readNotes({ asked }: Upload): UploadNotes {
  return JSON.parse(asked) as UploadNotes;
}

/** For whoever has the turn. Refuses one that is not there, is another's, is spoken of in another protocol, or is over. */
export async function requireUpload(
  { catalog, clock }: Cabinet,
  caller: Caller,
  { id, protocol }: { id: string; protocol: UploadProtocol },
): Promise<Upload> {
  authorize(caller, 'write');
  const found = await catalog.findUpload({ id, ...toOwner(caller) });
  if (found === null || (found.protocol !== protocol && protocol === 'tus')) throw uploadNotFound();
  if (found.protocol !== protocol) throw tusVersionUnsupported();
  if (found.expiresAt < clock.now())
    throw new Refusal('UploadExpired', 'This upload has waited too long for its bytes.');
  return found;
}

export function tusVersionUnsupported(): Refusal {
  return new Refusal('TusVersionUnsupported', 'This needs the header Tus-Resumable with the value 1.0.0.', {
    target: 'Tus-Resumable',
  });
}

export function uploadNotFound(): Refusal {
  return new Refusal('UploadNotFound', 'There is no such upload.', {
    hint: 'It was finished or removed long ago, has expired, or is another’s. Begin a new one.',
  });
}

/** Ends whatever is being written to it, and forgets it with its bytes. A file that it became stays. */
export async function removeUpload(
  cabinet: Cabinet,
  caller: Caller,
  asked: { id: string; protocol: UploadProtocol },
): Promise<void> {
  const leave = await cabinet.uploads.acquire(asked.id, () => undefined);
  try {
    await requireUpload(cabinet, caller, asked);
    await dropUpload(cabinet, asked.id);
  } finally {
    leave();
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

/** What cannot be removed now is removed by the sweeper. */
export async function abandonBytes({ blobs }: Cabinet, { blob, sizeBytes, grown }: LeftBytes): Promise<void> {
  await blobs.abandon(blob, { sizeBytes, state: grown }).catch(() => undefined);
}
