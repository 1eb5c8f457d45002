// Copies a SQLite catalog as of one moment while others write. `VACUUM INTO` reads in one transaction; SQLite's backup API
// would start over with every commit.

import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from '../../runtime/private-file.ts';
import { Connection } from './connection.ts';

/** The copy is not synced yet. It has no unfinished uploads, because their bytes still grow. */
export function snapshotSqlite(from: string, to: string): void {
  const connection = new Connection(from, 'reader');
  try {
    makePrivate(to);
    connection.all('VACUUM INTO ?', [to]);
  } finally {
    connection.close();
  }
  const copy = new DatabaseSync(to);
  copy.exec('DELETE FROM uploads WHERE blob IS NOT NULL');
  copy.close();
}
