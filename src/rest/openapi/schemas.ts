// The JSON Schemas of requests and answers. Requests are validated against the same objects that the OpenAPI document
// contains.

import { Refusal, refusalCodes } from '../../domain/refusal.ts';
import { type Static, type TSchema, Type } from './json-schema.ts';
import { makeCheck, type Problem } from './json-schema-check.ts';

const id = { description: 'Opaque; ours are lower-case UUIDs.' };
const time = { format: 'date-time', description: 'UTC, always three decimals.' };

const maxPropertyKeys = 100;
/** How many keys one request may remove. More than an entry can have, because a client need not know which keys it has. */
const maxRemovals = 1000;

export const Properties = Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
  title: 'Properties',
  maxProperties: maxPropertyKeys,
  description: 'Free-form attributes: at most 100 keys of 128 bytes, values of 4 KiB, 64 KiB in all.',
});

export const Entry = Type.Object(
  {
    Id: Type.String(id),
    Name: Type.String(),
    Type: Type.Enum(['folder', 'file']),
    ObjectType: Type.String({ pattern: '^[A-Za-z0-9:._-]{1,128}$' }),
    ContentType: Type.String(),
    CreatedAt: Type.String(time),
    CreatedBy: Type.String(),
    ModifiedAt: Type.String(time),
    ModifiedBy: Type.String(),
    Size: Type.Integer({ minimum: 0, description: "Bytes. A folder's is the total of all files beneath it." }),
    Properties,
  },
  { title: 'Entry', description: 'The record of a folder or a file.', additionalProperties: false },
);

export const Envelope = Type.Object(
  { Folder: Entry, Children: Type.Array(Entry) },
  { title: 'Envelope', description: 'A folder and entries in it.', additionalProperties: false },
);

export const ShownEntry = Type.Object(
  {
    Entry,
    Path: Type.String({ description: 'The way from the root; / for the root itself.' }),
    ETag: Type.String({ description: 'Quoted; changes with the record or the content.' }),
    Sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the content; files only.' })),
    Version: Type.Optional(Type.Integer({ minimum: 1, description: 'Files only.' })),
  },
  { title: 'ShownEntry', description: 'An entry, and where it is.' },
);

export const Space = Type.Object(
  {
    Id: Type.String({ description: 'What the header SpaceId takes.' }),
    Name: Type.String(),
    RootFolderId: Type.String(),
    Role: Type.Optional(Type.Enum(['viewer', 'editor', 'manager'], { description: 'What the person may do there.' })),
  },
  { title: 'Space' },
);

export const SearchResults = Type.Object(
  {
    Results: Type.Array(
      Type.Object(
        {
          Entry,
          Path: Type.String({ description: 'The way from the root.' }),
          Snippet: Type.String({ description: 'HTML: escaped text with <mark> around what was found.' }),
        },
        { title: 'SearchResult', additionalProperties: false },
      ),
    ),
  },
  { title: 'SearchResults', additionalProperties: false },
);

export const Spaces = Type.Object({ Spaces: Type.Array(Space) }, { title: 'Spaces' });

export const ErrorAnswer = Type.Object(
  {
    Error: Type.Object({
      Code: Type.Enum([...refusalCodes]),
      Message: Type.String({ description: 'For people.' }),
      Target: Type.Optional(Type.String({ description: 'The field or header at fault.' })),
      Hint: Type.Optional(Type.String({ description: 'What to send instead.' })),
      Conflicts: Type.Optional(Type.Array(Entry, { description: 'The entries that are in the way.' })),
      RequestTrackingId: Type.String({ format: 'uuid', description: 'Names the request in the logs.' }),
    }),
  },
  { title: 'Error', description: 'Why the request was refused.' },
);

export const Health = Type.Object({ Status: Type.Enum(['live', 'ready', 'not ready']) }, { title: 'Health' });

