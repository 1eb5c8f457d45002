// The example records of the OpenAPI document: the same small set of entries everywhere, and one error for each code.

import { entryNotFound, fileNotFound, folderNotFound } from '../../domain/missing.ts';
import type { Refusal, RefusalCode } from '../../domain/refusal.ts';

export const exampleIds = {
  root: '0199b79c-3a10-7c41-9d0e-5b7f2a1c8e01',
  folder: '0199b79e-71d2-7f0a-8c35-1e94b6d0a702',
  file: '0199b7a4-52c8-7b63-a1f7-90d3c4e8b203',
  copy: '0199b7b1-0f4e-7d92-b6a8-42c7d9e1f504',
  space: '0199b79c-3a0f-70b8-84d1-6ce2f3a9b705',
  person: '0199b79d-44b1-7a27-9e60-b18c5d7f2306',
  request: '6f1c2f0e-9d84-4c55-8a3b-2f7e1d0c9b8a',
  appKey: 'ak_7k2m9x4q8w3v6t1r5y0p2n8b4c6d1f3h',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

export const exampleFolder = {
  Id: exampleIds.folder,
  Name: 'Invoices',
  Type: 'folder',
  ObjectType: 'cmis:folder',
  ContentType: 'inode/directory',
  CreatedAt: '2026-01-15T09:30:00.123Z',
  CreatedBy: 'app:backoffice',
  ModifiedAt: '2026-01-15T09:30:00.123Z',
  ModifiedBy: 'app:backoffice',
  Size: 48213,
  Properties: { Year: '2026' },
};

export const exampleFile = {
  Id: exampleIds.file,
  Name: 'a.pdf',
  Type: 'file',
  ObjectType: 'cmis:document',
  ContentType: 'application/pdf',
  CreatedAt: '2026-01-15T09:31:12.004Z',
  CreatedBy: 'app:backoffice',
  ModifiedAt: '2026-02-03T14:05:41.870Z',
  ModifiedBy: exampleIds.person,
  Size: 48213,
  Properties: { Customer: '4711' },
};

export const exampleEnvelope = { Folder: exampleFolder, Children: [exampleFile] };

export const exampleETag = '"4c1f0b5e8a92"';

export const exampleShownFile = {
  Entry: exampleFile,
  Path: '/Invoices/a.pdf',
  ETag: exampleETag,
  Sha256: exampleIds.sha256,
  Version: 3,
};

interface ErrorFields {
  Message: string;
  Target?: string;
  Hint?: string;
  Conflicts?: object[];
}

function toErrorFields({ message, details: { target, hint } }: Refusal): ErrorFields {
  return {
    Message: message,
    ...(target !== undefined && { Target: target }),
    ...(hint !== undefined && { Hint: hint }),
  };
}

/** A string stands for the message alone. */
const errorExamples: Record<RefusalCode, string | ErrorFields> = {
  AppKeyMismatch: 'The token was given to another application than the AppKey names.',
  AppKeyMissing: 'The header AppKey is missing.',
  AppKeyUnknown: 'No active application has this AppKey.',
  AppPasswordNotFound: 'There is no such app password.',
  ApplicationNotFound: 'There is no such application.',
  AttachmentMissing: 'The body has no part named "filename".',
  BatchTooLarge: {
    Message: 'One batch has at most 1000 files.',
    Hint: 'Send several batches; a large file is best sent alone, by POST /files.',
  },
  CertificateInvalid: 'The certificate is not trusted.',
  CertificateNotFound: 'The application has no such certificate.',
  ChecksumMismatch: { Message: 'Upload-Checksum is not that of the bytes that arrived.', Target: 'Upload-Checksum' },
  ConsentNotFound: 'You have not allowed such an application anything.',
  CursorExpired: 'The changes behind this cursor are no longer kept.',
  DigestMismatch: 'The bytes are not those of Content-Digest. Nothing was saved.',
  DuplicateHeader: { Message: 'The header FolderId was sent more than once.', Target: 'FolderId' },
  EntryNotFound: toErrorFields(entryNotFound()),
  FileNameMissing: {
    Message: 'The file has no name.',
    Target: 'FileName',
    Hint: 'Send the header FileName (percent-encoded UTF-8), or a file name in the multipart part.',
  },
  FileNotFound: toErrorFields(fileNotFound()),
  FileTooLarge: 'The file is larger than the service allows.',
  FolderNameMissing: { Message: 'FolderName is missing.', Target: 'FolderName' },
  FolderNotFound: toErrorFields(folderNotFound('FolderId')),
  Forbidden: { Message: 'You need the role "editor" in the space; yours is "viewer".', Target: 'editor' },
  HeadersTooLarge: 'The headers have more than 16 KiB.',
  IdempotencyKeyReused: { Message: 'This key was used with another request.', Target: 'Idempotency-Key' },
  InsufficientScope: {
    Message: 'The token does not have the scope "content.write".',
    Target: 'content.write',
  },
  InternalError: 'Something went wrong on our side. Nothing was changed, or the change is whole.',
  InvalidBody: 'The body is not JSON.',
  InvalidCursor: { Message: 'The cursor is malformed, or belongs to another list.', Target: 'cursor' },
  InvalidField: { Message: 'limit must be a number from 1 to 1000.', Target: 'limit' },
  InvalidHeader: { Message: 'The header Content-MD5 must carry 16 bytes.', Target: 'Content-MD5' },
  InvalidMove: 'A folder cannot be moved into itself or beneath itself.',
  InvalidName: { Message: 'A name cannot contain "/" (position 3).', Target: 'FolderName' },
  IssuerUnavailable: 'The keys of the issuer cannot be had.',
  JobNotFound: 'There is no such job.',
  LastManager: {
    Message: 'This would leave the space without a manager.',
    Hint: 'Give someone else the role manager first.',
  },
  Locked: 'It is locked by ann (her laptop).',
  LinkNotFound: 'This link does not exist, or can no longer be used.',
  MalformedRequest: 'The request is not well-formed HTTP.',
  MethodNotAllowed: { Message: 'This address does not support PATCH.', Hint: 'It supports GET, HEAD.' },
  MutualTlsNotAllowed: 'Only server-based applications use the mutual-TLS address.',
  MutualTlsRequired: 'A server-based application uses the mutual-TLS address only.',
  NoPreview: 'This file has no preview.',
  NoThumbnail: 'This file has no thumbnail.',
  NameAlreadyExists: {
    Message: 'A folder named "Invoices" already exists here.',
    Target: 'FolderName',
    Hint: 'Send ConflictBehavior: Existing to get the existing folder, or Rename to get another name.',
    Conflicts: [exampleFolder],
  },
  NotAFolder: { Message: 'This is a file, not a folder.', Target: 'ParentFolderId' },
  PasswordInvalid: { Message: 'The current password is wrong.', Target: 'Current' },
  PreconditionFailed: {
    Message: 'The entry has changed: its current ETag is not in If-Match.',
    Target: 'If-Match',
    Hint: 'Read it again; its ETag is "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=" now.',
  },
  QuotaExceeded: 'The space has used up the bytes it was given.',
  RouteNotFound: 'There is nothing at this address.',
  GroupNotFound: 'The space has no such group.',
  SecondFactorInvalid: { Message: 'The code is wrong. Check that the clock of the phone is right.', Target: 'Code' },
  SecondFactorNotFound: 'There is no such second factor.',
  SessionNotFound: 'There is no such session.',
  ShareNotFound: 'This link does not exist, or can no longer be used.',
  SharePasswordInvalid: { Message: 'The password of the link is wrong.', Target: 'SharePassword' },
  SharePasswordMissing: { Message: 'This link needs a password.', Target: 'SharePassword' },
  ShuttingDown: 'The service is stopping. Nothing was saved.',
  SpaceMissing: {
    Message: 'You are a member of several spaces.',
    Target: 'SpaceId',
    Hint: 'Name one with the header SpaceId; GET /v1/contentmanagement/spaces lists them.',
  },
  SpaceNotFound: { Message: 'There is no such space.', Target: 'SpaceId' },
  StorageFull: 'No space is left. Nothing was saved.',
  StorageUnavailable: 'The storage cannot be reached right now. Nothing was saved.',
  TokenInvalid: 'The token is expired.',
  TokenMissing: 'The header Authorization is missing.',
  TooDeep: 'Folders can be nested 100 levels deep.',
  TooManySecondFactors: { Message: 'A person has at most one authenticator app.', Hint: 'Remove one first.' },
  TooManyAppPasswords: {
    Message: 'A person has at most 50 app passwords.',
    Hint: 'Remove one that is no longer used.',
  },
  TooManyAttachments: 'There is more than one file in the request.',
  TooManyRequests: 'Too many requests were sent in this second.',
  TooManyUploads: 'Too many large JSON bodies are being read at once.',
  TooManyWebhooks: {
    Message: 'A space has at most 100 webhooks.',
    Hint: 'Remove one that is no longer used.',
  },
  TusVersionUnsupported: {
    Message: 'The header Tus-Resumable: 1.0.0 is missing.',
    Target: 'Tus-Resumable',
  },
  UnsupportedEncoding: {
    Message: 'Bodies are taken as they are: Content-Encoding must be identity or absent.',
    Target: 'Content-Encoding',
  },
  UnsupportedMediaType: { Message: 'This takes application/partial-upload.', Target: 'Content-Type' },
  UploadExpired: 'This upload has expired: no bytes arrived for too long.',
  UploadFinished: 'The upload is complete.',
  UploadLengthMismatch: {
    Message: 'The upload was said to have 1000 bytes, and now 1001.',
    Target: 'Upload-Length',
  },
  UploadNotFound: 'There is no such upload.',
  UploadOffsetMismatch: { Message: 'The upload goes on at byte 512.', Target: 'Upload-Offset' },
  UploadTooSlow: 'Less than 1 KiB a second arrived over 30 seconds.',
  UserNotFound: 'There is no such user.',
  VersionIsCurrent: 'The current version cannot be deleted.',
  VersionNotFound: { Message: 'The file has no such version.', Target: 'version' },
  WebhookNotFound: 'There is no such webhook.',
};

export function toRefusalExample(code: RefusalCode): object {
  const example = errorExamples[code];
  const fields = typeof example === 'string' ? { Message: example } : example;
  return { Error: { Code: code, ...fields, RequestTrackingId: exampleIds.request } };
}
