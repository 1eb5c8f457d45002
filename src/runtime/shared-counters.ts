// Numbers by name, in memory that all threads of the process share: rate limits and counts. A hash table of fixed
// size: when there is no room, the smallest of a few numbers is evicted and counts as 0.
//
// Layout: a lock; a random salt, so that clients cannot choose the slots of names; then the slots: 64 bits of the
// name's hash each, and after them their numbers. A name is in one of the few slots after its own (linear probing).

import { hash, randomFillSync } from 'node:crypto';

const slots = 131_072;
const probedSlots = 16;
const saltAt = 8;
const saltBytes = 24;
const namesAt = saltAt + saltBytes;
const numbersAt = namesAt + slots * 8;
/** The lock is held for a few microseconds, unless the kernel suspends its thread. */
const spins = 200;

type Key = [low: number, high: number];

export class SharedNumbers {
  /** To be passed to other threads. */
  readonly shared: SharedArrayBuffer;
  readonly #lock: Int32Array;
  readonly #salt: string;
  readonly #names: Uint32Array;
  readonly #numbers: Float64Array;

  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer(numbersAt + slots * 8);
    const salt = new Uint8Array(this.shared, saltAt, saltBytes);
    if (shared === undefined) randomFillSync(salt);
    this.#lock = new Int32Array(this.shared, 0, 1);
    this.#salt = Buffer.from(salt).toString('base64');
    this.#names = new Uint32Array(this.shared, namesAt, slots * 2);
    this.#numbers = new Float64Array(this.shared, numbersAt, slots);
  }

  get(name: string): number {
    return this.change(name, (number) => number);
  }

  /** Replaces a number atomically by what `change` returns for it, and returns that. A number that is not above `worthless` is
   *  evicted before all others. */
  change(name: string, change: (number: number) => number, worthless = 0): number {
    const hashed = hash('sha256', this.#salt + name, 'buffer');
    const key: Key = [hashed.readUInt32LE(0), hashed.readUInt32LE(4)];
    this.#enter();
    try {
      const slot = this.#find(key, worthless);
      const isKnown = this.#isAt(slot, key);
      const changed = change(isKnown ? (this.#numbers[slot] as number) : 0);
      if (!isKnown && changed <= worthless) return changed;
      this.#names.set(key, slot * 2);
      this.#numbers[slot] = changed;
      return changed;
    } finally {
      this.#leave();
    }
  }

  #isAt(slot: number, [low, high]: Key): boolean {
    return this.#names[slot * 2] === low && this.#names[slot * 2 + 1] === high;
  }

  /** The slot of the name, or the one that can best be reused. */
  #find(key: Key, worthless: number): number {
    const first = key[0] % slots;
    let least = first;
    for (let step = 0; step < probedSlots; step += 1) {
      const slot = (first + step) % slots;
      if (this.#isAt(slot, key)) return slot;
      const isLess = (this.#numbers[slot] as number) < (this.#numbers[least] as number);
      if (isLess && (this.#numbers[least] as number) > worthless) least = slot;
    }
    return least;
  }

  #enter(): void {
    for (let tries = 0; Atomics.compareExchange(this.#lock, 0, 0, 1) !== 0; tries += 1) {
      if (tries >= spins) Atomics.wait(this.#lock, 0, 1, 1);
    }
  }

  #leave(): void {
    Atomics.store(this.#lock, 0, 0);
    Atomics.notify(this.#lock, 0, 1);
  }
}

/** Counts what is in use at the moment, up to a limit. */
export class Counts {
  readonly #numbers: SharedNumbers;

  constructor(shared?: SharedArrayBuffer) {
    this.#numbers = new SharedNumbers(shared);
  }

  get shared(): SharedArrayBuffer {
    return this.#numbers.shared;
  }

  get(name: string): number {
    return this.#numbers.get(name);
  }

  /** False: the limit would be exceeded, and nothing is counted. */
  take(name: string, limit: number, amount = 1): boolean {
    let isAvailable = false;
    this.#numbers.change(name, (count) => {
      isAvailable = count + amount <= limit;
      return isAvailable ? count + amount : count;
    });
    return isAvailable;
  }

  giveBack(name: string, amount = 1): void {
    if (amount > 0) this.#numbers.change(name, (count) => Math.max(0, count - amount));
  }
}

/** Limits for the whole process, whatever its number of threads. */
export interface Shared {
  /** For `Buckets` whose keys anybody can choose. */
  buckets: SharedNumbers;
  /** For `Buckets` of quotas: nobody else can evict them. */
  rates: SharedNumbers;
  counts: Counts;
}

export type SharedBuffers = Record<keyof Shared, SharedArrayBuffer>;

export function openShared(buffers?: SharedBuffers): Shared {
  return {
    buckets: new SharedNumbers(buffers?.buckets),
    rates: new SharedNumbers(buffers?.rates),
    counts: new Counts(buffers?.counts),
  };
}

export function toBuffers({ buckets, rates, counts }: Shared): SharedBuffers {
  return { buckets: buckets.shared, rates: rates.shared, counts: counts.shared };
}
