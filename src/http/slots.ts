// Bounds how many of a costly thing are done at once.

import { Refusal } from '../domain/refusal.ts';

/** A number of places; whoever finds none free is asked to come again. */
export class Slots {
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Returns what gives the place back. */
  take(): () => void {
    if (this.#free === 0) {
      throw new Refusal('TooManyUploads', 'Too many large JSON bodies are being read at once. Nothing was saved.', {
        hint: 'Send large files as multipart/form-data or as they are; or try again.',
        retryAfterSeconds: 1,
      });
    }
    this.#free -= 1;
    return () => {
      this.#free += 1;
    };
  }
}
