// Migrates a catalog to the schema of this release: runs the numbered files of `migrations/sqlite/` in order, each in one
// transaction. `PRAGMA user_version` holds the number of the last one.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import type { Connection } from './connection.ts';

const folder = join(import.meta.dirname, '../migrations/sqlite');
const files = readdirSync(folder)
  .filter((name) => /^\d{4}-.*\.sql$/.test(name))
  .sort();

/** The schema of this release. */
export const latestSchema = files.length;

export function migrate(connection: Connection): void {
  const applied = Number(connection.all('PRAGMA user_version')[0]?.user_version ?? 0);
  if (applied > files.length) {
    throw new Fault(
      'fatal',
      `The catalog has schema ${applied}; this release knows ${files.length}. It was opened by a later release.`,
    );
  }
  for (const [index, name] of files.entries()) {
    if (index < applied) continue;
    const sql = readFileSync(join(folder, name), 'utf8');
    connection.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
}
