// `GET /files/{id}/preview`.

import { openPreview } from '../../operations/preview.ts';
import { checkConditions } from '../downloads/conditions.ts';
import { bytesAnswer, header, ids, query } from '../openapi/description.ts';
import { exampleETag } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { Type } from '../openapi/json-schema.ts';
import type { CallerRoute } from '../route.ts';
import { readVersion } from './files.ts';

const headersOfAll = answerHeader('ETag');

export const previewRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/files/{id}/preview',
  action: 'read',
  async handle({ cabinet }, { request, parameters, query: readQuery }, caller) {
    const version = readVersion(readQuery().get('version'));
    const preview = await openPreview(cabinet, caller, { fileId: parameters.id ?? '', version });
    const etag = `"${Buffer.from(preview.sha256).toString('base64url')}-pdf"`;
    // The address stays when the file changes.
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
    const verdict = checkConditions(request, { etag, modifiedAtMs: preview.modifiedAt, isDated: false });
    if (verdict === 'unchanged') return { status: 304, headers, body: '' };
    if (verdict === 'failed') return { status: 412, headers: { ...headers, 'Content-Length': '0' }, body: '' };
    const pdf = await preview.read();
    return {
      status: 200,
      headers: {
        ...headers,
        'Content-Type': 'application/pdf',
        'Content-Disposition': 'attachment; filename="preview.pdf"',
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "sandbox; default-src 'none'",
      },
      body: Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength),
    };
  },
  describe: {
    operationId: 'FilesPreviewGet',
    tag: 'Files',
    summary: 'Show a preview of an office document',
    description:
      'A PDF of the current version, or of the one that `version` names, of a document of Word, Excel, PowerPoint or OpenDocument, up to 64 MiB, if the operator has ' +
      'configured a converter. Its layout can differ from that of the program which made it. Ask again with `If-None-Match`.',
    parameters: [
      ids.file,
      query('version', 'The current one by default', Type.Integer({ minimum: 1 }), 2),
      header('If-None-Match', '304 if it is still that one', exampleETag),
    ],
    responses: {
      200: bytesAnswer('The PDF', 'application/pdf', headersOfAll),
      304: { description: 'It has not changed', headers: headersOfAll },
      412: { description: 'It has changed', headers: headersOfAll },
    },
    refusals: ['FileNotFound', 'InvalidField', 'NoPreview', 'TooManyRequests', 'VersionNotFound'],
  },
};
