// Wakes requests that wait for changes of a space after a commit: a wrapper around a catalog with the same verbs. Commits
// of other processes are not announced here, so that waiting requests also poll.

import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyWrite, type Catalog, registry, type WriteName } from './catalog.ts';
import { allSpaces, noSpace } from './declaration.ts';

/** Pause after a wake-up by default, so that a busy space does not wake a waiting request for every save. */
const restMs = 10;

/** Spaces that share a slot are woken together. */
const slots = 256;
/** Instead of the number of a space: all of them together. */
export const anySpace = -2;

/** Counters in memory that all threads of the process share. */
export class Commits {
  readonly shared: SharedArrayBuffer;
  readonly #counts: Int32Array;

  constructor(shared = new SharedArrayBuffer((slots + 1) * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#counts = new Int32Array(shared);
  }

  announce(space: number): void {
    this.#bump(toSlot(space));
    this.wakeAll();
  }

  /** Wakes only who waits for any space. */
  wakeAll(): void {
    this.#bump(slots);
  }

  #bump(slot: number): void {
    Atomics.add(this.#counts, slot, 1);
    Atomics.notify(this.#counts, slot);
  }

  /** Read it before reading the changes, and pass it to `wait`. */
  seen(space: number): number {
    return Atomics.load(this.#counts, toSlot(space));
  }

  /** Resolves soon after the first commit in the space since `seen`, or after the timeout. */
  async wait(space: number, seen: number, timeoutMs: number, pauseMs = restMs): Promise<void> {
    const wakeUp = Atomics.waitAsync(this.#counts, toSlot(space), seen, timeoutMs);
    if ((await wakeUp.value) !== 'timed-out') await sleep(pauseMs);
  }
}

function toSlot(space: number): number {
  return space === anySpace ? slots : space % slots;
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
