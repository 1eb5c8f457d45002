// A final upload of the tus protocol: a file made of partial uploads, one behind the other. Their bytes are read once, hashed on
// the way, and written where they will stay.

import type { SavedFile } from '../catalog/verbs/save-file.ts';
import type { Upload } from '../catalog/verbs/uploads.ts';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { finishUpload } from './finish-upload.ts';
import { fileTooLarge } from './receive-content.ts';
import { abandonBytes, beginUpload, dropUpload, type NewUpload, requireUpload } from './uploads.ts';

export interface JoinResult {
  upload: Upload;
  /** Null: it was made before, by a request whose answer was lost. */
  saved: SavedFile | null;
}

export interface JoinRequest extends NewUpload {
  /** Of the partial uploads, in order. */
  ids: readonly string[];
}

export async function joinUploads(
  cabinet: Cabinet,
  caller: Caller,
  { ids, ...asked }: JoinRequest,
): Promise<JoinResult> {
  const parts: Upload[] = [];
  for (const id of ids) parts.push(await requirePart(cabinet, caller, id));
  const made = await findMade(cabinet, caller, parts);
  if (made !== null) return { upload: made, saved: null };
  for (const part of parts) checkWhole(part);
  const lengthBytes = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (lengthBytes > cabinet.limits.fileBytes) throw fileTooLarge(cabinet.limits.fileBytes);
  const begun = await beginUpload(cabinet, caller, { ...asked, lengthBytes });
  const joined = await join(cabinet, begun, parts).catch(async (error) => {
    await dropUpload(cabinet, begun.id);
    throw error;
  });
  const saved = await finishUpload(cabinet, caller, joined);
  await spend(cabinet, joined.id, parts);
  return { upload: { ...joined, result: saved.file.id }, saved };
}

async function requirePart(cabinet: Cabinet, caller: Caller, id: string): Promise<Upload> {
  const part = await requireUpload(cabinet, caller, { id, protocol: 'tus' });
  if (part.kind === 'part') return part;
  throw new Refusal('InvalidHeader', 'Upload-Concat names an upload that is not a partial one.', {
    target: 'Upload-Concat',
  });
}

/** The final upload that has taken these very parts already. */
async function findMade(cabinet: Cabinet, caller: Caller, parts: readonly Upload[]): Promise<Upload | null> {
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
  if (turn === null || blob === null || digest === null) throw new Error('an upload that was just begun is gone');
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
    // Whoever takes a block may look at it until the next but one is asked for, as long as the memory of `open` lasts.
    for await (const chunk of blobs.open(blob, 0, sizeBytes)) yield [Buffer.from(chunk)];
  }
}

async function spend(cabinet: Cabinet, final: string, parts: readonly Upload[]): Promise<void> {
  await cabinet.catalog.spendUploads({ ids: parts.map(({ id }) => id), final });
  for (const { blob, sizeBytes, grown } of parts) {
    if (blob !== null) await abandonBytes(cabinet, { blob, sizeBytes, grown });
  }
}
