// Finishes an upload: its bytes become a file by the same operation as any other save. The bytes stay in place; they are read
// again, to hash them, only when this thread has not seen all of them.

import type { SavedFile } from '../catalog/verbs/save-file.ts';
import type { Upload, UploadProtocol } from '../catalog/verbs/uploads.ts';
import type { Caller } from '../domain/caller.ts';
import { folderNotFound } from '../domain/missing.ts';
import { Refusal } from '../domain/refusal.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { ContentDigest, type Digest } from './content-digest.ts';
import { headBytes, type ReceivedContent, toInline } from './receive-content.ts';
import { saveFile } from './save-file.ts';
import { abandonBytes, dropUpload, readNotes, requireUpload, uploadNotFound } from './uploads.ts';

/** Requires the turn. A refusal is final, so it drops the upload; after a fault the client can retry. */
export async function finishUpload(cabinet: Cabinet, caller: Caller, upload: Upload): Promise<SavedFile> {
  try {
    const received = await receive(cabinet, upload);
    const saved = await save(cabinet, caller, upload, received);
    const { blob, sizeBytes, grown } = upload;
    if (received.content.blob === null && blob !== null) await abandonBytes(cabinet, { blob, sizeBytes, grown });
    return saved;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await dropUpload(cabinet, upload.id);
    throw new FinishRefused(error);
  }
}

/** All bytes have arrived, but saving the file was refused. */
export class FinishRefused extends Refusal {
  constructor({ code, message, details }: Refusal) {
    super(code, message, details);
  }
}

async function receive(cabinet: Cabinet, upload: Upload): Promise<ReceivedContent> {
  const { blob, sizeBytes } = upload;
  if (blob === null || sizeBytes === 0) return toInline([]);
  await cabinet.blobs.complete(blob, { sizeBytes, state: upload.grown });
  if (sizeBytes <= cabinet.limits.inlineBytes) return toInline(await readAll(cabinet, blob, sizeBytes));
  const known = cabinet.uploads.takeDigest(upload, cabinet.hasher);
  const digest = (await known?.finish().catch(() => null)) ?? (await readDigest(cabinet, blob, sizeBytes));
  const head = Buffer.concat(await readAll(cabinet, blob, Math.min(headBytes, sizeBytes)));
  return { content: { ...digest, sizeBytes, bytes: null, blob }, head };
}

async function readAll({ blobs }: Cabinet, blob: string, end: number): Promise<Buffer[]> {
  return await Array.fromAsync(blobs.open(blob, 0, end), (chunk) => Buffer.from(chunk));
}

async function readDigest({ blobs }: Cabinet, blob: string, sizeBytes: number): Promise<Digest> {
  const digest = new ContentDigest();
  for await (const chunk of blobs.open(blob, 0, sizeBytes)) digest.update(chunk);
  return digest.finish();
}

async function save(cabinet: Cabinet, caller: Caller, upload: Upload, received: ReceivedContent): Promise<SavedFile> {
  const { save: request, partIds = [] } = readNotes(upload);
  if (request === null) throw uploadNotFound();
  const { space, folder, sha256, isMinimal: _, ...rest } = request;
  if (sha256 !== null && !Buffer.from(sha256, 'base64').equals(received.content.sha256)) {
    throw new Refusal('DigestMismatch', 'Repr-Digest is not the digest of the file that arrived. Nothing was saved.', {
      target: 'Repr-Digest',
      hint: 'Begin the upload again; if it fails again, compute the digest anew.',
    });
  }
  const missing = () => folderNotFound('FolderId');
  const access =
    caller.spaces.find((one) => one.space === space) ??
    (await requireAccess(cabinet, caller, { action: 'write', id: folder, missing }));
  if (access.space !== space) throw missing();
  return await saveFile(cabinet, caller, {
    ...rest,
    destination: { access, folder },
    // Uploads that an older release began have none.
    objectType: rest.objectType ?? null,
    properties: rest.properties ?? null,
    received,
    upload: { id: upload.id, turn: upload.turn, parts: partIds },
  });
}

/** The progress of an upload. Ends a request that is writing to it first, so that the reported offset stays true. Finishes an
 *  upload whose bytes have all arrived but whose last request broke off. */
export async function showUpload(
  cabinet: Cabinet,
  caller: Caller,
  request: { id: string; protocol: UploadProtocol },
): Promise<Upload> {
  const release = await cabinet.uploads.acquire(request.id, () => undefined);
  try {
    const upload = await requireUpload(cabinet, caller, request);
    if (!upload.isBusy && !isReady(upload)) return upload;
    const turn = await cabinet.catalog.takeTurn({ ...upload, isBusy: false });
    const now = turn === null ? await requireUpload(cabinet, caller, request) : { ...upload, isBusy: false, turn };
    if (turn === null || !isReady(now)) return now;
    const saved = await finishUpload(cabinet, caller, now);
    return { ...now, result: saved.file.id };
  } finally {
    release();
  }
}

function isReady({ protocol, kind, result, sizeBytes, lengthBytes, isLast }: Upload): boolean {
  return result === null && kind !== 'part' && sizeBytes === lengthBytes && (protocol === 'tus' || isLast);
}
