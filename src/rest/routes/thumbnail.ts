// `GET /files/{id}/thumbnail`.

import { Refusal } from '../../domain/refusal.ts';
import { type ThumbnailSize, thumbnailSizes } from '../../domain/thumbnail-size.ts';
import { openThumbnail } from '../../operations/thumbnail.ts';
import { answerDerived, derivedCondition, describeDerived } from '../downloads/derived.ts';
import { ids, query } from '../openapi/description.ts';
import { Type } from '../openapi/json-schema.ts';
import type { CallerRoute } from '../route.ts';

const defaultSize = 256;

export const thumbnailRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/files/{id}/thumbnail',
  action: 'read',
  async handle({ cabinet }, { request, parameters, query: readQuery }, caller) {
    const size = readSize(readQuery().get('size'));
    const thumbnail = await openThumbnail(cabinet, caller, { fileId: parameters.id ?? '', size });
    return await answerDerived(request, thumbnail, { kind: String(size), headers: { 'Content-Type': 'image/webp' } });
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
      derivedCondition,
    ],
    responses: describeDerived('The picture', 'image/webp'),
    refusals: ['FileNotFound', 'InvalidField', 'NoThumbnail', 'TooManyRequests'],
  },
};

function readSize(text: string | null): ThumbnailSize {
  if (text === null) return defaultSize;
  const size = thumbnailSizes.find((one) => String(one) === text);
  if (size !== undefined) return size;
  throw new Refusal('InvalidField', `size must be one of ${thumbnailSizes.join(', ')}.`, { target: 'size' });
}
