// Pending additions to sums: sizes of folders, and usage of spaces. The saves of a batch add to the same few sums, so the
// additions are collected here and written once.

import type { Addition, Sum } from '../sql.ts';

type UsageAddition = Extract<Addition, { kind: 'usage' }>;

export class Sums {
  readonly #sizes = new Map<number, number>();
  readonly #usage = new Map<string, UsageAddition>();

  add(added: Addition): void {
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

  addAll(others: Sums): void {
    for (const [entry, bytes] of others.sizes()) this.add({ kind: 'size', entry, bytes });
    for (const added of others.usage()) this.add(added);
  }

  /** What is not written yet. */
  pending(sum: Sum): { entries: number; bytes: number } {
    if (sum.kind === 'size') return { entries: 0, bytes: this.#sizes.get(sum.entry) ?? 0 };
    const { entries = 0, bytes = 0 } = this.#usage.get(toKey(sum)) ?? {};
    return { entries, bytes };
  }

  /** The folders whose sizes change, and by how much. */
  sizes(): [entry: number, bytes: number][] {
    return [...this.#sizes].filter(([, bytes]) => bytes !== 0);
  }

  usage(): UsageAddition[] {
    return [...this.#usage.values()];
  }

  forget(): void {
    this.#sizes.clear();
    this.#usage.clear();
  }
}

function toKey({ space, actor }: { space: number; actor: string }): string {
  return `${space} ${actor}`;
}
