// What a route gives back, and how it is sent. The one table from refusal codes to statuses.

import type { ServerResponse } from 'node:http';
import type { RefusalCode } from '../domain/refusal.ts';
import { Refusal } from '../domain/refusal.ts';
import { STATUS_CODES } from '../listener/node-http.ts';
import { renderRefusal } from './wire.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** What is streamed brings its `Content-Length` in the headers; without one it is sent chunked. */
  body: string | AsyncIterable<Buffer>;
}

const statuses: Record<RefusalCode, 400 | 401 | 403 | 404 | 500> = {
  AppKeyMismatch: 401,
  AppKeyMissing: 401,
  AppKeyUnknown: 401,
  ApplicationNotFound: 404,
  AttachmentMissing: 400,
  BatchTooLarge: 400,
  CertificateInvalid: 401,
  CertificateNotFound: 404,
  ChecksumMismatch: 400,
  CursorExpired: 400,
  DigestMismatch: 400,
  DuplicateHeader: 400,
  EntryNotFound: 404,
  FileNameMissing: 400,
  FileNotFound: 404,
  FileTooLarge: 400,
  FolderNameMissing: 400,
  FolderNotFound: 404,
  Forbidden: 403,
  HeadersTooLarge: 400,
  IdempotencyKeyReused: 400,
  InsufficientScope: 403,
  InternalError: 500,
  InvalidBody: 400,
  InvalidCursor: 400,
  InvalidField: 400,
  InvalidHeader: 400,
  InvalidMove: 400,
  InvalidName: 400,
  IssuerUnavailable: 500,
  LastManager: 400,
  LinkNotFound: 404,
  MalformedRequest: 400,
  MethodNotAllowed: 404,
  MutualTlsNotAllowed: 403,
  MutualTlsRequired: 403,
  NameAlreadyExists: 400,
  NotAFolder: 400,
  PreconditionFailed: 400,
  QuotaExceeded: 403,
  RouteNotFound: 404,
  ShuttingDown: 500,
  SpaceMissing: 400,
  SpaceNotFound: 404,
  StorageFull: 500,
  StorageUnavailable: 500,
  TokenInvalid: 401,
  TokenMissing: 401,
  TooDeep: 400,
  TooManyAttachments: 400,
  TooManyRequests: 403,
  TooManyUploads: 403,
  TusVersionUnsupported: 400,
  UnsupportedEncoding: 400,
  UnsupportedMediaType: 400,
  UploadExpired: 404,
  UploadFinished: 400,
  UploadLengthMismatch: 400,
  UploadNotFound: 404,
  UploadOffsetMismatch: 400,
  UploadTooSlow: 400,
  UserNotFound: 404,
  VersionIsCurrent: 400,
  VersionNotFound: 404,
};

/** A refusal by another standard than ours, which has its own statuses and headers. */
export class StandardRefusal extends Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor({ code, message, details }: Refusal, status: number, headers: Record<string, string>) {
    super(code, message, details);
    this.status = status;
    this.headers = headers;
  }
}

// What Node does not know, of the draft on resumable uploads and of tus.
STATUS_CODES[104] = 'Upload Resumption Supported';
STATUS_CODES[460] = 'Checksum Mismatch';

export function toStatus(code: RefusalCode): number {
  return statuses[code];
}

export function json(body: string, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers, body };
}

export class MethodNotAllowed extends Refusal {
  readonly allowed: string;

  constructor(method: string, allowed: string) {
    super('MethodNotAllowed', `This address does not take ${method}.`, { hint: `It takes ${allowed}.` });
    this.allowed = allowed;
  }
}

export function toAnswer(refusal: Refusal, trackingId: string): Answer {
  const isStandard = refusal instanceof StandardRefusal;
  const status = isStandard ? refusal.status : statuses[refusal.code];
  const headers: Record<string, string> = isStandard ? { ...refusal.headers } : {};
  if (refusal instanceof MethodNotAllowed) headers.Allow = refusal.allowed;
  if (status === 401) headers['WWW-Authenticate'] = toChallenge(refusal);
  if (refusal.code === 'InsufficientScope') headers['WWW-Authenticate'] = toChallenge(refusal);
  if (refusal.details.retryAfterSeconds !== undefined)
    headers['Retry-After'] = String(refusal.details.retryAfterSeconds);
  return { status, headers, body: renderRefusal(refusal, trackingId) };
}

/** RFC 6750, section 3: no error code for a request that carries no token at all. RFC 8705, section 3: a token that is
 *  shown with another certificate than its own is an invalid one. */
function toChallenge({ code, details }: Refusal): string {
  if (code === 'TokenInvalid' || code === 'CertificateInvalid') return 'Bearer error="invalid_token"';
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
export function toHeaders(answer: Answer, trackingId: string, length: number | null): Record<string, string | number> {
  return {
    ...(answer.body !== '' && { 'Content-Type': 'application/json' }),
    ...(length !== null && { 'Content-Length': length }),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    requesttrackingid: trackingId,
    ...answer.headers,
  };
}

/** A reader that takes nothing for this long is gone. */
const stalledReaderMs = 60_000;

/** Ends an answer that is not taken. Node looks at what has left the socket: a slow reader is not a stalled one. */
export function endIfStalled(response: ServerResponse, afterMs = stalledReaderMs): void {
  response.setTimeout(afterMs, () => response.destroy());
}

export async function send(response: ServerResponse, answer: Answer, trackingId: string): Promise<void> {
  const { status, body } = answer;
  endIfStalled(response);
  if (typeof body === 'string') {
    // RFC 9110, 8.6: no Content-Length in a 204.
    const length = status === 204 ? null : Buffer.byteLength(body);
    response.writeHead(status, toHeaders(answer, trackingId, length));
    response.end(body);
    return;
  }
  if (response.req.method === 'HEAD') {
    response.writeHead(status, toHeaders(answer, trackingId, null));
    response.end();
    return;
  }
  const chunks = body[Symbol.asyncIterator]();
  try {
    // The first chunk is read, and so verified, before anything is promised.
    let next = await chunks.next();
    response.writeHead(status, toHeaders(answer, trackingId, null));
    // One chunk is on its way while the next is read; the memory of the one before is free by then.
    let writing = Promise.resolve();
    while (!next.done && !response.destroyed) {
      await writing;
      writing = write(response, next.value);
      next = await chunks.next();
    }
    await writing;
    response.end();
  } finally {
    await chunks.return?.();
  }
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
