// The routes of resumable uploads: tus at /uploads, and the address of an upload in either protocol.

import type { IncomingMessage } from 'node:http';
import type { Upload } from '../../catalog/verbs/uploads.ts';
import { json } from '../answer.ts';
import {
  answerHeaders,
  bytesBody,
  contentPreconditionHeaders,
  envelopeAnswer,
  header,
  headers,
  ids,
  jsonAnswer,
} from '../openapi/description.ts';
import { toRefusalExample } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { ErrorAnswer, UploadState } from '../openapi/schemas.ts';
import type { CallerRoute, OpenRoute } from '../route.ts';
import * as ietf from '../uploads/ietf.ts';
import { describeResumable, partialUpload } from '../uploads/ietf-headers.ts';
import * as tus from '../uploads/tus.ts';
import { isTus, toTusState, tusType, tusVersion } from '../uploads/tus-headers.ts';
import { uploadStatuses, uploadsPath } from '../uploads/upload-request.ts';

/** "The Tus-Resumable header MUST be included in every request and response except for OPTIONS requests." */
const always = { 'Tus-Resumable': tusVersion };
const whenTus = (request: IncomingMessage) => (isTus(request) ? always : {});

const common = {
  tus: header('Tus-Resumable', 'tus: 1.0.0. Without it the IETF draft is meant', '1.0.0'),
  interop: header('Upload-Draft-Interop-Version', 'IETF: the draft that the client speaks, 3 to 9', '9'),
  offset: header('Upload-Offset', 'Where the bytes belong: as many as have come before', '512'),
  length: header('Upload-Length', 'How many bytes it will have in all', '1000'),
};

export const ietfNames = [
  'Upload-Complete',
  'Upload-Draft-Interop-Version',
  'Upload-Incomplete',
  'Upload-Limit',
  'Upload-Offset',
] as const;
const ietfHeaders = answerHeader(...ietfNames);
const tusHeaders = answerHeader('Upload-Expires', 'Upload-Offset');
const stateHeaders = { ...ietfHeaders, ...tusHeaders };
const lengthHeaders = answerHeader('Upload-Concat', 'Upload-Defer-Length', 'Upload-Length', 'Upload-Metadata');
/** Refusals have them too: where an upload is matters most when something goes wrong. */
const everyAnswer = ['Tus-Resumable', 'Tus-Version', ...ietfNames] as const;

/** The headers and answers of `POST /files` that only resumable uploads use. */
export const resumableHeaders = [
  header(
    'Upload-Complete',
    'Begins an upload that can be resumed (IETF draft): ?1 with all bytes, ?0 while more is to come',
    '?1',
  ),
  common.length,
  common.interop,
];

export const resumableAnswers = {
  201: {
    description: 'Begun (Upload-Complete: ?0); goes on at Location',
    headers: { ...answerHeader('Location'), ...ietfHeaders },
  },
  413: {
    description: '`FileTooLarge`, where the upload can be resumed',
    content: { 'application/json': { schema: ErrorAnswer, example: toRefusalExample('FileTooLarge') } },
  },
};

const createUploadRoute: CallerRoute = {
  method: 'POST',
  path: uploadsPath,
  action: 'write',
  toHeaders: () => always,
  handle: tus.createTus,
  describe: {
    operationId: 'UploadsPost',
    tag: 'Uploads',
    summary: 'Start an upload by tus 1.0',
    description:
      'Uses the status codes of tus. `Upload-Metadata` can have `filename`, `filetype`, `folderid` and ' +
      '`conflictbehavior`; headers of `POST /files` win. With `Upload-Concat` it is a part, or the file that the ' +
      'parts make. The body may have the first bytes, or all of them; `entryid` comes with the response to the last ' +
      'ones.',
    parameters: [
      common.tus,
      common.length,
      header('Upload-Defer-Length', '1: the length is said later', '1'),
      header('Upload-Metadata', 'Pairs of a key and a value in base64', 'filename YS5wZGY='),
      header('Upload-Concat', 'partial; or final; and the addresses of the parts', 'partial'),
      header(
        'Upload-Checksum',
        'Of the body: an algorithm, a space and the checksum in base64',
        'sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=',
      ),
      headers.folderId,
      headers.fileName,
      headers.conflictBehavior('Version', 'Fail', 'Rename', 'Existing'),
      ...contentPreconditionHeaders,
      headers.idempotencyKey,
      headers.spaceId,
      headers.comment,
      headers.reprDigest,
    ],
    requestBody: bytesBody('The first bytes; may be empty', { required: false, contentTypes: [tusType] }),
    responses: {
      201: {
        description: 'The upload is at `Location`. `entryid` names the file, if all bytes have come',
        headers: { ...answerHeader('Location'), ...tusHeaders, ...answerHeaders.entryId },
      },
    },
    refusals: [
      'ChecksumMismatch',
      'DigestMismatch',
      'FileNameMissing',
      'FileTooLarge',
      'FolderNotFound',
      'InvalidName',
      'NotAFolder',
      'Locked',
      'PreconditionFailed',
      'QuotaExceeded',
      'TooManyUploads',
      'TusVersionUnsupported',
      'UnsupportedMediaType',
      'UploadExpired',
      'UploadLengthMismatch',
      'UploadNotFound',
    ],
    statuses: uploadStatuses,
    everyAnswer,
  },
};

