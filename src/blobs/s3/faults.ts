// Translates errors of S3 and of the connection to it: into faults for requests, and into messages for the probe that say what to
// do.

import { S3ServiceException } from '@aws-sdk/client-s3';
import { Fault, type FaultKind } from '../../domain/fault.ts';

const lostCodes = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
]);
const busyNames = /^(SlowDown|ServiceUnavailable|InternalError|RequestTimeout|TimeoutError|Throttling\w*|AbortError)$/;
const fullNames = /Quota|StorageFull|InsufficientCapacity|InsufficientStorage/;

/** The fields that errors of the SDK may have. */
interface ErrorFields {
  name: string;
  message: string;
  code: string | undefined;
  status: number | undefined;
}

export function read(error: unknown): ErrorFields {
  const { name, message, code, cause, $metadata } = error as Error & {
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const inner = (cause as { code?: string } | undefined)?.code;
  return { name, message, code: code ?? inner, status: $metadata?.httpStatusCode };
}

export function toKind(error: unknown): FaultKind {
  if (error instanceof Fault) return error.kind;
  const { name, code, status } = read(error);
  if (isFull(name, status)) return 'full';
  if (code !== undefined && lostCodes.has(code)) return 'unavailable';
  if (busyNames.test(name) || status === 429 || (status !== undefined && status >= 500 && status !== 501)) {
    return 'unavailable';
  }
  return 'other';
}

function isFull(name: string, status: number | undefined): boolean {
  return status === 507 || fullNames.test(name);
}

/** `doing`: what was tried, as in "S3 could not store an object". */
export function toS3Fault(error: unknown, doing: string): Fault {
  if (error instanceof Fault) return error;
  const { name, message } = read(error);
  return new Fault(toKind(error), `S3 could not ${doing}: ${name}: ${message}`, error);
}

export function isMissing(error: unknown): boolean {
  const { name, status } = read(error);
  return name === 'NoSuchKey' || name === 'NotFound' || (status === 404 && !/^NoSuch(Bucket|Upload)$/.test(name));
}

export interface ServerContext {
  /** The server, as an administrator knows it. */
  server: string;
  bucket: string;
  accessKey: string | null;
  /** How far the server's clock is ahead of ours, where known. */
  clockOffsetMs: number;
}

/** For the start: what is wrong, and where. */
export function explain(error: unknown, doing: string, where: ServerContext): Fault {
  if (error instanceof Fault) {
    return new Fault(error.kind, `S3 at ${where.server} ${error.message.replace(/^S3 /, '')}`, error);
  }
  const fields = read(error);
  const hasAnswered = error instanceof S3ServiceException && fields.status !== undefined;
  const text = hasAnswered ? explainAnswer(fields, doing, where) : explainSilence(fields, where);
  return new Fault(toKind(error), text.trim().replaceAll(/\s*\n\s*/g, ' '), error);
}

/** When no response came. */
function explainSilence({ name, message, code }: ErrorFields, { server }: ServerContext): string {
  if (name === 'CredentialsProviderError') {
    return `There are no credentials for S3: the setting has none, and elsewhere none were found: ${message}`;
  }
  if (/^Region is missing/.test(message)) return 'The region of S3 is missing: add region= to the setting.';
  if (code !== undefined && /CERT|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_/.test(code)) {
    return `The certificate of S3 at ${server} cannot be verified: ${message}. NODE_EXTRA_CA_CERTS can name its CA.`;
  }
  if (code === 'EPROTO') return `S3 at ${server} does not speak TLS.`;
  return `S3 at ${server} cannot be reached: ${message || code || name}`;
}

function explainAnswer({ name, message, status }: ErrorFields, doing: string, where: ServerContext): string {
  const { server } = where;
  const bucket = `the bucket ${JSON.stringify(where.bucket)}`;
  const key = where.accessKey === null ? 'the access key' : `the access key ${JSON.stringify(where.accessKey)}`;
  switch (name) {
    case 'RequestTimeTooSkewed':
      return tellSkew(server, where.clockOffsetMs);
    case 'NoSuchBucket':
      return `S3 at ${server} does not have ${bucket}: it must be made first.`;
    case 'InvalidAccessKeyId':
      return `S3 at ${server} does not know ${key}.`;
    case 'SignatureDoesNotMatch':
      return `S3 at ${server} refuses ${key} with its secret.`;
    case 'ExpiredToken':
    case 'InvalidToken':
      return `S3 at ${server} refuses the credentials, which are wrong or over: ${message}`;
    case 'AuthorizationHeaderMalformed':
    case 'IllegalLocationConstraintException':
    case 'PermanentRedirect':
      return `S3 at ${server} seems to have ${bucket} in another region: ${message}`;
    case 'MethodNotAllowed':
    case 'NotImplemented':
      return `S3 at ${server} does not support what is needed: it could not ${doing} (${message})`;
  }
  if (isFull(name, status)) return `S3 at ${server} has no space left: ${name}: ${message}`;
  if (status === 403 || status === 401) {
    return `S3 at ${server} does not allow ${key} to ${doing} in ${bucket}: ${name}: ${message}`;
  }
  return `S3 at ${server} could not ${doing}: ${name}: ${message}`;
}

export function tellSkew(server: string, clockOffsetMs: number): string {
  const minutes = Math.round(Math.abs(clockOffsetMs) / 60_000);
  const how = minutes === 0 ? 'differs from' : `is ${minutes} minutes ${clockOffsetMs < 0 ? 'ahead of' : 'behind'}`;
  return `The clock of this machine ${how} that of S3 at ${server}: set one of them.`;
}
