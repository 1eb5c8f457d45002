// A copy of a SQLite catalog as it is in one moment, while others write. `VACUUM INTO` reads in one transaction: SQLite's
// backup interface would begin anew with every commit.

import { DatabaseSync } from 'node:sqlite';
import { Connection } from './connection.ts';

/** The copy is not synced yet. Uploads that are under way are not in it: their bytes still grow. */
export function snapshotSqlite(from: string, to: string): void {
  const connection = new Connection(from, 'reader');
  try {
    connection.all('VACUUM INTO ?', [to]);
  } finally {
    connection.close();
  }
  const copy = new DatabaseSync(to);
  copy.exec('DELETE FROM uploads WHERE blob IS NOT NULL');
  copy.close();
}
