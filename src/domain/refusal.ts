// Every way in which the service says no. One error class with a closed list of codes: anything else that is thrown
// is a fault, which callers see only as `InternalError`. Statuses are not known here; each face has its own table.

import type { Entry } from './entry.ts';

export const refusalCodes = [
  'AppKeyMismatch',
  'AppKeyMissing',
  'AppKeyUnknown',
  'AppPasswordNotFound',
  'ApplicationNotFound',
  'AttachmentMissing',
  'BatchTooLarge',
  'CertificateInvalid',
  'CertificateNotFound',
  'ChecksumMismatch',
  'ConsentNotFound',
  'CursorExpired',
  'DigestMismatch',
  'DuplicateHeader',
  'EntryNotFound',
  'FileNameMissing',
  'FileNotFound',
  'FileTooLarge',
  'FolderNameMissing',
  'FolderNotFound',
  'Forbidden',
  'GroupNotFound',
  'HeadersTooLarge',
  'IdempotencyKeyReused',
  'InsufficientScope',
  'InternalError',
  'InvalidBody',
  'InvalidCursor',
  'InvalidField',
  'InvalidHeader',
  'InvalidMove',
  'InvalidName',
  'IssuerUnavailable',
  'JobNotFound',
  'LastManager',
  'LinkNotFound',
  'Locked',
  'MalformedRequest',
  'MethodNotAllowed',
  'MutualTlsNotAllowed',
  'MutualTlsRequired',
  'NameAlreadyExists',
  'NoPreview',
  'NoThumbnail',
  'NotAFolder',
  'PasswordInvalid',
  'PreconditionFailed',
  'QuotaExceeded',
  'RouteNotFound',
  'SecondFactorInvalid',
  'SecondFactorNotFound',
  'SessionNotFound',
  'ShareNotFound',
  'SharePasswordInvalid',
  'SharePasswordMissing',
  'ShuttingDown',
  'SpaceMissing',
  'SpaceNotFound',
  'StorageFull',
  'StorageUnavailable',
  'TokenInvalid',
  'TokenMissing',
  'TooDeep',
  'TooManyAppPasswords',
  'TooManyAttachments',
  'TooManyRequests',
  'TooManySecondFactors',
  'TooManyUploads',
  'TooManyWebhooks',
  'TusVersionUnsupported',
  'UnsupportedEncoding',
  'UnsupportedMediaType',
  'UploadExpired',
  'UploadFinished',
  'UploadLengthMismatch',
  'UploadNotFound',
  'UploadOffsetMismatch',
  'UploadTooSlow',
  'UserNotFound',
  'VersionIsCurrent',
  'VersionNotFound',
  'WebhookNotFound',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

interface RefusalDetails {
  /** The field or header at fault, by its wire name. */
  target?: string;
  /** What to send instead. */
  hint?: string;
  /** The entries that are in the way. */
  conflicts?: Entry[];
  /** Seconds after which the same request may succeed. */
  retryAfterSeconds?: number;
  /** The locked entry that is in the way. */
  locked?: { path: string; isFolder: boolean };
}

/** A refusal as plain data, so that it can cross a thread. */
export interface PlainRefusal extends RefusalDetails {
  code: RefusalCode;
  message: string;
}

export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly details: RefusalDetails;

  constructor(code: RefusalCode, message: string, details: RefusalDetails = {}) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }

  toPlain(): PlainRefusal {
    return { code: this.code, message: this.message, ...this.details };
  }

  static from({ code, message, ...details }: PlainRefusal): Refusal {
    return new Refusal(code, message, details);
  }
}

export function storageFull(): Refusal {
  return new Refusal('StorageFull', 'There is no space left to save this. Nothing was saved.', {
    retryAfterSeconds: 5,
  });
}

export function quotaExceeded(message: string): Refusal {
  return new Refusal('QuotaExceeded', message, {
    hint: 'Remove for good what is not needed, also from the trash, of old versions and of unfinished uploads, or ask for more.',
  });
}
