// Limits how many expensive requests run at the same time: for each caller and each space, and then for all. So a tenant that uses
// up its own slots refuses nobody else's requests.

import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Counts } from '../runtime/shared-counters.ts';

interface SlotsOptions {
  /** Slots of the same name are shared between threads. */
  name: string;
  /** For all together. */
  count: number;
  /** For one caller, and for one space. */
  share: number;
}

export class Slots {
  readonly #counts: Counts;
  readonly #name: string;
  readonly #count: number;
  readonly #share: number;

  constructor(counts: Counts, { name, count, share }: SlotsOptions) {
    this.#counts = counts;
    this.#name = name;
    this.#count = count;
    this.#share = share;
  }

  get used(): number {
    return this.#counts.get(this.#name);
  }

  /** Returns the function that releases the slot. `refuse` makes the refusal when none is free. */
  take(caller: Caller, refuse: () => Refusal): () => void {
    const taken: string[] = [];
    const release = () => {
      for (const name of taken.splice(0)) this.#counts.giveBack(name);
    };
    for (const key of toShareKeys(caller))
      this.#takeOne(`${this.#name} ${key}`, this.#share, { taken, release, refuse });
    this.#takeOne(this.#name, this.#count, { taken, release, refuse });
    return release;
  }

  #takeOne(
    name: string,
    limit: number,
    { taken, release, refuse }: { taken: string[]; release: () => void; refuse: () => Refusal },
  ): void {
    if (this.#counts.take(name, limit)) taken.push(name);
    else {
      release();
      throw refuse();
    }
  }
}

/** Whose shares a request uses: the caller's, and the space's if there is only one that it can be about. */
export function toShareKeys({ actor, spaces, spaceId }: Caller): string[] {
  const [only, ...others] = spaceId === null ? spaces : spaces.filter((access) => access.spaceId === spaceId);
  return only === undefined || others.length > 0 ? [`by ${actor}`] : [`by ${actor}`, `in ${only.space}`];
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
  return new Refusal('TooManyRequests', 'Too many archives are being created at once.', { retryAfterSeconds: 10 });
}

export function tooManyEntryBatches(): Refusal {
  return new Refusal('TooManyRequests', 'Too many changes of many entries are in progress. Nothing was changed.', {
    hint: 'Wait until one of yours is done.',
    retryAfterSeconds: 1,
  });
}
