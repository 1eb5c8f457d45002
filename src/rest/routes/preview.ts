// `GET /files/{id}/preview`.

import { openPreview } from '../../operations/preview.ts';
import { answerDerived, derivedCondition, describeDerived } from '../downloads/derived.ts';
import { ids, query } from '../openapi/description.ts';
import { Type } from '../openapi/json-schema.ts';
import type { CallerRoute } from '../route.ts';
import { readVersion } from './files.ts';

export const previewRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/files/{id}/preview',
  action: 'read',
  async handle({ cabinet }, { request, parameters, query: readQuery }, caller) {
    const version = readVersion(readQuery().get('version'));
    const preview = await openPreview(cabinet, caller, { fileId: parameters.id ?? '', version });
    return await answerDerived(request, preview, {
      kind: 'pdf',
      headers: { 'Content-Type': 'application/pdf', 'Content-Disposition': 'attachment; filename="preview.pdf"' },
    });
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
      derivedCondition,
    ],
    responses: describeDerived('The PDF', 'application/pdf'),
    refusals: ['FileNotFound', 'InvalidField', 'NoPreview', 'TooManyRequests', 'VersionNotFound'],
  },
};
