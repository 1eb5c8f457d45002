// Writes pending sums on SQLite: once, before the commit or before a verb that does not account for them, because each
// update moves the row in the index by size.

import { insertInto } from '../statement.ts';
import type { Sums } from '../verbs/sums.ts';
import type { Connection } from './connection.ts';

const intoUsage = insertInto('usage', 'space actor entries bytes', {
  onConflict: `ON CONFLICT (space, actor) DO UPDATE
    SET entries = usage.entries + excluded.entries, bytes = usage.bytes + excluded.bytes`,
});

export function writeSums(connection: Connection, sums: Sums): void {
  for (const [entry, bytes] of sums.sizes()) {
    connection.all('UPDATE entries SET size = size + ? WHERE entry = ?', [bytes, entry]);
  }
  for (const { space, actor, entries, bytes } of sums.usage()) {
    connection.insert(intoUsage, [space, actor, entries, bytes]);
  }
  sums.forget();
}
