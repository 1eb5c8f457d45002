// The main thread's side of an indexer thread: starts it, notifies it of changes, sends it the bytes of blobs, and restarts it when
// it fails.

import { Worker } from 'node:worker_threads';
import type { Blobs } from '../blobs/blobs.ts';
import { Fault } from '../domain/fault.ts';
import { type Clock, systemClock, type Timer } from '../runtime/clock.ts';

const restartMs = 5000;

export type ToIndexer =
  | { more: true }
  | { rebuild: true }
  | { close: true }
  | { reply: number; bytes: Uint8Array<ArrayBuffer> | null };

export type FromIndexer =
  | { ready: true }
  | { received: true }
  | { rebuilding: true }
  | { read: number; blob: string; sizeBytes: number };

interface IndexerOptions {
  thread: URL;
  /** The `workerData` of the thread. */
  data: unknown;
  blobs: Blobs;
  onBackgroundError(error: unknown): void;
  /** The thread has failed and will be restarted. */
  onFailed?: () => void;
  clock?: Clock;
}

export class IndexerHost {
  readonly #options: IndexerOptions;
  #indexer: Worker | null = null;
  #ready: PromiseWithResolvers<void> = Promise.withResolvers();
  #restart: Timer | null = null;
  #isNudged = false;
  #isClosing = false;
  #onRebuilding: (() => void)[] = [];

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#indexer !== null;
  }

  /** Resolves when the thread has opened the index. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  start(): void {
    if (this.#isClosing || this.#indexer !== null) return;
    const { thread, data } = this.#options;
    const indexer = new Worker(thread, { workerData: data });
    this.#indexer = indexer;
    indexer.on('message', (message: FromIndexer) => this.#receive(message));
    indexer.once('error', (error) => this.#onFailure(error));
  }

  #receive(message: FromIndexer): void {
    if ('ready' in message) this.#ready.resolve();
    else if ('received' in message) this.#isNudged = false;
    else if ('rebuilding' in message) this.#onRebuilding.shift()?.();
    else void this.#sendBytes(message);
  }

  #onFailure(error: unknown): void {
    this.#options.onBackgroundError(error);
    this.#indexer = null;
    this.#isNudged = false;
    this.#ready.promise.catch(() => undefined);
    this.#ready.reject(new Fault('other', 'the search index cannot be opened', error));
    this.#ready = Promise.withResolvers();
    this.#ready.promise.catch(() => undefined);
    this.#options.onFailed?.();
    if (this.#isClosing) return;
    this.#restart = (this.#options.clock ?? systemClock).after(restartMs, () => this.start());
  }

  async #sendBytes({ read, blob, sizeBytes }: { read: number; blob: string; sizeBytes: number }): Promise<void> {
    const bytes = await readWhole(this.#options.blobs, blob, sizeBytes).catch((error) => {
      this.#options.onBackgroundError(error);
      return null;
    });
    const message: ToIndexer = { reply: read, bytes };
    this.#indexer?.postMessage(message, bytes === null ? [] : [bytes.buffer]);
  }

  /** Called after every commit: at most one message is pending. */
  nudge(): void {
    if (this.#isNudged || this.#indexer === null) return;
    this.#isNudged = true;
    this.#indexer.postMessage({ more: true } satisfies ToIndexer);
  }

  /** Resolves when the thread has started to rebuild the index. */
  async rebuild(): Promise<void> {
    this.start();
    await this.#ready.promise;
    const started = new Promise<void>((resolve) => this.#onRebuilding.push(resolve));
    this.#indexer?.postMessage({ rebuild: true } satisfies ToIndexer);
    await started;
  }

  /** Abandons unfinished work: it is done after the next start. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#restart?.cancel();
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
