// The schemas of changes of many entries at once.

import { entryActions, maxEntriesAtOnce } from '../../operations/change-entries.ts';
import { exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';
import { Entry, EntryConflict, ErrorDetails } from './schemas.ts';

export const ChangeEntries = Type.Object(
  {
    Action: Type.Enum(entryActions, { description: '`trash` can be undone by `restore`; `delete` is for good.' }),
    EntryIds: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: maxEntriesAtOnce,
      description: 'Folders and files; each is changed by itself.',
    }),
    ParentFolderId: Type.Optional(
      Type.String({
        description:
          'Where to: needed to move; where copies go (absent: the root) and what is restored (absent: where it was). -root- is the root.',
      }),
    ),
    ConflictBehavior: Type.Optional(EntryConflict),
  },
  { title: 'ChangeEntries', description: 'What to do, and to which entries.' },
);

const Result = Type.Object(
  {
    EntryId: Type.String({ description: 'As it was sent.' }),
    Entry: Type.Optional(Entry),
    Error: Type.Optional(ErrorDetails),
  },
  { title: 'EntryResult', description: 'The entry, or why it was refused.' },
);

const Job = Type.Object(
  {
    Id: Type.String({ description: 'What GET /jobs/{id} takes.' }),
    Done: Type.Integer({ minimum: 0, description: 'How many entries it is done with.' }),
    Total: Type.Integer({ description: 'How many entries there are to change.', minimum: 1 }),
    State: Type.Enum(['running', 'done', 'failed', 'interrupted'], {
      description: '`failed` by a fault of the service, `interrupted` by its end: what was changed until then stays.',
    }),
  },
  { title: 'Job', description: 'A change of many entries that goes on after the answer.' },
);

export const EntryResults = Type.Object(
  {
    Results: Type.Optional(Type.Array(Result, { description: 'One for each id, in the order of the request.' })),
    Job: Type.Optional(Job),
  },
  { title: 'EntryResults', description: 'What became of each entry, or the job that sees to it.' },
);

export const JobAnswer = Type.Object(
  {
    Job,
    Results: Type.Optional(Type.Array(Result, { description: 'Once it is done.' })),
  },
  { title: 'JobAnswer', description: 'How far a job is.' },
);

export const exampleJob = { Id: exampleIds.file, Done: 1200, Total: 5000, State: 'running' };
