// What is loaded of a folder: stretches of entries side by side, each with its position. The first one begins at the start; between
// two there is a gap, whose size is what the number of entries says. Positions are put right whenever stretches meet, or the service
// says how many there are. Stretches are not changed but replaced.

import type { Entry, FolderPage } from '@cabinet/client';
import type { Comparison } from './entry-order.ts';

export interface Stretch {
  /** The position of its first entry. */
  start: number;
  entries: readonly Entry[];
  /** Cursors of the pages after and before it; null at the end and at the start of the folder. */
  next: string | null;
  previous: string | null;
}

export interface Listed {
  folder: Entry;
  /** How many are in the folder. */
  total: number;
  stretches: readonly Stretch[];
}

/** A page to load: the one that a cursor leads to, or from a position on. */
export type Wanted =
  | { way: 'next' | 'previous'; cursor: string }
  /** A negative one counts from the end. */
  | { way: 'jump'; offset: number };

export interface Range {
  first: number;
  last: number;
}

export function endOf({ start, entries }: Stretch): number {
  return start + entries.length;
}

export function beginListed(page: FolderPage): Listed {
  const { Folder, Children, childCount, next } = page;
  return settle(Folder, childCount, [{ start: 0, entries: Children, next, previous: null }]);
}

export function entryAt({ stretches }: Listed, position: number): Entry | undefined {
  const stretch = stretches.findLast(({ start }) => start <= position);
  return stretch?.entries[position - stretch.start];
}

export function positionOf({ stretches }: Listed, id: string): number {
  for (const { start, entries } of stretches) {
    const index = entries.findIndex(({ Id }) => Id === id);
    if (index !== -1) return start + index;
  }
  return -1;
}

/** The stretch that all of these positions are in. */
export function findStretch({ stretches }: Listed, { first, last }: Range): Stretch | undefined {
  return stretches.find((stretch) => stretch.start <= first && last < endOf(stretch));
}

export function isWhole({ stretches }: Listed): boolean {
  return stretches.length === 1 && stretches[0]?.next === null;
}

/** A page of a list that has changed since it was asked for may have no place any more. */
export function addPage(listed: Listed, wanted: Wanted, page: FolderPage, compare: Comparison): Listed {
  const { Folder, Children, childCount, next, previous } = page;
  const { stretches } = listed;
  if (wanted.way === 'jump') {
    const start = wanted.offset < 0 ? Math.max(0, childCount + wanted.offset) : wanted.offset;
    const some = Children.length === 0 ? [] : [{ start, entries: Children, next, previous }];
    return settle(Folder, childCount, join([...stretches, ...some], compare));
  }
  const grown = stretches.map((stretch): Stretch => {
    if (wanted.way === 'next' && stretch.next === wanted.cursor) {
      return { ...stretch, entries: [...stretch.entries, ...Children], next };
    }
    if (wanted.way === 'previous' && stretch.previous === wanted.cursor) {
      return {
        ...stretch,
        start: stretch.start - Children.length,
        entries: [...Children, ...stretch.entries],
        previous,
      };
    }
    return stretch;
  });
  return settle(Folder, childCount, join(grown, compare));
}

/** Sorts stretches, and makes one of those that overlap. */
function join(stretches: readonly Stretch[], compare: Comparison): Stretch[] {
  const [first, ...others] = stretches;
  const sorted = others.toSorted((a, b) => compare(a.entries[0] as Entry, b.entries[0] as Entry));
  const joined: Stretch[] = [];
  for (const stretch of first === undefined ? [] : [first, ...sorted]) {
    const before = joined.at(-1);
    const last = before?.entries.at(-1);
    // Nothing is after the last page.
    if (before?.next === null && (last === undefined || compare(stretch.entries.at(-1) as Entry, last) <= 0)) continue;
    if (before === undefined || last === undefined || compare(last, stretch.entries[0] as Entry) < 0) {
      joined.push(stretch);
    } else joined[joined.length - 1] = merge(before, stretch, compare);
  }
  return joined;
}

/** Both know the same entries where they overlap; the later one is the newer one there. */
function merge(a: Stretch, b: Stretch, compare: Comparison): Stretch {
  const [first, last] = [b.entries[0] as Entry, b.entries.at(-1) as Entry];
  const before = a.entries.filter((entry) => compare(entry, first) < 0);
  const after = a.entries.filter((entry) => compare(entry, last) > 0);
  return { ...a, entries: [...before, ...b.entries, ...after], next: after.length > 0 ? a.next : b.next };
}

