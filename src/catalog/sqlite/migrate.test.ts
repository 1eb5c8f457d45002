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
