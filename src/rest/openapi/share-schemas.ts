// The schemas of shares: of those who make them, and of those who use them.

import { shareAccesses, shareStates } from '../../domain/share.ts';
import { maxShareName, maxShareNote, maxSharePassword } from '../../operations/shares.ts';
import { exampleFile, exampleFolder, exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';
import { Entry, Timestamp } from './schemas.ts';

const maxCount = 1_000_000_000;
const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const limit = Type.Union([Type.Integer({ minimum: 1, maximum: maxCount }), Type.Null()], {
  description: 'How often it can be downloaded; null: as often as anyone likes. Not for uploads.',
});

const options = {
  Name: Type.Optional(
    orNull(`What visitors see, at most ${maxShareName} characters; the name of the entry by default.`),
  ),
  Note: Type.Optional(orNull(`For visitors, at most ${maxShareNote} characters.`)),
  ExpiresAt: Type.Optional(orNull('RFC 3339; 30 days from now by default, or the maximum if that is less.')),
  Password: Type.Optional(orNull(`1 to ${maxSharePassword} characters; null: none.`)),
  MaxDownloads: Type.Optional(limit),
};
const access = Type.Enum([...shareAccesses], {
  description: '`upload`: whoever has the link can send files into the folder, and sees nothing that is there.',
});

export const AddShare = Type.Object(
  { Access: access, ...options },
  { title: 'AddShare', description: 'A new link to an entry.' },
);

export const ChangeShare = Type.Object(
  { Access: Type.Optional(access), ...options },
  { title: 'ChangeShare', description: 'What to change; what is absent stays.' },
);

const shareFields = Type.Object(
  {
    Id: Type.String({ description: 'The id of the share.' }),
    EntryId: Type.String({ description: 'The folder or file that the link opens.' }),
    Access: access,
    Name: Type.String({ description: 'What visitors see.' }),
    Note: orNull('For visitors; null: none.'),
    Url: orNull('Only for whoever made it; null for everybody else.'),
    HasPassword: Type.Boolean({ description: 'Whether visitors need a password.' }),
    ExpiresAt: Timestamp,
    MaxDownloads: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'Null: unlimited.' }),
    Downloads: count('How often it was downloaded.'),
    Uploads: count('How many files were sent by it.'),
    CreatedAt: Timestamp,
    CreatedBy: Type.String({ description: 'Who made it.' }),
    LastUsedAt: Type.Union([Timestamp, Type.Null()], { description: 'Null: not used yet.' }),
    State: Type.Enum([...shareStates], {
      description: '`suspended`: its maker may no longer change the entry, or the entry is in the trash.',
    }),
  },
  { title: 'ShareFields', description: 'A link and how it was used.' },
);

export const Share = Type.Object({ Share: shareFields }, { title: 'Share', description: 'A link to an entry.' });

export const Shares = Type.Object(
  { Shares: Type.Array(shareFields, { description: 'A page of them.' }) },
  { title: 'Shares', description: 'Links, the newest first.' },
);

export const exampleShare = {
  Id: '0199b7c2-8d1e-7a64-b0f5-2c91e7d3a801',
  EntryId: exampleIds.folder,
  Access: 'read',
  Name: 'Invoices 2026',
  Note: null,
  Url: 'http://127.0.0.1:8080/s/0n7mJ3b0T1sZ8yq5Xw2uVr4kLd6fGh9aQeCiBpMoNtE',
  HasPassword: true,
  ExpiresAt: '2026-02-14T09:30:00.123Z',
  MaxDownloads: null,
  Downloads: 3,
  Uploads: 0,
  CreatedAt: '2026-01-15T09:30:00.123Z',
  CreatedBy: 'alice',
  LastUsedAt: '2026-01-16T11:02:48.007Z',
  State: 'active',
} as const;

export const exampleAddShare = {
  Access: 'read',
  ExpiresAt: '2026-02-14T09:30:00.123Z',
  Password: 'open sesame',
} as const;

const visible = Type.Object(
  {
    Name: Type.String({ description: 'What the maker calls it; the name of the entry by default.' }),
    Note: orNull('From the maker, to whoever has the link.'),
    Access: access,
    ExpiresAt: Timestamp,
    HasPassword: Type.Boolean({ description: 'Whether it needs a password.' }),
  },
  { title: 'VisibleShare', description: 'What whoever has a link sees of it.' },
);

export const OpenedShare = Type.Object(
  {
    Share: visible,
    Folder: Type.Optional(Entry),
    Children: Type.Optional(Type.Array(Entry, { description: 'A page of what is in the folder.' })),
    File: Type.Optional(Entry),
  },
  {
    title: 'OpenedShare',
    description: 'A link: a folder with a page of its children, or a file. Neither where files can be sent.',
  },
);

/** Nothing of who made it, and no properties. */
const anonymous = { CreatedBy: '', ModifiedBy: '', Properties: {} };

export const exampleVisible = {
  Name: 'Invoices 2026',
  Note: null,
  Access: 'read',
  ExpiresAt: '2026-02-14T09:30:00.123Z',
  HasPassword: true,
} as const;

export const exampleOpened = {
  Share: exampleVisible,
  Folder: { ...exampleFolder, ...anonymous },
  Children: [{ ...exampleFile, ...anonymous }],
};

export const exampleShared = { Folder: exampleOpened.Folder, Children: exampleOpened.Children };

export const ReceivedFile = Type.Object(
  {
    Name: Type.String({ description: 'As it is stored: a taken name is numbered.' }),
    Size: count('Bytes.'),
    Sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of its bytes, in hexadecimal.' }),
  },
  { title: 'ReceivedFile', description: 'A file that was sent by a link.' },
);

export const exampleReceived = {
  Name: 'report (2).pdf',
  Size: 48213,
  Sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
