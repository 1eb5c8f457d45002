// Memory for bodies of up to 1 MiB that are read as a whole. Each is given what it can become before its first byte is read; when
// the memory of its caller or of all is used up, it waits, unread, and TCP makes the client wait too. The next one is always of
// another caller, if one waits: who sends many slow bodies delays nobody else's.

import { Refusal } from '../../domain/refusal.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';

/** Smaller bodies need no permission. */
export const tinyBodyBytes = 16 * 1024;
const totalBytes = 128 * 1024 * 1024;
/** Of one caller, and of one space. */
const shareOfTotal = 1 / 4;
const maxWaitMs = 30_000;

interface Waiting {
  keys: readonly string[];
  bytes: number;
  start(): void;
}

export class BodyMemory {
  readonly #clock: Clock;
  readonly #totalBytes: number;
  readonly #shareBytes: number;
  #usedBytes = 0;
  readonly #usedByKey = new Map<string, number>();
  /** By caller; the first of each is next. */
  readonly #waiting = new Map<string, Waiting[]>();

  /** Each thread has a part of the memory. */
  constructor({ threads = 1, clock = systemClock }: { threads?: number; clock?: Clock } = {}) {
    this.#clock = clock;
    this.#totalBytes = totalBytes / threads;
    this.#shareBytes = this.#totalBytes * shareOfTotal;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Resolves to the function that gives the memory back. `keys`: whose shares it uses; the first one is the caller's. */
  async hold(keys: readonly [string, ...string[]], bytes: number): Promise<() => void> {
    if (bytes <= tinyBodyBytes) return () => undefined;
    const [caller] = keys;
    if (this.#waiting.has(caller) || !this.#fits(keys, bytes)) await this.#wait(caller, keys, bytes);
    else this.#add(keys, bytes);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#add(keys, -bytes);
      this.#startWaiting();
    };
  }

  #fits(keys: readonly string[], bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#totalBytes) return false;
    return keys.every((key) => (this.#usedByKey.get(key) ?? 0) + bytes <= this.#shareBytes);
  }

  #add(keys: readonly string[], bytes: number): void {
    this.#usedBytes += bytes;
    for (const key of keys) {
      const used = (this.#usedByKey.get(key) ?? 0) + bytes;
      if (used > 0) this.#usedByKey.set(key, used);
      else this.#usedByKey.delete(key);
    }
  }

  #wait(caller: string, keys: readonly string[], bytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = this.#clock.after(maxWaitMs, () => {
      this.#remove(caller, waiting);
      reject(tooManyBodies());
    });
    const waiting: Waiting = {
      keys,
      bytes,
      start() {
        timer.cancel();
        resolve();
      },
    };
    const queue = this.#waiting.get(caller);
    if (queue === undefined) this.#waiting.set(caller, [waiting]);
    else queue.push(waiting);
    return promise;
  }

  #remove(caller: string, waiting: Waiting): void {
    const left = (this.#waiting.get(caller) ?? []).filter((one) => one !== waiting);
    if (left.length > 0) this.#waiting.set(caller, left);
    else this.#waiting.delete(caller);
  }

  /** One of each caller in turn, as long as something fits. */
  #startWaiting(): void {
    for (let hasStarted = true; hasStarted; ) {
      hasStarted = false;
      for (const [caller, queue] of [...this.#waiting]) {
        const [first, ...others] = queue;
        if (first === undefined || !this.#fits(first.keys, first.bytes)) continue;
        // To the end of the line.
        this.#waiting.delete(caller);
        if (others.length > 0) this.#waiting.set(caller, others);
        this.#add(first.keys, first.bytes);
        first.start();
        hasStarted = true;
      }
    }
  }
}

function tooManyBodies(): Refusal {
  return new Refusal(
    'TooManyRequests',
    'Too many of your requests with large bodies are in progress. Nothing was changed.',
    {
      hint: 'Send them faster, or fewer at a time.',
      retryAfterSeconds: 1,
    },
  );
}
