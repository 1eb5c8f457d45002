// Limits how many expensive requests run at the same time.

import { Refusal } from '../domain/refusal.ts';
import type { Counts } from '../runtime/shared-counters.ts';

/** A fixed number of slots; a request that finds none free is refused. */
export class Slots {
  readonly #counts: Counts;
  readonly #name: string;
  readonly #count: number;
  readonly #refuse: () => Refusal;

  /** Slots of the same `name` are shared between threads. `refuse` makes the refusal when none is free. */
  constructor(counts: Counts, { name, count, refuse }: { name: string; count: number; refuse: () => Refusal }) {
    this.#counts = counts;
    this.#name = name;
    this.#count = count;
    this.#refuse = refuse;
  }

  get used(): number {
    return this.#counts.get(this.#name);
  }

  /** Returns the function that releases the slot. */
  take(): () => void {
    if (!this.#counts.take(this.#name, this.#count)) throw this.#refuse();
    return () => this.#counts.giveBack(this.#name);
  }
}

export function tooManyUploads(): Refusal {
  return new Refusal('TooManyUploads', 'Too many large JSON bodies are being read at once. Nothing was saved.', {
    hint: 'Send large files as multipart/form-data or as they are; or try again.',
    retryAfterSeconds: 1,
  });
}

export function tooManyBatches(): Refusal {
  return new Refusal('TooManyUploads', 'Too many large batches are being read at once. Nothing was saved.', {
    hint: 'Try again, or send batches of less than 1 MiB: those are never too many.',
    retryAfterSeconds: 1,
  });
}

export function tooManyArchives(): Refusal {
  return new Refusal('TooManyRequests', 'Too many archives are being made at once.', { retryAfterSeconds: 10 });
}
