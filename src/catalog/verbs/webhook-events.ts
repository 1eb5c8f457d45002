// The journal as webhooks read it: the changes of a space in order, and for each change what it is about, and which
// folders that was beneath then.
// A receiver may be late, and folders may have moved or vanished since. So the folder above an entry at a position of the
// journal is read from the next change of the entry's place, else from the entry as it is now, else from the last change before.

import type { Entry, Kind } from '../../domain/entry.ts';
import { read } from '../declaration.ts';
import { row, rows, type Verb } from '../sql.ts';
import { raw, sql } from '../statement.ts';
import { findRow, toEntry, toKind } from './entries.ts';
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

export interface ShowSubject {
  space: number;
  entry: string;
}

export interface ChangeSubject {
  /** As it is now; null once it is removed for good. */
  entry: Entry | null;
  /** Null in the trash, too. */
  path: string | null;
}

/** What a change is about, as it is now. */
export const showSubject = read({}, function* showSubject({ space, entry }: ShowSubject): Verb<ChangeSubject> {
  const found = yield* findRow(space, entry);
  const located = found === undefined ? undefined : yield* locate(found);
  if (located === undefined || located.above.at(-1)?.id === hiddenId) return { entry: null, path: null };
  return { entry: toEntry(located), path: isVisible(located) ? pathOf(located) : null };
});

/** A file or a folder; null: it can no longer be known. */
export const findKind = read(
  { catchUp: 'journal' },
  function* findKind({ space, change }: { space: number; change: SpaceChange }): Verb<Kind | null> {
    const { kind } = toPlacing(change.details);
    if (kind !== undefined) return kind;
    const found = yield* findRow(space, change.entry);
    return found === undefined ? null : toKind(found.kind);
  },
);

export interface PlaceChanges {
  space: number;
  /** In the order of their positions. */
  changes: readonly SpaceChange[];
  folders: readonly string[];
}

/** For each change, which of the folders its entry was, or lay beneath, before or after it. What can no longer be known counts as
 *  beneath all of them. */
export const placeChanges = read(
  { catchUp: 'journal' },
  function* placeChanges({ space, changes, folders }: PlaceChanges): Verb<string[][]> {
    const places: Places = { space, folders: new Set(folders), settled: new Map() };
    const placed: string[][] = [];
    for (const change of changes) placed.push([...(yield* findPlaces(places, change))]);
    return placed;
  },
);

interface Places {
  space: number;
  folders: ReadonlySet<string>;
  /** The folder above an entry that has not moved since: it is the same at every later position. */
  settled: Map<string, string | null>;
}

function* findPlaces(places: Places, { entry, position, action, details }: SpaceChange): Verb<Set<string>> {
  const found = new Set<string>();
  const isPlaced = action.startsWith('entry.') || action.startsWith('file.') || action.startsWith('folder.');
  const { parent, from } = isPlaced ? toPlacing(details) : {};
  // `entry.trashed` says where it was, the others where it is.
  const before = from ?? (action === 'entry.trashed' ? parent : undefined);
  const after = action === 'entry.trashed' ? undefined : parent;
  if (places.folders.has(entry)) found.add(entry);
  if (before === undefined && after === undefined) yield* addAbove(places, { entry, position }, found);
  if (after !== undefined) yield* addAbove(places, { entry: after, position }, found);
  if (before !== undefined) yield* addAbove(places, { entry: before, position: position - 1 }, found);
  return found;
}

/** More than the levels of a tree. */
const maxLevels = 200;

/** Adds the folders that an entry was, or lay beneath, at a position. */
function* addAbove(places: Places, at: { entry: string; position: number }, found: Set<string>): Verb<void> {
  const { folders } = places;
  let entry: string | null | undefined = at.entry;
  for (let level = 0; level < maxLevels; level += 1) {
    if (entry === undefined) {
      for (const folder of folders) found.add(folder);
      return;
    }
    if (entry === null || entry === trashId || entry === hiddenId) return;
    if (folders.has(entry)) found.add(entry);
    entry = yield* findFolderAt(places, entry, at.position);
  }
}

/** As in the index `journal_placements`. */
const placements = raw(
  `'folder.created', 'entry.changed', 'entry.attached', 'entry.trashed', 'entry.restored', 'entry.removed'`,
);
/** Rows of earlier releases do not all say where an entry was. */
const maxPlacements = 20;

/** The folder that contained an entry after the change at `position`. Null: none. Undefined: it can no longer be known. */
function* findFolderAt(places: Places, entry: string, position: number): Verb<string | null | undefined> {
  const { space, settled } = places;
  const known = settled.get(entry);
  if (known !== undefined) return known;
  const later = yield* rows<{ action: string; details: string }>(sql`SELECT action, details FROM journal
    WHERE space = ${space} AND entry = ${entry} AND position > ${position} AND action IN (${placements})
    ORDER BY position LIMIT ${maxPlacements}`);
  for (const change of later) {
    const before = toFolderBefore(change);
    if (before !== undefined) return before;
  }
  const now = yield* row<{ id: string | null }>(sql`SELECT above.id AS id FROM entries
    LEFT JOIN entries AS above ON above.entry = entries.parent WHERE entries.space = ${space} AND entries.id = ${entry}`);
  if (now !== undefined) {
    if (later.length === 0) settled.set(entry, now.id);
    return now.id;
  }
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
