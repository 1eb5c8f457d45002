// Entries as rows: what is kept of one, finding it, and writing it.

import type { Entry, Kind } from '../../domain/entry.ts';
import { defaultObjectType, folderContentType } from '../../domain/entry.ts';
import { carrySeal, type SealedEntry, toEntrySeal } from '../row-checksums.ts';
import { insert, pending, rows, tuples, type Value, type Verb } from '../sql.ts';

export interface EntryRow extends SealedEntry {
  entry: number;
  kind: 0 | 1;
  /** How many levels of folders stand beneath it, or once stood there. */
  height: number;
  /** As it was read. */
  seal: number | null;
}

/** An entry that has no number yet. */
export type NewEntry = Omit<EntryRow, 'entry' | 'seal'>;

const columns =
  'parent, id, kind, name, name_key, object_type, content_type, created_at, created_by, modified_at, modified_by, size, version, properties, height, seal';

/** What `toRow` takes. */
export const selection = `entry, ${columns.replace(' size,', ' exact_size(entries),')}`;

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
  number,
  number | null,
];

export function toRow(tuple: Value[]): EntryRow {
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
    height: t[15],
    seal: t[16],
  };
}

export function toKind(kind: 0 | 1): Kind {
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
    height: 0,
  };
}

/** NULL stands for none. */
export function toStoredProperties(properties: Record<string, string> | null): string | null {
  return properties === null || Object.keys(properties).length === 0 ? null : JSON.stringify(properties);
}

export function* findRow(space: number, id: string): Verb<EntryRow | undefined> {
  return yield* one(`SELECT ${selection} FROM entries WHERE space = $1 AND id = $2`, space, id);
}

export function* findRowByName(space: number, parent: number, nameKey: string): Verb<EntryRow | undefined> {
  return yield* one(
    `SELECT ${selection} FROM entries WHERE space = $1 AND parent = $2 AND kind = 0 AND name_key = $3
     UNION ALL
     SELECT ${selection} FROM entries WHERE space = $1 AND parent = $2 AND kind = 1 AND name_key = $3`,
    space,
    parent,
    nameKey,
  );
}

export function* one(sql: string, ...values: Value[]): Verb<EntryRow | undefined> {
  const [tuple] = yield* tuples(sql, ...values);
  if (tuple === undefined) return undefined;
  const found = toRow(tuple);
  if (found.kind === 0) found.size += (yield* pending({ kind: 'size', entry: found.entry })).bytes;
  return found;
}

/** Returns the entry's number. */
export function* insertRow(space: number, entry: NewEntry): Verb<number> {
  return yield* insert(
    'entry',
    `INSERT INTO entries (space, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
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
    entry.height,
    toEntrySeal(entry),
  );
}

/** One that another row refers to, so that it must be there. */
export function* requireRow(entry: number): Verb<EntryRow> {
  const found = yield* one(`SELECT ${selection} FROM entries WHERE entry = $1`, entry);
  if (found === undefined) throw new Error(`entry ${entry} is gone, and something refers to it`);
  return found;
}

/** The same for a file that is about to be changed: as it is now, and kept from others who would change it. */
export function* requireRowToChange(entry: number): Verb<EntryRow> {
  const [tuple] = yield* tuples(`SELECT ${selection} FROM entries WHERE entry = $1 FOR UPDATE`, entry);
  if (tuple === undefined) throw new Error(`entry ${entry} is gone, and something refers to it`);
  return toRow(tuple);
}

/** Writes all that can change of an entry: neither its number, nor its space, its id, or who made it. The size of a folder
 *  is a sum, which is only ever added to. */
export function* updateRow(before: EntryRow, entry: EntryRow): Verb<void> {
  yield* rows(
    `UPDATE entries SET parent = $1, name = $2, name_key = $3, object_type = $4, content_type = $5, modified_at = $6,
     modified_by = $7, size = CASE WHEN kind = 1 THEN $8 ELSE size END, version = $9, properties = $10, seal = $11
     WHERE entry = $12`,
    entry.parent,
    entry.name,
    entry.name_key,
    entry.object_type,
    entry.content_type,
    entry.modified_at,
    entry.modified_by,
    entry.size,
    entry.version,
    entry.properties,
    carrySeal(before.seal, toEntrySeal(before), toEntrySeal(entry)),
    entry.entry,
  );
}
