// A final upload of the tus protocol: a file concatenated from partial uploads. Their bytes are read once, hashed on the way, and
// written to their final place.

import type { SavedFile } from '../catalog/verbs/save-file.ts';
import type { Upload } from '../catalog/verbs/uploads.ts';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { finishUpload } from './finish-upload.ts';
import { fileTooLarge } from './receive-content.ts';
import { abandonBytes, beginUpload, dropUpload, type NewUpload, requireUpload } from './uploads.ts';

interface JoinResult {
  upload: Upload;
  /** Null when an earlier request, whose response was lost, saved it. */
  saved: SavedFile | null;
}

interface JoinRequest extends NewUpload {
  /** The partial uploads, in order. */
  ids: readonly string[];
}

export async function joinUploads(
  cabinet: Cabinet,
  caller: Caller,
  { ids, ...final }: JoinRequest,
): Promise<JoinResult> {
  const parts: Upload[] = [];
  for (const id of ids) parts.push(await requirePart(cabinet, caller, id));
  const earlier = await findEarlier(cabinet, caller, parts);
  if (earlier !== null) return { upload: earlier, saved: null };
  for (const part of parts) checkWhole(part);
  const lengthBytes = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (lengthBytes > cabinet.limits.fileBytes) throw fileTooLarge(cabinet.limits.fileBytes);
  const upload = await beginUpload(cabinet, caller, { ...final, lengthBytes, partIds: ids });
  const joined = await join(cabinet, upload, parts).catch(async (error) => {
    await dropUpload(cabinet, upload.id);
    throw error;
  });
  const saved = await finishUpload(cabinet, caller, joined);
  await consumeParts(cabinet, joined.id, parts);
  return { upload: { ...joined, result: saved.file.id }, saved };
}

async function requirePart(cabinet: Cabinet, caller: Caller, id: string): Promise<Upload> {
  const part = await requireUpload(cabinet, caller, { id, protocol: 'tus' });
  if (part.kind === 'part') return part;
  throw new Refusal('InvalidHeader', 'Upload-Concat names an upload that is not a partial one.', {
    target: 'Upload-Concat',
  });
}

/** The final upload that has already consumed exactly these parts. */
async function findEarlier(cabinet: Cabinet, caller: Caller, parts: readonly Upload[]): Promise<Upload | null> {
  const [first = null, ...others] = new Set(parts.map(({ result }) => result));
  if (first === null || others.length > 0) return null;
  return await requireUpload(cabinet, caller, { id: first, protocol: 'tus' });
}

function checkWhole({ sizeBytes, lengthBytes, result }: Upload): void {
  if (result === null && sizeBytes === lengthBytes) return;
  const problem = result === null ? 'is not whole yet' : 'is part of another file already';
  throw new Refusal('UploadLengthMismatch', `A partial upload ${problem}.`, { target: 'Upload-Concat' });
}

async function join(cabinet: Cabinet, final: Upload, parts: readonly Upload[]): Promise<Upload> {
  const { id, blob, lengthBytes } = final;
  const turn = await cabinet.catalog.takeTurn({ ...final, isBusy: true, isLast: true });
  const digest = cabinet.uploads.takeDigest(final, cabinet.hasher);
  if (turn === null || blob === null || digest === null) throw new Error('a new upload has disappeared');
  if (lengthBytes !== null && lengthBytes > 0) {
    await cabinet.blobs.put(blob, digest.observe(readParts(cabinet, parts))).catch((error) => {
      digest.drop();
      throw error;
    });
  }
  await digest.settle();
  cabinet.uploads.putDigest(id, digest);
  const joined = { ...final, turn, sizeBytes: lengthBytes ?? 0 };
  await cabinet.catalog.keepUpload({ ...joined, isBusy: true });
  return joined;
}

async function* readParts({ blobs }: Cabinet, parts: readonly Upload[]): AsyncGenerator<Buffer[]> {
  for (const { blob, sizeBytes, grown } of parts) {
    if (blob === null || sizeBytes === 0) continue;
    await blobs.complete(blob, { sizeBytes, state: grown });
    // The consumer may read a block until it pulls the next but one; the memory of `open` lasts as long.
    for await (const chunk of blobs.open(blob, 0, sizeBytes)) yield [Buffer.from(chunk)];
  }
}

async function consumeParts(cabinet: Cabinet, final: string, parts: readonly Upload[]): Promise<void> {
  await cabinet.catalog.spendUploads({ ids: parts.map(({ id }) => id), final });
  for (const { blob, sizeBytes, grown } of parts) {
    if (blob !== null) await abandonBytes(cabinet, { blob, sizeBytes, grown });
  }
}
