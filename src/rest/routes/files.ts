// `POST /files` and `GET /files/{id}/content`.

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { decodeNameHeader } from '../../domain/name.ts';
import { Refusal } from '../../domain/refusal.ts';
import { digestMismatch } from '../../listener/body.ts';
import { openFile } from '../../operations/open-file.ts';
import { discardContent, type ReceivedContent, receiveContent } from '../../operations/receive-content.ts';
import { admitSave, saveFile } from '../../operations/save-file.ts';
import { answerDownload } from '../download.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { Type } from '../json-schema.ts';
import { downloadAnswers, envelopeAnswer, header, headers, pathId, query } from '../openapi.ts';
import * as parameters from '../parameters.ts';
import type { CallerRoute } from '../route.ts';
import { SaveFileForm, SaveFileJson } from '../schemas.ts';
import { type Receiver, readUpload, readWay, type Way } from '../upload.ts';
import { readResumable, saveResumable } from './resumable.ts';
import { isMinimalPreferred, toSaveAnswer } from './save-answer.ts';
import { resumableAnswers, resumableHeaders } from './uploads.ts';

/** What a body other than the bare file carries beside the file, at most. */
const framingBytes = 1024 * 1024;

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
    const asked = readAsked(request);
    if (asked.fileName === null && asked.way.kind === 'bare') throw fileNameMissing();
    // A JSON body may still name one.
    const conflict = asked.conflict ?? (asked.way.kind === 'json' ? null : 'Version');
    const destination = await admitSave(cabinet, caller, { ...asked, conflict });
    const upload = await readUpload(openBody(asked.digests), asked.way, toReceiver(context));
    const { received, objectType, properties, contentType } = upload;
    let isHandedOver = false;
    try {
      checkReprDigest(asked.reprDigest, received);
      const fileName = asked.fileName ?? upload.fileName;
      if (fileName === null) throw fileNameMissing();
      const { idempotencyKey } = asked;
      const current = await renewCaller();
      isHandedOver = true;
      const request = {
        destination,
        fileName,
        contentType,
        objectType,
        properties,
        comment: asked.comment,
        conflict: conflict ?? upload.conflict ?? 'Version',
        idempotencyKey,
        received,
      };
      const saved = await saveFile(cabinet, current, request);
      return await toSaveAnswer(context, destination.access.space, saved, asked.isMinimal);
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
      'with nothing else differing change nothing. A file is visible only when all of it has arrived and is durable.',
    parameters: [
      header('FolderId', 'The target folder; absent, empty or -root-: the root'),
      header('FileName', "The file's name, percent-encoded UTF-8; wins over the name in a part"),
      headers.conflictBehavior('Version', 'Fail', 'Rename', 'Existing'),
      headers.idempotencyKey,
      headers.spaceId,
      headers.comment,
      headers.prefer,
      header('Repr-Digest', 'sha-256 of the file (RFC 9530); checked'),
      header('Content-Digest', 'sha-256 of the body (RFC 9530); checked'),
      header('Content-MD5', 'MD5 of the body; checked'),
      ...resumableHeaders,
    ],
    requestBody: {
      required: true,
      description: 'A part named filename; or base64 in JSON; or, under any other content type, the bytes themselves.',
      content: {
        'multipart/form-data': {
          schema: SaveFileForm,
          example: { filename: '%PDF-1.7 …', Properties: '{"Customer":"4711"}', ContentType: 'application/pdf' },
        },
        'application/json': {
          schema: SaveFileJson,
          example: { filename: { Content: 'SGVsbG8sIENhYmluZXQh', ContentType: 'text/plain' } },
        },
        '*/*': { schema: {} },
      },
    },
    responses: {
      200: envelopeAnswer('The target folder; the saved file is the first of its children'),
      ...resumableAnswers,
    },
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
      'QuotaExceeded',
      'TooManyAttachments',
      'TooManyUploads',
    ],
  },
};

function readAsked(request: IncomingMessage) {
  const header = parameters.readHeader(request, 'filename');
  const way = readWay(parameters.readHeader(request, 'content-type'));
  const declared = parameters.readDeclaredBytes(request);
  parameters.checkWhole(request);
  return {
    folderId: parameters.readHeader(request, 'folderid'),
    fileName: header === null ? null : decodeNameHeader(header),
    comment: parameters.readComment(request),
    way,
    conflict: parameters.checkConflictBehavior(parameters.readHeader(request, 'conflictbehavior')),
    idempotencyKey: parameters.readIdempotencyKey(request),
    reprDigest: parameters.readSha256(request, 'repr-digest'),
    digests: { sha256: parameters.readSha256(request, 'content-digest'), md5: parameters.readMd5(request) },
    // A small body that came with its headers is in memory already: refusing before it is read saves nothing.
    skipFolderCheck: request.readableLength === declared && way.kind === 'bare' && !hasDigest(request),
    declaredBytes: toFileBytes(declared, way),
    isMinimal: isMinimalPreferred(request),
  };
}

function hasDigest({ headers }: IncomingMessage): boolean {
  return 'repr-digest' in headers || 'content-digest' in headers || 'content-md5' in headers;
}

/** How large the file is at least, from the length of the body. */
function toFileBytes(declared: number | null, { kind }: Way): number | null {
  if (declared === null || kind === 'bare') return declared;
  const least = Math.max(0, declared - framingBytes);
  return kind === 'json' ? Math.floor((least * 3) / 4) : least;
}

function toReceiver({ cabinet, largeBodies }: EnvironmentContext): Receiver {
  return {
    receive: (bytes) => receiveContent(cabinet, bytes),
    discard: ({ content }) => discardContent(cabinet, content),
    largeBodies,
  };
}

/** "`Repr-Digest` is of the file, `Content-Digest` and `Content-MD5` of the request's body." */
export function checkReprDigest(expected: Buffer | null, { content }: ReceivedContent): void {
  if (expected === null || timingSafeEqual(expected, content.sha256)) return;
  throw digestMismatch('Repr-Digest', 'the file that arrived');
}

function fileNameMissing(): Refusal {
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
    const file = await openFile(cabinet, caller, { fileId: exchange.parameters.id ?? '', version });
    return answerDownload(exchange.request, file);
  },
  describe: {
    operationId: 'FilesContentGet',
    tag: 'Files',
    summary: 'The bytes of a file, verified while they are read',
    description:
      'Downloads use the statuses of their standard (RFC 9110). `HEAD` gives the headers alone. What is sent is always an ' +
      'attachment that browsers do not run.',
    parameters: [
      pathId('The file'),
      query('version', 'The current one by default', Type.Integer({ minimum: 1 })),
      header('Range', 'bytes=0-99, or several; RFC 9110'),
      header('If-Range', 'Then the range is sent only of what has this ETag or Last-Modified'),
      header('If-None-Match', '304 if the bytes are still those'),
      header('If-Match', '412 if they are not'),
    ],
    responses: downloadAnswers,
    refusals: ['FileNotFound', 'VersionNotFound'],
  },
};

function readVersion(text: string | null): number | null {
  if (text === null) return null;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Refusal('InvalidField', 'version must be a number from 1 on.', { target: 'version' });
}
