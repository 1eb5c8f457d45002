// The journal as webhooks read it: the changes of a space in order, and for each change what it is about, and whether that
// was beneath a folder then.
// A receiver may be late, and folders may have moved or vanished since. So the folder above an entry at a position of the
// journal is read from the next change of the entry's place, else from the entry as it is now, else from the last change before.

import type { Entry, Kind } from '../../domain/entry.ts';
import { read } from '../declaration.ts';
import { row, rows, type Verb } from '../sql.ts';
import { raw, sql } from '../statement.ts';
import { findRow, toEntry } from './entries.ts';
import { findJournalEnds } from './journal.ts';
import { hiddenId, isVisible, locate, pathOf, trashId } from './tree.ts';

export interface SpaceChange {
  position: number;
  at: number;
  by: string;
  action: string;
  entry: string;
  details: string;
}

export interface SpaceJournalPage {
  changes: SpaceChange[];
  /** The position up to which the page is complete. */
  upTo: number;
  /** The position before the oldest row of the journal that is kept here. */
  keptAfter: number;
}

export interface ListSpaceJournal {
  space: number;
  after: number;
  limit: number;
}

export const listSpaceJournal = read(
  { catchUp: 'journal' },
  function* listSpaceJournal({ space, after, limit }: ListSpaceJournal): Verb<SpaceJournalPage> {
    const changes = yield* rows<SpaceChange>(sql`SELECT position, at, by, action, entry, details FROM journal
      WHERE space = ${space} AND position > ${after} ORDER BY position LIMIT ${limit}`);
    const ends = yield* findJournalEnds({});
    const keptAfter = (ends?.first ?? 1) - 1;
    const last = changes.length === limit ? changes.at(-1)?.position : ends?.last;
    return { changes, upTo: Math.max(after, last ?? after), keptAfter };
  },
);

/** Rows are in commit order, which differs slightly from time order, and clocks are set back; by less than this. */
const disorderMs = 60 * 60 * 1000;

/** The first position of the space whose change is not before `since`; the one after the newest if there is none. Null: older
 *  changes are no longer kept. */
export const findPositionSince = read(
  { catchUp: 'journal' },
  function* findPositionSince({ space, since }: { space: number; since: number }): Verb<number | null> {
    const ends = yield* findJournalEnds({});
    if (ends === null) return 1;
    let [low, high] = [ends.first, ends.last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (yield* isBefore(middle, since - disorderMs)) low = middle + 1;
      else high = middle;
    }
    if (low === ends.first && ends.first > 1 && !(yield* isBefore(ends.first, since + 1))) return null;
    const found = yield* row<{ position: number }>(sql`SELECT position FROM journal
      WHERE space = ${space} AND position >= ${low} AND at >= ${since} ORDER BY position LIMIT 1`);
    return found?.position ?? ends.last + 1;
  },
);

function* isBefore(position: number, time: number): Verb<boolean> {
  const found = yield* row<{ at: number }>(sql`SELECT at FROM journal WHERE position = ${position}`);
  return found !== undefined && found.at < time;
}

export interface DescribeChange {
  space: number;
  change: SpaceChange;
  /** Null: wherever it was. */
  folder: string | null;
}

export interface ChangeSubject {
  /** Null: it can no longer be known. */
  kind: Kind | null;
  /** As it is now; null once it is removed for good. */
  entry: Entry | null;
  /** Null in the trash, too. */
  path: string | null;
  /** Whether it was the folder or beneath it before or after the change. What can no longer be known counts as beneath. */
  isBeneath: boolean;
}

export const describeChange = read(
  { catchUp: 'journal' },
  function* describeChange({ space, change, folder }: DescribeChange): Verb<ChangeSubject> {
    const details = toPlacing(change.details);
    const found = yield* findRow(space, change.entry);
    const located = found === undefined ? undefined : yield* locate(found);
    const isGone = located === undefined || located.above.at(-1)?.id === hiddenId;
    return {
      kind: located === undefined ? (details.kind ?? null) : toEntry(located).kind,
      entry: isGone ? null : toEntry(located),
      path: isGone || !isVisible(located) ? null : pathOf(located),
      isBeneath: folder === null || (yield* wasBeneath(space, change, folder)),
    };
  },
);

