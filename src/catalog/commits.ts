// Tells those who wait for changes of a space that one was committed: a wrapper around a catalog with the same verbs. What
// other processes commit is not announced here, so whoever waits looks again from time to time.

import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyWrite, type Catalog, registry, type WriteName } from './catalog.ts';
import { allSpaces, noSpace } from './declaration.ts';

/** Between two calls to the same waiting one, so that a busy space does not wake it for every save. */
const restMs = 10;

/** Spaces that share a place are woken together. */
const places = 256;

/** In memory that all threads of the process share. */
export class Commits {
  readonly shared: SharedArrayBuffer;
  readonly #counts: Int32Array;

  constructor(shared = new SharedArrayBuffer(places * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#counts = new Int32Array(shared);
  }

  announce(space: number): void {
    Atomics.add(this.#counts, space % places, 1);
    Atomics.notify(this.#counts, space % places);
  }

  /** To be asked before one looks: how far the space is, for `wait`. */
  seen(space: number): number {
    return Atomics.load(this.#counts, space % places);
  }

  /** Resolves soon after the first commit in the space since `seen`, or when the time is over. */
  async wait(space: number, seen: number, timeoutMs: number): Promise<void> {
    const told = Atomics.waitAsync(this.#counts, space % places, seen, timeoutMs);
    if ((await told.value) !== 'timed-out') await sleep(restMs);
  }
}

export function announceCommits(catalog: Catalog, commits: Commits): Catalog {
  const announced = [...registry].flatMap(([name, verb]) =>
    verb.kind === 'write' && verb.isAnnounced
      ? [[name, announcing(catalog, name as WriteName, verb.space, commits)]]
      : [],
  );
  return { ...catalog, ...Object.fromEntries(announced) } as Catalog;
}

function announcing(catalog: Catalog, name: WriteName, toSpace: AnyWrite['space'], commits: Commits) {
  const write = catalog[name] as (input: unknown) => Promise<unknown>;
  return async (input: unknown): Promise<unknown> => {
    const result = await write(input);
    const space = toSpace(input);
    if (space !== noSpace && space !== allSpaces) commits.announce(space);
    return result;
  };
}
