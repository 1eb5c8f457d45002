// One upload, from the first byte to the saved entry.

import type { Entry } from '../../../sdk/src/description.ts';
import { saveFile } from '../../../sdk/src/files.ts';
import { toProgressFetch } from './progress-fetch.ts';
import type { Upload } from './queue.ts';

/** Waiting for a connection is the queue's: it shows that it waits. */
const retries = 1;

export async function sendUpload(
  { cabinet, file, name, conflict }: Upload,
  folder: string,
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
): Promise<Entry | null> {
  const connection = { ...cabinet, retries, fetch: toProgressFetch(onProgress) };
  const { Children } = await saveFile(connection, { folder, name, content: file, conflict, signal });
  return Children[0] ?? null;
}