/** Puts positions right: the last page ends at the end, and no stretch is over another one. */
export function settle(folder: Entry, count: number, stretches: readonly Stretch[]): Listed {
  let limit = count;
  const fromEnd = stretches.toReversed().map((stretch, index): Stretch => {
    const isLast = index === 0 && stretch.next === null;
    const most = limit - stretch.entries.length;
    const start = isLast ? most : Math.min(stretch.start, most);
    limit = start;
    return { ...stretch, start };
  });
  let end = 0;
  const settled = fromEnd.toReversed().map((stretch, index): Stretch => {
    const start = index === 0 ? 0 : Math.max(end, stretch.start);
    end = start + stretch.entries.length;
    return { ...stretch, start };
  });
  const isAll = settled.length === 1 && settled[0]?.next === null;
  return { folder, total: isAll ? end : Math.max(end, count), stretches: settled };
}

/** Pages are loaded when this many rows are left. */
const aheadRows = 60;
/** Where the gap is no larger, a stretch grows towards the wanted rows; otherwise a new one begins there. */
const nearRows = 200;

/** What to load so that these rows are shown, and some around them; null if nothing is missing. */
export function findMissing(listed: Listed, { first, last }: Range): Wanted | null {
  const { stretches, total } = listed;
  const shown = stretches.filter((stretch) => stretch.start <= last && endOf(stretch) > first);
  for (const stretch of shown) {
    if (stretch.next !== null && endOf(stretch) <= last + aheadRows) return { way: 'next', cursor: stretch.next };
    const isNear = stretch.start > 0 && stretch.start >= first - aheadRows;
    if (stretch.previous !== null && isNear) return { way: 'previous', cursor: stretch.previous };
  }
  if (shown.length > 0 || first >= total) return null;
  const before = stretches.findLast((stretch) => endOf(stretch) <= first);
  if (before?.next && first - endOf(before) <= nearRows) return { way: 'next', cursor: before.next };
  const after = stretches.find(({ start }) => start > last);
  if (after?.previous && after.start - last <= nearRows) return { way: 'previous', cursor: after.previous };
  const offset = Math.max(0, Math.floor((first + last - nearRows) / 2));
  return { way: 'jump', offset: offset > total / 2 ? offset - total : offset };
}

/** The current state of an entry and its folder; null if it is in no folder any more. */
export interface EntryUpdate {
  id: string;
  entry: Entry | null;
  parent: string | null;
}

/** Takes over changes. What lies in a gap is not inserted: a page will have it. */
export function placeEntries(listed: Listed, byId: ReadonlyMap<string, EntryUpdate>, compare: Comparison): Listed {
  const folder = byId.get(listed.folder.Id)?.entry ?? listed.folder;
  const moved = new Set<string>();
  let stretches = listed.stretches.map((stretch): Stretch => {
    const gone = stretch.entries.filter(({ Id }) => byId.has(Id));
    if (gone.length === 0) return { ...stretch, start: stretch.start - moved.size };
    const start = stretch.start - moved.size;
    for (const { Id } of gone) moved.add(Id);
    return { ...stretch, start, entries: stretch.entries.filter(({ Id }) => !byId.has(Id)) };
  });
  let total = listed.total - moved.size;
  for (const { id, entry, parent } of byId.values()) {
    if (entry === null || parent !== listed.folder.Id) continue;
    const index = stretches.findIndex((stretch) => isWithin(stretch, entry, compare));
    // Whether one in a gap is new is not known; the service will say how many there are.
    if (index === -1 && !moved.has(id)) continue;
    total += 1;
    stretches = stretches.map((stretch, at) => {
      if (at === index) return { ...stretch, entries: insert(stretch.entries, entry, compare) };
      return at > 0 && isBefore(entry, stretch, compare) ? { ...stretch, start: stretch.start + 1 } : stretch;
    });
  }
  // One that became empty has no place. The first one is the start of the folder.
  const kept = stretches.filter(({ entries }, index) => index === 0 || entries.length > 0);
  return settle(folder, total, kept);
}

function isWithin({ start, entries, next }: Stretch, entry: Entry, compare: Comparison): boolean {
  const [first, last] = [entries[0], entries.at(-1)];
  const isAfterStart = start === 0 || (first !== undefined && compare(first, entry) < 0);
  return isAfterStart && (next === null || (last !== undefined && compare(entry, last) < 0));
}

function isBefore(entry: Entry, { entries: [first] }: Stretch, compare: Comparison): boolean {
  return first !== undefined && compare(entry, first) < 0;
}

function insert(entries: readonly Entry[], entry: Entry, compare: Comparison): Entry[] {
  const at = entries.findIndex((other) => compare(entry, other) < 0);
  return entries.toSpliced(at === -1 ? entries.length : at, 0, entry);
}
