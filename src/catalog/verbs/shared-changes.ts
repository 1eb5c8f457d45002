// The change feed for someone without a role in the space: the changes of what grants show, and `entry.hidden` for what they show
// no longer. Nothing else of the space is reported, not even that something happened.

import { read } from '../declaration.ts';
import { row, rows, tuples, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';
import {
  type ChangesPage,
  type FeedChange,
  type FeedEntry,
  findKept,
  type JournalRow,
  type PresentPage,
  toFeedEntry,
  treeActionList,
} from './changes.ts';
import { type EntryRow, findRow, selection, toRow } from './entries.ts';
import { findFormerFolder, findGrantsBeneath, listGrantTops, resolveEntry, toList } from './granted-access.ts';

interface Viewer {
  space: number;
  /** The person's id; null: none. */
  user: string | null;
  principals: readonly string[];
}

export interface ListSharedChanges extends Viewer {
  /** Null: from the oldest available change. */
  after: number | null;
  limit: number;
}

interface DetailedRow extends JournalRow {
  details: string;
}

/** Rows of the journal that one call scans. */
const maxScanned = 500;

export const listSharedChanges = read(
  { catchUp: 'journal' },
  function* listSharedChanges({ after, limit, ...viewer }: ListSharedChanges): Verb<ChangesPage> {
    const kept = yield* findKept();
    const from = after ?? kept.after;
    const scanned = yield* rows<DetailedRow>(sql`SELECT position, at, by, action, entry, details FROM journal
      WHERE space = ${viewer.space} AND position > ${from} AND (action IN (${treeActionList})
        OR action IN ('access.revoked', 'group.member-removed')) ORDER BY position LIMIT ${maxScanned}`);
    const changes: FeedChange[] = [];
    for (const change of scanned) {
      changes.push(...(yield* toSharedChanges(viewer, change)));
      if (changes.length >= limit) return { changes, upTo: change.position, hasMore: true, keptAfter: kept.after };
    }
    const hasMore = scanned.length === maxScanned;
    const upTo = hasMore ? (scanned.at(-1)?.position ?? from) : Math.max(from, kept.last);
    return { changes, upTo, hasMore, keptAfter: kept.after };
  },
);

interface Details {
  principal?: string;
  member?: string;
  /** Ids of the entries that were granted to the group. */
  granted?: string[];
  /** The id of the folder that the entry was in before. */
  from?: string;
  /** Of what leaves the trash: the folder that it was trashed from. */
  trashedFrom?: string;
}

function* toSharedChanges(viewer: Viewer, change: DetailedRow): Verb<FeedChange[]> {
  const details = JSON.parse(change.details) as Details;
  if (change.action === 'access.revoked') {
    const isOwn = yield* isPrincipal(viewer, details.principal ?? '');
    return isOwn ? yield* listHidden(viewer, change, [change.entry]) : [];
  }
  if (change.action === 'group.member-removed') {
    return details.member === viewer.user ? yield* listHidden(viewer, change, details.granted ?? []) : [];
  }
  const now = yield* findShown(viewer, change.entry);
  const { position, at, by, action, entry: entryId } = change;
  if (now !== null) return [{ position, at, by, action, entryId, now }];
  return yield* toUnshown(viewer, change, details);
}

/** Of an entry that the grants do not show now: what a reader who saw it before must know. */
function* toUnshown(viewer: Viewer, change: DetailedRow, details: Details): Verb<FeedChange[]> {
  const { position, at, by, action, entry: entryId } = change;
  if (action === 'entry.trashed' || action === 'entry.restored') {
    const above = yield* listBeneath(viewer, change);
    if (above.length > 0) return above;
  }
  if (action === 'entry.removed' && (yield* isShown(viewer, details.trashedFrom ?? details.from))) {
    return [{ position, at, by, action, entryId, now: null }];
  }
  return (yield* isShown(viewer, details.trashedFrom ?? details.from)) ? [toHidden(change, entryId)] : [];
}

/** What was granted beneath a folder above the view, which was trashed or restored. */
function* listBeneath(viewer: Viewer, change: DetailedRow): Verb<FeedChange[]> {
  const folder = yield* findRow(viewer.space, change.entry);
  if (folder === undefined) return [];
  const changes: FeedChange[] = [];
  for (const id of yield* findGrantsBeneath(viewer, folder.entry)) {
    const now = yield* findShown(viewer, id);
    const { position, at, by, action } = change;
    if (now === null) changes.push(toHidden(change, id));
    else if (action === 'entry.restored') changes.push({ position, at, by, action, entryId: id, now });
  }
  return changes;
}

function toHidden({ position, at }: JournalRow, entryId: string): FeedChange {
  return { position, at, by: '', action: 'entry.hidden', entryId, now: null };
}

function* listHidden(viewer: Viewer, change: JournalRow, ids: readonly string[]): Verb<FeedChange[]> {
  const hidden: FeedChange[] = [];
  for (const id of ids) if (!(yield* isShown(viewer, id))) hidden.push(toHidden(change, id));
  return hidden;
}

/** Whether the caller is, or is in, what lost a grant. A group may have no other grants. */
function* isPrincipal({ space, user, principals }: Viewer, principal: string): Verb<boolean> {
  if (principal === `user:${user}` || principals.includes(principal)) return true;
  if (user === null || !principal.startsWith('group:')) return false;
  const name = principal.slice('group:'.length);
  return (
    (yield* row(
      sql`SELECT name FROM group_members WHERE space = ${space} AND name = ${name} AND user_id = ${user}`,
    )) !== undefined
  );
}

function* isShown({ space, principals }: Viewer, id: string | undefined): Verb<boolean> {
  return id !== undefined && (yield* resolveEntry({ space, id, principals })) !== null;
}

/** The current state of an entry that the grants show. Its folder is named only if they show that too. */
function* findShown({ space, principals }: Viewer, id: string): Verb<FeedEntry | null> {
  const granted = yield* resolveEntry({ space, id, principals });
  const found = granted === null ? undefined : yield* findRow(space, id);
  if (granted === null || found === undefined) return null;
  return yield* toShown(found, granted.parentRole !== null);
}

/** In the trash: with the folder that it was trashed from. When that leaves the view, so does everything it showed. */
function* toShown(found: EntryRow, isFolderShown: boolean): Verb<FeedEntry | null> {
  const feed = yield* toFeedEntry(found);
  if (feed === null) return null;
  if (!isFolderShown) return { ...feed, parentId: null };
  return feed.isTrashed ? { ...feed, parentId: yield* findFormerFolder(found.entry) } : feed;
}

export interface ListSharedPresent extends Viewer {
  /** The number of the last entry of the previous page. */
  after: number;
  limit: number;
}

/** All entries that the grants show, in order of creation, including those in the trash. */
export const listSharedPresent = read(
  { catchUp: 'journal' },
  function* listSharedPresent({ after, limit, ...viewer }: ListSharedPresent): Verb<PresentPage> {
    const tops = yield* listTops(viewer);
    const { last: position } = yield* findKept();
    if (tops.size === 0) return { entries: [], next: null, position };
    const found = yield* tuples(sql`WITH RECURSIVE down (number) AS (
        SELECT entry FROM entries WHERE entry IN (${toList([...tops.keys()])})
        UNION
        SELECT entries.entry FROM down JOIN entries ON entries.space = ${viewer.space} AND entries.parent = down.number
      )
      SELECT ${selection} FROM entries WHERE entry IN (SELECT number FROM down) AND entry > ${after}
      ORDER BY entry LIMIT ${limit + 1}`);
    const shown = found.slice(0, limit).map(toRow);
    const entries: FeedEntry[] = [];
    for (const entry of shown) {
      const feed = yield* toShown(entry, tops.get(entry.entry) ?? true);
      if (feed !== null) entries.push(feed);
    }
    return { entries, next: found.length > limit ? (shown.at(-1)?.entry ?? null) : null, position };
  },
);

/** Also of trees in the trash. By number: whether the folder of the entry, now or before, is shown too. */
function* listTops({ space, principals }: Viewer): Verb<Map<number, boolean>> {
  const tops = new Map((yield* listGrantTops({ space, principals })).map(({ entry }) => [entry, false]));
  const trashed = yield* rows<{ entry: number; id: string }>(
    sql`SELECT entries.entry AS entry, id FROM trash JOIN entries ON entries.entry = trash.entry
      WHERE trash.space = ${space}`,
  );
  for (const { entry, id } of trashed) {
    const granted = yield* resolveEntry({ space, id, principals });
    if (granted !== null) tops.set(entry, granted.parentRole !== null);
  }
  return tops;
}
