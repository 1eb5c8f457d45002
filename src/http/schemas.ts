// The shapes of what comes in and goes out, as JSON Schemas. Requests are validated against the very objects that the
// OpenAPI description is made of.

import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Refusal } from '../domain/refusal.ts';

const id = { description: 'Opaque; ours are lower-case UUIDs.' };
const time = { format: 'date-time', description: 'UTC, always three decimals.' };

const entryRef = Type.Ref('#/components/schemas/Entry');

const mostProperties = 100;

export const Properties = Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
  maxProperties: mostProperties,
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
  { additionalProperties: false },
);

export const Envelope = Type.Object(
  { Folder: entryRef, Children: Type.Array(entryRef) },
  { additionalProperties: false },
);

export const ShownEntry = Type.Object({
  Entry: entryRef,
  Path: Type.String({ description: 'The way from the root; / for the root itself.' }),
  ETag: Type.String({ description: 'Quoted; changes with the record or the content.' }),
  Sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the content; files only.' })),
  Version: Type.Optional(Type.Integer({ minimum: 1, description: 'Files only.' })),
});

export const Spaces = Type.Array(
  Type.Object({
    Id: Type.String({ description: 'What the header SpaceId takes.' }),
    Name: Type.String(),
    RootFolderId: Type.String(),
    Role: Type.Optional(Type.Enum(['viewer', 'editor', 'manager'], { description: 'What the person may do there.' })),
  }),
);

export const ErrorAnswer = Type.Object({
  Error: Type.Object({
    Code: Type.String(),
    Message: Type.String(),
    Target: Type.Optional(Type.String()),
    Hint: Type.Optional(Type.String()),
    Conflicts: Type.Optional(Type.Array(entryRef)),
    RequestTrackingId: Type.String({ format: 'uuid' }),
  }),
});

export const CreateFolder = Type.Object({
  ParentFolderId: Type.Optional(Type.String({ description: 'Absent, empty or -root-: the root folder.' })),
  FolderName: Type.String({ description: 'The name of the new folder.' }),
  Properties: Type.Optional(Properties),
  ObjectType: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9:._-]{1,128}$' })),
  ConflictBehavior: Type.Optional(Type.Enum(['Fail', 'Rename', 'Existing'])),
});

export const SaveFileForm = Type.Object({
  filename: Type.String({
    contentMediaType: 'application/octet-stream',
    description: 'The file; "file" is taken too.',
  }),
  Properties: Type.Optional(Type.String({ contentMediaType: 'application/json' })),
  ObjectType: Type.Optional(Type.String()),
  ContentType: Type.Optional(Type.String()),
});

export const SaveFileJson = Type.Object({
  filename: Type.Union([
    Type.String({ contentEncoding: 'base64' }),
    Type.Object({ Content: Type.String({ contentEncoding: 'base64' }), ContentType: Type.Optional(Type.String()) }),
  ]),
  Properties: Type.Optional(Properties),
  ObjectType: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9:._-]{1,128}$' })),
  ConflictBehavior: Type.Optional(Type.Enum(['Version', 'Fail', 'Rename', 'Existing'])),
});

/** Makes a check that returns the value or refuses, naming the field at fault. */
export function compileCheck<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const validator = Compile(schema);
  return (value) => {
    checkKeyCount(value);
    if (validator.Check(value)) return value as Static<Schema>;
    const [error] = validator.Errors(value);
    const [field = '', ...rest] = (error?.instancePath ?? '').split('/').slice(1);
    const missing = (error?.params as { requiredProperties?: string[] } | undefined)?.requiredProperties?.[0];
    const target = field === '' ? (missing ?? 'body') : field;
    const where = rest.length > 0 ? `${target} (at ${rest.join('/')})` : target;
    const problem = field === '' && missing !== undefined ? 'is missing' : (error?.message ?? 'is not valid');
    throw new Refusal('InvalidField', `${where} ${problem}.`, { target });
  };
}

/** Asked before the schema, which would look at every one of a million keys. */
function checkKeyCount(value: unknown): void {
  const { Properties: properties } = value as { Properties?: unknown };
  if (typeof properties !== 'object' || properties === null) return;
  let count = 0;
  for (const _ in properties) {
    count += 1;
    if (count > mostProperties) {
      throw new Refusal('InvalidField', `Properties can have at most ${mostProperties} keys.`, {
        target: 'Properties',
      });
    }
  }
}
