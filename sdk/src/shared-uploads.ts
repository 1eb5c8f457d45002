// Resumable uploads by a link, by tus 1.0 (https://tus.io/protocols/resumable-upload).

import type { Cabinet } from './connect.ts';
import { send, sendRequest } from './request.ts';
import { readUploadId, type UploadPosition, type UploadProtocol } from './resumable.ts';
import { type SharedLink, toHeaders } from './shared.ts';

export interface SharedFile {
  name: string;
  contentType: string | undefined;
}

/** What is saved has so many bytes. The service does not say more to whoever sends files by a link. */
type Saved = { sizeBytes: number };

export function toSharedProtocol(
  cabinet: Cabinet,
  { secret, password }: SharedLink,
  { name, contentType }: SharedFile,
): UploadProtocol<Saved> {
  const common = { ...toHeaders(password), 'Tus-Resumable': '1.0.0' };
  return {
    async create(sizeBytes, { signal }) {
      const headers: Record<string, string | undefined> = {
        ...common,
        FileName: encodeURIComponent(name),
        'Upload-Metadata': contentType && `filetype ${btoa(contentType)}`,
        // With the length 0, the file would be saved here, and once more if the answer is lost.
        ...(sizeBytes ? { 'Upload-Length': String(sizeBytes) } : { 'Upload-Defer-Length': '1' }),
      };
      // Repeatable: the service removes an upload whose answer was lost when it expires.
      const request = { signal, path: { secret }, headers, isAnonymous: true, isRepeatable: true };
      return readUploadId(await send(cabinet, 'POST /shared/{secret}/uploads', request));
    },
    async find(id, { signal }) {
      const request = { signal, path: { secret, id }, headers: common, isAnonymous: true };
      return toPosition(await send(cabinet, 'GET /shared/{secret}/uploads/{id}', request));
    },
    send({ signal, id, offsetBytes, pieceBytes, isLast, body }) {
      const headers: Record<string, string> = {
        ...common,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': String(offsetBytes),
        ...(isLast && { 'Upload-Length': String(offsetBytes + pieceBytes) }),
        ...(typeof body === 'function' && { 'Content-Length': String(pieceBytes) }),
      };
      const request = { signal, path: { secret, id }, headers, body, isAnonymous: true };
      return sendRequest(cabinet, 'PATCH /shared/{secret}/uploads/{id}', request);
    },
    async read(response, { offsetBytes, pieceBytes, isLast }) {
      const position = toPosition(response);
      const isSaved = isLast && 'offsetBytes' in position && position.offsetBytes === offsetBytes + pieceBytes;
      return isSaved ? { saved: { sizeBytes: position.offsetBytes } } : position;
    },
    async remove(id) {
      const request = { path: { secret, id }, headers: common, isAnonymous: true, isRepeatable: true };
      await send({ ...cabinet, retries: 0 }, 'DELETE /shared/{secret}/uploads/{id}', request);
    },
  };
}

/** The upload is saved when it has its length. */
function toPosition({ headers }: Response): UploadPosition<Saved> {
  const offsetBytes = Number(headers.get('upload-offset'));
  return headers.get('upload-length') === String(offsetBytes) ? { saved: { sizeBytes: offsetBytes } } : { offsetBytes };
}
