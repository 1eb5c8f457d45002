// Resumable uploads, by the IETF draft "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload): an upload is created, gets
// its bytes piece by piece, and becomes the file with the last piece. After a lost connection the client requests the offset. A source
// must keep a piece until the service has confirmed it.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Progress } from './content.ts';
import type { Envelope, UploadState } from './description.ts';
import { showEntry } from './entries.ts';
import { CabinetError, hasCode, toError } from './errors.ts';
import { showFolder } from './folders.ts';
import { call, readJson, send, sendRequest } from './request.ts';
import { pause, toPauseMs } from './retry.ts';

/** The version of the draft that we speak. */
const interop = '6';

/** Where the bytes come from. */
export interface Source {
  /** Null if unknown until the end. */
  sizeBytes: number | null;
  /** The bytes from this offset, as many as fit in one request. */
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
  /** Makes the request body of a piece; `onBytes` is called with the bytes sent so far. */
  toBody(blob: Blob, onBytes: (sentBytes: number) => void): Blob | (() => ReadableStream<Uint8Array>);
}

export interface UploadOptions extends CallOptions {
  onProgress?: Progress | undefined;
  /** Hears the id of the upload. Who keeps it can go on with it later (`resume`), also in another process. */
  onUpload?: ((id: string) => void) | undefined;
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
export async function upload(cabinet: Cabinet, request: UploadRequest, options: UploadOptions): Promise<Envelope> {
  const position = await begin(cabinet, request, options);
  options.onUpload?.(position.id);
  try {
    return await sendPieces(cabinet, request, { ...options, ...position });
  } catch (error) {
    const isOrphan = options.onUpload === undefined && !hasCode(error, 'Unreachable');
    // Not awaited: the service removes expired uploads anyway.
    if (isOrphan) void removeUpload({ ...cabinet, retries: 0 }, position.id).catch(() => {});
    throw error;
  }
}

interface UploadPosition {
  id: string;
  offsetBytes: number;
}

async function begin(cabinet: Cabinet, request: UploadRequest, { signal }: UploadOptions): Promise<UploadPosition> {
  if (request.resume !== undefined) {
    const known = await findUpload(cabinet, request.resume, { signal });
    if (known !== null) return { id: request.resume, offsetBytes: known.Offset };
  }
  const { sizeBytes } = request.source;
  const headers: Record<string, string | undefined> = {
    ...request.headers,
    'Upload-Draft-Interop-Version': interop,
    'Upload-Complete': '?0',
    'Upload-Length': sizeBytes === null ? undefined : String(sizeBytes),
  };
  const response = await send(cabinet, 'POST /files', {
    signal,
    headers,
    // The service removes an upload whose answer was lost when it expires.
    isRepeatable: true,
  });
  const [, id] = /\/uploads\/([^/?]+)$/.exec(response.headers.get('location') ?? '') ?? [];
  if (id === undefined)
    throw new CabinetError('UnexpectedAnswer', 'The service did not create an upload.', { status: response.status });
  return { id, offsetBytes: 0 };
}

/** Null if it is gone. */
function findUpload(cabinet: Cabinet, id: string, options: CallOptions): Promise<UploadState | null> {
  return showUpload(cabinet, id, options).catch((error: unknown) => {
    if (hasCode(error, 'UploadNotFound', 'UploadExpired')) return null;
    throw error;
  });
}

async function sendPieces(
  cabinet: Cabinet,
  request: UploadRequest,
  position: UploadOptions & UploadPosition,
): Promise<Envelope> {
  const { signal, onProgress, id } = position;
  const { sizeBytes } = request.source;
  let { offsetBytes } = position;
  /** The most that the service has confirmed: only when this grows, retries start over. */
  let confirmedBytes = offsetBytes;
  let failures = 0;
  onProgress?.(offsetBytes, sizeBytes);
  while (true) {
    const sent = await sendPiece(cabinet, request, { ...position, offsetBytes });
    if ('envelope' in sent) return sent.envelope;
    if ('offsetBytes' in sent) {
      offsetBytes = sent.offsetBytes;
      failures = 0;
    } else {
      if (failures++ >= cabinet.retries) throw sent.error;
      await pause(toPauseMs(failures), signal);
      const state = await showUpload(cabinet, id, { signal });
      if (state.EntryId !== null) return showSaved(cabinet, request, state.EntryId);
      offsetBytes = state.Offset;
      if (offsetBytes > confirmedBytes) failures = 0;
    }
    confirmedBytes = Math.max(confirmedBytes, offsetBytes);
    onProgress?.(offsetBytes, sizeBytes);
  }
}

/** The file is saved; or so many bytes have arrived; or an error leaves the offset unknown. */
type PieceResult = { envelope: Envelope } | { offsetBytes: number } | { error: unknown };

async function sendPiece(
  cabinet: Cabinet,
  request: UploadRequest,
  at: UploadOptions & UploadPosition,
): Promise<PieceResult> {
  const { signal, onProgress, id, offsetBytes } = at;
  const { blob, isLast } = await request.source.take(offsetBytes);
  const body = request.toBody(blob, (sentBytes) => onProgress?.(offsetBytes + sentBytes, request.source.sizeBytes));
  try {
    const answer = await sendRequest(cabinet, 'PATCH /uploads/{id}', {
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
    return await readPieceResult(answer, offsetBytes);
  } catch (error) {
    if (hasCode(error, 'Unreachable')) return { error };
    throw error;
  }
}

async function readPieceResult(response: Response, sentFrom: number): Promise<PieceResult> {
  const { status } = response;
  if (status === 200) return { envelope: await readJson<Envelope>(response) };
  if (response.ok) {
    const offsetBytes = Number(response.headers.get('upload-offset'));
    if (offsetBytes > sentFrom) return { offsetBytes };
    throw new CabinetError('UnexpectedAnswer', 'The service confirmed a piece, but the offset did not grow.', {
      status,
    });
  }
  const error = await toError(response);
  // Another client continued it, or our own answer was lost, or a proxy failed: ask for the offset and continue.
  const isFinal = response.status < 500 && !hasCode(error, 'UploadOffsetMismatch', 'UploadFinished');
  if (isFinal) throw error;
  return { error };
}

/** Rebuilds an answer that was lost. */
async function showSaved(cabinet: Cabinet, { folder = '-root-' }: UploadRequest, id: string): Promise<Envelope> {
  const [{ Folder }, { Entry }] = await Promise.all([
    showFolder(cabinet, folder, { limit: 1 }),
    showEntry(cabinet, id),
  ]);
  return { Folder, Children: [Entry] };
}
