// Takes apart, in the background, what was removed for good, and gives its space back: rows first, a slice at a time with
// pauses in which saves go on, then the blobs that nothing points to any more.

import { randomUUID } from 'node:crypto';
import type { Blobs } from '../blobs/blobs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { HiddenTree } from '../catalog/purge.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { inTurn } from './copy-entry.ts';

/** Nobody waits for a purge, so it rests longer than it works. */
const restsOfPurge = 3;

export interface PurgerOptions {
  onFailure(error: unknown): void;
  clock?: Clock;
}

export class Purger {
  readonly #catalog: Catalog;
  readonly #blobs: Blobs;
  readonly #onFailure: (error: unknown) => void;
  readonly #clock: Clock;
  #running: Promise<void> | null = null;
  #isWanted = false;
  #isStopped = false;

  constructor(catalog: Catalog, blobs: Blobs, { onFailure, clock = systemClock }: PurgerOptions) {
    this.#catalog = catalog;
    this.#blobs = blobs;
    this.#onFailure = onFailure;
    this.#clock = clock;
  }

  /** Something was removed. What is left undone by a failure is taken up at the next nudge. */
  nudge(): void {
    this.#isWanted = true;
    if (this.#isStopped) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        for (let tops = await this.#find(); tops.length > 0; tops = await this.#find()) {
          for (const tree of tops) await this.#purge(tree);
        }
      }
    } catch (error) {
      if (!this.#isStopped) this.#onFailure(error);
    }
  }

  async #find(): Promise<HiddenTree[]> {
    return this.#isStopped ? [] : await this.#catalog.findHiddenTrees({});
  }

  async #purge(tree: HiddenTree): Promise<void> {
    const request = randomUUID();
    for (let isDone = false; !isDone && !this.#isStopped; ) {
      const slice = await inTurn(
        () => this.#catalog.purgeSlice({ ...tree, at: this.#clock.now(), request }),
        restsOfPurge,
      );
      await discardBlobs(this.#blobs, slice.freedBlobs);
      isDone = slice.isDone;
    }
  }

  /** What is half done goes on at the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }
}

/** Lets go of blobs whose records are gone. What cannot be removed now is removed by the sweeper. */
export async function discardBlobs(blobs: Blobs, names: readonly string[]): Promise<void> {
  for (const name of names) await blobs.discard(name).catch(() => undefined);
}
