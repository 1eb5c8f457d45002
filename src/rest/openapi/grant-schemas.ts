// The schemas of grants and groups.

import { grantRoles, roles } from '../../domain/caller.ts';
import { exampleFile, exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';
import { Entry, Timestamp } from './schemas.ts';

const principal = Type.String({ description: '`user:` and the id of a person, or `group:` and the name of a group.' });

const GrantPlace = Type.Object({ Id: Type.String(), Path: Type.String() }, { title: 'GrantPlace' });

const AccessLine = Type.Object(
  {
    Principal: principal,
    Role: Type.Enum([...roles]),
    From: Type.Union([GrantPlace, Type.Enum(['space'])], {
      description: 'The entry that it was granted on: this one, or a folder above it. `space`: a role in the space.',
    }),
  },
  { title: 'AccessLine' },
);

export const AccessList = Type.Object(
  { Access: Type.Array(AccessLine) },
  { title: 'AccessList', description: 'Who may see an entry, and why.' },
);

export const Grant = Type.Object(
  { Role: Type.Enum([...grantRoles]) },
  { title: 'Grant', description: 'What is granted on an entry and everything beneath it.' },
);

const SharedSpace = Type.Object({ Id: Type.String(), Name: Type.String() }, { title: 'SharedSpace' });

const SharedEntry = Type.Object(
  {
    Entry,
    Role: Type.Enum([...grantRoles]),
    Space: SharedSpace,
    GrantedBy: Type.String({ description: 'In the form of `CreatedBy`.' }),
    GrantedAt: Timestamp,
  },
  { title: 'SharedEntry' },
);

export const SharedEntries = Type.Object(
  { Entries: Type.Array(SharedEntry) },
  { title: 'SharedEntries', description: 'What is shared with the caller.' },
);

const groupFields = Type.Object({ Name: Type.String(), Members: Type.Array(Type.String()) }, { title: 'GroupFields' });

export const Group = Type.Object({ Group: groupFields }, { title: 'Group', description: 'A group of people.' });

export const Groups = Type.Object(
  { Groups: Type.Array(groupFields) },
  { title: 'Groups', description: 'The groups of a space.' },
);

const memberIds = Type.Array(Type.String({ description: 'The id of a person.' }), { maxItems: 1000 });

export const AddGroup = Type.Object(
  { Name: Type.String({ maxLength: 100 }), Members: Type.Optional(memberIds) },
  { title: 'AddGroup', description: 'A new group.' },
);

export const ChangeGroup = Type.Object(
  { Add: Type.Optional(memberIds), Remove: Type.Optional(memberIds) },
  { title: 'ChangeGroup', description: 'Who joins and who leaves.' },
);

const exampleAccessLine = {
  Principal: 'user:alice',
  Role: 'editor',
  From: { Id: exampleIds.folder, Path: '/Invoices' },
} as const;

export const exampleAccess = {
  Access: [exampleAccessLine, { Principal: 'user:mona', Role: 'manager', From: 'space' }],
} as const;

export const exampleShared = {
  Entries: [
    {
      Entry: exampleFile,
      Role: 'viewer',
      Space: { Id: '01980a5b-7a3c-7000-8000-0000000000a1', Name: 'backoffice' },
      GrantedBy: 'mona',
      GrantedAt: '2026-01-15T09:30:00.123Z',
    },
  ],
};

export const exampleGroup = { Name: 'legal', Members: ['alice', 'bob'] };
