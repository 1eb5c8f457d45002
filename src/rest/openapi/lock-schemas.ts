// The schemas of locks.

import { exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';

const Lock = Type.Object(
  {
    EntryId: Type.String({ description: 'The entry on which it was taken: this one, or a folder above it.' }),
    Scope: Type.Enum(['exclusive', 'shared'], { description: 'A shared lock admits other shared ones.' }),
    Depth: Type.Enum(['0', 'infinity'], { description: '`infinity`: it binds everything beneath the entry too.' }),
    TakenBy: Type.String({ description: 'Who holds it, in the form of `CreatedBy`.' }),
    Owner: Type.Union([Type.String(), Type.Null()], {
      description: 'What the program says of itself (`DAV:owner`), as text.',
    }),
    ExpiresAt: Type.String({ format: 'date-time', description: 'When it ends unless it is refreshed.' }),
  },
  { title: 'Lock', description: 'Who keeps others from changing an entry.' },
);

export const Locks = Type.Object(
  { Locks: Type.Array(Lock, { description: 'Those that bind the entry.' }) },
  { title: 'Locks', description: 'The locks of an entry.' },
);

export const exampleLock = {
  EntryId: exampleIds.file,
  Scope: 'exclusive',
  Depth: '0',
  TakenBy: 'alice',
  Owner: "Alice's laptop",
  ExpiresAt: '2026-01-15T10:30:00.000Z',
};
