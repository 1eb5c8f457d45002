// The thread that writes the index beside a catalog on SQLite. It reads the catalog over a connection of its own, and blobs through
// the main thread.

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection, toFaultKind } from '../../catalog/sqlite/connection.ts';
import { type Port, WorkerCalls } from '../../runtime/worker-calls.ts';
import { Extractor } from '../extract/extractor.ts';
import type { IndexerFunctions, IndexerHostFunctions } from '../indexer-host.ts';
import { IndexerLoops } from '../indexer-loops.ts';
import { readBlobsFrom } from '../read-blobs.ts';
import { readNext } from '../read-waiting.ts';
import { Follower } from './follower.ts';
import { IndexStore, removeIndex } from './index-store.ts';

export interface IndexerData {
  catalogPath: string;
  indexPath: string;
  /** Free disk space that indexing must leave. */
  reserveBytes: number;
  extractTimeoutMs: number;
}

class Indexer {
  readonly #data: IndexerData;
  readonly #catalog: Connection;
  readonly #store: IndexStore;
  readonly #follower: Follower;
  readonly #extractor: Extractor;
  readonly #loops: IndexerLoops;

  constructor(data: IndexerData, main: WorkerCalls<IndexerHostFunctions>) {
    this.#data = data;
    this.#catalog = new Connection(data.catalogPath, 'reader');
    this.#store = IndexStore.open(data.indexPath);
    this.#follower = new Follower(this.#catalog, this.#store);
    this.#extractor = new Extractor(data.extractTimeoutMs);
    this.#loops = new IndexerLoops({
      follow: async () => (await this.#attempt(() => this.#step())) ?? false,
      readNext: (after) => this.#attempt(() => readNext(parts, after)),
      onReceived: () => main.notify('received', null),
    });
    const { signal } = this.#loops;
    const readBlob = readBlobsFrom(main, signal);
    const parts = { store: this.#store, follower: this.#follower, extractor: this.#extractor, readBlob, signal };
    // Abandons the document that is being read.
    signal.addEventListener('abort', () => void this.#extractor.close());
  }

  wake(): void {
    this.#loops.wake();
  }

  rebuild(): void {
    this.#follower.rebuild();
    this.#loops.wake();
  }

  stop(): void {
    this.#loops.stop();
  }

  async run(): Promise<void> {
    try {
      await this.#loops.run();
    } catch (error) {
      // Everything in it can be rebuilt.
      if (toFaultKind(error) === 'fatal') removeIndex(this.#data.indexPath);
      throw error;
    }
    await this.#extractor.close();
    this.#store.close();
    this.#catalog.close();
    parentPort?.close();
  }

  #step(): boolean {
    const hasMore = this.#follower.follow();
    const hasWalked = this.#follower.walk();
    return hasMore || hasWalked;
  }

  /** Null when the disk is full: it is retried later. */
  async #attempt<Result>(work: () => Result | Promise<Result>): Promise<Result | null> {
    const { bavail, bsize } = statfsSync(dirname(this.#data.indexPath));
    if (bavail * bsize < this.#data.reserveBytes) return null;
    try {
      return await work();
    } catch (error) {
      if (toFaultKind(error) === 'full') return null;
      throw error;
    }
  }
}

const main: WorkerCalls<IndexerHostFunctions> = new WorkerCalls(parentPort as Port, {
  more: () => indexer.wake(),
  rebuild: () => indexer.rebuild(),
  close: () => indexer.stop(),
} satisfies IndexerFunctions);
const indexer = new Indexer(workerData as IndexerData, main);
main.notify('ready', null);
await indexer.run();
