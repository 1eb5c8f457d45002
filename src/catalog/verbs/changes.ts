// The feed: the journal's changes of one space in their order, each with the entry as it is now; and, for those who begin
// in the middle, the tree as it is. Whoever reads the one and then the other, from the place where the first began, has
// missed nothing: what changed meanwhile comes again.

import type { Entry } from '../../domain/entry.ts';
import { read } from '../declaration.ts';
import { row, rows, together, tuples, type Verb } from '../sql.ts';
import { raw, sql } from '../statement.ts';
import { type EntryRow, findRow, requireRow, selection, toEntry, toRow } from './entries.ts';
import { hiddenId, trashId } from './tree.ts';

export interface FeedEntry {
  entry: Entry;
  /** Null for a root, and for the top of something in the trash. */
  parentId: string | null;
  isTrashed: boolean;
}

export interface FeedChange {
  position: number;
  at: number;
  by: string;
  action: string;
  entryId: string;
  /** As it is now; null once it is gone for good. */
  now: FeedEntry | null;
}

export interface ListChanges {
  space: number;
  /** Null: from the oldest that is kept. */
  after: number | null;
  limit: number;
}

export interface ChangesPage {
  changes: FeedChange[];
  /** The place up to which the page has seen everything. */
  upTo: number;
  hasMore: boolean;
  /** The place before the oldest change that is kept: a reader who is before it has missed some. */
  keptAfter: number;
}

/** What is told of the tree. Other lines of the journal are for the audit alone. */
const treeActions = [
  'folder.created',
  'file.created',
  'file.saved',
  'file.changed',
  'entry.changed',
  'folder.copied',
  'file.copied',
  'entry.attached',
  'entry.trashed',
  'entry.restored',
  'entry.removed',
  'version.restored',
  'version.removed',
  'version.commented',
];

const treeActionList = raw(treeActions.map((action) => `'${action}'`).join(', '));

/** Lines of the journal that one page looks at, at most: there may be many more of other kinds. */
const maxScanned = 2000;

interface JournalRow {
  position: number;
  at: number;
  by: string;
  action: string;
  entry: string;
}

export const listChanges = read(
  { catchUp: 'journal' },
  function* listChanges({ space, after, limit }: ListChanges): Verb<ChangesPage> {
    const kept = yield* findKept();
    const from = after ?? kept.after;
    const lookedAt = sql`SELECT * FROM journal WHERE space = ${space} AND position > ${from} ORDER BY position
      LIMIT ${maxScanned}`;
    const found = yield* rows<JournalRow>(sql`SELECT position, at, by, action, entry FROM (${lookedAt}) AS looked
     WHERE action IN (${treeActionList}) ORDER BY position LIMIT ${limit + 1}`);
    const changes = yield* together(found.slice(0, limit).map((change) => toFeedChange(space, change)));
    const keptAfter = kept.after;
    const last = changes.at(-1);
    if (found.length > limit && last !== undefined) return { changes, upTo: last.position, hasMore: true, keptAfter };
    const looked = yield* row<{ count: number; last: number | null }>(
      sql`SELECT count(*) AS count, max(position) AS last FROM (${lookedAt}) AS looked`,
    );
    const hasMore = looked?.count === maxScanned;
    return { changes, upTo: hasMore ? (looked.last ?? from) : Math.max(from, kept.last), hasMore, keptAfter };
  },
);

function* toFeedChange(space: number, { position, at, by, action, entry }: JournalRow): Verb<FeedChange> {
  const found = yield* findRow(space, entry);
  const now = found === undefined ? null : yield* toFeedEntry(found);
  return { position, at, by, action, entryId: entry, now };
}

function* findKept(): Verb<{ after: number; last: number }> {
  const first = yield* row<{ position: number | null }>(sql`SELECT min(position) AS position FROM journal`);
  const last = yield* row<{ position: number | null }>(sql`SELECT max(position) AS position FROM journal`);
  return { after: (first?.position ?? 1) - 1, last: last?.position ?? 0 };
}

/** Null for what was removed and is not taken apart yet, and for a copy that is not whole yet: by its top, it is not there. */
function* toFeedEntry(found: EntryRow): Verb<FeedEntry | null> {
  const holder = found.parent === null ? undefined : yield* requireRow(found.parent);
  if (holder?.id === hiddenId) return null;
  const isTrashed = holder?.id === trashId;
  return { entry: toEntry(found), parentId: isTrashed ? null : (holder?.id ?? null), isTrashed };
}

export interface ListPresent {
  space: number;
  /** The number of the last entry that was told. */
  after: number;
  limit: number;
}

export interface PresentPage {
  entries: FeedEntry[];
  /** Null when this was the last page. */
  next: number | null;
  /** The last place of the journal. */
  position: number;
}

/** Everything that there is in a space, in order of arrival, seen or in the trash. */
export const listPresent = read(
  { catchUp: 'journal' },
  function* listPresent({ space, after, limit }: ListPresent): Verb<PresentPage> {
    const found = yield* tuples(
      sql`SELECT ${selection} FROM entries WHERE space = ${space} AND entry > ${after} AND parent IS NOT NULL
        ORDER BY entry LIMIT ${limit + 1}`,
    );
    const shown = found.slice(0, limit).map(toRow);
    const told = yield* together(shown.map(toFeedEntry));
    const entries = told.filter((entry) => entry !== null);
    const { last } = yield* findKept();
    return { entries, next: found.length > limit ? (shown.at(-1)?.entry ?? null) : null, position: last };
  },
);
