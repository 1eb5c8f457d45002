// Downloads: a stream that resumes after a lost connection, and ends with an error if the checksum does not match.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Progress } from './content.ts';
import { CabinetError, toError } from './errors.ts';
import { send, sendRequest } from './request.ts';
import { pause, toPauseMs, toUnreachable } from './retry.ts';
import { type Hash, startSha256 } from './sha256.ts';

export interface DownloadOptions extends CallOptions {
  /** The current one by default. */
  version?: number | undefined;
  /** The first byte, counted from 0. */
  start?: number | undefined;
  /** The byte before which to stop; the end of the file by default. */
  end?: number | undefined;
  /** Only if the content's `etag` is still this one; otherwise `PreconditionFailed`. */
  ifMatch?: string | undefined;
  /** Called with the bytes received, and the total. */
  onProgress?: Progress | undefined;
}

export interface Download {
  /** The bytes. Fails at the end with `DigestMismatch` if they are not those that were saved. */
  stream: ReadableStream<Uint8Array>;
  /** How many bytes are coming. */
  sizeBytes: number;
  contentType: string;
  /** Of the content; `saveVersion` takes it as `ifMatch`. */
  etag: string;
  /** Of the whole file, in hex. */
  sha256: string;
  modifiedAt: Date;
}

/** Opens a file as a stream. After a lost connection it resumes by itself. */
export function openFile(cabinet: Cabinet, id: string, options: DownloadOptions = {}): Promise<Download> {
  const { version, signal } = options;
  const request = (headers: ContentHeaders) =>
    sendRequest(cabinet, 'GET /files/{id}/content', {
      ...{ signal, isStreamed: true, path: { id }, query: { version }, headers },
    });
  return openContent(cabinet, request, options);
}

interface ContentHeaders {
  Range?: string | undefined;
  'If-Range'?: string | undefined;
  'If-Match'?: string | undefined;
}

/** Asks for the bytes of one file. */
type ContentRequest = (headers: ContentHeaders) => Promise<Response>;

/** What `request` asks for, over as many connections as needed. */
export async function openContent(
  cabinet: Cabinet,
  request: ContentRequest,
  options: DownloadOptions,
): Promise<Download> {
  const { start = 0, end, ifMatch } = options;
  const isPart = start > 0 || end !== undefined;
  const response = await request({ Range: isPart ? toRange(start, end) : undefined, 'If-Match': ifMatch });
  if (!response.ok) throw await toDownloadError(response, start);
  return toDownload({ cabinet, request, options, start }, response);
}

/** The whole file in memory. */
export async function readFile(
  cabinet: Cabinet,
  id: string,
  options: DownloadOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  return readBytes(await openFile(cabinet, id, options));
}

export async function readBytes({ stream, sizeBytes }: Download): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  const reader = stream.getReader();
  for (let at = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return bytes;
    bytes.set(value, at);
    at += value.byteLength;
  }
}

/** The whole file as text (UTF-8). */
export async function readText(cabinet: Cabinet, id: string, options: DownloadOptions = {}): Promise<string> {
  return new TextDecoder().decode(await readFile(cabinet, id, options));
}

export interface ThumbnailOptions extends CallOptions {
  /** The most pixels in width and in height. */
  size?: 64 | 256 | 1024 | undefined;
}

/** A WebP of a picture or of the first page of a PDF. Fails with `NoThumbnail` for other files. */
export async function readThumbnail(
  cabinet: Cabinet,
  id: string,
  { size = 256, ...options }: ThumbnailOptions = {},
): Promise<Blob> {
  const query = { size: `${size}` as const };
  const response = await send(cabinet, 'GET /files/{id}/thumbnail', { ...options, path: { id }, query });
  return await response.blob();
}

export interface PreviewOptions extends CallOptions {
  /** The current version by default. */
  version?: number | undefined;
}

/** A PDF of an office document. Fails with `NoPreview` for other files, and where the service has no converter. */
export async function readPreview(
  cabinet: Cabinet,
  id: string,
  { version, ...options }: PreviewOptions = {},
): Promise<Blob> {
  const response = await send(cabinet, 'GET /files/{id}/preview', { ...options, path: { id }, query: { version } });
  return await response.blob();
}

function toRange(start: number, end: number | undefined): string {
  return `bytes=${start}-${end === undefined ? '' : end - 1}`;
}

/** 412 and 416 have no body: their errors are made here. */
async function toDownloadError(response: Response, start: number): Promise<CabinetError> {
  const { status } = response;
  const trackingId = response.headers.get('requesttrackingid') ?? undefined;
  if (status === 412) {
    return new CabinetError('PreconditionFailed', 'The file has changed.', { status, trackingId, target: 'If-Match' });
  }
  if (status === 416) {
    const message = `The file has no byte ${start}.`;
    return new CabinetError('InvalidField', message, { status, trackingId, target: 'start' });
  }
  return toError(response);
}

interface OpenDownload {
  cabinet: Cabinet;
  request: ContentRequest;
  options: DownloadOptions;
  start: number;
}

function toDownload(download: OpenDownload, response: Response): Download {
  const { headers } = response;
  const digest = /sha-256=:([^:]+):/.exec(headers.get('repr-digest') ?? '')?.[1] ?? '';
  const sizeBytes = Number(headers.get('content-length') ?? 0);
  const etag = headers.get('etag') ?? '';
  const bytes = readAll(download, { response, etag, sizeBytes });
  return {
    stream: toStream(response.status === 200 ? verified(bytes, digest) : bytes),
    sizeBytes,
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    etag,
    sha256: toHex(digest),
    modifiedAt: new Date(headers.get('last-modified') ?? 0),
  };
}

/** All bytes, over as many connections as needed. Progress resets the number of retries. */
async function* readAll(
  { cabinet, request, options, start }: OpenDownload,
  { response, etag, sizeBytes }: { response: Response; etag: string; sizeBytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal, onProgress } = options;
  let [current, doneBytes, failures] = [response, 0, 0];
  while (true) {
    try {
      for await (const piece of piecesOf(current)) {
        doneBytes += piece.byteLength;
        failures = 0;
        yield piece;
        onProgress?.(doneBytes, sizeBytes);
      }
      if (doneBytes >= sizeBytes) return;
      throw new TypeError('the connection ended early');
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (failures++ >= cabinet.retries) throw toUnreachable(cabinet, error);
    }
    await pause(toPauseMs(failures), signal);
    const from = { start: start + doneBytes, end: start + sizeBytes, etag };
    current = await resumeDownload(request, from);
  }
}

async function resumeDownload(
  request: ContentRequest,
  { start, end, etag }: { start: number; end: number; etag: string },
): Promise<Response> {
  const response = await request({ Range: toRange(start, end), 'If-Range': etag });
  if (response.status === 206) return response;
  if (!response.ok) throw await toDownloadError(response, start);
  await response.body?.cancel();
  throw new CabinetError('PreconditionFailed', 'The file has changed while it was read.', { target: 'If-Range' });
}

/** Not every browser can iterate over a stream. */
async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function* verified(
  bytes: AsyncGenerator<Uint8Array, void, undefined>,
  digest: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash: Hash = startSha256();
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
  if (digest === '' || toHex(digest) === hash.digest()) return;
  throw new CabinetError('DigestMismatch', 'The checksum of the download does not match.', { target: 'Repr-Digest' });
}

function toStream(bytes: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await bytes.return();
      },
    },
    // Nothing is fetched before it is read.
    { highWaterMark: 0 },
  );
}

function toHex(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}
