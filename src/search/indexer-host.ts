// The main thread's side of an indexer thread: starts it, notifies it of changes, reads blobs for it, and restarts it when
// it fails.

import { Worker } from 'node:worker_threads';
import type { Blobs } from '../blobs/blobs.ts';
import { Fault } from '../domain/fault.ts';
import { type Clock, systemClock, type Timer } from '../runtime/clock.ts';
import { HandedOver, WorkerCalls } from '../runtime/worker-calls.ts';

const restartMs = 5000;

/** What an indexer thread offers. */
export type IndexerFunctions = {
  /** There may be more changes. */
  more(input: null): void;
  /** Returns when it has started to. */
  rebuild(input: null): void;
  close(input: null): void;
};

/** What the main thread offers it. */
export type IndexerHostFunctions = {
  /** The thread has opened the index. */
  ready(input: null): void;
  /** Everything announced so far will be indexed. */
  received(input: null): void;
  /** Null when the bytes are not available. */
  readBlob(input: StoredBlob): Promise<HandedOver<Uint8Array<ArrayBuffer>> | null>;
};

export interface StoredBlob {
  blob: string;
  sizeBytes: number;
}

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

interface Indexer {
  worker: Worker;
  calls: WorkerCalls<IndexerFunctions>;
}

export class IndexerHost {
  readonly #options: IndexerOptions;
  #indexer: Indexer | null = null;
  #ready: PromiseWithResolvers<void> = Promise.withResolvers();
  #restart: Timer | null = null;
  #isNudged = false;
  #isClosing = false;

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
    const worker = new Worker(thread, { workerData: data });
    const calls = new WorkerCalls<IndexerFunctions>(worker, {
      ready: () => this.#ready.resolve(),
      received: () => {
        this.#isNudged = false;
      },
      readBlob: (blob) => this.#readBlob(blob),
    } satisfies IndexerHostFunctions);
    this.#indexer = { worker, calls };
    worker.once('error', (error) => this.#onFailure(error));
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

  async #readBlob(stored: StoredBlob): Promise<HandedOver<Uint8Array<ArrayBuffer>> | null> {
    try {
      const bytes = await readWhole(this.#options.blobs, stored);
      return new HandedOver(bytes, [bytes.buffer]);
    } catch (error) {
      this.#options.onBackgroundError(error);
      return null;
    }
  }

  /** Called after every commit: at most one message is pending. */
  nudge(): void {
    if (this.#isNudged || this.#indexer === null) return;
    this.#isNudged = true;
    this.#indexer.calls.notify('more', null);
  }

  /** Resolves when the thread has started to rebuild the index. */
  async rebuild(): Promise<void> {
    this.start();
    await this.#ready.promise;
    await this.#indexer?.calls.call('rebuild', null);
  }

  /** Abandons unfinished work: it is done after the next start. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#restart?.cancel();
    const indexer = this.#indexer;
    if (indexer === null) return;
    const exited = new Promise<void>((resolve) => indexer.worker.once('exit', () => resolve()));
    indexer.calls.notify('close', null);
    await exited;
    this.#indexer = null;
  }
}

async function readWhole(blobs: Blobs, { blob, sizeBytes }: StoredBlob): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for await (const chunk of blobs.open(blob, 0, sizeBytes)) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