const showUploadRoute: CallerRoute = {
  method: 'GET',
  path: `${uploadsPath}/{id}`,
  action: 'write',
  toHeaders: whenTus,
  async handle(context, exchange, caller) {
    const { request } = exchange;
    if (isTus(request)) {
      const upload = await tus.headTus(context, exchange, caller);
      return json(renderState(upload), toTusState(upload));
    }
    const { upload, headers } = await ietf.headResumable(context, exchange, caller);
    if (request.method === 'HEAD') return { status: 204, headers, body: '' };
    return json(renderState(upload), headers);
  },
  describe: {
    operationId: 'UploadsGet',
    tag: 'Uploads',
    summary: 'Show the progress of an upload',
    description:
      '`HEAD` returns the headers, as in both standards. A request that is still writing to the upload is ended ' +
      'first, so that the offset is final. An upload whose last response was lost is finished now; `entryid` is the ' +
      'saved file.',
    parameters: [ids.upload, common.tus, common.interop],
    responses: {
      200: jsonAnswer('How many bytes are durable, and what the upload has become', {
        schema: UploadState,
        example: { Offset: 512, Length: 1000, Complete: false, ExpiresAt: '2026-01-18T09:30:00.123Z', EntryId: null },
        headers: { ...stateHeaders, ...lengthHeaders, ...answerHeaders.entryId },
      }),
    },
    headResponses: {
      200: {
        description: 'How many bytes are durable, by tus',
        headers: { ...tusHeaders, ...lengthHeaders, ...answerHeaders.entryId },
      },
      204: {
        description: 'How many bytes are durable, by the IETF draft',
        headers: { ...ietfHeaders, ...lengthHeaders, ...answerHeaders.entryId },
      },
    },
    refusals: [
      'DigestMismatch',
      'FileTooLarge',
      'FolderNotFound',
      'IdempotencyKeyReused',
      'InvalidName',
      'NameAlreadyExists',
      'NotAFolder',
      'Locked',
      'PreconditionFailed',
      'QuotaExceeded',
      'TusVersionUnsupported',
      'UploadExpired',
      'UploadNotFound',
    ],
    statuses: uploadStatuses,
    everyAnswer,
  },
};

function renderState({ sizeBytes, lengthBytes, result, kind, expiresAt }: Upload): string {
  return JSON.stringify({
    Offset: sizeBytes,
    Length: lengthBytes,
    Complete: kind === 'part' ? sizeBytes === lengthBytes : result !== null,
    ExpiresAt: new Date(expiresAt).toISOString(),
    EntryId: kind === 'part' ? null : result,
  });
}

