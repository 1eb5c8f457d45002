// A clock that tests move. In between it stands still or, in a real process, runs as the system's does.
// `advance` fires what became due, in order. A periodic timer that was due several times fires once, at its last time, as
// after a machine was suspended.

import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, systemClock, type Timer } from './clock.ts';

interface Pending {
  dueAt: number;
  /** Null: it fires once. */
  everyMs: number | null;
  run(): void;
  /** Fires it when nobody moves the clock; null: the clock stands still. */
  real: Timer | null;
}

export class MovableClock implements Clock {
  readonly #isRunning: boolean;
  readonly #pending = new Set<Pending>();
  #movedMs = 0;
  /** What `now` says when it was not moved. */
  readonly #start: { now: number; monotonic: number };

  constructor({ isRunning = false, now = Date.now() } = {}) {
    this.#isRunning = isRunning;
    this.#start = { now, monotonic: Math.floor(systemClock.monotonic()) };
  }

  now(): number {
    return Math.floor((this.#isRunning ? systemClock.now() : this.#start.now) + this.#movedMs);
  }

  monotonic(): number {
    return (this.#isRunning ? systemClock.monotonic() : this.#start.monotonic) + this.#movedMs;
  }

  /** Timers and sleeps that are under way. */
  get waiting(): number {
    return this.#pending.size;
  }

  after(ms: number, run: () => void): Timer {
    return this.#add(ms, null, run);
  }

  every(ms: number, run: () => void): Timer {
    return this.#add(ms, ms, run);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(toAbortError(signal));
      const abort = () => {
        timer.cancel();
        reject(toAbortError(signal as AbortSignal));
      };
      const timer = this.#add(ms, null, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Resolves when what became due has run, and what follows from it at once. */
  async advance(ms: number): Promise<void> {
    await turn();
    const target = this.#movedMs + ms;
    this.#skipBeats(this.monotonic() + ms);
    for (;;) {
      const next = this.#findNext();
      const leftMs = next === null ? 0 : Math.max(0, next.dueAt - this.monotonic());
      if (next === null || this.#movedMs + leftMs > target) break;
      this.#movedMs += leftMs;
      this.#fire(next);
      await turn();
    }
    this.#movedMs = target;
    for (const pending of this.#pending) this.#arm(pending);
    await turn();
  }

  #skipBeats(until: number): void {
    for (const pending of this.#pending) {
      const { dueAt, everyMs } = pending;
      if (everyMs !== null && dueAt <= until) pending.dueAt += Math.floor((until - dueAt) / everyMs) * everyMs;
    }
  }

  #findNext(): Pending | null {
    let next: Pending | null = null;
    for (const pending of this.#pending) if (next === null || pending.dueAt < next.dueAt) next = pending;
    return next;
  }

  #fire(pending: Pending): void {
    pending.real?.cancel();
    this.#pending.delete(pending);
    if (pending.everyMs !== null) {
      pending.dueAt = this.monotonic() + pending.everyMs;
      this.#pending.add(pending);
      this.#arm(pending);
    }
    pending.run();
  }

  #add(ms: number, everyMs: number | null, run: () => void): Timer {
    const pending: Pending = { dueAt: this.monotonic() + ms, everyMs, run, real: null };
    this.#pending.add(pending);
    this.#arm(pending);
    return {
      cancel: () => {
        pending.real?.cancel();
        this.#pending.delete(pending);
      },
    };
  }

  #arm(pending: Pending): void {
    if (!this.#isRunning) return;
    pending.real?.cancel();
    pending.real = systemClock.after(Math.max(0, pending.dueAt - this.monotonic()), () => this.#fire(pending));
  }
}

function toAbortError({ reason }: AbortSignal): Error {
  return new DOMException('The operation was aborted', { name: 'AbortError', cause: reason });
}
