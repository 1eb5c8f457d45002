// The change feed: the changes of one space in journal order, each with the current state of its entry; and a listing of the
// whole tree to start from. A reader that lists the tree and then follows the feed, from the position where the listing
// began, misses nothing: changes during the listing come again.

import type { Entry } from '../../domain/entry.ts';
import { read } from '../declaration.ts';
import { row, rows, together, tuples, type Verb } from '../sql.ts';
import { raw, sql } from '../statement.ts';
import { type EntryRow, findRow, requireRow, selection, toEntry, toRow } from './entries.ts';
import { hiddenId, trashId } from './tree.ts';

export interface FeedEntry {
  entry: Entry;
  /** Null for a root, and for the top of a tree in the trash. */
  parentId: string | null;
  isTrashed: boolean;
}

export interface FeedChange {
  position: number;
  at: number;
  by: string;
  action: string;
  entryId: string;
  /** The current state; null once it is removed for good. */
  now: FeedEntry | null;
}

export interface ListChanges {
  space: number;
  /** Null: from the oldest available change. */
  after: number | null;
  limit: number;
}

export interface ChangesPage {
  changes: FeedChange[];
  /** The position up to which the page is complete. */
  upTo: number;
  hasMore: boolean;
  /** The position before the oldest available change: a reader before it has missed changes. */
  keptAfter: number;
}

/** Actions that the feed reports. The others are only for the audit log. */
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
  'entry.locked',
  'entry.unlocked',
  'entry.properties-changed',
  'version.restored',
  'version.removed',
  'version.commented',
];

export const treeActionList = raw(treeActions.map((action) => `'${action}'`).join(', '));

/** Rows of the journal that one page scans: there may be many of other kinds. */
const maxScanned = 2000;

export interface JournalRow {
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
    const found = yield* rows<JournalRow>(sql`SELECT position, at, by, action, entry
      FROM (${lookedAt}) AS looked
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

export function* findKept(): Verb<{ after: number; last: number }> {
  const first = yield* row<{ position: number | null }>(sql`SELECT min(position) AS position FROM journal`);
  const last = yield* row<{ position: number | null }>(sql`SELECT max(position) AS position FROM journal`);
  return { after: (first?.position ?? 1) - 1, last: last?.position ?? 0 };
}

/** Null for removed trees that are not purged yet and for unfinished copies: their tops do not exist for readers. */
export function* toFeedEntry(found: EntryRow): Verb<FeedEntry | null> {
  const holder = found.parent === null ? undefined : yield* requireRow(found.parent);
  if (holder?.id === hiddenId) return null;
  const isTrashed = holder?.id === trashId;
  return { entry: toEntry(found), parentId: isTrashed ? null : (holder?.id ?? null), isTrashed };
}

export interface ListPresent {
  space: number;
  /** The number of the last entry of the previous page. */
  after: number;
  limit: number;
}

export interface PresentPage {
  entries: FeedEntry[];
  /** Null on the last page. */
  next: number | null;
  /** The last position of the journal. */
  position: number;
}

/** All entries of a space in order of creation, including the trash. */
export const listPresent = read(
  { catchUp: 'journal' },
  function* listPresent({ space, after, limit }: ListPresent): Verb<PresentPage> {
    const found = yield* tuples(
      sql`SELECT ${selection} FROM entries WHERE space = ${space} AND entry > ${after} AND parent IS NOT NULL
        ORDER BY entry LIMIT ${limit + 1}`,
    );
    const shown = found.slice(0, limit).map(toRow);
    const feed = yield* together(shown.map(toFeedEntry));
    const entries = feed.filter((entry) => entry !== null);
    const { last } = yield* findKept();
    return { entries, next: found.length > limit ? (shown.at(-1)?.entry ?? null) : null, position: last };
  },
);
