// `GET /files/{id}/thumbnail`.

import { Refusal } from '../../domain/refusal.ts';
import { type ThumbnailSize, thumbnailSizes } from '../../domain/thumbnail-size.ts';
import { openThumbnail } from '../../operations/thumbnail.ts';
import { checkConditions } from '../downloads/conditions.ts';
import { bytesAnswer, header, ids, query } from '../openapi/description.ts';
import { exampleETag } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { Type } from '../openapi/json-schema.ts';
import type { CallerRoute } from '../route.ts';

const defaultSize = 256;
const headersOfAll = answerHeader('ETag');

export const thumbnailRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/files/{id}/thumbnail',
  action: 'read',
  async handle({ cabinet }, { request, parameters, query: readQuery }, caller) {
    const size = readSize(readQuery().get('size'));
    const thumbnail = await openThumbnail(cabinet, caller, { fileId: parameters.id ?? '', size });
    const etag = `"${Buffer.from(thumbnail.sha256).toString('base64url')}-${size}"`;
    // The address stays when the file changes.
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
    const verdict = checkConditions(request, { etag, modifiedAtMs: thumbnail.modifiedAt, isDated: false });
    if (verdict === 'unchanged') return { status: 304, headers, body: '' };
    if (verdict === 'failed') return { status: 412, headers: { ...headers, 'Content-Length': '0' }, body: '' };
    const image = await thumbnail.read();
    return {
      status: 200,
      headers: {
        ...headers,
        'Content-Type': 'image/webp',
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "sandbox; default-src 'none'",
      },
      body: image,
    };
  },
  describe: {
    operationId: 'FilesThumbnailGet',
    tag: 'Files',
    summary: 'Show a thumbnail of a file',
    description:
      'A WebP of the current version, at most `size` pixels wide and high: of pictures (JPEG, PNG, WebP, GIF, AVIF, TIFF), and of the ' +
      'first page of PDF documents, up to 64 MiB. It is never larger than the picture itself. Ask again with `If-None-Match`.',
    parameters: [
      ids.file,
      query(
        'size',
        'Pixels',
        Type.Enum(thumbnailSizes.map(String), { default: String(defaultSize) }),
        String(defaultSize),
      ),
      header('If-None-Match', '304 if it is still that one', exampleETag),
    ],
    responses: {
      200: bytesAnswer('The picture', 'image/webp', headersOfAll),
      304: { description: 'It has not changed', headers: headersOfAll },
      412: { description: 'It has changed', headers: headersOfAll },
    },
    refusals: ['FileNotFound', 'InvalidField', 'NoThumbnail', 'TooManyRequests'],
  },
};

function readSize(text: string | null): ThumbnailSize {
  if (text === null) return defaultSize;
  const size = thumbnailSizes.find((one) => String(one) === text);
  if (size !== undefined) return size;
  throw new Refusal('InvalidField', `size must be one of ${thumbnailSizes.join(', ')}.`, { target: 'size' });
}
