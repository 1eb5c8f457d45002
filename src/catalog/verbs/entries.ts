// Entries as rows: the columns of an entry, finding and writing it.

import type { Entry, Kind } from '../../domain/entry.ts';
import { defaultObjectType, folderContentType } from '../../domain/entry.ts';
import { toNaturalKey } from '../../domain/name.ts';
import { type ChecksummedEntry, carryChecksum, toEntryChecksum } from '../row-checksums.ts';
import { execute, insertNumbered, lockTuples, pending, tuples, type Verb } from '../sql.ts';
import { exactSize, insertInto, type Sql, sql, type Value } from '../statement.ts';

const intoEntries = insertInto(
  'entries',
  `space parent id kind name name_key natural_key object_type content_type created_at created_by modified_at modified_by size version
    properties height seal`,
  { numbered: 'entry' },
);

export interface EntryRow extends ChecksummedEntry {
  entry: number;
  kind: 0 | 1;
  /** How many levels of folders are, or once were, beneath it. */
  height: number;
  /** The checksum as it was read. */
  seal: number | null;
}

/** An entry without a number. */
export type NewEntry = Omit<EntryRow, 'entry' | 'seal'>;

/** The columns that `toRow` reads. */
export const selection = sql`entry, parent, id, kind, name, name_key, object_type, content_type, created_at, created_by,
  modified_at, modified_by, ${exactSize}, version, properties, height, seal`;

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

/** NULL: none. */
export function toStoredProperties(properties: Record<string, string> | null): string | null {
  return properties === null || Object.keys(properties).length === 0 ? null : JSON.stringify(properties);
}

export function* findRow(space: number, id: string): Verb<EntryRow | undefined> {
  return yield* one(sql`SELECT ${selection} FROM entries WHERE space = ${space} AND id = ${id}`);
}

export function* findRowByName(space: number, parent: number, nameKey: string): Verb<EntryRow | undefined> {
  const inFolder = sql`SELECT ${selection} FROM entries WHERE space = ${space} AND parent = ${parent}`;
  return yield* one(sql`${inFolder} AND kind = 0 AND name_key = ${nameKey}
    UNION ALL ${inFolder} AND kind = 1 AND name_key = ${nameKey}`);
}

export function* one(query: Sql): Verb<EntryRow | undefined> {
  const [tuple] = yield* tuples(query);
  if (tuple === undefined) return undefined;
  const found = toRow(tuple);
  if (found.kind === 0) found.size += (yield* pending({ kind: 'size', entry: found.entry })).bytes;
  return found;
}

/** Returns the number of the entry. */
export function* insertRow(space: number, entry: NewEntry): Verb<number> {
  return yield* insertNumbered(intoEntries, [
    space,
    entry.parent,
    entry.id,
    entry.kind,
    entry.name,
    entry.name_key,
    toNaturalKey(entry.name_key),
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
    toEntryChecksum(entry),
  ]);
}

/** An entry that another row refers to, so that it must exist. */
export function* requireRow(entry: number): Verb<EntryRow> {
  const found = yield* one(sql`SELECT ${selection} FROM entries WHERE entry = ${entry}`);
  if (found === undefined) throw new Error(`entry ${entry} is gone, and something refers to it`);
  return found;
}

/** The same for a file that is about to be changed: its current state, locked against other writers. */
export function* requireRowToChange(entry: number): Verb<EntryRow> {
  const [tuple] = yield* lockTuples(sql`SELECT ${selection} FROM entries WHERE entry = ${entry}`);
  if (tuple === undefined) throw new Error(`entry ${entry} is gone, and something refers to it`);
  return toRow(tuple);
}

/** Writes every column that can change. The number, space, id and creator of an entry never change; the size of a folder is
 *  a sum that is only added to. */
export function* updateRow(before: EntryRow, entry: EntryRow): Verb<void> {
  yield* execute(sql`UPDATE entries SET parent = ${entry.parent}, name = ${entry.name},
    name_key = ${entry.name_key}, natural_key = ${toNaturalKey(entry.name_key)}, object_type = ${entry.object_type}, content_type = ${entry.content_type},
    modified_at = ${entry.modified_at}, modified_by = ${entry.modified_by},
    size = CASE WHEN kind = 1 THEN ${entry.size} ELSE size END, version = ${entry.version},
    properties = ${entry.properties}, seal = ${carryChecksum(before.seal, toEntryChecksum(before), toEntryChecksum(entry))}
    WHERE entry = ${entry.entry}`);
}
