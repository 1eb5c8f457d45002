// The schemas of grants and groups.

import { grantRoles, roles } from '../../domain/caller.ts';
import { exampleFile, exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';
import { UserId } from './managing-schemas.ts';
import { Entry, EntryPath, SpaceId, Timestamp } from './schemas.ts';

const Principal = Type.String({
  title: 'Principal',
  description: 'Who has a role: `user:` and the id of a person, or `group:` and the name of a group.',
  examples: ['user:alice'],
});

const GrantPlace = Type.Object(
  {
    Id: Type.String({ description: 'The id of the entry.' }),
    Path: EntryPath,
  },
  { title: 'GrantPlace', description: 'The entry that a role was granted on.' },
);

const exampleAccessLine = {
  Principal: 'user:alice',
  Role: 'editor',
  From: { Id: exampleIds.folder, Path: '/Invoices' },
} as const;

const AccessLine = Type.Object(
  {
    Principal,
    Role: Type.Enum([...roles], { description: 'What it allows.', examples: ['editor'] }),
    From: Type.Union([GrantPlace, Type.Enum(['space'])], {
      description: 'The entry that it was granted on: this one, or a folder above it. `space`: a role in the space.',
      examples: ['space'],
    }),
  },
  {
    title: 'AccessLine',
    description: 'One reason why somebody may see the entry.',
    examples: [exampleAccessLine],
  },
);

export const AccessList = Type.Object(
  { Access: Type.Array(AccessLine, { description: 'One line for each person or group and reason.' }) },
  { title: 'AccessList', description: 'Who may see an entry, and why.' },
);

export const Grant = Type.Object(
  { Role: Type.Enum([...grantRoles], { description: 'What they may do.' }) },
  { title: 'Grant', description: 'What is granted on an entry and everything beneath it.' },
);

const SharedSpace = Type.Object(
  {
    Id: SpaceId,
    Name: Type.String({ description: 'The name of the space that the entry is in.' }),
  },
  { title: 'SharedSpace', description: 'The space that an entry is in.' },
);

const SharedEntry = Type.Object(
  {
    Entry,
    Role: Type.Enum([...grantRoles], { description: 'What the caller may do.' }),
    Space: SharedSpace,
    GrantedBy: Type.String({ description: 'In the form of `CreatedBy`.' }),
    GrantedAt: Timestamp,
  },
  { title: 'SharedEntry', description: 'An entry that was shared with the caller.' },
);

export const SharedEntries = Type.Object(
  { Entries: Type.Array(SharedEntry, { description: 'Each entry once, with the largest role.' }) },
  { title: 'SharedEntries', description: 'What is shared with the caller.' },
);

const groupFields = Type.Object(
  {
    Name: Type.String({ description: 'What `group:` and the name refers to in grants.' }),
    Members: Type.Array(UserId, { description: 'The people who were added to it.' }),
  },
  { title: 'GroupFields', description: 'The name and the people of a group.' },
);

export const Group = Type.Object({ Group: groupFields }, { title: 'Group', description: 'A group of people.' });

export const Groups = Type.Object(
  { Groups: Type.Array(groupFields, { description: 'By name.' }) },
  { title: 'Groups', description: 'The groups of a space.' },
);

const memberIds = (description: string) => Type.Array(UserId, { maxItems: 1000, description });

export const AddGroup = Type.Object(
  {
    Name: Type.String({
      maxLength: 100,
      enforced: { minLength: 1 },
      description: 'A name that no other group of the space has, 1 to 100 characters.',
    }),
    Members: Type.Optional(memberIds('Nobody by default.')),
  },
  { title: 'AddGroup', description: 'A new group.' },
);

export const ChangeGroup = Type.Object(
  { Add: Type.Optional(memberIds('Who joins.')), Remove: Type.Optional(memberIds('Who leaves.')) },
  { title: 'ChangeGroup', description: 'Who joins and who leaves.' },
);

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
