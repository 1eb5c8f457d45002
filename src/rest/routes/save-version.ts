// `PUT /files/{id}/content`: saves the body as a new version of the file.

import type { IncomingMessage } from 'node:http';
import { readMediaType } from '../../domain/content-type.ts';
import { toContentEtag } from '../../domain/precondition.ts';
import { listSiblings } from '../../operations/list-folder.ts';
import { discardContent, receiveContent } from '../../operations/receive-content.ts';
import { admitVersion, saveVersion } from '../../operations/save-file.ts';
import { json } from '../answer.ts';
import { invalidBody } from '../bodies/json.ts';
import {
  answerHeaders,
  bytesBody,
  contentPreconditionHeaders,
  headers,
  ids,
  jsonAnswer,
} from '../openapi/description.ts';
import { SavedVersion } from '../openapi/entry-schemas.ts';
import { exampleEnvelope, exampleShownFile } from '../openapi/examples.ts';
import * as parameters from '../parameters.ts';
import { readPrecondition } from '../preconditions.ts';
import { prefersMinimal } from '../preferences.ts';
import type { CallerRoute } from '../route.ts';
import { renderSavedAlone, renderSavedVersion } from '../wire.ts';
import { checkReprDigest } from './files.ts';
import { toLink } from './folders.ts';
import { minimalApplied } from './save-answer.ts';

export const saveVersionRoute: CallerRoute = {
  method: 'PUT',
  path: '/v1/contentmanagement/files/{id}/content',
  action: 'write',
  async handle(context, exchange, caller) {
    const { cabinet } = context;
    const { request, openBody, renewCaller } = exchange;
    parameters.checkEncoding(request);
    const params = readParams(request);
    const precondition = readPrecondition(request);
    const fileId = exchange.parameters.id ?? '';
    const { declaredBytes } = params;
    const destination = await admitVersion(cabinet, caller, { fileId, declaredBytes, precondition });
    const inFlight = cabinet.quotas.receiving(destination.access, caller.actor);
    const received = await receiveContent(cabinet, openBody(params.digests), inFlight);
    let isHandedOver = false;
    try {
      checkReprDigest(params.reprDigest, received);
      const current = await renewCaller();
      isHandedOver = true;
      const { contentType, comment } = params;
      const saved = await saveVersion(cabinet, current, { destination, contentType, comment, precondition, received });
      const headers = {
        entryid: fileId,
        ...(params.isMinimal && minimalApplied),
        ETag: toContentEtag(Buffer.from(saved.details.sha256 ?? '', 'hex')),
      };
      if (!saved.isFolderVisible) return json(renderSavedAlone(saved.file, saved.details), headers);
      const listing = params.isMinimal
        ? { folder: saved.folder, children: [saved.file], next: null }
        : await listSiblings(cabinet, destination.access.space, saved);
      return json(renderSavedVersion(listing, saved.details), { ...headers, ...toLink(context, listing, fileId) });
    } finally {
      if (!isHandedOver) await discardContent(cabinet, received.content);
    }
  },
  describe: {
    operationId: 'FilesContentPut',
    tag: 'Files',
    summary: 'Save a new version of a file',
    description:
      'The body is the file, whatever its content type, except a multipart form, which is refused. The same bytes ' +
      'make no new version. The response is that of a save, with the fields of `GET /entries/{id}` beside it, and ' +
      'without `Folder` if that is not shared with you. The `ETag` header is that of the content.',
    parameters: [
      ids.file,
      ...contentPreconditionHeaders,
      headers.comment,
      headers.prefer,
      headers.reprDigest,
      headers.contentDigest,
      headers.contentMd5,
    ],
    requestBody: bytesBody('The bytes of the file, under any content type but a form'),
    responses: {
      200: jsonAnswer('The folder, the file first of its children, and the file as it is now', {
        schema: SavedVersion,
        example: { ...exampleEnvelope, ...exampleShownFile },
        headers: {
          ...answerHeaders.entryId,
          ...answerHeaders.etag,
          ...answerHeaders.link,
          ...answerHeaders.minimal,
        },
      }),
    },
    refusals: [
      'DigestMismatch',
      'FileNotFound',
      'FileTooLarge',
      'InvalidField',
      'Locked',
      'PreconditionFailed',
      'QuotaExceeded',
      'StorageFull',
      'UnsupportedEncoding',
      'UploadTooSlow',
    ],
  },
};

function readParams(request: IncomingMessage) {
  const type = parameters.readHeader(request, 'content-type');
  const media = type === null ? null : readMediaType(type);
  parameters.checkWhole(request);
  // A client that sends a form means the file inside it.
  if (media?.essence === 'multipart/form-data') {
    throw invalidBody('The body must be the file itself.', 'Send its bytes, such as curl --upload-file does.');
  }
  return {
    contentType: type === null || media === null ? null : type.trim(),
    comment: parameters.readComment(request),
    isMinimal: prefersMinimal(request),
    declaredBytes: parameters.readDeclaredBytes(request),
    reprDigest: parameters.readSha256(request, 'repr-digest'),
    digests: { sha256: parameters.readSha256(request, 'content-digest'), md5: parameters.readMd5(request) },
  };
}
