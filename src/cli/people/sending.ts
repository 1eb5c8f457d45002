// Sending one file, or many: small ones together, large ones so that they can be gone on with.

import { openAsBlob } from 'node:fs';
import type { Entry } from '../../../sdk/src/description.ts';
import { saveFile } from '../../../sdk/src/files.ts';
import { type Transfers, transferAll } from './transfers.ts';
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

export async function sendAll(transfers: Transfers, uploads: readonly Upload[], saving: Saving): Promise<Sent[]> {
  const sent: Sent[] = [];
  const { progress } = transfers;
  const bytes = uploads.reduce((sum, { file }) => sum + file.sizeBytes, 0);
  progress.expect({ files: uploads.length, bytes });
  await transferAll(transfers, uploads, {
    toPath: ({ path }) => path,
    work: async (upload) => {
      sent.push({ upload, entry: await sendFile(transfers, upload, saving) });
      progress.addFile();
    },
  });
  return sent;
}

async function sendFile({ cabinet, signal, progress }: Transfers, upload: Upload, saving: Saving): Promise<Entry> {
  const { file, place, name, path } = upload;
  progress.begin(path);
  let counted = 0;
  const onProgress = (sentBytes: number) => {
    progress.addBytes(sentBytes - counted);
    counted = sentBytes;
  };
  const content = await openAsBlob(file.path);
  const { Children } = await saveFile(
    cabinet,
    { folder: place.id ?? undefined, name, content, ...saving },
    { signal, onProgress },
  );
  onProgress(file.sizeBytes);
  return Children[0] as Entry;
}
