// The JSON Schemas of requests and answers. Requests are validated against the same objects that the OpenAPI document
// contains.

import { Refusal, refusalCodes } from '../../domain/refusal.ts';
import { shareMakers } from '../../domain/share-rules.ts';
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

export const EntryPath = Type.String({
  title: 'EntryPath',
  description: 'The names on the way from the root, each after a slash; / is the root itself.',
});
export const Sha256 = Type.String({
  title: 'Sha256',
  pattern: '^[0-9a-f]{64}$',
  description: 'The SHA-256 of the content of a file, in hexadecimal.',
});
export const VersionNumber = Type.Integer({
  title: 'VersionNumber',
  minimum: 1,
  description: 'Counts the versions of a file: 1 is the first.',
});
const EntryTag = Type.String({
  title: 'EntryTag',
  description: 'An ETag in quotes, as `If-Match` takes it. It changes with the record and with the content.',
});

/** Not a component: in a generated client for Go, its values would be constants of the same names as those of `EntryConflict`. */
export const saveConflict = Type.Enum(['Version', 'Fail', 'Rename', 'Existing'], {
  description: 'What a save does when the name is taken: by default, it adds a version to the file.',
});
const folderConflict = Type.Enum(['Fail', 'Rename', 'Existing'], {
  description:
    'What creating a folder does when the name is taken; `Fail` for FolderName, `Existing` for RelativePath.',
});
export const EntryConflict = Type.Enum(['Fail', 'Rename'], {
  title: 'EntryConflict',
  description: 'What a rename, move, copy or restore does when the name is taken; `Fail` by default.',
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
    Name: Type.String({ description: 'Unique in its folder.' }),
    Type: Type.Enum(['folder', 'file'], { description: 'Folder or file.' }),
    ObjectType: ObjectType,
    ContentType: Type.String({ description: 'The media type; inode/directory for folders.' }),
    CreatedAt: Timestamp,
    CreatedBy: Type.String({ description: 'The id of a person, or app: and the name of an application.' }),
    ModifiedAt: Timestamp,
    ModifiedBy: Type.String({ description: 'Who changed the record or the content last.' }),
    Size: Type.Integer({ minimum: 0, description: "Bytes. A folder's is the total of all files beneath it." }),
    Properties,
  },
  { title: 'Entry', description: 'The record of a folder or a file.', additionalProperties: false },
);

const ChildEntries = Type.Array(Entry, {
  title: 'ChildEntries',
  description: 'Entries in the folder: a page of them, or what was saved.',
});

export const Envelope = Type.Object(
  { Folder: Entry, Children: ChildEntries },
  { title: 'Envelope', description: 'A folder and entries in it.', additionalProperties: false },
);

export const ShownEntry = Type.Object(
  {
    Entry,
    Path: EntryPath,
    ETag: EntryTag,
    Sha256: Type.Optional(Sha256),
    Version: Type.Optional(VersionNumber),
  },
  { title: 'ShownEntry', description: 'An entry, and where it is. Files have `Sha256` and `Version`.' },
);

export const SpaceId = Type.String({
  title: 'SpaceId',
  description: 'The id of a space, which the header `SpaceId` takes.',
});

export const ShareMakers = Type.Enum([...shareMakers], {
  title: 'ShareMakers',
  description: 'Who makes and changes links in a space: whoever may change the entry, or managers alone.',
});

export const ShareRules = Type.Object(
  {
    Allowed: Type.Boolean({ description: 'Whether there are links for people without an account.' }),
    Makers: ShareMakers,
    PasswordRequired: Type.Boolean({ description: 'Whether every new link needs a password.' }),
    MaxDays: Type.Integer({ minimum: 1, description: 'How many days a new link can work at most.' }),
  },
  {
    title: 'ShareRules',
    description:
      'The rules about links that hold in the space: the stricter ones of the settings and its own. Only where one space is shown, and has rules of its own.',
  },
);

export const Space = Type.Object(
  {
    Id: SpaceId,
    Name: Type.String({ description: 'For people, and in paths of WebDAV.' }),
    RootFolderId: Type.String({ description: 'The id of its root folder.' }),
    Role: Type.Optional(Type.Enum(['viewer', 'editor', 'manager'], { description: 'What the person may do there.' })),
    Shares: Type.Optional(ShareRules),
  },
  { title: 'Space', description: 'A tree of entries with one root folder.' },
);

export const SearchResults = Type.Object(
  {
    Results: Type.Array(
      Type.Object(
        {
          Entry,
          Path: EntryPath,
          Snippet: Type.String({ description: 'HTML: escaped text with <mark> around what was found.' }),
        },
        { title: 'SearchResult', description: 'An entry that was found.', additionalProperties: false },
      ),
      { description: 'A page of results.' },
    ),
  },
  { title: 'SearchResults', description: 'What was found, best first.', additionalProperties: false },
);

