// `POST /files` and `GET /files/{id}/content`.

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../domain/caller.ts';
import { decodeNameHeader } from '../../domain/name.ts';
import { Refusal } from '../../domain/refusal.ts';
import { digestMismatch } from '../../listener/body.ts';
import type { BytesInFlight } from '../../operations/bytes-in-flight.ts';
import { openFile } from '../../operations/open-file.ts';
import { discardContent, type ReceivedContent, receiveContent } from '../../operations/receive-content.ts';
import { admitSave, saveFile } from '../../operations/save-file.ts';
import { type BodyFormat, type Receiver, readBodyFormat, readFileBody } from '../bodies/file-body.ts';
import { smallBodyBytes } from '../bodies/json.ts';
import { answerDownload } from '../downloads/download.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import {
  contentPreconditionHeaders,
  downloadAnswers,
  envelopeAnswer,
  header,
  headers,
  ids,
  query,
} from '../openapi/description.ts';
import { exampleETag } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { Type } from '../openapi/json-schema.ts';
import { SaveFileForm } from '../openapi/schemas.ts';
import * as parameters from '../parameters.ts';
import { readPrecondition } from '../preconditions.ts';
import { prefersMinimal } from '../preferences.ts';
import type { CallerExchange, CallerRoute } from '../route.ts';
import { tooManyUploads } from '../slots.ts';
import { saveResumable } from '../uploads/ietf.ts';
import { readResumable } from '../uploads/ietf-headers.ts';
import { toSaveAnswer } from './save-answer.ts';
import { ietfNames, resumableAnswers, resumableHeaders } from './uploads.ts';

/** How much larger than the file a multipart or JSON body may be. */
const maxFramingBytes = 1024 * 1024;

const saved = envelopeAnswer('The target folder; the saved file is the first of its children');

export const saveFileRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/files',
  action: 'write',
  async handle(context, exchange, caller) {
    const { request, openBody, renewCaller } = exchange;
    const { cabinet } = context;
    const resumable = readResumable(request);
    if (resumable !== null) return await saveResumable(context, exchange, caller, resumable);
    parameters.checkEncoding(request);
    const params = readSaveParams(request);
    if (params.fileName === null && params.format.kind === 'bare') throw fileNameMissing();
    // A JSON body may have the field.
    const conflict = params.conflict ?? (params.format.kind === 'json' ? null : 'Version');
    const destination = await admitSave(cabinet, caller, { ...params, conflict });
    const inFlight = cabinet.quotas.receiving(destination.access, caller.actor);
    const receiver = toReceiver(context, { exchange, caller, inFlight });
    // JSON is held in memory.
    const heldBytes = params.format.kind === 'json' ? (parameters.readDeclaredBytes(request) ?? smallBodyBytes) : 0;
    await exchange.holdMemory(Math.min(heldBytes, smallBodyBytes));
    const body = await readFileBody(openBody(params.digests), params.format, receiver);
    const { received, objectType, properties, contentType } = body;
    let isHandedOver = false;
    try {
      checkReprDigest(params.reprDigest, received);
      const fileName = params.fileName ?? body.fileName;
      if (fileName === null) throw fileNameMissing();
      const current = await renewCaller();
      isHandedOver = true;
      const saved = await saveFile(cabinet, current, {
        destination,
        fileName,
        contentType,
        objectType,
        properties,
        comment: params.comment,
        conflict: conflict ?? body.conflict ?? 'Version',
        precondition: params.precondition,
        idempotencyKey: params.idempotencyKey,
        received,
      });
      return await toSaveAnswer(context, destination.access.space, saved, params.isMinimal);
    } finally {
      if (!isHandedOver) await discardContent(cabinet, received.content);
    }
  },
  describe: {
    operationId: 'SaveFilesPost',
    tag: 'Files',
    summary: 'Save a file into a folder',
    description:
      'Saving under a name that a file has makes a new version of it: `Id` stays, the old version is kept. The same bytes ' +
      'with nothing else differing change nothing. A file is visible only when all of it has arrived and is durable.\n\n' +
      'The body may also be JSON, `{"filename": "<base64>"}` or `{"filename": {"Content": "<base64>", "ContentType": "…"}}`, ' +
      'or, under any other content type, the bytes of the file themselves.',
    parameters: [
      headers.folderId,
      headers.fileName,
      headers.conflictBehavior('Version', 'Fail', 'Rename', 'Existing'),
      ...contentPreconditionHeaders,
      headers.idempotencyKey,
      headers.spaceId,
      headers.comment,
      headers.prefer,
      headers.reprDigest,
      headers.contentDigest,
      headers.contentMd5,
      ...resumableHeaders,
    ],
    requestBody: {
      required: true,
      description: 'The file as the part `filename`, and what else is said of it',
      content: {
        'multipart/form-data': {
          schema: SaveFileForm,
          example: { filename: '%PDF-1.7 …', Properties: '{"Customer":"4711"}', ContentType: 'application/pdf' },
        },
      },
    },
    responses: {
      200: { ...saved, headers: { ...saved.headers, ...answerHeader('Location') } },
      ...resumableAnswers,
    },
    everyAnswer: ietfNames,
    statuses: { UnsupportedMediaType: 415 },
    refusals: [
      'UnsupportedMediaType',
      'UploadLengthMismatch',
      'UploadOffsetMismatch',
      'AttachmentMissing',
      'FileNameMissing',
      'FileTooLarge',
      'FolderNotFound',
      'InvalidName',
      'NotAFolder',
      'Locked',
      'PreconditionFailed',
      'QuotaExceeded',
      'TooManyAttachments',
      'TooManyUploads',
    ],
  },
};

