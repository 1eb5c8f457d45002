// The schemas of shares: of those who make them, and of those who use them.

import { shareAccesses, shareStates } from '../../domain/share.ts';
import { maxShareName, maxShareNote, maxSharePassword } from '../../operations/shares.ts';
import { exampleFile, exampleFolder, exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';
import { Entry, Sha256, Timestamp } from './schemas.ts';

const maxCount = 1_000_000_000;
/** `enforced`: what `operations/shares.ts` checks. */
const orNull = (description: string, enforced: { minLength?: number; maxLength?: number } = {}) =>
  Type.Union([Type.String({ enforced }), Type.Null()], { description });
const timeOrNull = (description: string) =>
  Type.Union([Type.String({ enforced: { format: 'date-time' } }), Type.Null()], { description });
const name = { minLength: 1, maxLength: maxShareName };
const note = { maxLength: maxShareNote };
const password = { minLength: 1, maxLength: maxSharePassword };
const count = (description: string) => Type.Integer({ minimum: 0, description });
const limit = (description: string) =>
  Type.Union([Type.Integer({ minimum: 1, maximum: maxCount }), Type.Null()], { description });
const ShareAccess = Type.Enum([...shareAccesses], {
  title: 'ShareAccess',
  description: '`upload`: whoever has the link can send files into the folder, and sees nothing that is there.',
});

export const AddShare = Type.Object(
  {
    Access: ShareAccess,
    Name: Type.Optional(
      orNull(`What visitors see, at most ${maxShareName} characters; the name of the entry by default.`, name),
    ),
    Note: Type.Optional(orNull(`A message to visitors, at most ${maxShareNote} characters; none by default.`, note)),
    ExpiresAt: Type.Optional(timeOrNull('RFC 3339; 30 days from now by default, or the maximum if that is less.')),
    Password: Type.Optional(
      orNull(`What visitors need, 1 to ${maxSharePassword} characters; none by default.`, password),
    ),
    MaxDownloads: Type.Optional(limit('How often it can be downloaded; without limit by default. Not for `upload`.')),
  },
  { title: 'AddShare', description: 'A new link to an entry.' },
);

export const ChangeShare = Type.Object(
  {
    Access: Type.Optional(ShareAccess),
    Name: Type.Optional(orNull('Another name for visitors; null: the name of the entry.', name)),
    Note: Type.Optional(orNull('Another message to visitors; null removes it.', note)),
    ExpiresAt: Type.Optional(timeOrNull('RFC 3339; null: the default of a new link, from now on.')),
    Password: Type.Optional(orNull('Another password, which ends what the old one opened; null removes it.', password)),
    MaxDownloads: Type.Optional(limit('Another limit, of all downloads since the link was made; null removes it.')),
  },
  { title: 'ChangeShare', description: 'Changes of a link; what is absent stays.' },
);

const shareFields = Type.Object(
  {
    Id: Type.String({ description: 'The id of the share.' }),
    EntryId: Type.String({ description: 'The folder or file that the link opens.' }),
    Access: ShareAccess,
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
    LastUsedAt: Type.Union([Timestamp, Type.Null()], { description: 'The last download or upload; null: none yet.' }),
    State: Type.Enum([...shareStates], {
      description: '`suspended`: its maker may no longer change the entry, or the entry is in the trash.',
    }),
  },
  { title: 'ShareFields', description: 'A link and how it was used.' },
);

export const Share = Type.Object({ Share: shareFields }, { title: 'Share', description: 'A link to an entry.' });

export const Shares = Type.Object(
  { Shares: Type.Array(shareFields, { description: 'Expired and revoked ones too, for 30 days.' }) },
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
    Access: ShareAccess,
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
    Size: count('How many bytes were received.'),
    Sha256,
  },
  { title: 'ReceivedFile', description: 'A file that was sent by a link.' },
);

export const exampleReceived = {
  Name: 'report (2).pdf',
  Size: 48213,
  Sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
