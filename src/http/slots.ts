// Bounds how many of a costly thing are done at once.

import { Refusal } from '../domain/refusal.ts';

/** A number of places; whoever finds none free is asked to come again. */
export class Slots {
  readonly #refuse: () => Refusal;
  readonly #count: number;
  #free: number;

  /** `refuse`: what is said to whoever finds none free. */
  constructor(count: number, refuse: () => Refusal = tooManyUploads) {
    this.#count = count;
    this.#free = count;
    this.#refuse = refuse;
  }

  get used(): number {
    return this.#count - this.#free;
  }

  /** Returns what gives the place back. */
  take(): () => void {
    if (this.#free === 0) throw this.#refuse();
    this.#free -= 1;
    return () => {
      this.#free += 1;
    };
  }
}

function tooManyUploads(): Refusal {
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
