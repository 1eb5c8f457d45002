// Resumable uploads, by the IETF draft "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload).

import type { Cabinet, CallOptions } from './connect.ts';
import type { Envelope, UploadState } from './description.ts';
import { showEntry } from './entries.ts';
import { showFolder } from './folders.ts';
import { call, readJson, send, sendRequest } from './request.ts';
import {
  readUploadId,
  sendResumably,
  type UploadContent,
  type UploadOptions,
  type UploadProtocol,
} from './resumable.ts';

/** The version of the draft that we speak. */
const interop = '6';

export interface UploadRequest extends UploadContent {
  /** The headers of the save. */
  headers: Record<string, string | undefined>;
  folder: string | undefined;
}

/** How far an upload has come. */
export function showUpload(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<UploadState> {
  return call(cabinet, 'GET /uploads/{id}', { ...options, path: { id } });
}

/** Gives up an upload; the bytes that came are removed. */
export async function removeUpload(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<void> {
  await send(cabinet, 'DELETE /uploads/{id}', { ...options, path: { id }, isRepeatable: true });
}

/** Sends a file piece by piece. A failed upload is removed, unless `onUpload` passed its id to the caller, who may resume it. */
export function upload(cabinet: Cabinet, request: UploadRequest, options: UploadOptions): Promise<Envelope> {
  return sendResumably(cabinet, { protocol: toProtocol(cabinet, request), content: request }, options);
}

function toProtocol(cabinet: Cabinet, { headers, folder }: UploadRequest): UploadProtocol<Envelope> {
  return {
    async create(sizeBytes, { signal }) {
      const given: Record<string, string | undefined> = {
        ...headers,
        'Upload-Draft-Interop-Version': interop,
        'Upload-Complete': '?0',
        'Upload-Length': sizeBytes === null ? undefined : String(sizeBytes),
      };
      // Repeatable: the service removes an upload whose answer was lost when it expires.
      return readUploadId(await send(cabinet, 'POST /files', { signal, headers: given, isRepeatable: true }));
    },
    async find(id, options) {
      const { EntryId, Offset } = await showUpload(cabinet, id, options);
      return EntryId === null ? { offsetBytes: Offset } : { saved: await showSaved(cabinet, folder, EntryId) };
    },
    send: ({ signal, id, offsetBytes, pieceBytes, isLast, body }) =>
      sendRequest(cabinet, 'PATCH /uploads/{id}', {
        signal,
        path: { id },
        headers: {
          'Upload-Draft-Interop-Version': interop,
          'Upload-Offset': String(offsetBytes),
          'Upload-Complete': isLast ? '?1' : '?0',
          'Content-Type': 'application/partial-upload',
          ...(typeof body === 'function' && { 'Content-Length': String(pieceBytes) }),
        },
        body,
      }),
    async read(response) {
      if (response.status === 200) return { saved: await readJson<Envelope>(response) };
      return { offsetBytes: Number(response.headers.get('upload-offset')) };
    },
    remove: (id) => removeUpload({ ...cabinet, retries: 0 }, id),
  };
}

/** Rebuilds an answer that was lost. */
async function showSaved(cabinet: Cabinet, folder: string | undefined, id: string): Promise<Envelope> {
  const [{ Folder }, { Entry }] = await Promise.all([
    showFolder(cabinet, folder ?? '-root-', { limit: 1 }),
    showEntry(cabinet, id),
  ]);
  return { Folder, Children: [Entry] };
}
