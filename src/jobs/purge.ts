// Takes apart, in the background, what was removed for good, and gives its space back: rows first, a slice at a time with
// pauses in which saves go on, then the blobs that nothing points to any more.

import { randomUUID } from 'node:crypto';
import type { Blobs } from '../blobs/blobs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { HiddenTree } from '../catalog/verbs/purge.ts';
import { discardBlobs } from '../operations/discard-blobs.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { runSlice } from '../runtime/pacing.ts';

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
      const slice = await runSlice(
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