export const UploadState = Type.Object(
  {
    Offset: Type.Integer({ description: 'How many bytes are durable' }),
    Length: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: not said yet' }),
    Complete: Type.Boolean(),
    ExpiresAt: Type.String({ format: 'date-time' }),
    EntryId: Type.Union([Type.String(), Type.Null()], { description: 'The saved file; null: there is none yet' }),
  },
  { title: 'UploadState' },
);

export const OpenApi = Type.Object(
  { openapi: Type.String() },
  { title: 'OpenApi', description: 'https://spec.openapis.org/oas/v3.1.0', additionalProperties: true },
);

export const SignIn = Type.Object({ user: Type.String(), password: Type.String() }, { title: 'SignIn' });

export const Consent = Type.Object({ answer: Type.Enum(['allow', 'deny']) }, { title: 'Consent' });

export const CreateFolder = Type.Object(
  {
    ParentFolderId: Type.Optional(Type.String({ description: 'Absent, empty or -root-: the root folder.' })),
    FolderName: Type.Optional(Type.String({ description: 'The name of the new folder.' })),
    RelativePath: Type.Optional(
      Type.String({ description: 'In place of FolderName: names with / between them; missing folders are made.' }),
    ),
    Properties: Type.Optional(Properties),
    ObjectType: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9:._-]{1,128}$' })),
    ConflictBehavior: Type.Optional(Type.Enum(['Fail', 'Rename', 'Existing'])),
  },
  { title: 'CreateFolder', description: 'With exactly one of FolderName and RelativePath.' },
);

export const SaveFileForm = Type.Object(
  {
    filename: Type.String({
      contentMediaType: 'application/octet-stream',
      description: 'The file; "file" is taken too.',
    }),
    Properties: Type.Optional(Type.String({ contentMediaType: 'application/json' })),
    ObjectType: Type.Optional(Type.String()),
    ContentType: Type.Optional(Type.String()),
  },
  { title: 'SaveFileForm' },
);

export const SaveFileJson = Type.Object(
  {
    filename: Type.Union([
      Type.String({ contentEncoding: 'base64' }),
      Type.Object({ Content: Type.String({ contentEncoding: 'base64' }), ContentType: Type.Optional(Type.String()) }),
    ]),
    Properties: Type.Optional(Properties),
    ObjectType: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9:._-]{1,128}$' })),
    ConflictBehavior: Type.Optional(Type.Enum(['Version', 'Fail', 'Rename', 'Existing'])),
  },
  { title: 'SaveFileJson' },
);

/** Makes a function that returns the value, or refuses it and names the invalid field. */
export function compileCheck<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const check = makeCheck(schema);
  return (value) => {
    checkKeyCount(value);
    const problem = check(value);
    if (problem !== null) throw toRefusal(problem);
    return value as Static<Schema>;
  };
}

function toRefusal({ path, message, missing = [] }: Problem): Refusal {
  const [field = '', ...rest] = path.split('/').slice(1);
  if (field === '' && missing[0] !== undefined) {
    return new Refusal('InvalidField', `${missing[0]} is missing.`, { target: missing[0] });
  }
  const target = field === '' ? 'body' : field;
  const where = rest.length > 0 ? `${target} (at ${rest.join('/')})` : target;
  return new Refusal('InvalidField', `${where} ${message}.`, { target });
}

/** Runs before the schema check, which would look at each of a million keys. */
function checkKeyCount(value: unknown): void {
  const { Properties: properties } = value as { Properties?: unknown };
  if (typeof properties !== 'object' || properties === null) return;
  let [kept, removed] = [0, 0];
  for (const key in properties) {
    if ((properties as Record<string, unknown>)[key] === null) removed += 1;
    else kept += 1;
    if (kept > maxPropertyKeys) throw tooManyKeys(`Properties can have at most ${maxPropertyKeys} keys.`);
    if (removed > maxRemovals) throw tooManyKeys(`At most ${maxRemovals} keys can be removed at once.`);
  }
}

function tooManyKeys(problem: string): Refusal {
  return new Refusal('InvalidField', problem, { target: 'Properties' });
}
