// Queries of `cabinet verify`: rows with the rows that they refer to, in slices, and inconsistencies.

import type { ChecksummedEntry, ChecksummedTrash, ChecksummedVersion } from '../row-checksums.ts';
import { row, rows, type Verb } from '../sql.ts';
import { raw, sql } from '../statement.ts';
import { type EntryRow, findRow } from './entries.ts';
import { locate, pathOf } from './tree.ts';

/** An entry with what its row refers to; null if that does not exist. */
export interface CheckedEntry extends ChecksummedEntry {
  entry: number;
  space: number;
  seal: number | null;
  root: string | null;
  holder_space: number | null;
  holder_kind: number | null;
  holder_id: string | null;
  content_size: number | null;
  /** Its row in the trash. */
  trashed: number | null;
}

export function* listCheckedEntries(after: number, limit: number): Verb<CheckedEntry[]> {
  return yield* rows<CheckedEntry>(sql`SELECT e.*, s.root AS root, p.space AS holder_space, p.kind AS holder_kind,
    p.id AS holder_id, c.size AS content_size, t.entry AS trashed FROM entries e LEFT
    JOIN spaces s ON s.space = e.space LEFT JOIN entries p ON p.entry = e.parent LEFT
    JOIN versions v ON v.entry = e.entry AND v.version = e.version LEFT JOIN contents c ON c.content = v.content
    LEFT JOIN trash t ON t.entry = e.entry WHERE e.entry > ${after} ORDER BY e.entry LIMIT ${limit}`);
}

/** A version with what its row refers to. */
export interface CheckedVersion extends Omit<ChecksummedVersion, 'sha256'> {
  seal: number | null;
  superseded_at: number | null;
  current: number | null;
  kind: number | null;
  /** The digest of its content. */
  sha256: Uint8Array | null;
}

export type VersionKey = Pick<CheckedVersion, 'entry' | 'version'>;

export function* listCheckedVersions(after: VersionKey, limit: number): Verb<CheckedVersion[]> {
  return yield* rows<CheckedVersion>(sql`SELECT v.*, e.version AS current, e.kind AS kind, c.sha256 AS sha256
     FROM versions v LEFT JOIN entries e ON e.entry = v.entry LEFT JOIN contents c ON c.content = v.content
     WHERE (v.entry, v.version) > (${after.entry}, ${after.version}) ORDER BY v.entry, v.version LIMIT ${limit}`);
}

/** The top of a tree in the trash, with what its row refers to. */
export interface CheckedTrash extends ChecksummedTrash {
  seal: number | null;
  entry_space: number | null;
  holder_id: string | null;
}

export function* listCheckedTrash(after: number, limit: number): Verb<CheckedTrash[]> {
  return yield* rows<CheckedTrash>(sql`SELECT t.*, e.space AS entry_space, p.id AS holder_id
     FROM trash t LEFT JOIN entries e ON e.entry = t.entry LEFT JOIN entries p ON p.entry = e.parent
     WHERE t.entry > ${after} ORDER BY t.entry LIMIT ${limit}`);
}

export function* findLastOf(table: 'entries' | 'versions' | 'contents' | 'trash'): Verb<number> {
  const column = table === 'contents' ? 'content' : 'entry';
  return Number(
    (yield* row<{ last: number | null }>(sql`SELECT max(${raw(column)}) AS last FROM ${raw(table)}`))?.last ?? 0,
  );
}

/** A content as it is stored. */
export interface CheckedContent {
  content: number;
  sha256: Uint8Array;
  size: number;
  blob: string | null;
  checksums: Uint8Array | null;
  bytes: Uint8Array | null;
}

export function* listCheckedContents(after: number, limit: number): Verb<CheckedContent[]> {
  return yield* rows<CheckedContent>(
    sql`SELECT content, sha256, size, blob, checksums, bytes FROM contents WHERE content > ${after} ORDER BY content
      LIMIT ${limit}`,
  );
}

/** Whether the content is unchanged; it may be gone by now, or have another blob. */
export function* isStill({ content, blob }: CheckedContent): Verb<boolean> {
  return (yield* row(sql`SELECT content FROM contents WHERE content = ${content} AND blob = ${blob}`)) !== undefined;
}

/** Those of these blobs that neither a record nor an upload refers to. */
export function* findOrphanBlobs(blobs: readonly string[]): Verb<string[]> {
  const orphans: string[] = [];
  for (const blob of blobs) {
    const found = yield* row(
      sql`SELECT blob FROM contents WHERE blob = ${blob} UNION ALL SELECT blob FROM uploads WHERE blob = ${blob}`,
    );
    if (found === undefined) orphans.push(blob);
  }
  return orphans;
}

