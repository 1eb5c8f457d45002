// The schemas of the tools: arguments that several of them take, and results, which are those of the REST API.

import { Type } from '../rest/openapi/json-schema.ts';
import { Entry, ShownEntry, Space } from '../rest/openapi/schemas.ts';

/** Of one result; longer lists are cut and have a cursor. */
export const maxResultBytes = 1024 * 1024;

const maxIdLength = 200;

export function id(description: string) {
  return Type.String({ description, maxLength: maxIdLength });
}

export const cursor = Type.Optional(
  Type.String({ description: 'The Cursor of the result before, with the same other arguments.', maxLength: 4000 }),
);

export const spaceId = Type.Optional(id('The space; needed only if you can use several.'));

export function limit(byDefault: number, most: number) {
  return Type.Optional(
    Type.Integer({ minimum: 1, maximum: most, default: byDefault, description: 'How many at most; lists may be cut.' }),
  );
}

const Cursor = Type.Optional(Type.String({ description: 'For the next page; absent on the last one.' }));

export const SearchResult = Type.Object({
  Results: Type.Array(Type.Object({ Entry, Path: Type.String() })),
  Cursor,
});

export const FolderResult = Type.Object({
  Spaces: Type.Optional(Type.Array(Space, { description: 'Without folderId.' })),
  Folder: Type.Optional(Entry),
  Children: Type.Optional(Type.Array(Entry)),
  Cursor,
});

export { ShownEntry };

export const TextResult = Type.Object({
  EntryId: Type.String(),
  Name: Type.String(),
  ContentType: Type.String(),
  Version: Type.Integer(),
  Offset: Type.Integer({ description: 'Code points before this page.' }),
  Length: Type.Integer({ description: 'Code points of this page.' }),
  TotalLength: Type.Integer({ description: 'Code points of the whole extracted text.' }),
  NextOffset: Type.Optional(Type.Integer({ description: 'Where the next page begins; absent on the last one.' })),
  IsExtractionCut: Type.Boolean({ description: 'Whether the document has more text than can be extracted.' }),
});

export const SavedResult = Type.Object({
  Folder: Entry,
  Children: Type.Array(Entry, { description: 'The saved file; none for a new folder.' }),
  Entry,
  Path: Type.String(),
  ETag: Type.String(),
  Sha256: Type.Optional(Type.String()),
  Version: Type.Optional(Type.Integer()),
});

export const LinkResult = Type.Object({
  Url: Type.String({ format: 'uri' }),
  ExpiresAt: Type.String({ format: 'date-time' }),
});
