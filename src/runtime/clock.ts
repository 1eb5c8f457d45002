// The clock for every decision about time: expiry, retries, leases, sweeps, rate limits, timeouts. `start` passes
// one to every part, so that a test can pass one that it moves (`clock-for-tests.ts`). Code that only measures a duration uses
// `performance.now()`. Worker threads use the system's clock: they cannot share an object with the main thread.

import { setTimeout as wait } from 'node:timers/promises';

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since 1970. For times that are stored, or compared with other machines' times. */
  now(): number;
  /** Milliseconds that never go backwards, the same in all threads of the process. For time limits. */
  monotonic(): number;
  /** Runs something once, after so many milliseconds. A timer does not keep the process alive. */
  after(ms: number, run: () => void): Timer;
  every(ms: number, run: () => void): Timer;
  /** Rejects with an `AbortError` when the signal is aborted. Keeps the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The zero of this thread's `performance.now()` on the clock that all threads share. */
const originMs = toMs(process.hrtime()) - performance.now();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => originMs + performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return { cancel: () => clearInterval(timer) };
  },
  sleep: (ms, signal) => wait(ms, undefined, { signal }),
};

function toMs([seconds, nanoseconds]: [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
