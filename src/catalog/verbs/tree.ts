// The position of an entry in its tree: the folders above it, whether it is visible, and the sizes and heights above it. An
// entry is visible if its topmost folder is the root of its space. In the trash, and in trees that are being copied or
// purged, the topmost folder is a hidden one, whose id begins with a dash.

import { hash } from 'node:crypto';
import { deepestLevel, type Entry } from '../../domain/entry.ts';
import { Fault } from '../../domain/fault.ts';
import { folderNotFound, notAFolder } from '../../domain/missing.ts';
import { Refusal } from '../../domain/refusal.ts';
import { read } from '../declaration.ts';
import { add, execute, row, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';
import { type EntryRow, findRow, findRowByName, requireRow, toEntry } from './entries.ts';

export const trashId = '-trash-';
export const hiddenId = '-hidden-';

/** A folder above an entry. */
export interface FolderAbove {
  entry: number;
  id: string;
  name: string;
  parent: number | null;
  height: number;
}

/** An entry and the folders above it, nearest first. */
export interface LocatedEntry extends EntryRow {
  above: FolderAbove[];
}

/** The longest path to the top: the deepest folder, an entry in it, and the hidden folder above its tree. */
const longestWay = deepestLevel + 3;

export function* locate(found: EntryRow): Verb<LocatedEntry> {
  const above: FolderAbove[] = [];
  for (let parent = found.parent; parent !== null; ) {
    const next = yield* row<FolderAbove>(
      sql`SELECT entry, id, name, parent, height FROM entries WHERE entry = ${parent}`,
    );
    if (next === undefined) throw new Fault('other', `entry ${found.id} has lost its folder`);
    above.push(next);
    if (above.length > longestWay)
      throw new Fault('other', `the folders above entry ${found.id} lead round in circles`);
    parent = next.parent;
  }
  return { ...found, above };
}

/** The folder that contains it; null for a root. */
export function* findHolder(found: LocatedEntry): Verb<LocatedEntry | null> {
  const [holder, ...above] = found.above;
  return holder === undefined ? null : { ...(yield* requireRow(holder.entry)), above };
}

export function isVisible({ id, above }: LocatedEntry): boolean {
  return !(above.at(-1)?.id ?? id).startsWith('-');
}

/** Undefined: it does not exist, is in the trash, or is being purged. */
export function* findVisible(space: number, id: string): Verb<LocatedEntry | undefined> {
  const found = yield* findRow(space, id);
  if (found === undefined) return undefined;
  const located = yield* locate(found);
  return isVisible(located) ? located : undefined;
}

export function* requireFolder(space: number, id: string, target: string): Verb<LocatedEntry> {
  const folder = yield* findVisible(space, id);
  if (folder === undefined) throw folderNotFound(target);
  if (folder.kind !== 0) throw notAFolder(target);
  return folder;
}

/** The path of a root is `/`. */
export function pathOf({ name, above }: Pick<LocatedEntry, 'name' | 'above'>): string {
  return `/${[name, ...above.map((folder) => folder.name)].slice(0, -1).reverse().join('/')}`;
}

/** Adds to the size of a folder and of all folders above it; returns the ids of those above. */
export function* addToSizes(folder: LocatedEntry, deltaBytes: number): Verb<string[]> {
  if (deltaBytes === 0) return [];
  for (const { entry } of [folder, ...folder.above]) {
    yield* add({ kind: 'size', entry, bytes: deltaBytes });
  }
  return folder.above.map(({ id }) => id);
}

/** For `count` new folders, each in the one before it. */
export function checkLevel(parent: LocatedEntry, target: string, count = 1): void {
  if (parent.above.length + count > deepestLevel) throw tooDeep(target);
}

function tooDeep(target: string): Refusal {
  return new Refusal('TooDeep', `Folders can be nested ${deepestLevel} levels deep.`, { target });
}

/** Folders that are read to find the depth of a tree. */
const maxScanned = 10_000;

/** The same for a folder with a tree beneath it. Its recorded height may be too high; before refusing, it is computed. */
export function* checkTreeLevel(parent: LocatedEntry, space: number, folder: EntryRow, target: string): Verb<void> {
  const room = deepestLevel - parent.above.length - 1;
  if (folder.kind !== 0 || folder.height <= room) return;
  const looked = yield* row<{ height: number; count: number }>(sql`WITH RECURSIVE down (entry, level) AS (
       SELECT entry, 0 FROM entries WHERE entry = ${folder.entry}
       UNION ALL
       SELECT entries.entry, down.level + 1
       FROM down JOIN entries ON entries.space = ${space} AND entries.parent = down.entry AND entries.kind = 0
     )
     SELECT max(level) AS height, count(*) AS count FROM (SELECT level FROM down LIMIT ${maxScanned}) AS looked`);
  if (looked === undefined || looked.count >= maxScanned || looked.height > room) throw tooDeep(target);
  folder.height = looked.height;
  yield* execute(sql`UPDATE entries SET height = ${looked.height} WHERE entry = ${folder.entry}`);
}

/** A folder of this height was added. Stops at the first folder that is high enough already. */
export function* raiseHeights(parent: LocatedEntry, height: number): Verb<void> {
  let least = height + 1;
  for (const folder of [parent, ...parent.above]) {
    if (folder.height >= least) return;
    yield* execute(sql`UPDATE entries SET height = ${least} WHERE entry = ${folder.entry} AND height < ${least}`);
    least += 1;
  }
}

/** An entry with details that are not in its record. */
export interface EntryDetails {
  entry: Entry;
  path: string;
  /** Quoted. Changes with the record or the content, not with the size of a folder. */
  etag: string;
  /** Hexadecimal, of the current version; null for folders. */
  sha256: string | null;
  version: number;
}

export function* toDetails(found: LocatedEntry): Verb<EntryDetails> {
  return yield* toDetailsAt(found, { path: pathOf(found), holder: found.above[0]?.id ?? null });
}

/** The same at another place: an entry in the trash keeps its ETag. */
export function* toDetailsAt(
  found: EntryRow,
  { path, holder }: { path: string; holder: string | null },
): Verb<EntryDetails> {
  const sha256 = found.kind === 0 ? null : yield* findSha256(found);
  return compose({ entry: toEntry(found), path, sha256, version: found.version }, holder);
}

function compose(known: Omit<EntryDetails, 'etag'>, holder: string | null): EntryDetails {
  const { sizeBytes: _, ...record } = known.entry;
  const compared = JSON.stringify([record, holder, known.sha256, known.version]);
  return { ...known, etag: `"${hash('sha256', compared, 'base64url')}"` };
}

/** The same for a file that was just written, without reading it again. */
export function toFileDetails(
  folder: LocatedEntry,
  file: Entry,
  content: { sha256: Uint8Array; version: number },
): EntryDetails {
  const path = pathOf({ name: file.name, above: [folder, ...folder.above] });
  const sha256 = Buffer.from(content.sha256).toString('hex');
  return compose({ entry: file, path, sha256, version: content.version }, folder.id);
}

function* findSha256({ entry, version }: EntryRow): Verb<string | null> {
  const content = yield* row<{ sha256: Uint8Array }>(sql`SELECT sha256
    FROM versions JOIN contents ON contents.content = versions.content
     WHERE versions.entry = ${entry} AND versions.version = ${version}`);
  return content === undefined ? null : Buffer.from(content.sha256).toString('hex');
}

export interface FindEntry {
  space: number;
  id: string;
}

export const findEntry = read({}, function* findEntry({ space, id }: FindEntry): Verb<Entry | null> {
  const found = yield* findVisible(space, id);
  return found === undefined ? null : toEntry(found);
});

export const findDetails = read(
  { key: ({ space, id }) => `${space} ${id}` },
  function* findDetails({ space, id }: FindEntry): Verb<EntryDetails | null> {
    const found = yield* findVisible(space, id);
    return found === undefined ? null : yield* toDetails(found);
  },
);

export interface FindByPath {
  space: number;
  root: string;
  /** The NFC forms of the names, from the root down. */
  nameKeys: readonly string[];
}

export const findByPath = read(
  {},
  function* findByPath({ space, root, nameKeys }: FindByPath): Verb<EntryDetails | null> {
    let found = yield* findRow(space, root);
    for (const nameKey of nameKeys) {
      if (found === undefined) return null;
      found = yield* findRowByName(space, found.entry, nameKey);
    }
    return found === undefined ? null : yield* toDetails(yield* locate(found));
  },
);

/** Which of these spaces has the entry, visible or not; null: none. */
export const findSpaceOf = read(
  {},
  function* findSpaceOf({ id, spaces }: { id: string; spaces: readonly number[] }): Verb<number | null> {
    for (const space of spaces) {
      if ((yield* row(sql`SELECT entry FROM entries WHERE space = ${space} AND id = ${id}`)) !== undefined)
        return space;
    }
    return null;
  },
);
