// The JSON Schemas of requests and answers. Requests are validated against the same objects that the OpenAPI document
// contains.

import { Refusal, refusalCodes } from '../../domain/refusal.ts';
import { type Static, type TSchema, Type } from './json-schema.ts';
import { makeCheck, type Problem } from './json-schema-check.ts';

/** As `domain/name.ts` checks it. */
export const entryName = {
  enforced: {
    minLength: 1,
    maxLength: 255,
    pattern: '^[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]+$',
  },
};

const id = { description: 'Opaque; ours are lower-case UUIDs.' };
export const Timestamp = Type.String({
  title: 'Timestamp',
  format: 'date-time',
  description: 'UTC, always three decimals.',
});
export const ObjectType = Type.String({
  title: 'ObjectType',
  pattern: '^[A-Za-z0-9:._-]{1,128}$',
  description: 'What kind of document or folder it is, such as cmis:document.',
});

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
    ObjectType: ObjectType,
    ContentType: Type.String(),
    CreatedAt: Timestamp,
    CreatedBy: Type.String(),
    ModifiedAt: Timestamp,
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
  { title: 'Space', description: 'A tree of entries with one root folder.' },
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
        { title: 'SearchResult', description: 'An entry that was found.', additionalProperties: false },
      ),
    ),
  },
  { title: 'SearchResults', description: 'What was found, best first.', additionalProperties: false },
);

export const Spaces = Type.Object(
  { Spaces: Type.Array(Space) },
  { title: 'Spaces', description: 'The spaces of the caller.' },
);

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
  { title: 'ErrorAnswer', description: 'Why the request was refused.' },
);

export const Health = Type.Object(
  { Status: Type.Enum(['live', 'ready', 'not ready']) },
  { title: 'Health', description: 'Whether the service runs, or takes new work.' },
);

export const UploadState = Type.Object(
  {
    Offset: Type.Integer({ description: 'How many bytes are durable' }),
    Length: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: not said yet' }),
    Complete: Type.Boolean(),
    ExpiresAt: Type.String({ format: 'date-time' }),
    EntryId: Type.Union([Type.String(), Type.Null()], { description: 'The saved file; null: there is none yet' }),
  },
  { title: 'UploadState', description: 'How far an upload has come.' },
);

export const OpenApi = Type.Object(
  { openapi: Type.String() },
  { title: 'OpenApi', description: 'https://spec.openapis.org/oas/v3.1.0', additionalProperties: true },
);

export const SignIn = Type.Object(
  { user: Type.String(), password: Type.String() },
  { title: 'SignIn', description: 'The form of the sign-in page.' },
);

export const Consent = Type.Object(
  { answer: Type.Enum(['allow', 'deny']) },
  { title: 'Consent', description: 'The form of the consent page.' },
);

export const CreateFolder = Type.Object(
  {
    ParentFolderId: Type.Optional(Type.String({ description: 'Absent, empty or -root-: the root folder.' })),
    FolderName: Type.Optional(Type.String({ ...entryName, description: 'The name of the new folder.' })),
    RelativePath: Type.Optional(
      Type.String({ description: 'In place of FolderName: names with / between them; missing folders are made.' }),
    ),
    Properties: Type.Optional(Properties),
    ObjectType: Type.Optional(ObjectType),
    ConflictBehavior: Type.Optional(Type.Enum(['Fail', 'Rename', 'Existing'])),
  },
  { title: 'CreateFolder', description: 'With exactly one of FolderName and RelativePath.' },
);

export const SaveFileForm = Type.Object(
  {
    filename: Type.String({ format: 'binary', description: 'The file. The part may also be named `file`.' }),
    Properties: Type.Optional(Type.String({ contentMediaType: 'application/json' })),
    ObjectType: Type.Optional(Type.String({ enforced: { pattern: '^[A-Za-z0-9:._-]{1,128}$' } })),
    ContentType: Type.Optional(Type.String({ description: 'Of the file; wins over that of its part.' })),
  },
  { title: 'SaveFileForm', description: 'A file and what is said of it.' },
);

export const SaveFileJson = Type.Object(
  {
    filename: Type.Union([
      Type.String({ contentEncoding: 'base64' }),
      Type.Object({ Content: Type.String({ contentEncoding: 'base64' }), ContentType: Type.Optional(Type.String()) }),
    ]),
    Properties: Type.Optional(Properties),
    ObjectType: Type.Optional(ObjectType),
    ConflictBehavior: Type.Optional(Type.Enum(['Version', 'Fail', 'Rename', 'Existing'])),
  },
  { title: 'SaveFileJson', description: 'A file in base64, and what is said of it.' },
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
