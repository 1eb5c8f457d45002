// Sends a content piece by piece, by any protocol of resumable uploads: an upload is created, gets its bytes, and becomes the file
// with the last of them. After a lost connection the protocol says where to go on. A source must keep a piece until the service has
// confirmed it.

import type { Cabinet, CallOptions, FetchInit } from './connect.ts';
import type { Progress } from './content.ts';
import { CabinetError, hasCode, toError } from './errors.ts';
import { pause, toPauseMs } from './retry.ts';

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

export interface UploadOptions extends CallOptions {
  onProgress?: Progress | undefined;
  /** Hears the id of the upload. Who keeps it can go on with it later (`resume`), also in another process. */
  onUpload?: ((id: string) => void) | undefined;
}

/** How far an upload has come; `saved` once it has become the file. */
export type UploadPosition<Saved> = { offsetBytes: number } | { saved: Saved };

export interface PieceRequest extends CallOptions {
  id: string;
  offsetBytes: number;
  /** How many bytes the piece has. */
  pieceBytes: number;
  isLast: boolean;
  body: FetchInit['body'] | (() => FetchInit['body']);
}

/** Creates uploads, sends their bytes, and says how far they have come. */
export interface UploadProtocol<Saved> {
  /** The id of a new upload. */
  create(sizeBytes: number | null, options: CallOptions): Promise<string>;
  find(id: string, options: CallOptions): Promise<UploadPosition<Saved>>;
  send(piece: PieceRequest): Promise<Response>;
  /** The position in the answer to a piece that was taken. */
  read(response: Response, piece: PieceRequest): Promise<UploadPosition<Saved>>;
  /** Removes it without waiting or retries. */
  remove(id: string): Promise<unknown>;
}

export interface UploadContent {
  source: Source;
  /** The id of an upload that was begun before, with the same bytes. */
  resume?: string | undefined;
  /** Makes the request body of a piece; `onBytes` is called with the bytes sent so far. */
  toBody(blob: Blob, onBytes: (sentBytes: number) => void): Blob | (() => ReadableStream<Uint8Array>);
}

/** Sends a file piece by piece. A failed upload is removed, unless `onUpload` passed its id to the caller, who may resume it. */
export async function sendResumably<Saved>(
  cabinet: Cabinet,
  { protocol, content }: { protocol: UploadProtocol<Saved>; content: UploadContent },
  options: UploadOptions,
): Promise<Saved> {
  const upload = await begin(protocol, content, options);
  options.onUpload?.(upload.id);
  if ('saved' in upload) return upload.saved;
  try {
    return await sendPieces(cabinet, { protocol, content, ...upload }, options);
  } catch (error) {
    const isOrphan = options.onUpload === undefined && !hasCode(error, 'Unreachable');
    // Not awaited: the service removes expired uploads anyway.
    if (isOrphan) void protocol.remove(upload.id).catch(() => {});
    throw error;
  }
}

async function begin<Saved>(
  protocol: UploadProtocol<Saved>,
  { resume, source }: UploadContent,
  { signal }: UploadOptions,
): Promise<{ id: string } & UploadPosition<Saved>> {
  if (resume !== undefined) {
    const known = await findUpload(protocol, resume, { signal });
    if (known !== null) return { id: resume, ...known };
  }
  return { id: await protocol.create(source.sizeBytes, { signal }), offsetBytes: 0 };
}

/** Null if it is gone. */
function findUpload<Saved>(
  protocol: UploadProtocol<Saved>,
  id: string,
  options: CallOptions,
): Promise<UploadPosition<Saved> | null> {
  return protocol.find(id, options).catch((error: unknown) => {
    if (hasCode(error, 'UploadNotFound', 'UploadExpired')) return null;
    throw error;
  });
}

interface RunningUpload<Saved> {
  protocol: UploadProtocol<Saved>;
  content: UploadContent;
  id: string;
  offsetBytes: number;
}

async function sendPieces<Saved>(
  cabinet: Cabinet,
  upload: RunningUpload<Saved>,
  options: UploadOptions,
): Promise<Saved> {
  const { protocol, content, id } = upload;
  const { signal, onProgress } = options;
  const { sizeBytes } = content.source;
  let { offsetBytes } = upload;
  /** The most that the service has confirmed: only when this grows, retries start over. */
  let confirmedBytes = offsetBytes;
  let failures = 0;
  onProgress?.(offsetBytes, sizeBytes);
  while (true) {
    const sent = await sendPiece({ ...upload, offsetBytes }, options);
    if ('saved' in sent) return sent.saved;
    if ('offsetBytes' in sent) {
      offsetBytes = sent.offsetBytes;
      failures = 0;
    } else {
      if (failures++ >= cabinet.retries) throw sent.error;
      await pause(toPauseMs(failures), signal);
      const position = await protocol.find(id, { signal });
      if ('saved' in position) return position.saved;
      offsetBytes = position.offsetBytes;
      if (offsetBytes > confirmedBytes) failures = 0;
    }
    confirmedBytes = Math.max(confirmedBytes, offsetBytes);
    onProgress?.(offsetBytes, sizeBytes);
  }
}

/** A position; or an error leaves it unknown. */
type PieceResult<Saved> = UploadPosition<Saved> | { error: unknown };

async function sendPiece<Saved>(
  { protocol, content, id, offsetBytes }: RunningUpload<Saved>,
  { signal, onProgress }: UploadOptions,
): Promise<PieceResult<Saved>> {
  const { source, toBody } = content;
  const { blob, isLast } = await source.take(offsetBytes);
  const body = toBody(blob, (sentBytes) => onProgress?.(offsetBytes + sentBytes, source.sizeBytes));
  const piece = { signal, id, offsetBytes, pieceBytes: blob.size, isLast, body };
  try {
    const response = await protocol.send(piece);
    if (!response.ok) return await readFailure(response);
    const position = await protocol.read(response, piece);
    if ('saved' in position || position.offsetBytes > offsetBytes) return position;
    const message = 'The service confirmed a piece, but the offset did not grow.';
    throw new CabinetError('UnexpectedAnswer', message, { status: response.status });
  } catch (error) {
    if (hasCode(error, 'Unreachable')) return { error };
    throw error;
  }
}

/** Throws what is final. */
async function readFailure(response: Response): Promise<{ error: unknown }> {
  const error = await toError(response);
  // Another client continued it, or our own answer was lost, or a proxy failed: ask for the offset and continue.
  const isFinal = response.status < 500 && !hasCode(error, 'UploadOffsetMismatch', 'UploadFinished');
  if (isFinal) throw error;
  return { error };
}

/** The id with which the `Location` of a new upload ends. */
export function readUploadId({ headers, status }: Response): string {
  const [, id] = /\/uploads\/([^/?]+)$/.exec(headers.get('location') ?? '') ?? [];
  if (id === undefined) throw new CabinetError('UnexpectedAnswer', 'The service did not create an upload.', { status });
  return id;
}
