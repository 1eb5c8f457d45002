// Sums that nearly every save adds to: the sizes of the folders above it, and what its space holds. The saves of a batch
// add to the same few rows again and again, and the index by size moves each time; so their sums are gathered here and
// written once, before the batch is committed or anything but a save looks at them.

import type { Addition, Sum } from './sql.ts';
import type { Connection } from './sqlite-connection.ts';

export class Sums {
  readonly #connection: Connection;
  readonly #sizes = new Map<number, number>();
  readonly #usage = new Map<string, Extract<Addition, { kind: 'usage' }>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  add(added: Addition): void {
    this.#connection.hasWritten = true;
    if (added.kind === 'size') {
      this.#sizes.set(added.entry, (this.#sizes.get(added.entry) ?? 0) + added.bytes);
      return;
    }
    const key = toKey(added);
    const known = this.#usage.get(key);
    if (known === undefined) this.#usage.set(key, { ...added });
    else {
      known.entries += added.entries;
      known.bytes += added.bytes;
    }
  }

  /** What is not written yet. */
  pending(sum: Sum): { entries: number; bytes: number } {
    if (sum.kind === 'size') return { entries: 0, bytes: this.#sizes.get(sum.entry) ?? 0 };
    const { entries = 0, bytes = 0 } = this.#usage.get(toKey(sum)) ?? {};
    return { entries, bytes };
  }

  write(): void {
    for (const [entry, bytes] of this.#sizes) {
      if (bytes !== 0) this.#connection.all('UPDATE entries SET size = size + $1 WHERE entry = $2', [bytes, entry]);
    }
    for (const { space, actor, entries, bytes } of this.#usage.values()) {
      this.#connection.all(
        `INSERT INTO usage (space, actor, entries, bytes) VALUES ($1, $2, $3, $4)
         ON CONFLICT (space, actor) DO UPDATE
         SET entries = usage.entries + excluded.entries, bytes = usage.bytes + excluded.bytes`,
        [space, actor, entries, bytes],
      );
    }
    this.forget();
  }

  /** What added to them was taken back. */
  forget(): void {
    this.#sizes.clear();
    this.#usage.clear();
  }
}

function toKey({ space, actor }: { space: number; actor: string }): string {
  return `${space} ${actor}`;
}
