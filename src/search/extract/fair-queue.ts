// One piece of work at a time, the spaces in turn, so that many documents of one space do not delay those of another.

import { Refusal } from '../../domain/refusal.ts';

/** Of one space. */
const maxWaiting = 16;

export class FairQueue {
  #isBusy = false;
  readonly #waiting = new Map<number, (() => void)[]>();

  async run<Result>(space: number, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(space);
    try {
      return await work();
    } finally {
      this.#startNext();
    }
  }

  async #enter(space: number): Promise<void> {
    if (!this.#isBusy) {
      this.#isBusy = true;
      return;
    }
    const queue = this.#waiting.get(space) ?? [];
    if (queue.length >= maxWaiting) throw tooManyDocuments();
    this.#waiting.set(space, queue);
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isBusy = false;
      return;
    }
    const [space, [first, ...others]] = next;
    // To the end of the line.
    this.#waiting.delete(space);
    if (others.length > 0) this.#waiting.set(space, others);
    first?.();
  }
}

function tooManyDocuments(): Refusal {
  return new Refusal('TooManyRequests', 'The text of too many documents of this space is being read at once.', {
    retryAfterSeconds: 2,
  });
}