export function readSaveParams(request: IncomingMessage) {
  const header = parameters.readHeader(request, 'filename');
  const format = readBodyFormat(parameters.readHeader(request, 'content-type'));
  const declared = parameters.readDeclaredBytes(request);
  parameters.checkWhole(request);
  return {
    folderId: parameters.readHeader(request, 'folderid'),
    fileName: header === null ? null : decodeNameHeader(header),
    comment: parameters.readComment(request),
    format,
    conflict: parameters.checkConflictBehavior(parameters.readHeader(request, 'conflictbehavior')),
    precondition: readPrecondition(request),
    idempotencyKey: parameters.readIdempotencyKey(request),
    reprDigest: parameters.readSha256(request, 'repr-digest'),
    digests: { sha256: parameters.readSha256(request, 'content-digest'), md5: parameters.readMd5(request) },
    // A small body that arrived with its headers is in memory already, so an early refusal would save nothing.
    skipFolderCheck: request.readableLength === declared && format.kind === 'bare' && !hasDigest(request),
    declaredBytes: toFileBytes(declared, format),
    isMinimal: prefersMinimal(request),
  };
}

function hasDigest({ headers }: IncomingMessage): boolean {
  return 'repr-digest' in headers || 'content-digest' in headers || 'content-md5' in headers;
}

/** The minimum size of the file, from the length of the body. */
function toFileBytes(declared: number | null, { kind }: BodyFormat): number | null {
  if (declared === null || kind === 'bare') return declared;
  const minBytes = Math.max(0, declared - maxFramingBytes);
  return kind === 'json' ? Math.floor((minBytes * 3) / 4) : minBytes;
}

export function toReceiver(
  { cabinet, largeBodies }: Pick<EnvironmentContext, 'cabinet' | 'largeBodies'>,
  {
    exchange,
    caller,
    inFlight,
  }: { exchange: Pick<CallerExchange, 'holdMemory'>; caller: Caller; inFlight: BytesInFlight },
): Receiver {
  return {
    receive: (bytes) => receiveContent(cabinet, bytes, inFlight),
    discard: ({ content }) => discardContent(cabinet, content),
    takeSlot: () => largeBodies.take(caller, tooManyUploads),
    holdMemory: exchange.holdMemory,
  };
}

/** `Repr-Digest` is about the file; `Content-Digest` and `Content-MD5` are about the body of the request. */
export function checkReprDigest(expected: Buffer | null, { content }: ReceivedContent): void {
  if (expected === null || timingSafeEqual(expected, content.sha256)) return;
  throw digestMismatch('Repr-Digest', 'the file that arrived');
}

export function fileNameMissing(): Refusal {
  return new Refusal('FileNameMissing', 'The file has no name.', {
    target: 'FileName',
    hint: 'Send the header FileName (percent-encoded UTF-8), or a file name in the multipart part.',
  });
}

export const openFileRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/files/{id}/content',
  action: 'read',
  async handle({ cabinet }, exchange, caller) {
    const version = readVersion(exchange.query().get('version'));
    const isOpenedByPerson = exchange.request.method === 'GET' && version === null;
    const file = await openFile(cabinet, caller, { fileId: exchange.parameters.id ?? '', version, isOpenedByPerson });
    return answerDownload(exchange.request, file);
  },
  describe: {
    operationId: 'FilesContentGet',
    tag: 'Files',
    summary: 'Download a file',
    description:
      'Verified while it is read. Downloads use the status codes of HTTP (RFC 9110). `HEAD` returns the headers. The ' +
      'response is always an attachment that browsers do not run.',
    parameters: [
      ids.file,
      query('version', 'The current one by default', Type.Integer({ minimum: 1 }), 2),
      header('Range', 'One range of bytes or several; RFC 9110', 'bytes=0-99'),
      header('If-Range', 'Then the range is sent only of what has this ETag or Last-Modified', exampleETag),
      header('If-None-Match', '304 if the bytes are still those', exampleETag),
      header('If-Match', '412 if they are not', exampleETag),
    ],
    responses: downloadAnswers('All bytes of the current version, or of the one that `version` names'),
    refusals: ['FileNotFound', 'VersionNotFound'],
  },
};

export function readVersion(text: string | null): number | null {
  if (text === null) return null;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Refusal('InvalidField', 'version must be a number from 1 on.', { target: 'version' });
}