function* wasBeneath(space: number, { entry, position, action, details }: SpaceChange, folder: string): Verb<boolean> {
  if (entry === folder) return true;
  const isPlaced = action.startsWith('entry.') || action.startsWith('file.') || action.startsWith('folder.');
  const { parent, from } = isPlaced ? toPlacing(details) : {};
  // `entry.trashed` says where it was, the others where it is.
  const before = from ?? (action === 'entry.trashed' ? parent : undefined);
  const after = action === 'entry.trashed' ? undefined : parent;
  if (before === undefined && after === undefined) return yield* isAt(space, entry, position, folder);
  if (after !== undefined && (yield* isAt(space, after, position, folder))) return true;
  return before !== undefined && (yield* isAt(space, before, position - 1, folder));
}

/** More than the levels of a tree. */
const maxLevels = 200;

/** Whether an entry was the folder or beneath it at a position. */
function* isAt(space: number, entry: string, position: number, folder: string): Verb<boolean> {
  let at: string | null | undefined = entry;
  for (let level = 0; level < maxLevels; level += 1) {
    if (at === folder || at === undefined) return true;
    if (at === null || at === trashId || at === hiddenId) return false;
    at = yield* findFolderAt(space, at, position);
  }
  return false;
}

/** As in the index `journal_placements`. */
const placements = raw(
  `'folder.created', 'entry.changed', 'entry.attached', 'entry.trashed', 'entry.restored', 'entry.removed'`,
);
/** Rows of earlier releases do not all say where an entry was. */
const maxPlacements = 20;

/** The folder that contained an entry after the change at `position`. Null: none. Undefined: it can no longer be known. */
function* findFolderAt(space: number, entry: string, position: number): Verb<string | null | undefined> {
  const later = yield* rows<{ action: string; details: string }>(sql`SELECT action, details FROM journal
    WHERE space = ${space} AND entry = ${entry} AND position > ${position} AND action IN (${placements})
    ORDER BY position LIMIT ${maxPlacements}`);
  for (const change of later) {
    const before = toFolderBefore(change);
    if (before !== undefined) return before;
  }
  const now = yield* row<{ id: string | null }>(sql`SELECT above.id AS id FROM entries
    LEFT JOIN entries AS above ON above.entry = entries.parent WHERE entries.space = ${space} AND entries.id = ${entry}`);
  if (now !== undefined) return now.id;
  const last = yield* row<{ action: string; details: string }>(sql`SELECT action, details FROM journal
    WHERE space = ${space} AND entry = ${entry} AND position <= ${position} AND action IN (${placements})
    ORDER BY position DESC LIMIT 1`);
  if (last === undefined) return undefined;
  if (last.action === 'entry.trashed') return trashId;
  return last.action === 'entry.removed' ? null : toPlacing(last.details).parent;
}

/** Where an entry was before a change of its place; undefined: the change does not say. */
function toFolderBefore({ action, details }: { action: string; details: string }): string | null | undefined {
  const { parent, from } = toPlacing(details);
  if (action === 'entry.trashed') return parent;
  if (action === 'entry.restored') return trashId;
  if (action === 'entry.removed') return from ?? trashId;
  if (action === 'entry.changed') return from;
  // While a tree is copied it counts as where it will be.
  return action === 'entry.attached' ? parent : null;
}

interface Placing {
  kind?: Kind;
  parent?: string;
  from?: string;
}

function toPlacing(details: string): Placing {
  const { kind, parent, from } = JSON.parse(details) as Record<string, unknown>;
  return {
    ...((kind === 'file' || kind === 'folder') && { kind }),
    ...(typeof parent === 'string' && { parent }),
    ...(typeof from === 'string' && { from }),
  };
}
