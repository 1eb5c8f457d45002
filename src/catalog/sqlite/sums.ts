// How gathered sums are written on SQLite: once, before the batch is committed or anything but a save looks at them, for
// the index by size moves each time.

import type { Sums } from '../verbs/sums.ts';
import type { Connection } from './connection.ts';

export function writeSums(connection: Connection, sums: Sums): void {
  for (const [entry, bytes] of sums.sizes()) {
    connection.all('UPDATE entries SET size = size + $1 WHERE entry = $2', [bytes, entry]);
  }
  for (const { space, actor, entries, bytes } of sums.usage()) {
    connection.all(
      `INSERT INTO usage (space, actor, entries, bytes) VALUES ($1, $2, $3, $4)
       ON CONFLICT (space, actor) DO UPDATE
       SET entries = usage.entries + excluded.entries, bytes = usage.bytes + excluded.bytes`,
      [space, actor, entries, bytes],
    );
  }
  sums.forget();
}
