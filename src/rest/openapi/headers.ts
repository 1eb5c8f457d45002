// The headers of answers, each described once: operations refer to them by name. The interface suite fails when an answer
// carries one of these headers that its description does not list.

import { type TSchema, Type } from './json-schema.ts';

export interface HeaderReference {
  $ref: string;
}

interface Header {
  description: string;
  schema: TSchema;
  example: string | number;
  /** Whether each answer that lists it has it. */
  required?: boolean;
}

function text(description: string, example: string): Header {
  return { description, schema: Type.String(), example };
}

function count(description: string, example: number): Header {
  return { description, schema: Type.Integer({ minimum: 0 }), example };
}

const request = '6f1c2f0e-9d84-4c55-8a3b-2f7e1d0c9b8a';
const entry = '0199b7a4-52c8-7b63-a1f7-90d3c4e8b203';
const digest = 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=';

const headerTable = {
  requesttrackingid: {
    description: 'Identifies this request in the logs. A UUID that the client sends is used, otherwise a new one.',
    schema: Type.String({ format: 'uuid' }),
    example: request,
    required: true,
  },
  entryid: text('The id of what was created or saved.', entry),
  childcount: count('How many children the folder has in all.', 1200),
  'idempotency-replayed': text('`true` when this is the first result again.', 'true'),
  'Preference-Applied': text('`return=minimal` or `respond-async`, when the request preferred it.', 'return=minimal'),
  ETag: text('Changes with the record, or with the content; quoted.', `"${digest}"`),
  'Last-Modified': text('When this version was saved.', 'Thu, 15 Jan 2026 09:30:00 GMT'),
  'Repr-Digest': text('SHA-256 of the whole file (RFC 9530).', `sha-256=:${digest}:`),
  'Content-Disposition': text('The name of the file (RFC 6266).', "attachment; filename*=UTF-8''a.pdf"),
  'Content-Range': text('Which bytes these are, and how many there are in all.', 'bytes 0-99/48213'),
  'Accept-Ranges': text('`bytes`: parts of the file can be requested.', 'bytes'),
  'Cache-Control': text('How long the answer may be kept.', 'no-store'),
  Link: text(
    '`rel="next"` leads to the next page. Absent on the last page.',
    '<http://127.0.0.1:8080/v1/contentmanagement/folders/-root-?cursor=WyJm>; rel="next"',
  ),
  Location: text('Where to go next: the upload that was created, or the next page of a sign-in.', `/uploads/${entry}`),
  'WWW-Authenticate': text('How to authenticate, and why it failed (RFC 6750).', 'Bearer realm="cabinet"'),
  'Retry-After': count('After how many seconds the same request may succeed.', 5),
  Allow: text('The methods of this address.', 'GET, HEAD, OPTIONS'),
  'Accept-Patch': text('The content type of appended bytes (IETF draft).', 'application/partial-upload'),
  'Upload-Offset': count('How many bytes of the upload are durable.', 512),
  'Upload-Length': count('How many bytes the upload will have in all.', 1000),
  'Upload-Defer-Length': text('`1` while the length is not known (tus).', '1'),
  'Upload-Metadata': text('What the upload was created with (tus).', 'filename YS5wZGY='),
  'Upload-Concat': text('`partial`, or `final` with its parts (tus).', 'partial'),
  'Upload-Expires': text('Until when more bytes are accepted (tus).', 'Thu, 15 Jan 2026 09:30:00 GMT'),
  'Upload-Complete': text('`?1` when all bytes have arrived (IETF draft).', '?0'),
  'Upload-Incomplete': text('The inverse of `Upload-Complete`, in version 3 of the IETF draft.', '?1'),
  'Upload-Limit': text('Limits of uploads (IETF draft).', 'max-size=5497558138880, max-age=86400'),
  'Upload-Draft-Interop-Version': text('The version of the IETF draft that is spoken.', '8'),
  'Tus-Resumable': text('The version of tus.', '1.0.0'),
  'Tus-Version': text('The versions of tus that are supported.', '1.0.0'),
  'Tus-Extension': text('The extensions of tus that are supported.', 'creation,expiration,checksum'),
  'Tus-Max-Size': count('The largest upload, in bytes.', 5497558138880),
  'Tus-Checksum-Algorithm': text('The algorithms of `Upload-Checksum`.', 'sha1,sha256,md5,crc32'),
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof headerTable;

/** The components of the document. */
export const headerComponents: Readonly<Record<string, Header>> = headerTable;

export function answerHeader(...names: HeaderName[]): Record<string, HeaderReference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
