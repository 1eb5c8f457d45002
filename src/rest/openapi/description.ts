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
import { exampleEnvelope } from './examples.ts';
import { type TSchema, Type } from './json-schema.ts';
import { Envelope } from './schemas.ts';

export const tags = {
  Folders: 'Create folders, show them page by page, take them along as a ZIP.',
  Files: 'Save files and read their bytes.',
  Uploads: 'Uploads that can be gone on with after an interruption.',
  Versions: 'Every save of a file over an older one keeps the older one.',
  Entries: 'What folders and files have in common: show, rename, move, copy, delete.',
  Trash: 'What was deleted and can be restored.',
  Search: 'Names, properties and the text inside documents.',
  Changes: 'Every change, in order, to follow.',
  Account: 'Your own account: password, sessions, passwords for programs.',
  Managing: 'Spaces, applications, people, what they did and what they use.',
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
  headers?: Readonly<Record<string, AnswerHeader>>;
  content?: Readonly<Record<string, MediaType>>;
}

interface AnswerHeader {
  description: string;
  schema: TSchema;
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
  { schema, example, headers }: { schema: TSchema; example: unknown; headers?: Record<string, AnswerHeader> },
): ResponseDescription {
  return {
    description,
    content: { 'application/json': { schema, example } },
    ...(headers !== undefined && { headers }),
  };
}

export const answerHeaders = {
  entryId: { entryid: { schema: Type.String(), description: 'The id of what was created or saved' } },
  childCount: {
    childcount: { schema: Type.Integer({ minimum: 0 }), description: 'How many children there are in all' },
  },
  etag: { ETag: { schema: Type.String(), description: 'Changes with the record or the content' } },
  link: { Link: { schema: Type.String(), description: '`rel="next"` leads to the next page, while there is one' } },
  replayed: {
    'idempotency-replayed': { schema: Type.String(), description: '`true` when this is the first result again' },
  },
};

export function envelopeAnswer(description: string, example: unknown = exampleEnvelope): ResponseDescription {
  return jsonAnswer(description, {
    schema: Envelope,
    example,
    headers: { ...answerHeaders.entryId, ...answerHeaders.link, ...answerHeaders.replayed },
  });
}

/** Bytes of any type. */
export function bytesAnswer(description: string, contentType = '*/*'): ResponseDescription {
  return { description, content: { [contentType]: { schema: {} } } };
}

/** The statuses of RFC 9110 that a download can have. */
export const downloadAnswers = {
  200: bytesAnswer('The bytes'),
  206: bytesAnswer('A part of them, or several as multipart/byteranges'),
  304: { description: 'They have not changed' },
  412: { description: 'They have changed' },
  416: { description: 'There are no such bytes' },
};

export function pageAnswer(description: string): ResponseDescription {
  return { description, content: { 'text/html': { schema: Type.String() } } };
}

export function header(name: string, description: string, example?: string): Parameter {
  return { name, in: 'header', description, schema: Type.String(), ...(example !== undefined && { example }) };
}

export function query(name: string, description: string, schema: TSchema = Type.String()): Parameter {
  return { name, in: 'query', description, schema };
}

export const headers = {
  /** The first is the default. */
  conflictBehavior: (...choices: ConflictBehavior[]): Parameter => ({
    ...header('ConflictBehavior', 'What to do when the name is taken'),
    schema: Type.Enum(choices, { default: choices[0] }),
  }),
  idempotencyKey: header('Idempotency-Key', 'A repeated request with the same key gets the first result again'),
  /** For requests without an id that implies the space. */
  spaceId: header('SpaceId', 'Which space is meant, for a person who is in several'),
  prefer: header('Prefer', 'return=minimal: Children holds the saved file alone'),
  comment: header('Comment', 'What is new in this version, percent-encoded UTF-8'),
};

/** Of writes; RFC 9110, section 13. */
export const preconditionHeaders = toPreconditionHeaders('the entry’s ETag');
export const contentPreconditionHeaders = toPreconditionHeaders('the ETag of the file’s current content');

function toPreconditionHeaders(etag: string): Parameter[] {
  return [
    header('If-Match', `Only if this is ${etag}; a list, or * for any`),
    header('If-None-Match', `Only if this is not ${etag}; a list, or * for none`),
    header('If-Unmodified-Since', 'Only if it has not changed after this date; ignored beside If-Match'),
  ];
}

export function pathId(description: string, name = 'id'): Parameter {
  return { name, in: 'path', required: true, description, schema: Type.String() };
}

export function pathParameter(example: string): Parameter {
  return { name: 'path', in: 'query', required: true, description: 'From the root', schema: Type.String(), example };
}
