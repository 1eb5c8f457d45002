// What the collections hold, whichever program opens them: every operation of the description that a program has use for, and a
// walk through the interface that can be run from top to bottom. Made from the service's own OpenAPI description alone.

import { toDocument } from '../../src/rest/openapi/document.ts';
import { resolveParameters } from '../../src/rest/openapi/resolve-parameters.ts';
import { routes } from '../../src/rest/routes.ts';

type Json = Record<string, unknown>;

export interface Field {
  name: string;
  value: string;
  /** Sent only when someone switches it on. */
  isOptional: boolean;
  description: string;
}

export type AskBody =
  | { kind: 'json'; text: string }
  | { kind: 'form'; fields: Field[] }
  | { kind: 'multipart'; fields: Field[] }
  /** The bytes themselves. */
  | { kind: 'text'; text: string };

export interface Ask {
  operationId: string;
  folder: string;
  name: string;
  description: string;
  method: string;
  /** `/a/{id}` */
  path: string;
  auth: 'token' | 'basic' | 'none';
  pathValues: Field[];
  query: Field[];
  headers: Field[];
  body: AskBody | null;
  /** Variables that are set from the answer: by a header of it, or by a field of its JSON, `a.0.b`. */
  captures: { variable: string; header?: string; field?: string }[];
}

/** What whoever opens a collection fills in, and what its requests tell each other. */
export const variables: Record<string, string> = {
  baseUrl: 'http://127.0.0.1:8080',
  appKey: '',
  secret: '',
  token: '',
  folderId: '-root-',
  fileId: '',
  uploadId: '',
  cursor: '',
  spaceId: '',
  otherAppKey: '',
  thumbprint: '',
  userId: '',
};

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description: string;
  schema: { default?: unknown; enum?: unknown[] };
  example?: unknown;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }> };
  responses: Record<string, { content?: Json }>;
  security: Record<string, unknown>[];
}

export const walkFolder = 'A walk through';

export function listAsks(): Ask[] {
  const { paths } = resolveParameters(toDocument(routes, variables.baseUrl as string)) as unknown as {
    paths: Record<string, Record<string, Operation>>;
  };
  const asks = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, operation]) => method !== 'head' && isForPrograms(path, operation))
      .map(([method, operation]) => toAsk(method.toUpperCase(), path, operation)),
  );
  return [...toWalk(asks), ...asks];
}

/** What needs a token, and how to get one. Pages are for browsers. */
function isForPrograms(path: string, { security }: Operation): boolean {
  return needsToken({ security }) || /^\/(oauth2\/token|health\/.*|openapi\.json)$/.test(path);
}

function needsToken({ security }: Pick<Operation, 'security'>): boolean {
  return security.some((way) => 'token' in way);
}

function toAsk(method: string, path: string, operation: Operation): Ask {
  const isToken = path === '/oauth2/token';
  return {
    operationId: operation.operationId,
    folder: operation.tags[0] ?? '',
    name: operation.summary,
    description: operation.description,
    method,
    path,
    auth: isToken ? 'basic' : needsToken(operation) ? 'token' : 'none',
    pathValues: toFields(operation, 'path', path),
    query: toFields(operation, 'query', path),
    headers: toFields(operation, 'header', path),
    body: isToken ? tokenBody : toBody(operation),
    captures: captures[operation.operationId] ?? [],
  };
}

const tokenBody: AskBody = { kind: 'form', fields: [field('grant_type', 'client_credentials')] };

const captures: Record<string, Ask['captures']> = {
  GetAnAccessToken: [{ variable: 'token', field: 'access_token' }],
  FoldersPOST: [{ variable: 'folderId', header: 'entryid' }],
  SaveFilesPost: [{ variable: 'fileId', header: 'entryid' }],
  FilesBatchPost: [{ variable: 'fileId', field: 'Results.0.Entry.Id' }],
  ChangesGet: [{ variable: 'cursor', field: 'Cursor' }],
  SpacesGet: [{ variable: 'spaceId', field: 'Spaces.0.Id' }],
  ApplicationsAdd: [{ variable: 'otherAppKey', field: 'Application.AppKey' }],
};

function field(name: string, value: string, isOptional = false, description = ''): Field {
  return { name, value, isOptional, description };
}

function toFields({ parameters = [] }: Operation, place: Parameter['in'], path: string): Field[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map((parameter) =>
      field(parameter.name, toValue(parameter, path), parameter.required !== true, parameter.description),
    );
}

