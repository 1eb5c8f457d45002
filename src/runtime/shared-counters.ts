// Numbers under names, in memory that all threads of the process share: how much of something is left, how many of something
// there are. Of a fixed size: where there is no more room, the least of a few numbers is forgotten and counts as 0.
//
// Layout: a lock; a random text that makes names fall in places which nobody outside can choose; then places of 64 bits of a
// name's hash and the number itself. A name stands in one of the few places from its own on.

import { hash, randomFillSync } from 'node:crypto';

const places = 131_072;
const tried = 16;
const saltAt = 8;
const saltBytes = 24;
const namesAt = saltAt + saltBytes;
const numbersAt = namesAt + places * 8;
/** Nobody holds the lock for longer than some microseconds, unless its thread was put aside. */
const spins = 200;

type Key = [low: number, high: number];

export class SharedNumbers {
  /** For the threads that share it. */
  readonly shared: SharedArrayBuffer;
  readonly #lock: Int32Array;
  readonly #salt: string;
  readonly #names: Uint32Array;
  readonly #numbers: Float64Array;

  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer(numbersAt + places * 8);
    const salt = new Uint8Array(this.shared, saltAt, saltBytes);
    if (shared === undefined) randomFillSync(salt);
    this.#lock = new Int32Array(this.shared, 0, 1);
    this.#salt = Buffer.from(salt).toString('base64');
    this.#names = new Uint32Array(this.shared, namesAt, places * 2);
    this.#numbers = new Float64Array(this.shared, numbersAt, places);
  }

  get(name: string): number {
    return this.change(name, (number) => number);
  }

  /** `change` is given the number and returns what it is from now on; no other thread sees anything in between. A number that
   *  is not above `worthless` may be forgotten before all others. Returns what it is. */
  change(name: string, change: (number: number) => number, worthless = 0): number {
    const hashed = hash('sha256', this.#salt + name, 'buffer');
    const key: Key = [hashed.readUInt32LE(0), hashed.readUInt32LE(4)];
    this.#enter();
    try {
      const place = this.#find(key, worthless);
      const isKnown = this.#isAt(place, key);
      const changed = change(isKnown ? (this.#numbers[place] as number) : 0);
      if (!isKnown && changed <= worthless) return changed;
      this.#names.set(key, place * 2);
      this.#numbers[place] = changed;
      return changed;
    } finally {
      this.#leave();
    }
  }

  #isAt(place: number, [low, high]: Key): boolean {
    return this.#names[place * 2] === low && this.#names[place * 2 + 1] === high;
  }

  /** Where the name stands; else where it would do least harm. */
  #find(key: Key, worthless: number): number {
    const first = key[0] % places;
    let least = first;
    for (let step = 0; step < tried; step += 1) {
      const place = (first + step) % places;
      if (this.#isAt(place, key)) return place;
      const isLess = (this.#numbers[place] as number) < (this.#numbers[least] as number);
      if (isLess && (this.#numbers[least] as number) > worthless) least = place;
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

/** How many of something there are at the moment, never more than is said. */
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

  /** Whether there was one more to have. */
  take(name: string, most: number): boolean {
    let isTaken = false;
    this.#numbers.change(name, (count) => {
      isTaken = count < most;
      return isTaken ? count + 1 : count;
    });
    return isTaken;
  }

  giveBack(name: string): void {
    this.#numbers.change(name, (count) => Math.max(0, count - 1));
  }
}

/** What is limited for the whole process, however many threads it has. */
export interface Shared {
  /** What `Buckets` keep whose keys strangers can choose. */
  buckets: SharedNumbers;
  /** What `Buckets` of quotas keep: nobody can crowd them out. */
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