/** A version of a file, for messages. */
export interface AffectedVersion {
  id: string;
  path: string;
  version: number;
}

const maxAffected = 100;

/** The versions that have contents of this range of numbers, both inclusive. */
export function* findUses(first: number, last: number): Verb<AffectedVersion[]> {
  const used = yield* rows<{ entry: number; version: number }>(
    sql`SELECT entry, version FROM versions WHERE content BETWEEN ${first} AND ${last} ORDER BY entry, version
      LIMIT ${maxAffected}`,
  );
  const affected: AffectedVersion[] = [];
  for (const { entry, version } of used) affected.push({ ...(yield* nameEntry(entry)), version });
  return affected;
}

/** Id and path of an entry, as far as they can be determined. */
export function* nameEntry(entry: number): Verb<{ id: string; path: string }> {
  const known = yield* row<{ id: string; space: number }>(sql`SELECT id, space FROM entries WHERE entry = ${entry}`);
  if (known === undefined) return { id: `#${entry}`, path: '?' };
  try {
    const located = yield* locate((yield* findRow(known.space, known.id)) as EntryRow);
    const top = located.above.at(-1)?.id ?? '';
    return { id: known.id, path: `${top.startsWith('-') ? top : ''}${pathOf(located)}` };
  } catch {
    return { id: known.id, path: '?' };
  }
}

/** Folders whose size is not the sum of their children. Only for engines that write sums in the same transaction. */
export function* findWrongSizes(): Verb<{ entry: number }[]> {
  return yield* rows<{ entry: number }>(sql`SELECT f.entry AS entry
    FROM entries f LEFT JOIN entries c ON c.space = f.space AND c.parent = f.entry
     WHERE f.kind = 0 GROUP BY f.entry HAVING f.size <> coalesce(sum(c.size), 0) LIMIT ${maxAffected}`);
}

/** Whether trees are being copied or purged: then sums are in flux. */
export function* isBusy(): Verb<boolean> {
  return (yield* row(sql`SELECT entry FROM hidden_trees LIMIT 1`)) !== undefined;
}

/** Spaces and actors whose recorded usage is wrong. */
export function* findWrongUsage(): Verb<{ space: number; actor: string }[]> {
  return yield* rows<{ space: number; actor: string }>(sql`WITH held AS (
       SELECT space, actor, sum(entries) AS entries, sum(bytes) AS bytes FROM (
         SELECT space, '' AS actor, 1 AS entries, 0 AS bytes FROM entries WHERE parent IS NOT NULL
         UNION ALL SELECT space, created_by, 1, 0 FROM entries WHERE parent IS NOT NULL
         UNION ALL SELECT e.space, '', 0, c.size FROM versions v JOIN contents c ON c.content = v.content
           JOIN entries e ON e.entry = v.entry
         UNION ALL SELECT e.space, v.created_by, 0, c.size FROM versions v JOIN contents c ON c.content = v.content
           JOIN entries e ON e.entry = v.entry
       ) AS parts GROUP BY space, actor)
     SELECT u.space AS space, u.actor AS actor FROM usage u LEFT JOIN held h ON h.space = u.space AND h.actor = u.actor
     WHERE u.entries <> coalesce(h.entries, 0) OR u.bytes <> coalesce(h.bytes, 0) LIMIT ${maxAffected}`);
}

/** The names of all tables; SQLite only. */
export function* listTables(): Verb<string[]> {
  const found = yield* rows<{ name: string }>(
    sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
  );
  return found.map(({ name }) => name);
}

/** Damage that SQLite itself finds in a table and its indexes; SQLite only. */
export function* findDamage(table: string): Verb<string[]> {
  const found = yield* rows<{ integrity_check: string }>(sql`PRAGMA integrity_check(${raw(`'${table}'`)})`);
  return found.map(({ integrity_check }) => integrity_check).filter((text) => text !== 'ok');
}

/** Rows with broken references; SQLite only. */
export function* findBrokenReferences(): Verb<string[]> {
  const found = yield* rows<{ table: string; rowid: number | null; parent: string }>(sql`PRAGMA foreign_key_check`);
  return found.slice(0, maxAffected).map(({ table, rowid, parent }) => `${table} row ${rowid} refers to no ${parent}`);
}
