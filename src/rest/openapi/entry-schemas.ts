// The schemas of requests and answers about entries, beyond creating folders and saving files.

import { longestComment } from '../../domain/entry.ts';
import { Type } from './json-schema.ts';
import {
  Entry,
  EntryConflict,
  Envelope,
  ErrorAnswer,
  entryName,
  ObjectType,
  Properties,
  Sha256,
  ShownEntry,
  saveConflict,
  Timestamp,
  VersionNumber,
} from './schemas.ts';

const objectType = ObjectType;
const comment = (description: string) =>
  Type.Union([Type.String({ maxLength: longestComment }), Type.Null()], { description });

/** The metadata of one file of a batch, at the same index as its part among the file parts. */
export const BatchFile = Type.Object(
  {
    FileName: Type.Optional(Type.String({ ...entryName, description: "Absent: the part's own file name." })),
    RelativePath: Type.Optional(
      Type.String({
        description: 'In place of FileName: folders and the name, with / between them; missing folders are made.',
      }),
    ),
    FolderId: Type.Optional(Type.String({ description: 'Absent: the header FolderId, or the root.' })),
    ContentType: Type.Optional(Type.String({ description: "Absent: the part's own." })),
    ObjectType: Type.Optional(objectType),
    Properties: Type.Optional(Properties),
    ConflictBehavior: Type.Optional(saveConflict),
    Comment: Type.Optional(
      Type.String({
        enforced: { maxLength: longestComment },
        description: `What is new in this version, at most ${longestComment} characters.`,
      }),
    ),
    Sha256: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'Hexadecimal; checked.' })),
  },
  { title: 'BatchFile', description: 'What is said of one file of a batch.' },
);

export const SaveBatchForm = Type.Object(
  {
    Files: Type.Optional(
      Type.String({
        contentMediaType: 'application/json',
        contentSchema: Type.Array(BatchFile),
        description: 'A JSON array: one object for each file part, in the same order.',
      }),
    ),
    filename: Type.Array(Type.String({ format: 'binary' }), {
      description: 'The files, each a part of this name. The parts may also be named `file`.',
    }),
  },
  { title: 'SaveBatchForm', description: 'The files of a batch, and what is said of them.' },
);

export const BatchResults = Type.Object(
  {
    Results: Type.Array(Type.Union([ShownEntry, ErrorAnswer]), {
      description: 'One for each file, in the order in which they were sent: what was saved, or why it was not.',
    }),
  },
  { title: 'BatchResults', description: 'What became of each file of a batch.' },
);

export const ChangeEntry = Type.Object(
  {
    Name: Type.Optional(Type.String({ ...entryName, description: 'The new name.' })),
    ParentFolderId: Type.Optional(Type.String({ description: 'The folder to move it to; -root- for the root.' })),
    Properties: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String({ maxLength: 4096 }), Type.Null()]), {
        description: 'Merged into what there is; null removes a key.',
      }),
    ),
    ObjectType: Type.Optional(objectType),
    ConflictBehavior: Type.Optional(EntryConflict),
  },
  { title: 'ChangeEntry', description: 'Changes of an entry; what is absent stays.' },
);

export const CopyEntry = Type.Object(
  {
    ParentFolderId: Type.Optional(
      Type.String({ description: 'The folder of the copy. Absent, empty or -root-: the root.' }),
    ),
    Name: Type.Optional(Type.String({ ...entryName, description: 'Absent: the name that it has.' })),
    ConflictBehavior: Type.Optional(EntryConflict),
  },
  { title: 'CopyEntry', description: 'Where to copy an entry.' },
);

export const SelectEntries = Type.Object(
  { EntryIds: Type.Array(Type.String(), { minItems: 1, maxItems: 5000, description: 'Files and folders.' }) },
  { title: 'SelectEntries', description: 'A selection of entries.' },
);

export const RestoreEntry = Type.Object(
  {
    ParentFolderId: Type.Optional(Type.String({ description: 'Absent: where it was.' })),
    Name: Type.Optional(Type.String({ ...entryName, description: 'Absent: the name that it had.' })),
    ConflictBehavior: Type.Optional(EntryConflict),
  },
  { title: 'RestoreEntry', description: 'Where to restore an entry.' },
);

export const TrashPage = Type.Object(
  {
    Entries: Type.Array(
      Type.Object({
        Entry,
        Path: Type.String({ description: 'Where it was.' }),
        TrashedAt: Timestamp,
        TrashedBy: Type.String({ description: 'Who deleted it.' }),
      }),
      { description: 'What was deleted.' },
    ),
  },
  { title: 'TrashPage', description: 'A page of the trash.' },
);

export const EmptiedTrash = Type.Object(
  { Removed: Type.Integer({ minimum: 0, description: 'Entries, each with all beneath it.' }) },
  { title: 'EmptiedTrash', description: 'How much was removed.' },
);

export const Version = Type.Object(
  {
    Version: VersionNumber,
    Size: Type.Integer({ description: 'The bytes of this version.', minimum: 0 }),
    ContentType: Type.String({ description: 'The media type.' }),
    Sha256,
    CreatedAt: Timestamp,
    CreatedBy: Type.String({ description: 'Who saved it.' }),
    Comment: comment('What is new in this version; null: there is no comment.'),
  },
  { title: 'Version', description: 'One state of the content of a file.' },
);

export const VersionPage = Type.Object(
  { Versions: Type.Array(Version, { description: 'The first of the first page is the current version.' }) },
  { title: 'VersionPage', description: 'A page of versions, newest first.' },
);

export const CommentVersion = Type.Object(
  { Comment: comment('What to write beside the version; null removes the comment.') },
  { title: 'CommentVersion', description: 'A comment on a version; null removes it.' },
);

export const SavedVersion = Type.Object(
  { ...Envelope.properties, Folder: Type.Optional(Envelope.properties.Folder), ...ShownEntry.properties },
  { title: 'SavedVersion', description: 'The envelope of a save, and what is shown of the file.' },
);

export const ChangesPage = Type.Object(
  {
    Changes: Type.Array(
      Type.Object({
        Position: Type.Integer({ minimum: 0, description: 'Grows from change to change.' }),
        At: Timestamp,
        By: Type.String({ description: 'Who changed it, in the form of `CreatedBy`.' }),
        Action: Type.String({ description: 'What was done to the entry, such as file.saved.' }),
        EntryId: Type.String({ description: 'What was changed.' }),
        ParentFolderId: Type.Optional(Type.String({ description: 'Where it is now; absent at the top of the trash.' })),
        Trashed: Type.Optional(Type.Boolean({ description: 'True: it is in the trash itself.' })),
        Entry: Type.Optional(Entry),
      }),
      { description: 'In the order in which they were committed.' },
    ),
    Cursor: Type.String({ description: 'Where to go on.' }),
  },
  { title: 'ChangesPage', description: 'Changes in order, and where to go on.' },
);
