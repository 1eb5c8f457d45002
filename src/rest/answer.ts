// The answers of the REST API: JSON, and the only table from refusal codes to statuses.

import type { RefusalCode } from '../domain/refusal.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Answer } from '../listener/answer.ts';
import { STATUS_CODES } from '../listener/node-http.ts';
import { MethodNotAllowed } from '../listener/refusals.ts';
import { renderRefusal } from './wire.ts';

const statuses: Record<RefusalCode, 400 | 401 | 403 | 404 | 500> = {
  AppKeyMismatch: 401,
  AppKeyMissing: 401,
  AppKeyUnknown: 401,
  AppPasswordNotFound: 404,
  ApplicationNotFound: 404,
  AttachmentMissing: 400,
  BatchTooLarge: 400,
  CertificateInvalid: 401,
  CertificateNotFound: 404,
  ChecksumMismatch: 400,
  ConsentNotFound: 404,
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
  GroupNotFound: 404,
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
  JobNotFound: 404,
  LastManager: 400,
  LinkNotFound: 404,
  Locked: 403,
  MalformedRequest: 400,
  MethodNotAllowed: 404,
  MutualTlsNotAllowed: 403,
  MutualTlsRequired: 403,
  NameAlreadyExists: 400,
  NoPreview: 404,
  NoThumbnail: 404,
  NotAFolder: 400,
  PasswordInvalid: 403,
  PreconditionFailed: 400,
  QuotaExceeded: 403,
  RouteNotFound: 404,
  SecondFactorInvalid: 403,
  SecondFactorNotFound: 404,
  SessionNotFound: 404,
  ShareNotFound: 404,
  SharePasswordInvalid: 401,
  SharePasswordMissing: 401,
  ShuttingDown: 500,
  SpaceMissing: 400,
  SpaceNotFound: 404,
  StorageFull: 500,
  StorageUnavailable: 500,
  TokenInvalid: 401,
  TokenMissing: 401,
  TooDeep: 400,
  TooManyAppPasswords: 400,
  TooManyAttachments: 400,
  TooManyRequests: 403,
  TooManySecondFactors: 400,
  TooManyUploads: 403,
  TooManyWebhooks: 400,
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
  WebhookNotFound: 404,
};

/** A refusal with the status and headers that another standard prescribes. */
export class StandardRefusal extends Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor({ code, message, details }: Refusal, status: number, headers: Record<string, string>) {
    super(code, message, details);
    this.status = status;
    this.headers = headers;
  }
}

// Statuses that Node does not know: of the draft on resumable uploads, and of tus.
STATUS_CODES[104] = 'Upload Resumption Supported';
STATUS_CODES[460] = 'Checksum Mismatch';

export function toStatus(code: RefusalCode): number {
  return statuses[code];
}

export function json(body: string, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

export function toAnswer(refusal: Refusal, requestId: string): Answer {
  const isStandard = refusal instanceof StandardRefusal;
  const status = isStandard ? refusal.status : statuses[refusal.code];
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (isStandard) Object.assign(headers, refusal.headers);
  if (refusal instanceof MethodNotAllowed) headers.Allow = refusal.allowed;
  if (status === 401) headers['WWW-Authenticate'] = toChallenge(refusal);
  if (refusal.code === 'InsufficientScope') headers['WWW-Authenticate'] = toChallenge(refusal);
  if (refusal.details.retryAfterSeconds !== undefined)
    headers['Retry-After'] = String(refusal.details.retryAfterSeconds);
  return { status, headers, body: renderRefusal(refusal, requestId) };
}

/** RFC 6750, section 3: no error code for a request without a token. RFC 8705, section 3: a token that is presented with
 *  another certificate than its own is invalid. */
function toChallenge({ code, details }: Refusal): string {
  if (code === 'TokenInvalid' || code === 'CertificateInvalid') return 'Bearer error="invalid_token"';
  if (code === 'InsufficientScope') return `Bearer error="insufficient_scope", scope="${details.target}"`;
  if (code === 'SharePasswordMissing' || code === 'SharePasswordInvalid') return 'SharePassword realm="cabinet"';
  return 'Bearer realm="cabinet"';
}
