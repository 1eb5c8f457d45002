// Random numbers that can be had again: everything a run decides comes from the seed that it prints.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ x < 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 … limit − 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  isTrue(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let at = 0;
    for (; at + 4 <= length; at += 4) bytes.writeUInt32LE((this.next() * 2 ** 32) >>> 0, at);
    for (; at < length; at += 1) bytes[at] = this.below(256);
    return bytes;
  }

  /** One of its own, that what is drawn elsewhere does not disturb. */
  fork(): Random {
    return new Random(this.below(2 ** 32));
  }
}
