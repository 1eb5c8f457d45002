// Entries as rows: finding them, listing a folder page by page, and keeping the sizes of folders exact.

import type { Entry, Kind } from '../domain/entry.ts';
import { defaultObjectType, folderContentType } from '../domain/entry.ts';
import { insert, row, rows, tuples, type Value, type Verb } from './sql.ts';

export interface EntryRow {
  entry: number;
  parent: number | null;
  id: string;
  kind: 0 | 1;
  name: string;
  name_key: string;
  object_type: string | null;
  content_type: string | null;
  created_at: number;
  created_by: string;
  modified_at: number;
  modified_by: string;
  size: number;
  version: number;
  properties: string | null;
}

/** An entry that has no number yet. */
export type NewEntry = Omit<EntryRow, 'entry'>;

const columns =
  'parent, id, kind, name, name_key, object_type, content_type, created_at, created_by, modified_at, modified_by, size, version, properties';

type EntryTuple = [
  number,
  number | null,
  string,
  0 | 1,
  string,
  string,
  string | null,
  string | null,
  number,
  string,
  number,
  string,
  number,
  number,
  string | null,
];

function toRow(tuple: Value[]): EntryRow {
  const t = tuple as EntryTuple;
  return {
    entry: t[0],
    parent: t[1],
    id: t[2],
    kind: t[3],
    name: t[4],
    name_key: t[5],
    object_type: t[6],
    content_type: t[7],
    created_at: t[8],
    created_by: t[9],
    modified_at: t[10],
    modified_by: t[11],
    size: t[12],
    version: t[13],
    properties: t[14],
  };
}

function toKind(kind: 0 | 1): Kind {
  return kind === 0 ? 'folder' : 'file';
}

export function toEntry(found: NewEntry): Entry {
  const kind = toKind(found.kind);
  return {
    id: found.id,
    kind,
    name: found.name,
    objectType: found.object_type ?? defaultObjectType[kind],
    contentType: found.content_type ?? folderContentType,
    createdAt: found.created_at,
    createdBy: found.created_by,
    modifiedAt: found.modified_at,
    modifiedBy: found.modified_by,
    sizeBytes: found.size,
    properties: found.properties === null ? {} : (JSON.parse(found.properties) as Record<string, string>),
  };
}

interface NewFolder {
  id: string;
  parent: number | null;
  name: string;
  nameKey: string;
  at: number;
  by: string;
}

export function toNewFolder({ id, parent, name, nameKey, at, by }: NewFolder): NewEntry {
  return {
    id,
    parent,
    kind: 0,
    name,
    name_key: nameKey,
    object_type: null,
    content_type: null,
    created_at: at,
    created_by: by,
    modified_at: at,
    modified_by: by,
    size: 0,
    version: 0,
    properties: null,
  };
}

/** NULL stands for none. */
export function toStoredProperties(properties: Record<string, string> | null): string | null {
  return properties === null || Object.keys(properties).length === 0 ? null : JSON.stringify(properties);
}

export function* findRow(space: number, id: string): Verb<EntryRow | undefined> {
  return yield* one(`SELECT entry, ${columns} FROM entries WHERE space = $1 AND id = $2`, space, id);
}

export function* findRowByName(space: number, parent: number, nameKey: string): Verb<EntryRow | undefined> {
  return yield* one(
    `SELECT entry, ${columns} FROM entries WHERE space = $1 AND parent = $2 AND kind = 0 AND name_key = $3
     UNION ALL
     SELECT entry, ${columns} FROM entries WHERE space = $1 AND parent = $2 AND kind = 1 AND name_key = $3`,
    space,
    parent,
    nameKey,
  );
}

function* one(sql: string, ...values: Value[]): Verb<EntryRow | undefined> {
  const [found] = yield* tuples(sql, ...values);
  return found === undefined ? undefined : toRow(found);
}

