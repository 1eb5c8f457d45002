// One upload, from the first byte to the saved entry.

import { type Entry, removeUpload, saveFile } from '@cabinet/client';
import { toProgressFetch } from './progress-fetch.ts';
import type { Upload } from './upload.ts';

/** No retries here: the queue waits for a connection and shows it. */
const retries = 1;

/** Large files are resumable: bytes that have arrived are not sent again, even after a pause. */
export async function sendUpload(
  upload: Upload,
  folder: string,
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
): Promise<Entry | null> {
  const { cabinet, file, name, conflict, session } = upload;
  let arrived = 0;
  const connection = { ...cabinet, retries, fetch: toProgressFetch((bytes) => onProgress(arrived + bytes)) };
  const saved = await saveFile(
    connection,
    { folder, name, content: file, conflict, resume: session ?? undefined },
    {
      signal,
      onProgress(sentBytes) {
        arrived = sentBytes;
        onProgress(sentBytes);
      },
      onUpload(id) {
        upload.session = id;
      },
    },
  );
  return saved;
}

/** Removes the bytes of a cancelled upload. */
export function forgetUpload({ cabinet, session }: Upload): void {
  if (session !== null) void removeUpload(cabinet, session).catch(() => undefined);
}
