// The tables of the catalog for moving it between engines, row by row in the order of their keys. Names and columns are the
// same on every engine. A table comes after the tables that it refers to.

import { execute, insert, row, rows, tuples, type Verb } from './sql.ts';
import { type Insert, insertInto, join, raw, type Sql, sql, type Value } from './statement.ts';

const intoMeta = insertInto('meta', 'name value', {
  onConflict: `ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
});

export interface Table {
  name: string;
  /** How many of the first columns form the key. */
  keyColumns: number;
  columns: readonly string[];
  into: Insert;
  /** SQL that computes the bytes of a row, if rows can be large. */
  weight?: string;
}

/** The values of a row, in the order of the table's columns. */
export type TableRow = readonly Value[];

function table(name: string, keyColumns: number, columns: string): Table {
  const into = insertInto(name, columns);
  return { name, keyColumns, columns: into.columns, into };
}

export const tables: readonly Table[] = [
  table('spaces', 1, 'space id name root created_at'),
  table(
    'applications',
    1,
    `app_key name kind state space scopes secret_sha256 previous_secret_sha256 previous_secret_until redirect_uris created_at
    created_by token_epoch asks_consent`,
  ),
  table('certificates', 1, 'thumbprint app_key subject not_after added_at'),
  table('users', 1, 'id name state password signed_out_at created_at created_by created_in signed_in_at erased_at'),
  table('members', 2, 'user_id space role'),
  table('consents', 2, 'user_id app_key scopes given_at'),
  table('app_passwords', 1, 'id user_id name access space app_key hash created_at expires_at used_at'),
  table('second_factors', 1, 'id user_id kind name secret credential public_key transports counter created_at used_at'),
  table('recovery_codes', 2, 'user_id hash'),
  table('setup_links', 1, 'hash user_id made_in expires_at'),
  table('sessions', 1, 'grant_id session user_id app_key started_at used_at address user_agent expires_at'),
  table('known_addresses', 2, 'user_id address used_at'),
  table('links', 1, 'id space entry user_id made_by expires_at'),
  table(
    'webhooks',
    1,
    `id space url events folder description secret previous_secret previous_until state created_at created_by position
    revision attempts failing_since retry_at`,
  ),
  table('webhook_deliveries', 1, 'id webhook event_id type attempt at status duration_ms error response'),
  table('issuer_records', 2, 'model id uid grant_id user_id since payload consumed_at expires_at'),
  table(
    'entries',
    1,
    `entry space id parent kind name name_key natural_key object_type content_type created_at created_by modified_at modified_by size
    version properties height seal`,
  ),
  {
    ...table('contents', 1, 'content sha256 size blob checksums bytes space'),
    weight: 'coalesce(length(bytes), 0) + coalesce(length(checksums), 0)',
  },
  table('versions', 2, 'entry version content content_type created_at created_by comment superseded_at seal'),
  table('locks', 1, 'token space entry is_deep is_exclusive owner owner_text taken_by is_new taken_at expires_at'),
  table('dead_properties', 3, 'entry namespace name xml'),
  table('starred', 3, 'user_id space id at'),
  table('recent', 3, 'user_id space id at'),
  table('grants', 2, 'entry principal space role granted_by granted_at'),
  table('people_groups', 2, 'space name created_at created_by'),
  table('group_members', 3, 'space name user_id'),
  table(
    'shares',
    1,
    `id secret_hash secret space entry access name note password expires_at max_downloads downloads uploads created_at created_by
    user_id app_key last_used_at revoked_at`,
  ),
  table('share_rules', 1, 'space is_on makers is_password_required max_days'),
  table('share_downloads', 3, 'share entry address begun_at'),
  table('trash', 1, 'entry space parent path trashed_at trashed_by seal'),
  table('hidden_trees', 1, 'entry purpose at'),
  table('usage', 2, 'space actor entries bytes most_entries most_bytes most_requests'),
  table('journal', 1, 'position at space by action entry request details link'),
  table('idempotency', 3, 'app_key operation key fingerprint result at'),
];

/** Limits of a slice: rows, and bytes of tables whose rows can be large. */
const sliceRows = 1000;
const sliceBytes = 4 * 1024 * 1024;

export function toKey({ keyColumns }: Table, values: TableRow): TableRow {
  return values.slice(0, keyColumns);
}

/** Names a row in messages. */
export function nameRow(table: Table, values: TableRow): string {
  const key = toKey(table, values).map((value, index) => `${table.columns[index]} ${JSON.stringify(value)}`);
  return `${table.name}: ${key.join(', ')}`;
}

/** The next rows after a key (null: from the first), as many as fit into memory. Empty after the last row. */
export function* readSlice(table: Table, after: TableRow | null): Verb<TableRow[]> {
  if (table.weight === undefined) return yield* readRows(table, after, sliceRows);
  const weighed = yield* tuples(sql`SELECT ${raw(table.weight)} ${behind(table, after)} LIMIT ${sliceRows}`);
  let count = 0;
  for (let bytes = 0; count < weighed.length && (count === 0 || bytes < sliceBytes); count += 1) {
    bytes += Number(weighed[count]?.[0]);
  }
  return count === 0 ? [] : yield* readRows(table, after, count);
}

export function* readRows(table: Table, after: TableRow | null, limit: number): Verb<TableRow[]> {
  return yield* tuples(sql`SELECT ${toList(table.columns)} ${behind(table, after)} LIMIT ${limit}`);
}

function behind({ name, columns, keyColumns }: Table, after: TableRow | null): Sql {
  const key = toList(columns.slice(0, keyColumns));
  if (after === null) return sql`FROM ${raw(name)} ORDER BY ${key}`;
  const values = join(
    after.map((value) => sql`${value}`),
    ', ',
  );
  return sql`FROM ${raw(name)} WHERE (${key}) > (${values}) ORDER BY ${key}`;
}

function toList(columns: readonly string[]): Sql {
  return raw(columns.join(', '));
}

export function* countRows({ name }: Table): Verb<number> {
  return Number((yield* row<{ count: number }>(sql`SELECT count(*) AS count FROM ${raw(name)}`))?.count);
}

/** A large content: its record, and the blob that holds its bytes. */
export interface LargeContent {
  content: number;
  blob: string;
  size: number;
  sha256: Uint8Array;
}

/** In the order of the blobs' ids. */
export function* listLargeContents(after: string, limit: number): Verb<LargeContent[]> {
  return yield* rows<LargeContent>(
    sql`SELECT content, blob, size, sha256 FROM contents WHERE blob IS NOT NULL AND blob > ${after} ORDER BY blob
      LIMIT ${limit}`,
  );
}

/** Whether a record still points to the blob. */
export function* isLargeContent(blob: string): Verb<boolean> {
  return (yield* row(sql`SELECT content FROM contents WHERE blob = ${blob}`)) !== undefined;
}

/** Their number, and their bytes in all. */
export function* countLargeContents(): Verb<{ count: number; bytes: number }> {
  const found = yield* row<{ count: number; bytes: number }>(
    sql`SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM contents WHERE blob IS NOT NULL`,
  );
  return found ?? { count: 0, bytes: 0 };
}

/** The end of the journal's chain. */
export function* findHead(): Verb<{ position: number; link: string } | null> {
  const head = yield* row<{ position: number; link: string }>(
    sql`SELECT position, link FROM journal ORDER BY position DESC LIMIT 1`,
  );
  return head ?? null;
}

/** One of the files that have the content, for messages; null if there is none. */
export function* findFileOf(content: number): Verb<{ id: string; name: string; version: number } | null> {
  const found = yield* row<{
    id: string;
    name: string;
    version: number;
  }>(sql`SELECT entries.id AS id, entries.name AS name, versions.version AS version
     FROM versions JOIN entries ON entries.entry = versions.entry
     WHERE versions.content = ${content} ORDER BY versions.entry, versions.version LIMIT 1`);
  return found ?? null;
}

/** Identifies a catalog wherever it is stored: the id of its first space, because spaces are never removed. */
export function* findIdentity(): Verb<string> {
  return (yield* row<{ id: string }>(sql`SELECT id FROM spaces ORDER BY space LIMIT 1`))?.id ?? 'empty';
}

export function* findMeta(name: string): Verb<string | null> {
  return (yield* row<{ value: string }>(sql`SELECT value FROM meta WHERE name = ${name}`))?.value ?? null;
}

export function* setMeta(name: string, value: string): Verb<void> {
  yield* insert(intoMeta, [name, value]);
}

export function* removeMeta(name: string): Verb<void> {
  yield* execute(sql`DELETE FROM meta WHERE name = ${name}`);
}
