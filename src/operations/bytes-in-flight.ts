// Bytes that are being received. No record has them yet, so they are counted here against the quotas: otherwise many requests at
// once would each see the same free room.

import type { Refusal } from '../domain/refusal.ts';
import type { Counts } from '../runtime/shared-counters.ts';

interface Bound {
  counts: Counts;
  /** Requests with the same name share the bound, in all threads. */
  name: string;
  maxBytes: number;
  refuse: () => Refusal;
}

export class BytesInFlight {
  readonly #bounds: readonly Bound[];
  #heldBytes = 0;

  constructor(bounds: readonly Bound[] = []) {
    this.#bounds = bounds;
  }

  /** Refuses what is too much; it is not counted then. */
  add(bytes: number): void {
    for (const [index, { counts, name, maxBytes, refuse }] of this.#bounds.entries()) {
      if (counts.take(name, maxBytes, bytes)) continue;
      for (const counted of this.#bounds.slice(0, index)) counted.counts.giveBack(counted.name, bytes);
      throw refuse();
    }
    this.#heldBytes += bytes;
  }

  /** A record has everything that was added until now. */
  settle(): void {
    for (const { counts, name } of this.#bounds) counts.giveBack(name, this.#heldBytes);
    this.#heldBytes = 0;
  }
}
