// How WebDAV says no: the table from refusal codes to its statuses and conditions, and the body `DAV:error` (RFC 4918, section 16).

import { Refusal, type RefusalCode } from '../domain/refusal.ts';
import type { Answer } from '../listener/answer.ts';
import { escapeXml, xmlHead, xmlType } from './xml-text.ts';

/** A refusal of this protocol alone. */
export class DavRefusal extends Refusal {
  readonly status: number;
  /** The name of a condition in the namespace `DAV:`, as XML that stands inside `DAV:error`. */
  readonly condition: string | null;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, condition: string | null = null, headers: Record<string, string> = {}) {
    super('MalformedRequest', message);
    this.status = status;
    this.condition = condition;
    this.headers = headers;
  }
}

/** Every other code is 400. */
const statuses: Partial<Record<RefusalCode, number>> = {
  AppKeyMismatch: 401,
  AppKeyMissing: 401,
  AppKeyUnknown: 401,
  CertificateInvalid: 401,
  EntryNotFound: 404,
  FileNotFound: 404,
  FileTooLarge: 413,
  FolderNotFound: 404,
  Forbidden: 403,
  HeadersTooLarge: 431,
  InsufficientScope: 403,
  InternalError: 500,
  InvalidMove: 403,
  InvalidName: 403,
  IssuerUnavailable: 503,
  Locked: 423,
  MethodNotAllowed: 405,
  MutualTlsNotAllowed: 403,
  MutualTlsRequired: 403,
  NameAlreadyExists: 409,
  NotAFolder: 409,
  PreconditionFailed: 412,
  QuotaExceeded: 507,
  RouteNotFound: 404,
  ShuttingDown: 503,
  SpaceNotFound: 404,
  StorageFull: 507,
  StorageUnavailable: 503,
  TokenInvalid: 401,
  TokenMissing: 401,
  TooDeep: 403,
  TooManyRequests: 429,
  UnsupportedEncoding: 415,
  UnsupportedMediaType: 415,
  UploadTooSlow: 408,
};

const conditions: Partial<Record<RefusalCode, string>> = {
  QuotaExceeded: '<D:quota-not-exceeded/>',
  StorageFull: '<D:sufficient-disk-space/>',
};

export function toStatus(refusal: Refusal): number {
  return refusal instanceof DavRefusal ? refusal.status : (statuses[refusal.code] ?? 400);
}

const challenge = 'Basic realm="cabinet", charset="UTF-8", Bearer realm="cabinet"';

export function renderDavRefusal(refusal: Refusal): Answer {
  const status = toStatus(refusal);
  const { retryAfterSeconds, hint } = refusal.details;
  const condition = refusal instanceof DavRefusal ? refusal.condition : (conditions[refusal.code] ?? null);
  const message = hint === undefined ? refusal.message : `${refusal.message} ${hint}`;
  return {
    status,
    headers: {
      'Content-Type': xmlType,
      ...(refusal instanceof DavRefusal && refusal.headers),
      ...(status === 401 && { 'WWW-Authenticate': challenge }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    },
    body: `${xmlHead}<D:error xmlns:D="DAV:" xmlns:C="urn:cabinet">${condition ?? ''}<C:message>${escapeXml(message)}</C:message></D:error>`,
  };
}