const appendUploadRoute: CallerRoute = {
  method: 'PATCH',
  path: `${uploadsPath}/{id}`,
  action: 'write',
  toHeaders: whenTus,
  async handle(context, exchange, caller) {
    return isTus(exchange.request)
      ? await tus.patchTus(context, exchange, caller)
      : await ietf.patchResumable(context, exchange, caller);
  },
  describe: {
    operationId: 'UploadsPatch',
    tag: 'Uploads',
    summary: 'Append bytes to an upload',
    description:
      'The bytes are durable when the response comes, and those that have arrived are kept when the connection ' +
      'breaks. The last bytes save the file: with `Upload-Complete: ?1` (IETF), or when `Upload-Length` is reached ' +
      '(tus). A newer request takes over from an older one.',
    parameters: [
      ids.upload,
      common.tus,
      common.interop,
      common.offset,
      common.length,
      header('Upload-Complete', 'IETF: ?1 with the last bytes, ?0 while more is to come', '?1'),
      header('Upload-Checksum', 'tus: of the body', 'sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0='),
      { ...headers.contentDigest, description: 'IETF: sha-256 of the body (RFC 9530); checked' },
    ],
    requestBody: bytesBody(`The bytes: ${partialUpload} (IETF), ${tusType} (tus)`, {
      required: false,
      contentTypes: [partialUpload, tusType],
    }),
    responses: {
      200: envelopeAnswer('The file is saved (IETF): the answer of `POST /files`'),
      204: {
        description: 'The bytes up to `Upload-Offset` are durable',
        headers: { ...stateHeaders, ...answerHeaders.entryId },
      },
    },
    refusals: [
      'ChecksumMismatch',
      'FileTooLarge',
      'FolderNotFound',
      'IdempotencyKeyReused',
      'InvalidHeader',
      'InvalidName',
      'NameAlreadyExists',
      'NotAFolder',
      'Locked',
      'PreconditionFailed',
      'QuotaExceeded',
      'TusVersionUnsupported',
      'UnsupportedMediaType',
      'UploadExpired',
      'UploadFinished',
      'UploadLengthMismatch',
      'UploadNotFound',
      'UploadOffsetMismatch',
    ],
    statuses: uploadStatuses,
    everyAnswer,
  },
};

const removeUploadRoute: CallerRoute = {
  method: 'DELETE',
  path: `${uploadsPath}/{id}`,
  action: 'write',
  toHeaders: whenTus,
  async handle(context, exchange, caller) {
    return isTus(exchange.request)
      ? await tus.deleteTus(context, exchange, caller)
      : await ietf.deleteResumable(context, exchange, caller);
  },
  describe: {
    operationId: 'UploadsDelete',
    tag: 'Uploads',
    summary: 'Cancel an upload',
    description:
      'Its bytes are removed, and a request that is writing to it ends. A file that was already saved stays.',
    parameters: [ids.upload, common.tus, common.interop],
    responses: { 204: { description: 'The upload and its bytes are removed' } },
    refusals: ['TusVersionUnsupported', 'UploadExpired', 'UploadNotFound'],
    statuses: uploadStatuses,
    everyAnswer,
  },
};

const tusOptions = ['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size', 'Tus-Checksum-Algorithm'] as const;

/** `of`: the IETF draft begins uploads at `/files`, tus at an address of its own. */
function optionsRoute(
  path: string,
  { operationId, summary, of }: { operationId: string; summary: string; of: 'tus' | 'both' },
): OpenRoute {
  return {
    method: 'OPTIONS',
    path,
    action: null,
    async handle(context, { request, allowed }) {
      const headers = { Allow: allowed(), ...describeResumable(context, request) };
      return { status: 204, headers: of === 'tus' ? { ...tus.describeTus(context), ...headers } : headers, body: '' };
    },
    describe: {
      operationId,
      tag: 'Uploads',
      summary,
      description:
        `Needs no token. \`${path}\` answers with \`Upload-Limit\` and \`Accept-Patch\` of the IETF draft` +
        `${of === 'tus' ? ', and with the versions, the extensions and the limits of tus' : ''}.`,
      ...(path.includes('{') && { parameters: [ids.upload] }),
      responses: {
        204: {
          description: of === 'tus' ? 'What tus and the IETF draft can do here' : 'What the IETF draft can do here',
          headers: answerHeader(
            'Allow',
            'Accept-Patch',
            'Upload-Draft-Interop-Version',
            'Upload-Limit',
            ...(of === 'tus' ? tusOptions : []),
          ),
        },
      },
      refusals: [],
    },
  };
}

export const uploadRoutes = [
  createUploadRoute,
  showUploadRoute,
  appendUploadRoute,
  removeUploadRoute,
  optionsRoute(uploadsPath, {
    operationId: 'UploadsOptions',
    summary: 'Show which parts of tus are supported',
    of: 'tus',
  }),
  optionsRoute(`${uploadsPath}/{id}`, {
    operationId: 'UploadOptions',
    summary: 'Show the methods of an upload',
    of: 'tus',
  }),
  optionsRoute('/v1/contentmanagement/files', {
    operationId: 'FilesOptions',
    summary: 'Show the limits of resumable uploads',
    of: 'both',
  }),
];
