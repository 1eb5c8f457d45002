// The main thread's side of an indexer's thread: starts it, tells it when there is more, hands it the bytes of blobs, and
// starts it again when it fails.

import { Worker } from 'node:worker_threads';
import type { Blobs } from '../blobs/blobs.ts';
import { Fault } from '../domain/fault.ts';
import { type Clock, systemClock, type Timer } from '../runtime/clock.ts';

const startAgainMs = 5000;

export type ToIndexer =
  | { more: true }
  | { rebuild: true }
  | { close: true }
  | { answer: number; bytes: Uint8Array<ArrayBuffer> | null };

export type FromIndexer =
  | { ready: true }
  | { taken: true }
  | { rebuilding: true }
  | { ask: number; blob: string; sizeBytes: number };

export interface IndexerOptions {
  thread: URL;
  /** What the thread is given to begin with. */
  data: unknown;
  blobs: Blobs;
  onBackgroundError(error: unknown): void;
  /** The thread has failed, and will be started again. */
  onFailed?: () => void;
  clock?: Clock;
}

export class IndexerHost {
  readonly #options: IndexerOptions;
  #indexer: Worker | null = null;
  #ready: PromiseWithResolvers<void> = Promise.withResolvers();
  #again: Timer | null = null;
  #isNudged = false;
  #isClosing = false;
  #onRebuilding: (() => void)[] = [];

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#indexer !== null;
  }

  /** The thread has opened what it works on. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  start(): void {
    if (this.#isClosing || this.#indexer !== null) return;
    const { thread, data } = this.#options;
    const indexer = new Worker(thread, { workerData: data });
    this.#indexer = indexer;
    indexer.on('message', (message: FromIndexer) => this.#receive(message));
    indexer.once('error', (error) => this.#startAgain(error));
  }

  #receive(message: FromIndexer): void {
    if ('ready' in message) this.#ready.resolve();
    else if ('taken' in message) this.#isNudged = false;
    else if ('rebuilding' in message) this.#onRebuilding.shift()?.();
    else void this.#hand(message);
  }

  #startAgain(error: unknown): void {
    this.#options.onBackgroundError(error);
    this.#indexer = null;
    this.#isNudged = false;
    this.#ready.promise.catch(() => undefined);
    this.#ready.reject(new Fault('other', 'the search index cannot be opened', error));
    this.#ready = Promise.withResolvers();
    this.#ready.promise.catch(() => undefined);
    this.#options.onFailed?.();
    if (this.#isClosing) return;
    this.#again = (this.#options.clock ?? systemClock).after(startAgainMs, () => this.start());
  }

  async #hand({ ask, blob, sizeBytes }: { ask: number; blob: string; sizeBytes: number }): Promise<void> {
    const bytes = await readWhole(this.#options.blobs, blob, sizeBytes).catch((error) => {
      this.#options.onBackgroundError(error);
      return null;
    });
    const message: ToIndexer = { answer: ask, bytes };
    this.#indexer?.postMessage(message, bytes === null ? [] : [bytes.buffer]);
  }

  /** Called after every commit: one message is on its way at most. */
  nudge(): void {
    if (this.#isNudged || this.#indexer === null) return;
    this.#isNudged = true;
    this.#indexer.postMessage({ more: true } satisfies ToIndexer);
  }

  /** Resolves when the thread has begun to make the index anew. */
  async rebuild(): Promise<void> {
    this.start();
    await this.#ready.promise;
    const begun = new Promise<void>((resolve) => this.#onRebuilding.push(resolve));
    this.#indexer?.postMessage({ rebuild: true } satisfies ToIndexer);
    await begun;
  }

  /** Whatever is under way is given up: it will be done again. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#again?.cancel();
    const indexer = this.#indexer;
    if (indexer === null) return;
    const exited = new Promise<void>((resolve) => indexer.once('exit', () => resolve()));
    indexer.postMessage({ close: true } satisfies ToIndexer);
    await exited;
    this.#indexer = null;
  }
}

async function readWhole(blobs: Blobs, blob: string, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for await (const chunk of blobs.open(blob, 0, sizeBytes)) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
