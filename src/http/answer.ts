// What a route gives back, and how it is sent. The one table from refusal codes to statuses.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RefusalCode } from '../domain/refusal.ts';
import { Refusal } from '../domain/refusal.ts';
import { renderRefusal } from './wire.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | AsyncIterable<Buffer>;
}

const statuses: Record<RefusalCode, 400 | 401 | 403 | 404 | 500> = {
  ApplicationNotFound: 404,
  AppKeyMismatch: 401,
  AppKeyMissing: 401,
  AppKeyUnknown: 401,
  AttachmentMissing: 400,
  DigestMismatch: 400,
  DuplicateHeader: 400,
  FileNameMissing: 400,
  FileNotFound: 404,
  FileTooLarge: 400,
  FolderNameMissing: 400,
  FolderNotFound: 404,
  HeadersTooLarge: 400,
  IdempotencyKeyReused: 400,
  InsufficientScope: 403,
  InternalError: 500,
  InvalidBody: 400,
  InvalidCursor: 400,
  InvalidField: 400,
  InvalidHeader: 400,
  InvalidName: 400,
  MalformedRequest: 400,
  MethodNotAllowed: 404,
  MutualTlsRequired: 403,
  NameAlreadyExists: 400,
  NotAFolder: 400,
  RouteNotFound: 404,
  ShuttingDown: 500,
  StorageFull: 500,
  TokenInvalid: 401,
  TokenMissing: 401,
  TooDeep: 400,
  TooManyAttachments: 400,
  TooManyUploads: 403,
  UnsupportedEncoding: 400,
  UploadTooSlow: 400,
};

export function toStatus(code: RefusalCode): number {
  return statuses[code];
}

export function json(body: string, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers, body };
}

export function toAnswer(refusal: Refusal, trackingId: string): Answer {
  const status = statuses[refusal.code];
  const headers: Record<string, string> = {};
  if (status === 401) headers['WWW-Authenticate'] = toChallenge(refusal);
  if (refusal.code === 'InsufficientScope') headers['WWW-Authenticate'] = toChallenge(refusal);
  if (refusal.details.retryAfterSeconds !== undefined)
    headers['Retry-After'] = String(refusal.details.retryAfterSeconds);
  return { status, headers, body: renderRefusal(refusal, trackingId) };
}

/** RFC 6750, section 3: no error code for a request that carries no token at all. */
function toChallenge({ code, details }: Refusal): string {
  if (code === 'TokenInvalid') return 'Bearer error="invalid_token"';
  if (code === 'InsufficientScope') return `Bearer error="insufficient_scope", scope="${details.target}"`;
  return 'Bearer realm="cabinet"';
}

export function internalError(): Refusal {
  return new Refusal(
    'InternalError',
    'Something went wrong on our side. Nothing was changed, or the change is whole.',
    {
      hint: 'Try again; if it stays, tell your administrator the RequestTrackingId.',
    },
  );
}

/** Headers that every answer of ours carries. `no-store`: records belong to the caller alone. */
function toHeaders(answer: Answer, trackingId: string, length: number): Record<string, string | number> {
  return {
    'Content-Type': 'application/json',
    'Content-Length': length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    requesttrackingid: trackingId,
    ...answer.headers,
  };
}

export async function send(response: ServerResponse, answer: Answer, trackingId: string): Promise<void> {
  const { status, body } = answer;
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    response.writeHead(status, toHeaders(answer, trackingId, Buffer.byteLength(body)));
    response.end(body);
    return;
  }
  response.writeHead(status, toHeaders(answer, trackingId, Number(answer.headers['Content-Length'])));
  // One chunk is on its way while the next is read; the memory of the one before is free by then.
  let writing = Promise.resolve();
  for await (const chunk of body) {
    await writing;
    if (response.destroyed) return;
    writing = write(response, chunk);
  }
  await writing;
  response.end();
}

/** Resolves when the chunk has left our memory, or nobody is there to take it. */
function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write(chunk, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}

/** An answer as bytes, for sockets on which no request was understood. */
export function renderRaw(answer: Answer, trackingId: string): string {
  const body = String(answer.body);
  const headers = Object.entries({ ...toHeaders(answer, trackingId, Buffer.byteLength(body)), Connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const reason = answer.status === 500 ? 'Internal Server Error' : answer.status === 404 ? 'Not Found' : 'Bad Request';
  return `HTTP/1.1 ${answer.status} ${reason}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

// An early refusal must reach a client that is still sending. Closing at once resets the connection and the client
// never sees the answer, so the rest is read and dropped for a while.
const lingerMs = 5000;
const lingerBytes = 64 * 1024 * 1024;
/** A rest this small is simply read; the connection stays. */
const smallRestBytes = 64 * 1024;

export function sendEarly(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  trackingId: string,
): void {
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const isWaiting = request.headers.expect !== undefined;
  if (request.complete || (!isChunked && !(declared > smallRestBytes) && !isWaiting)) {
    void send(response, answer, trackingId);
    request.resume();
    return;
  }
  const { socket } = request;
  socket.end(renderRaw(answer, trackingId));
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  let dropped = 0;
  const close = () => {
    clearTimeout(timer);
    socket.destroy();
  };
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > lingerBytes) close();
  });
  request.once('end', close);
  request.once('error', close);
  socket.once('close', () => clearTimeout(timer));
  request.resume();
}