export const Spaces = Type.Object(
  { Spaces: Type.Array(Space, { description: 'Those that the caller can use, by name.' }) },
  { title: 'Spaces', description: 'The spaces of the caller.' },
);

export const ErrorDetails = Type.Object(
  {
    Code: Type.Enum([...refusalCodes], { description: 'For programs; the list is closed.' }),
    Message: Type.String({ description: 'What went wrong, for people.' }),
    Target: Type.Optional(Type.String({ description: 'The field or header at fault.' })),
    Hint: Type.Optional(Type.String({ description: 'What to send instead.' })),
    Conflicts: Type.Optional(Type.Array(Entry, { description: 'The entries that are in the way.' })),
    RequestTrackingId: Type.String({ format: 'uuid', description: 'Identifies the request in the logs.' }),
  },
  { title: 'ErrorDetails', description: 'Why the request, or a part of it, was refused.' },
);

export const ErrorAnswer = Type.Object(
  { Error: ErrorDetails },
  { title: 'ErrorAnswer', description: 'The body of every refusal.' },
);

export const Health = Type.Object(
  { Status: Type.Enum(['live', 'ready', 'not ready'], { description: '`live`: it runs. `ready`: it takes work.' }) },
  { title: 'Health', description: 'Whether the service runs, or takes new work.' },
);

export const UploadState = Type.Object(
  {
    Offset: Type.Integer({ description: 'How many bytes are durable' }),
    Length: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: not said yet' }),
    Complete: Type.Boolean({ description: 'Whether all bytes are there.' }),
    ExpiresAt: Type.String({
      description: 'When the upload is removed unless more bytes arrive.',
      format: 'date-time',
    }),
    EntryId: Type.Union([Type.String(), Type.Null()], { description: 'The saved file; null: there is none yet' }),
  },
  { title: 'UploadState', description: 'How far an upload has come.' },
);

export const OpenApi = Type.Object(
  { openapi: Type.String({ description: 'The version of the specification.' }) },
  { title: 'OpenApi', description: 'https://spec.openapis.org/oas/v3.1.0', additionalProperties: true },
);

export const SignIn = Type.Object(
  {
    user: Type.Optional(Type.String({ description: 'The id of the person.' })),
    password: Type.Optional(Type.String({ description: 'The password of the person.' })),
    step: Type.Optional(Type.String({ description: 'Of the page after the password.' })),
    code: Type.Optional(Type.String({ description: 'Of an authenticator app, or a recovery code.' })),
    credential: Type.Optional(Type.String({ description: 'What a passkey signed, as JSON.' })),
  },
  { title: 'SignIn', description: 'The form of the sign-in page, or of the page after it.' },
);

export const Consent = Type.Object(
  { answer: Type.Enum(['allow', 'deny'], { description: 'What the person chose.' }) },
  { title: 'Consent', description: 'The form of the consent page.' },
);

export const CreateFolder = Type.Object(
  {
    ParentFolderId: Type.Optional(
      Type.String({ description: 'The folder to create it in. Absent, empty or -root-: the root.' }),
    ),
    FolderName: Type.Optional(Type.String({ ...entryName, description: 'The name of the new folder.' })),
    RelativePath: Type.Optional(
      Type.String({ description: 'In place of FolderName: names with / between them; missing folders are made.' }),
    ),
    Properties: Type.Optional(Properties),
    ObjectType: Type.Optional(ObjectType),
    ConflictBehavior: Type.Optional(folderConflict),
  },
  { title: 'CreateFolder', description: 'With exactly one of FolderName and RelativePath.' },
);

export const SaveFileForm = Type.Object(
  {
    filename: Type.String({ format: 'binary', description: 'The file. The part may also be named `file`.' }),
    Properties: Type.Optional(
      Type.String({ description: 'A JSON object of free-form attributes.', contentMediaType: 'application/json' }),
    ),
    ObjectType: Type.Optional(
      Type.String({
        description: 'What kind of document it is; cmis:document by default.',
        enforced: { pattern: '^[A-Za-z0-9:._-]{1,128}$' },
      }),
    ),
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
    ConflictBehavior: Type.Optional(saveConflict),
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
  return new Refusal('InvalidField', `${where} ${withArticle(message)}.`, { target });
}

/** "must be string" is how JSON Schema validators say it. */
function withArticle(message: string): string {
  return message
    .replace(/^must be (?=(?:string|number|boolean)$)/, 'must be a ')
    .replace(/^must be (?=(?:array|integer|object)$)/, 'must be an ');
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
