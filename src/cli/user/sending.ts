// Uploads files: small ones in batches, large ones alone, so that they can be resumed.

import { constants, openAsBlob, readFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { CabinetError, type Entry, saveFile, saveFiles } from '@cabinet/client';
import { fail, type Transfers, transferAll } from './transfers.ts';
import { findUnfinished } from './unfinished.ts';
import type { Upload } from './uploading.ts';

export interface Saving {
  conflict?: 'Version' | 'Fail' | 'Rename' | 'Existing' | undefined;
  comment?: string | undefined;
  properties?: Record<string, string> | undefined;
}

export interface Sent {
  upload: Upload;
  entry: Entry;
}

/** Larger files gain nothing from a batch. */
const smallBytes = 64 * 1024;
/** Below 1 MiB, up to which the service takes any number of batches at a time. */
const maxBatchBytes = 900 * 1024;
const maxBatchFiles = 250;

export async function sendAll(transfers: Transfers, uploads: readonly Upload[], saving: Saving): Promise<Sent[]> {
  const sent: Sent[] = [];
  const bytes = uploads.reduce((sum, { file }) => sum + file.sizeBytes, 0);
  transfers.progress.expect({ files: uploads.length, bytes });
  await transferAll(transfers, toBatches(uploads, transfers.width), {
    toPaths: (batch) => batch.map(({ path }) => path),
    work: async (batch) => {
      const [first, ...others] = batch;
      if (first === undefined) return;
      if (others.length > 0) sent.push(...(await sendBatch(transfers, batch, saving)));
      else sent.push({ upload: first, entry: await sendFile(transfers, first, saving) });
    },
  });
  return sent;
}

/** At least `width` batches if there are enough files. */
function* toBatches(uploads: readonly Upload[], width: number): Generator<Upload[]> {
  const isSmall = ({ file }: Upload) => file.sizeBytes <= smallBytes;
  const maxFiles = Math.max(1, Math.min(maxBatchFiles, Math.ceil(uploads.length / width)));
  let batch: Upload[] = [];
  let bytes = 0;
  for (const upload of uploads.filter(isSmall)) {
    if (batch.length === maxFiles || bytes + upload.file.sizeBytes > maxBatchBytes) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(upload);
    bytes += upload.file.sizeBytes;
  }
  yield batch;
  for (const upload of uploads) if (!isSmall(upload)) yield [upload];
}

async function sendBatch(transfers: Transfers, batch: readonly Upload[], saving: Saving): Promise<Sent[]> {
  const { cabinet, signal, progress } = transfers;
  progress.begin(batch[0]?.path ?? '');
  const read = batch.flatMap((upload) => readSmall(transfers, upload));
  const files = read.map(({ upload: { name, target }, content }) => ({
    name,
    folder: target.id ?? undefined,
    content,
    ...saving,
  }));
  const results = files.length === 0 ? [] : await saveFiles(cabinet, { files }, { signal });
  return read.flatMap(({ upload, content }, index) => {
    const result = results[index];
    progress.addBytes(content.byteLength);
    progress.addFile();
    if (result !== undefined && !(result instanceof CabinetError)) return [{ upload, entry: result.Entry }];
    fail(transfers, upload.path, result);
    return [];
  });
}

/** Synchronous: for small files much faster than awaiting each. */
function readSmall(transfers: Transfers, upload: Upload): { upload: Upload; content: Buffer<ArrayBuffer> }[] {
  try {
    return [{ upload, content: readFileSync(upload.file.path) }];
  } catch (error) {
    fail(transfers, upload.path, error);
    return [];
  }
}

async function sendFile(transfers: Transfers, upload: Upload, saving: Saving): Promise<Entry> {
  const { cabinet, signal, progress } = transfers;
  const { file, target, name, path } = upload;
  progress.begin(path);
  let counted = 0;
  const onProgress = (sentBytes: number) => {
    progress.addBytes(sentBytes - counted);
    counted = sentBytes;
  };
  // A blob opens its file only when it is read, and a failure then looks like a lost connection.
  await access(file.path, constants.R_OK);
  const unfinished = findUnfinished(transfers, upload);
  const content = await openAsBlob(file.path);
  const request = { folder: target.id ?? undefined, name, content, ...saving };
  const resuming = { resume: unfinished.id, onUpload: unfinished.keep };
  const entry = await saveFile(cabinet, request, { signal, onProgress, ...resuming });
  unfinished.forget();
  onProgress(file.sizeBytes);
  progress.addFile();
  return entry;
}