/** Returns the entry's number. */
export function* insertRow(space: number, entry: NewEntry): Verb<number> {
  return yield* insert(
    'entry',
    `INSERT INTO entries (space, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    space,
    entry.parent,
    entry.id,
    entry.kind,
    entry.name,
    entry.name_key,
    entry.object_type,
    entry.content_type,
    entry.created_at,
    entry.created_by,
    entry.modified_at,
    entry.modified_by,
    entry.size,
    entry.version,
    entry.properties,
  );
}

/** Adds to the size of a folder and of every folder above it; returns the ids of those above. */
export function* addToSizes(folder: EntryRow, deltaBytes: number): Verb<string[]> {
  const ids: string[] = [];
  if (deltaBytes === 0) return ids;
  yield* rows('UPDATE entries SET size = size + $1 WHERE entry = $2', deltaBytes, folder.entry);
  for (let parent = folder.parent; parent !== null; ) {
    yield* rows('UPDATE entries SET size = size + $1 WHERE entry = $2', deltaBytes, parent);
    const above = yield* row<{ id: string; parent: number | null }>(
      'SELECT id, parent FROM entries WHERE entry = $1',
      parent,
    );
    if (above === undefined) throw new Error('a folder is gone while something is saved beneath it');
    ids.push(above.id);
    parent = above.parent;
  }
  return ids;
}

/** How many folders stand above this one, the root included; a root's is 0. */
export function* levelOf(folder: EntryRow): Verb<number> {
  const counted = yield* row<{ count: number }>(
    `WITH RECURSIVE up (entry) AS (
       SELECT entry FROM entries WHERE entry = $1
       UNION ALL
       SELECT entries.parent FROM entries JOIN up ON entries.entry = up.entry WHERE entries.parent IS NOT NULL
     )
     SELECT count(*) - 1 AS count FROM up`,
    folder.entry,
  );
  return counted?.count ?? 0;
}

export interface FindEntry {
  space: number;
  id: string;
}

export function* findEntry({ space, id }: FindEntry): Verb<Entry | null> {
  const found = yield* findRow(space, id);
  return found === undefined ? null : toEntry(found);
}

/** What a record does not tell of an entry. */
export interface EntryDetails {
  entry: Entry;
  parentId: string | null;
  /** The names from the root down to the entry; none for the root itself. */
  names: string[];
  /** Of a file's current version; null for folders. */
  sha256: Uint8Array | null;
  version: number;
}

export function* findDetails({ space, id }: FindEntry): Verb<EntryDetails | null> {
  const found = yield* findRow(space, id);
  return found === undefined ? null : yield* toDetails(found);
}

export interface FindByPath {
  space: number;
  root: string;
  /** The NFC forms of the names from the root down. */
  nameKeys: readonly string[];
}

export function* findByPath({ space, root, nameKeys }: FindByPath): Verb<EntryDetails | null> {
  let found = yield* findRow(space, root);
  for (const nameKey of nameKeys) {
    if (found === undefined) return null;
    found = yield* findRowByName(space, found.entry, nameKey);
  }
  return found === undefined ? null : yield* toDetails(found);
}

function* toDetails(found: EntryRow): Verb<EntryDetails> {
  const names: string[] = [];
  let parentId: string | null = null;
  for (let current = found; current.parent !== null; ) {
    const above = yield* one(`SELECT entry, ${columns} FROM entries WHERE entry = $1`, current.parent);
    if (above === undefined) throw new Error('an entry has lost its folder');
    names.unshift(current.name);
    parentId ??= above.id;
    current = above;
  }
  const content = yield* row<{ sha256: Uint8Array }>(
    `SELECT sha256 FROM versions JOIN contents ON contents.content = versions.content
     WHERE versions.entry = $1 AND versions.version = $2`,
    found.entry,
    found.version,
  );
  return { entry: toEntry(found), parentId, names, sha256: content?.sha256 ?? null, version: found.version };
}

/** In which of these spaces the entry is; null: in none of them. */
export function* findSpaceOf({ id, spaces }: { id: string; spaces: readonly number[] }): Verb<number | null> {
  for (const space of spaces) {
    if ((yield* row('SELECT entry FROM entries WHERE space = $1 AND id = $2', space, id)) !== undefined) return space;
  }
  return null;
}

/** A place in a folder's order: folders before files, each by the bytes of its name's NFC form. */
export interface Place {
  kind: Kind;
  nameKey: string;
}

export interface ListFolder {
  space: number;
  folder: string;
  limit: number;
  after?: Place;
  /** An entry that is not to be listed: the caller has it already. */
  exclude?: string;
}

export interface FolderPage {
  folder: Entry;
  children: Entry[];
  /** Where the next page begins; null when this was the last. */
  next: Place | null;
  /** The last place of the journal that this page has seen. */
  asOf: number;
}

/** One page of a folder. Its cost does not depend on how many children there are. */
export function* listFolder({ space, folder, limit, after, exclude }: ListFolder): Verb<FolderPage | null> {
  const parent = yield* findRow(space, folder);
  if (parent === undefined) return null;
  // One more than asked for tells whether there is a next page; one more stands in for the excluded entry.
  const wanted = limit + (exclude === undefined ? 1 : 2);
  let found: EntryRow[] = [];
  if (after?.kind !== 'file') found = yield* listKind(space, parent.entry, 0, after?.nameKey ?? '', wanted);
  if (found.length < wanted) {
    const afterKey = after?.kind === 'file' ? after.nameKey : '';
    found = found.concat(yield* listKind(space, parent.entry, 1, afterKey, wanted - found.length));
  }
  if (exclude !== undefined) found = found.filter((child) => child.id !== exclude);
  const journal = yield* row<{ position: number | null }>('SELECT max(position) AS position FROM journal');
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    folder: toEntry(parent),
    children: shown.map(toEntry),
    next: last === undefined ? null : { kind: toKind(last.kind), nameKey: last.name_key },
    asOf: journal?.position ?? 0,
  };
}

function* listKind(space: number, parent: number, kind: 0 | 1, afterKey: string, limit: number): Verb<EntryRow[]> {
  const found = yield* tuples(
    `SELECT entry, ${columns} FROM entries WHERE space = $1 AND parent = $2 AND kind = $3 AND name_key > $4
     ORDER BY name_key LIMIT $5`,
    space,
    parent,
    kind,
    afterKey,
    limit,
  );
  return found.map(toRow);
}
