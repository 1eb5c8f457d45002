// The thread that writes the index beside a catalog on SQLite. It reads the catalog over a connection of its own, and blobs through
// the main thread.

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection, toFaultKind } from '../../catalog/sqlite/connection.ts';
import { BlobReader } from '../blob-reader.ts';
import { Extractor } from '../extract/extractor.ts';
import type { FromIndexer, ToIndexer } from '../indexer-host.ts';
import { IndexerLoops } from '../indexer-loops.ts';
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
  readonly #blobs = new BlobReader();
  readonly #loops: IndexerLoops;

  constructor(data: IndexerData) {
    this.#data = data;
    this.#catalog = new Connection(data.catalogPath, 'reader');
    this.#store = IndexStore.open(data.indexPath);
    this.#follower = new Follower(this.#catalog, this.#store);
    this.#extractor = new Extractor(data.extractTimeoutMs);
    this.#loops = new IndexerLoops({
      follow: async () => (await this.#attempt(() => this.#step())) ?? false,
      readNext: (after) => this.#attempt(() => readNext(this.#parts(), after)),
      onReceived: () => post({ received: true }),
    });
    this.#loops.signal.addEventListener('abort', () => this.#abandon());
  }

  receive(message: ToIndexer): void {
    if ('more' in message) this.#loops.wake();
    else if ('rebuild' in message) {
      this.#follower.rebuild();
      post({ rebuilding: true });
      this.#loops.wake();
    } else if ('reply' in message) this.#blobs.receive(message);
    else this.#loops.stop();
  }

  /** Abandons the document that is being read. */
  #abandon(): void {
    this.#blobs.close();
    void this.#extractor.close();
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

  #parts() {
    const readBlob = (blob: string, sizeBytes: number) => this.#blobs.read(blob, sizeBytes);
    const { signal } = this.#loops;
    return { store: this.#store, follower: this.#follower, extractor: this.#extractor, readBlob, signal };
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

function post(message: FromIndexer): void {
  parentPort?.postMessage(message);
}

const indexer = new Indexer(workerData as IndexerData);
parentPort?.on('message', (message: ToIndexer) => indexer.receive(message));
post({ ready: true });
await indexer.run();
