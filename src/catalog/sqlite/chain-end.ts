// Reads where the journal of a catalog ends, before the catalog is opened, whatever its schema.

import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { ChainEnd } from '../journal-keys.ts';

export function readChainEnd(path: string): ChainEnd {
  const none = { position: 0, link: '' };
  if (!existsSync(path)) return none;
  const database = new DatabaseSync(path);
  try {
    const table = database.prepare(`SELECT name FROM sqlite_schema WHERE name = 'journal'`).get();
    if (table === undefined) return none;
    const last = database.prepare('SELECT position, link FROM journal ORDER BY position DESC LIMIT 1').get();
    return last === undefined ? none : { position: Number(last.position), link: String(last.link) };
  } finally {
    database.close();
  }
}
