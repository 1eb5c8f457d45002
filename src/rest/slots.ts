// Bounds how many of a costly thing are done at once.

import { Refusal } from '../domain/refusal.ts';
import type { Counts } from '../runtime/shared-counters.ts';

/** A number of places; whoever finds none free is asked to come again. */
export class Slots {
  readonly #counts: Counts;
  readonly #name: string;
  readonly #count: number;
  readonly #refuse: () => Refusal;

  /** `name`: slots of the same name are the same. `refuse`: what is said to whoever finds none free. */
  constructor(counts: Counts, name: string, count: number, refuse: () => Refusal) {
    this.#counts = counts;
    this.#name = name;
    this.#count = count;
    this.#refuse = refuse;
  }

  get used(): number {
    return this.#counts.get(this.#name);
  }

  /** Returns what gives the place back. */
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
