// Migrates a PostgreSQL schema to this release: runs the numbered files of `migrations/postgres/` in order, each in one
// transaction. `meta` holds the number of the last one. Nodes that start at the same time wait for each other.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import type { Client } from './connection.ts';
import { toLockClass } from './locks.ts';

const folder = join(import.meta.dirname, '../migrations/postgres');
const files = readdirSync(folder)
  .filter((name) => /^\d{4}-.*\.sql$/.test(name))
  .sort();

/** The schema of this release. */
export const latestPostgresSchema = files.length;

export async function migratePostgres(client: Client, schema: string): Promise<void> {
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) throw new Fault('fatal', `${schema} is not the name of a schema`);
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1::int, 0)', [toLockClass(schema, 'migrate')]);
    const applied = await findApplied(client, schema);
    if (applied > files.length) {
      throw new Fault(
        'fatal',
        `The catalog has schema ${applied}; this release knows ${files.length}. It was opened by a later release.`,
      );
    }
    for (const name of files.slice(applied)) await client.query(readFileSync(join(folder, name), 'utf8'));
    if (applied < files.length) {
      await client.query(
        `INSERT INTO meta (name, value) VALUES ('schema', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [String(files.length)],
      );
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function findApplied(client: Client, schema: string): Promise<number> {
  const { rows } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rows.length === 0) await client.query(`CREATE SCHEMA "${schema}"`);
  const known = await client.query(`SELECT to_regclass('meta') IS NOT NULL AS is_there`);
  if (known.rows[0]?.is_there !== true) return 0;
  const found = await client.query(`SELECT value FROM meta WHERE name = 'schema'`);
  return Number(found.rows[0]?.value ?? 0);
}
