// The end of an upload: its bytes become a file by the same operation as any save. They stay where they are; only when this thread
// has not seen all of them pass by are they read once more, to hash them.

import type { SavedFile } from '../catalog/verbs/save-file.ts';
import type { Upload, UploadProtocol } from '../catalog/verbs/uploads.ts';
import type { Caller } from '../domain/caller.ts';
import { folderNotFound } from '../domain/missing.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { ContentDigest, type Digest } from './content-digest.ts';
import { headBytes, type ReceivedContent, toInline } from './receive-content.ts';
import { saveFile } from './save-file.ts';
import { abandonBytes, dropUpload, readNotes, requireUpload, uploadNotFound } from './uploads.ts';

/** For whoever has the turn. What is refused now will be refused again, so that the upload is let go of; what fails can be tried
 *  again. */
export async function finishUpload(cabinet: Cabinet, caller: Caller, upload: Upload): Promise<SavedFile> {
  try {
    const received = await take(cabinet, upload);
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

/** All bytes have come; what was refused is the file that they make. */
export class FinishRefused extends Refusal {
  constructor({ code, message, details }: Refusal) {
    super(code, message, details);
  }
}

async function take(cabinet: Cabinet, upload: Upload): Promise<ReceivedContent> {
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

async function save(
  cabinet: Cabinet,
  caller: Caller,
  { id, turn, asked }: Upload,
  received: ReceivedContent,
): Promise<SavedFile> {
  const { save: request } = readNotes({ asked } as Upload);
  if (request === null) throw uploadNotFound();
  const { space, folder, sha256, isMinimal: _, ...rest } = request;
  if (sha256 !== null && !Buffer.from(sha256, 'base64').equals(received.content.sha256)) {
    throw new Refusal('DigestMismatch', 'Repr-Digest is not the digest of the file that arrived. Nothing was saved.', {
      target: 'Repr-Digest',
      hint: 'Begin the upload again; if it fails again, compute the digest anew.',
    });
  }
  const access = caller.spaces.find((one) => one.space === space);
  if (access === undefined) throw folderNotFound('FolderId');
  return await saveFile(cabinet, caller, {
    ...rest,
    destination: { access, folder },
    // Uploads that were begun before there were these have none.
    objectType: rest.objectType ?? null,
    properties: rest.properties ?? null,
    received,
    upload: { id, turn },
  });
}

/** How far an upload has come. Whoever is writing to it is ended first, so that what is told stays true; and one whose bytes have
 *  all come, but not the answer to the last of them, is finished. */
export async function showUpload(
  cabinet: Cabinet,
  caller: Caller,
  asked: { id: string; protocol: UploadProtocol },
): Promise<Upload> {
  const leave = await cabinet.uploads.acquire(asked.id, () => undefined);
  try {
    const upload = await requireUpload(cabinet, caller, asked);
    if (!upload.isBusy && !isReady(upload)) return upload;
    const taken = await cabinet.catalog.takeTurn({ ...upload, isBusy: false });
    const now =
      taken === null ? await requireUpload(cabinet, caller, asked) : { ...upload, isBusy: false, turn: taken };
    if (taken === null || !isReady(now)) return now;
    const saved = await finishUpload(cabinet, caller, now);
    return { ...now, result: saved.file.id };
  } finally {
    leave();
  }
}

function isReady({ protocol, kind, result, sizeBytes, lengthBytes, isLast }: Upload): boolean {
  return result === null && kind !== 'part' && sizeBytes === lengthBytes && (protocol === 'tus' || isLast);
}
