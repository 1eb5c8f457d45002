// How a route describes itself. `document.ts` makes the OpenAPI 3.1 document from the descriptions of all routes, and
// `description.test.ts` names what is missing. For a new route:
// - `tag`, `summary` (one line), `description` (Markdown) and `refusals`: the codes that this operation can return, besides
//   those of every request and those that its parameters imply (see `impliedBy` in `document.ts`);
// - `parameters` has every `{name}` of the path, each with a description (`pathId`, `query`, `header`, `pageParameters`);
// - `jsonBody` and `jsonAnswer` describe bodies and answers; they need a schema and an example that matches it;
// - an object schema has a `title` and becomes a component of that name. An answer has the fields of its schema and no others:
//   the interface suite checks the status, code and body of each answer against the document.

import type { ConflictBehavior } from '../../domain/entry.ts';
import type { RefusalCode } from '../../domain/refusal.ts';
import { exampleEnvelope, exampleETag, exampleIds } from './examples.ts';
import { answerHeader, type HeaderName, type HeaderReference } from './headers.ts';
import { type TSchema, Type } from './json-schema.ts';
import { Envelope } from './schemas.ts';

/** `format` is what generators of clients look for. */
export const bytesSchema = Type.String({ format: 'binary' });

export const tags = {
  Folders: 'Create folders, show them page by page, take them along as a ZIP.',
  Files: 'Save files and read their bytes.',
  Uploads: 'Uploads that can be gone on with after an interruption.',
  Versions: 'Every save of a file over an older one keeps the older one.',
  Entries: 'What folders and files have in common: show, rename, move, copy, delete.',
  Trash: 'What was deleted and can be restored.',
  Search: 'Names, properties and the text inside documents.',
  Sharing: 'What people and groups may see and change, entry by entry.',
  Changes: 'Every change, in order, to follow.',
  Account: 'Your own account: password, sessions, passwords for programs.',
  Managing: 'Spaces, applications, people, what they did and what they use.',
  Webhooks: 'Receivers of the events of a space, signed by Standard Webhooks, as CloudEvents.',
  Service: 'What the service says about itself.',
  Console: 'The pages that people use.',
  'Signing in': 'Tokens, by OAuth 2.0 and OpenID Connect.',
} as const;

type Tag = keyof typeof tags;

export interface Description {
  operationId: string;
  tag: Tag;
  /** One line, without a full stop. */
  summary: string;
  /** Markdown. */
  description: string;
  parameters?: readonly Parameter[];
  requestBody?: RequestBody;
  /** Successes, and errors in the format of another standard; `refusals` describes all others. */
  responses: Readonly<Record<number, ResponseDescription>>;
  refusals: readonly RefusalCode[];
  /** Credentials other than those of a caller; `{}` means none. */
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** Headers of every answer, refusals too. */
  everyAnswer?: readonly HeaderName[];
  /** Of `HEAD`, where it has other successes than `GET`. */
  headResponses?: Readonly<Record<number, ResponseDescription>>;
  /** Overrides the status of a refusal where another standard prescribes it. */
  statuses?: Readonly<Partial<Record<RefusalCode, number>>>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description: string;
  schema: TSchema | Record<string, never>;
  example?: unknown;
}

export interface RequestBody {
  required: boolean;
  description: string;
  content: Readonly<Record<string, MediaType>>;
}

export interface ResponseDescription {
  description: string;
  headers?: Readonly<Record<string, HeaderReference>>;
  content?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  schema: TSchema | Record<string, unknown>;
  example?: unknown;
  examples?: Readonly<Record<string, { summary: string; value: unknown } | { $ref: string }>>;
}

export function jsonBody(description: string, schema: TSchema, example: unknown): RequestBody {
  return { required: true, description, content: { 'application/json': { schema, example } } };
}

export function jsonAnswer(
  description: string,
  { schema, example, headers }: { schema: TSchema; example: unknown; headers?: Record<string, HeaderReference> },
): ResponseDescription {
  return {
    description,
    content: { 'application/json': { schema, example } },
    ...(headers !== undefined && { headers }),
  };
}

export const answerHeaders = {
  entryId: answerHeader('entryid'),
  childCount: answerHeader('childcount'),
  etag: answerHeader('ETag'),
  link: answerHeader('Link'),
  replayed: answerHeader('idempotency-replayed'),
  minimal: answerHeader('Preference-Applied'),
};

export function envelopeAnswer(description: string, example: unknown = exampleEnvelope): ResponseDescription {
  return jsonAnswer(description, {
    schema: Envelope,
    example,
    headers: { ...answerHeaders.entryId, ...answerHeaders.link, ...answerHeaders.replayed, ...answerHeaders.minimal },
  });
}

/** Bytes of any type. */
export function bytesAnswer(
  description: string,
  contentType = '*/*',
  headers: Record<string, HeaderReference> = {},
): ResponseDescription {
  return { description, headers, content: { [contentType]: { schema: bytesSchema } } };
}

/** A body that is the bytes themselves. No wildcard: generated clients would send it as their content type. */
export function bytesBody(
  description: string,
  {
    required = true,
    contentTypes = ['application/octet-stream'],
  }: { required?: boolean; contentTypes?: string[] } = {},
): RequestBody {
  return {
    required,
    description,
    content: Object.fromEntries(contentTypes.map((type) => [type, { schema: bytesSchema }])),
  };
}

const fileHeaders = answerHeader('ETag', 'Last-Modified', 'Repr-Digest', 'Accept-Ranges', 'Content-Disposition');

