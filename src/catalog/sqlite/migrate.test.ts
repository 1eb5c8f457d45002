import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Connection } from './connection.ts';
import { latestSchema, migrate } from './migrate.ts';

const migrations = join(import.meta.dirname, '../migrations/sqlite');
const texts = readdirSync(migrations)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => readFileSync(join(migrations, name), 'utf8'));

function readSchema(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const schema = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
  const version = database.prepare('PRAGMA user_version').get();
  database.close();
  return { schema, version };
}

function migrateAt(path: string): void {
  const connection = new Connection(path, 'writer');
  migrate(connection);
  connection.close();
}

test('a migration that was interrupted, at any statement of any release, runs again as a whole', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-migrate-'));
  const fresh = join(folder, 'fresh.db');
  migrateAt(fresh);
  const expected = readSchema(fresh);
  for (let applied = 0; applied < latestSchema; applied += 1) {
    const statements = (texts[applied] as string).split(/;\s*\n/);
    for (const done of new Set([1, statements.length >> 1, statements.length])) {
      const path = join(folder, `${applied}-${done}.db`);
      const database = new DatabaseSync(path);
      database.exec('PRAGMA journal_mode = WAL');
      for (const [index, text] of texts.slice(0, applied).entries()) {
        database.exec(`BEGIN; ${text}; PRAGMA user_version = ${index + 1}; COMMIT`);
      }
      // The process ends here: the open transaction is lost.
      database.exec(`BEGIN IMMEDIATE; ${statements.slice(0, done).join(';\n')}`);
      database.close();
      migrateAt(path);
      assert.deepEqual(readSchema(path), expected, `${applied} applied, ${done} statements of the next`);
    }
  }
  rmSync(folder, { recursive: true });
});

/** With values for the columns that must have one. */
function insert(database: DatabaseSync, table: string, values: Record<string, number | string | Uint8Array>): void {
  const columns = database.prepare(`PRAGMA table_info(${table})`).all() as {
    name: string;
    type: string;
    notnull: number;
  }[];
  const row = Object.fromEntries(
    columns.filter(({ notnull }) => notnull === 1).map(({ name, type }) => [name, type === 'INTEGER' ? 0 : '']),
  );
  const filled = Object.entries({ ...row, ...values });
  const names = filled.map(([name]) => name);
  database
    .prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`)
    .run(...filled.map(([, value]) => value));
}

test('large contents that spaces shared stay shared, as those of one of them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-migrate-'));
  const path = join(folder, 'catalog.db');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL');
  for (const [index, text] of texts.slice(0, 19).entries()) {
    database.exec(`BEGIN; ${text}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
  database.exec('PRAGMA foreign_keys = OFF');
  const content = (number: number, blob: string) =>
    insert(database, 'contents', { content: number, sha256: new Uint8Array([number]), ...(blob !== '' && { blob }) });
  content(1, 'of two');
  content(2, 'of one');
  content(3, '');
  for (const [entry, space, number] of [
    [1, 8, 1],
    [2, 7, 1],
    [3, 8, 2],
    [4, 8, 3],
  ] as const) {
    insert(database, 'entries', { entry, space, id: `${entry}`, kind: 1, name_key: `${entry}` });
    insert(database, 'versions', { entry, version: 1, content: number });
  }
  database.close();
  migrateAt(path);
  const migrated = new DatabaseSync(path, { readOnly: true });
  const spaces = migrated.prepare('SELECT space FROM contents ORDER BY content').all();
  migrated.close();
  assert.deepEqual(
    spaces.map(({ space }) => space),
    [7, 8, null],
  );
  rmSync(folder, { recursive: true });
});