function toValue({ name, in: place, schema, example }: Parameter, path: string): string {
  if (place === 'path') return pathValues[`${path.split('/')[3]} ${name}`] ?? pathValues[name] ?? '';
  if (name === 'FolderId') return '{{folderId}}';
  if (name === 'cursor') return '{{cursor}}';
  if (name === 'SpaceId') return '{{spaceId}}';
  return String(example ?? schema.default ?? schema.enum?.[0] ?? '');
}

const pathValues: Record<string, string> = {
  'folders id': '{{folderId}}',
  'files id': '{{fileId}}',
  'entries id': '{{fileId}}',
  'spaces id': '{{spaceId}}',
  'users id': '{{userId}}',
  'uploads id': '{{uploadId}}',
  appKey: '{{otherAppKey}}',
  thumbprint: '{{thumbprint}}',
  version: '1',
};

function toBody({ requestBody }: Operation): AskBody | null {
  if (requestBody === undefined) return null;
  const { content } = requestBody;
  const multipart = content['multipart/form-data'];
  if (multipart !== undefined) return { kind: 'multipart', fields: toParts(multipart.example as Json) };
  const json = content['application/json'];
  if (json === undefined) return { kind: 'text', text: 'Hello, Cabinet!' };
  const example = json.example ?? Object.values(json.examples ?? {})[0]?.value;
  return { kind: 'json', text: JSON.stringify(example, null, 2) };
}

/** A list is a part for each of its items, unless the items are objects: then it is one part, in JSON. */
function toParts(example: Json): Field[] {
  return Object.entries(example).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return [field(name, String(value))];
    if (typeof value[0] === 'object') return [field(name, JSON.stringify(value))];
    return value.map((item) => field(name, String(item)));
  });
}

/** Steps that each need what those before them left. */
function toWalk(asks: readonly Ask[]): Ask[] {
  const step = (name: string, operationId: string, change: (ask: Ask) => Partial<Ask> = () => ({})): Ask => {
    const ask = asks.find((known) => known.operationId === operationId);
    if (ask === undefined) throw new Error(`the walk wants ${operationId}, which is not described`);
    return { ...ask, ...change(ask), name, folder: walkFolder };
  };
  const withJson = (fields: object) => () => ({
    body: { kind: 'json' as const, text: JSON.stringify(fields, null, 2) },
  });
  const withHeaders = (values: Record<string, string>) => (ask: Ask) => ({ headers: switchOn(ask.headers, values) });
  const withQuery = (values: Record<string, string>) => (ask: Ask) => ({ query: switchOn(ask.query, values) });
  const onFolder = () => ({ pathValues: [field('id', '{{folderId}}')] });
  return [
    step('1 Get a token', 'GetAnAccessToken'),
    step('2 Make folders', 'FoldersPOST', withJson({ RelativePath: 'Made by a collection/2026/March' })),
    step('3 Save a file', 'SaveFilesPost', (ask) => ({
      ...withHeaders({ FolderId: '{{folderId}}', FileName: 'hello.txt' })(ask),
      body: { kind: 'text', text: 'Hello, Cabinet!' },
    })),
    step('4 Save many files', 'FilesBatchPost', (ask) => ({
      ...withHeaders({ FolderId: '{{folderId}}' })(ask),
      body: {
        kind: 'multipart',
        fields: [
          field('Files', '[{"FileName":"a.txt"},{"RelativePath":"deeper/b.txt"}]'),
          field('filename', 'first'),
          field('filename', 'second'),
        ],
      },
    })),
    step('5 Show the folder', 'FoldersGet', withQuery({ limit: '100' })),
    step('6 Show the file', 'EntriesGet'),
    step('7 Read the file', 'FilesContentGet'),
    step('8 Save a new version', 'FilesContentPut', () => ({ body: { kind: 'text', text: 'first, again' } })),
    step('9 List its versions', 'VersionsGet'),
    step('10 Rename it', 'EntriesChange', withJson({ Name: 'renamed.txt', Properties: { Customer: '4711' } })),
    step('11 Follow the changes', 'ChangesGet', withQuery({ limit: '10' })),
    step('12 What is used', 'UsageGet'),
    step('13 Put the folder into the trash', 'EntriesDelete', onFolder),
    step('14 Restore it', 'EntriesRestore', (ask) => ({ ...onFolder(), ...withJson({})(), query: ask.query })),
    step('15 Remove it for good', 'EntriesDelete', (ask) => ({
      ...onFolder(),
      ...withQuery({ permanent: 'true' })(ask),
    })),
  ];
}

function switchOn(fields: readonly Field[], values: Record<string, string>): Field[] {
  return fields.map((known) => {
    const value = values[known.name];
    return value === undefined ? known : { ...known, value, isOptional: false };
  });
}