/** The statuses of RFC 9110 that a download can have; `description` is that of the whole. */
export function downloadAnswers(description: string): Record<number, ResponseDescription> {
  return {
    200: bytesAnswer(description, '*/*', fileHeaders),
    206: bytesAnswer('The range of bytes, or several ranges as multipart/byteranges', '*/*', {
      ...fileHeaders,
      ...answerHeader('Content-Range'),
    }),
    304: { description: 'The bytes have not changed', headers: fileHeaders },
    412: { description: 'The bytes have changed', headers: fileHeaders },
    416: { description: 'The file has no such bytes', headers: { ...fileHeaders, ...answerHeader('Content-Range') } },
  };
}

export function pageAnswer(description: string, ...headers: HeaderName[]): ResponseDescription {
  return {
    description,
    headers: answerHeader(...headers),
    content: { 'text/html': { schema: Type.String(), example: '<!doctype html><title>Cabinet</title>' } },
  };
}

export function header(
  name: string,
  description: string,
  example?: string,
  schema: TSchema = Type.String(),
): Parameter {
  return { name, in: 'header', description, schema, ...(example !== undefined && { example }) };
}

export function query(
  name: string,
  description: string,
  schema: TSchema = Type.String(),
  example?: string | number,
): Parameter {
  return { name, in: 'query', description, schema, ...(example !== undefined && { example }) };
}

const conflictMeanings: Record<ConflictBehavior, string> = {
  Version: '`Version` saves a new version of the file',
  Fail: '`Fail` refuses with `NameAlreadyExists`',
  Rename: '`Rename` takes the next free name, such as `a (2).pdf`',
  Existing: '`Existing` answers with what has the name',
};

function describeChoices(choices: readonly ConflictBehavior[]): string {
  const [first, ...others] = choices.map((choice) => conflictMeanings[choice]);
  return [`${first} (the default)`, ...others].join('; ');
}

/** RFC 9530, section 2: a dictionary of digests. */
const digestField = Type.String({ pattern: '^\\s*[a-z0-9*_.-]+=:[A-Za-z0-9+/]*={0,2}:' });
const exampleDigest = 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:';

export const headers = {
  /** The first is the default. */
  conflictBehavior: (...choices: ConflictBehavior[]): Parameter => ({
    ...header('ConflictBehavior', `When the name is taken: ${describeChoices(choices)}`, choices[0]),
    schema: Type.Enum(choices, { default: choices[0] }),
  }),
  idempotencyKey: header(
    'Idempotency-Key',
    'A repeated request with the same key gets the first result again',
    '0f3c1d52-6f0b-4c7a-9d9e-2b1a7c5e8f40',
    Type.String({ pattern: '^[!-~]{1,255}$' }),
  ),
  folderId: header('FolderId', 'The target folder; absent, empty or -root-: the root', '-root-'),
  fileName: header(
    'FileName',
    "The file's name, percent-encoded UTF-8; wins over the name in a part",
    'report%202026.pdf',
  ),
  reprDigest: header('Repr-Digest', 'sha-256 of the file (RFC 9530); checked', exampleDigest, digestField),
  contentDigest: header('Content-Digest', 'sha-256 of the body (RFC 9530); checked', exampleDigest, digestField),
  contentMd5: header(
    'Content-MD5',
    'MD5 of the body; checked',
    'XUFAKrxLKna5cZ2REBfFkg==',
    Type.String({ pattern: '^[A-Za-z0-9+/]{22}==$' }),
  ),
  /** For requests without an id that implies the space. */
  spaceId: header('SpaceId', 'Which space is meant, for a person who is in several', exampleIds.space),
  prefer: header('Prefer', 'return=minimal: Children holds the saved file alone', 'return=minimal'),
  comment: header('Comment', 'What is new in this version, percent-encoded UTF-8', 'signed%20by%20both'),
};

/** Of writes; RFC 9110, section 13. */
export const preconditionHeaders = toPreconditionHeaders('the entry’s ETag');
export const contentPreconditionHeaders = toPreconditionHeaders('the ETag of the file’s current content');

function toPreconditionHeaders(etag: string): Parameter[] {
  return [
    header('If-Match', `Only if this is ${etag}; a list, or * for any`, exampleETag),
    header('If-None-Match', `Only if this is not ${etag}; a list, or * for none`, exampleETag),
    header(
      'If-Unmodified-Since',
      'Only if it has not changed after this date; ignored beside If-Match',
      'Thu, 15 Jan 2026 09:30:00 GMT',
    ),
  ];
}

export function pathId(description: string, name = 'id'): Parameter {
  const example = exampleIds[name as keyof typeof exampleIds] ?? exampleIds.file;
  return { name, in: 'path', required: true, description, schema: Type.String({ minLength: 1 }), example };
}

/** Ids that many paths have. */
export const ids = {
  entry: pathId('The id of a folder or a file; `-root-` is the root folder'),
  file: pathId('The id of a file'),
  upload: pathId('The id of the upload, with which its `Location` ends'),
  /** Of a link for people without an account. */
  linkSecret: pathId('The secret of the link, with which its address ends', 'secret'),
  sharedFolder: pathId('The id of the folder of the link, or of one beneath it'),
  sharedFile: pathId('The id of the file of the link, or of one beneath its folder'),
  /** Of a page or its files. */
  asset: pathId('The name of the file, as the page refers to it', 'file'),
};

export function pathParameter(description: string, example: string): Parameter {
  return {
    name: 'path',
    in: 'query',
    required: true,
    description,
    schema: Type.String({ pattern: '^/' }),
    example,
  };
}
