// Tells those who wait for changes of a space that one was committed: a wrapper around a catalog with the same verbs. What
// other processes commit is not announced here, so whoever waits looks again from time to time.

import { type Catalog, writes } from './catalog.ts';

/** Between two calls to the same waiting one, so that a busy space does not wake it for every save. */
const restMs = 10;

export class Commits {
  readonly #waiting = new Map<number, Set<() => void>>();

  announce(space: number): void {
    for (const wake of this.#waiting.get(space) ?? []) wake();
  }

  /** Resolves soon after the next commit in the space, or when the time is over. */
  wait(space: number, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wakes = this.#waiting.get(space) ?? new Set();
      this.#waiting.set(space, wakes);
      const end = () => {
        clearTimeout(timer);
        wakes.delete(wake);
        if (wakes.size === 0) this.#waiting.delete(space);
        resolve();
      };
      const wake = () => {
        wakes.delete(wake);
        setTimeout(end, restMs);
      };
      const timer = setTimeout(end, timeoutMs);
      wakes.add(wake);
    });
  }
}

export function announceCommits(catalog: Catalog, commits: Commits): Catalog {
  const announced = (Object.keys(writes) as (keyof typeof writes)[]).map((name) => [
    name,
    async (input: never) => {
      const result = await (catalog[name] as (input: never) => Promise<unknown>)(input);
      const { space, asked } = input as { space?: unknown; asked?: { space?: unknown } };
      const of = space ?? asked?.space;
      // Nobody waits to hear that something was read.
      if (typeof of === 'number' && name !== 'noteRead') commits.announce(of);
      return result;
    },
  ]);
  return { ...catalog, ...Object.fromEntries(announced) } as Catalog;
}
