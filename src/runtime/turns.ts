// Turns for work in the background that others wait for by the hundred: as many as leave this thread free for most of the time, and
// a few in any case. Work that comes in small pieces cannot rest after each one, as `runSlice` does: many wait at once.

import { setTimeout as pause, setImmediate as yieldOnce } from 'node:timers/promises';

const windowMs = 20;
const least = 2;
const most = 16;
const highestUse = 0.3;

export class Turns {
  /** In each window. It doubles while the thread is free, and halves while it is busy. */
  #allowed = most;
  #left = most;
  #before = performance.eventLoopUtilization();
  #windowEnds = performance.now() + windowMs;
  #last: Promise<void> = Promise.resolve();

  /** In the order of the calls. */
  take(): Promise<void> {
    const turn = this.#last.then(() => this.#take());
    this.#last = turn;
    return turn;
  }

  async #take(): Promise<void> {
    // What arrived meanwhile goes first.
    await yieldOnce();
    const now = performance.now();
    if (now >= this.#windowEnds) this.#begin(now);
    if (this.#left === 0) {
      await pause(Math.max(1, Math.ceil(this.#windowEnds - now)));
      this.#begin(performance.now());
    }
    this.#left -= 1;
  }

  #begin(now: number): void {
    const use = performance.eventLoopUtilization(this.#before).utilization;
    this.#before = performance.eventLoopUtilization();
    this.#allowed = use > highestUse ? Math.max(least, this.#allowed >> 1) : Math.min(most, this.#allowed * 2);
    this.#left = this.#allowed;
    this.#windowEnds = now + windowMs;
  }
}
