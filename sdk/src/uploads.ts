// Uploads that never start over, by the IETF draft "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload): an upload is
// begun, gets its bytes piece by piece, and is the file when the last piece has come. After a lost connection the service is asked
// how far it came. What a source gives must stay there until the service has said that it has it.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Progress } from './content.ts';
import type { Envelope, UploadState } from './description.ts';
import { showEntry } from './entries.ts';
import { CabinetError, hasCode, toError } from './errors.ts';
import { showFolder } from './folders.ts';
import { ask, readJson, send, sendAsked } from './request.ts';
import { pause, toPauseMs } from './retry.ts';

/** The version of the draft that we speak. */
const interop = '6';

/** Where the bytes come from. */
export interface Source {
  /** Null: it is not known before the end. */
  sizeBytes: number | null;
  /** The bytes from here on, as many as go in one request. */
  take(offsetBytes: number): Promise<Piece>;
}

export interface Piece {
  blob: Blob;
  /** Nothing comes after it. */
  isLast: boolean;
}

export interface UploadRequest {
  /** The headers of the save. */
  headers: Record<string, string | undefined>;
  folder: string | undefined;
  source: Source;
  /** The id of an upload that was begun before, with the same bytes. */
  resume?: string | undefined;
  /** Makes the body of a request of a piece; `onBytes` hears how many of them have gone. */
  toBody(blob: Blob, onBytes: (sentBytes: number) => void): Blob | (() => ReadableStream<Uint8Array>);
}

export interface UploadOptions extends CallOptions {
  onProgress?: Progress | undefined;
  /** Hears the id of the upload. Who keeps it can go on with it later (`resume`), also in another process. */
  onUpload?: ((id: string) => void) | undefined;
}

/** How far an upload has come. */
export function showUpload(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<UploadState> {
  return ask(cabinet, 'GET /uploads/{id}', { ...options, path: { id } });
}

/** Gives up an upload; the bytes that came are removed. */
export async function removeUpload(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<void> {
  await send(cabinet, 'DELETE /uploads/{id}', { ...options, path: { id }, isRepeatable: true });
}

/** Sends a file piece by piece. Nobody else knows of an upload that was given up: it is removed, unless its id was told. */
export async function upload(cabinet: Cabinet, asked: UploadRequest, options: UploadOptions): Promise<Envelope> {
  const begun = await begin(cabinet, asked, options);
  options.onUpload?.(begun.id);
  try {
    return await sendPieces(cabinet, asked, { ...options, ...begun });
  } catch (error) {
    const isOrphan = options.onUpload === undefined && !hasCode(error, 'Unreachable');
    // The caller does not wait for it: what is not removed now is swept away by the service.
    if (isOrphan) void removeUpload({ ...cabinet, retries: 0 }, begun.id).catch(() => {});
    throw error;
  }
}

interface Begun {
  id: string;
  offsetBytes: number;
}

async function begin(cabinet: Cabinet, asked: UploadRequest, { signal }: UploadOptions): Promise<Begun> {
  if (asked.resume !== undefined) {
    const known = await findUpload(cabinet, asked.resume, { signal });
    if (known !== null) return { id: asked.resume, offsetBytes: known.Offset };
  }
  const { sizeBytes } = asked.source;
  const headers: Record<string, string | undefined> = {
    ...asked.headers,
    'Upload-Draft-Interop-Version': interop,
    'Upload-Complete': '?0',
    'Upload-Length': sizeBytes === null ? undefined : String(sizeBytes),
  };
  const response = await send(cabinet, 'POST /files', {
    signal,
    headers,
    // An upload that nobody has heard of is swept away by the service.
    isRepeatable: true,
  });
  const [, id] = /\/uploads\/([^/?]+)$/.exec(response.headers.get('location') ?? '') ?? [];
  if (id === undefined) throw new CabinetError('UnexpectedAnswer', 'No upload was begun.', { status: response.status });
  return { id, offsetBytes: 0 };
}

/** Null: it is gone. */
function findUpload(cabinet: Cabinet, id: string, options: CallOptions): Promise<UploadState | null> {
  return showUpload(cabinet, id, options).catch((error: unknown) => {
    if (hasCode(error, 'UploadNotFound', 'UploadExpired')) return null;
    throw error;
  });
}

async function sendPieces(cabinet: Cabinet, asked: UploadRequest, begun: UploadOptions & Begun): Promise<Envelope> {
  const { signal, onProgress, id } = begun;
  const { sizeBytes } = asked.source;
  let { offsetBytes } = begun;
  let failures = 0;
  onProgress?.(offsetBytes, sizeBytes);
  while (true) {
    const sent = await sendPiece(cabinet, asked, { ...begun, offsetBytes });
    if ('envelope' in sent) return sent.envelope;
    if ('offsetBytes' in sent) {
      offsetBytes = sent.offsetBytes;
      failures = 0;
    } else {
      if (failures++ >= cabinet.retries) throw sent.error;
      await pause(toPauseMs(failures), signal);
      const state = await showUpload(cabinet, id, { signal });
      if (state.EntryId !== null) return showSaved(cabinet, asked, state.EntryId);
      if (state.Offset > offsetBytes) failures = 0;
      offsetBytes = state.Offset;
    }
    onProgress?.(offsetBytes, sizeBytes);
  }
}

/** The file is saved; or so many bytes are; or it is not known how many, because of an error. */
type Sent = { envelope: Envelope } | { offsetBytes: number } | { error: unknown };

async function sendPiece(cabinet: Cabinet, asked: UploadRequest, at: UploadOptions & Begun): Promise<Sent> {
  const { signal, onProgress, id, offsetBytes } = at;
  const { blob, isLast } = await asked.source.take(offsetBytes);
  const body = asked.toBody(blob, (sentBytes) => onProgress?.(offsetBytes + sentBytes, asked.source.sizeBytes));
  try {
    const response = await sendAsked(cabinet, 'PATCH /uploads/{id}', {
      signal,
      path: { id },
      headers: {
        'Upload-Draft-Interop-Version': interop,
        'Upload-Offset': String(offsetBytes),
        'Upload-Complete': isLast ? '?1' : '?0',
        'Content-Type': 'application/partial-upload',
        ...(typeof body === 'function' && { 'Content-Length': String(blob.size) }),
      },
      body,
    });
    return await readSent(response);
  } catch (error) {
    if (hasCode(error, 'Unreachable')) return { error };
    throw error;
  }
}

async function readSent(response: Response): Promise<Sent> {
  if (response.status === 200) return { envelope: await readJson<Envelope>(response) };
  if (response.ok) return { offsetBytes: Number(response.headers.get('upload-offset')) };
  const error = await toError(response);
  // Somebody else went on with it, or we did and did not hear of it; or what is before the service has lost it.
  const isOver = response.status < 500 && !hasCode(error, 'UploadOffsetMismatch', 'UploadFinished');
  if (isOver) throw error;
  return { error };
}

/** The answer that was lost, made again. */
async function showSaved(cabinet: Cabinet, { folder = '-root-' }: UploadRequest, id: string): Promise<Envelope> {
  const [{ Folder }, { Entry }] = await Promise.all([
    showFolder(cabinet, folder, { limit: 1 }),
    showEntry(cabinet, id),
  ]);
  return { Folder, Children: [Entry] };
}
