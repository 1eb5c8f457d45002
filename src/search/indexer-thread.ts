// The thread that writes the index: two loops, one that follows the catalog and one that has the text of documents read.
// It is told when there may be more, and asks for the bytes of blobs, which live in the main thread.

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep, setImmediate as soon } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection, toFaultKind } from '../catalog/sqlite-connection.ts';
import { Extractor } from './extractor.ts';
import { Follower } from './follower.ts';
import { IndexStore, removeIndex } from './index-store.ts';
import { readNext } from './read-waiting.ts';

export interface IndexerData {
  catalogPath: string;
  indexPath: string;
  /** Free disk space that indexing must leave. */
  reserveBytes: number;
  extractTimeoutMs: number;
}

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

/** A moment in which more changes gather, so that a busy catalog does not make a transaction of each. */
const gatherMs = 20;
/** What is not announced (a full disk that has space again, say) is looked for. */
const lookAgainMs = 5000;

class Indexer {
  readonly #data: IndexerData;
  readonly #catalog: Connection;
  readonly #store: IndexStore;
  readonly #follower: Follower;
  readonly #extractor: Extractor;
  readonly #answers = new Map<number, (bytes: Uint8Array<ArrayBuffer> | null) => void>();
  readonly #closing = new AbortController();
  #wakeFollowing: () => void = () => undefined;
  #wakeReading: () => void = () => undefined;
  #hasMore = true;
  #asked = 0;

  constructor(data: IndexerData) {
    this.#data = data;
    this.#catalog = new Connection(data.catalogPath, 'reader');
    this.#store = IndexStore.open(data.indexPath);
    this.#follower = new Follower(this.#catalog, this.#store);
    this.#extractor = new Extractor(data.extractTimeoutMs);
  }

  receive(message: ToIndexer): void {
    if ('more' in message) {
      this.#hasMore = true;
      this.#wakeFollowing();
    } else if ('rebuild' in message) {
      this.#follower.rebuild();
      post({ rebuilding: true });
      this.#hasMore = true;
      this.#wakeFollowing();
    } else if ('answer' in message) {
      this.#answers.get(message.answer)?.(message.bytes);
      this.#answers.delete(message.answer);
    } else {
      this.#closing.abort();
      void this.#extractor.close();
    }
  }

  async run(): Promise<void> {
    try {
      await Promise.all([this.#keepFollowing(), this.#keepReading()]);
    } catch (error) {
      // It holds nothing that cannot be made again.
      if (toFaultKind(error) === 'fatal') removeIndex(this.#data.indexPath);
      throw error;
    }
    await this.#extractor.close();
    this.#store.close();
    this.#catalog.close();
    parentPort?.close();
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  async #keepFollowing(): Promise<void> {
    while (!this.#isClosing) {
      this.#hasMore = false;
      post({ taken: true });
      while (!this.#isClosing && (await this.#attempt(() => this.#step()))) await soon();
      this.#wakeReading();
      if (!this.#hasMore) await this.#rest((wake) => (this.#wakeFollowing = wake));
      await this.#pause(gatherMs);
    }
    this.#wakeReading();
  }

  #step(): boolean {
    const hasFollowed = this.#follower.follow();
    const hasWalked = this.#follower.walk();
    if (hasFollowed || hasWalked) this.#wakeReading();
    return hasFollowed || hasWalked;
  }

  async #keepReading(): Promise<void> {
    let after = -1;
    while (!this.#isClosing) {
      const done = await this.#attempt(() => readNext(this.#parts(), after));
      if (done === null || done === false) await this.#rest((wake) => (this.#wakeReading = wake));
      else after = done;
      await soon();
    }
  }

  #parts() {
    const readBlob = (blob: string, sizeBytes: number) => this.#ask(blob, sizeBytes);
    const { signal } = this.#closing;
    return { store: this.#store, follower: this.#follower, extractor: this.#extractor, readBlob, signal };
  }

  /** False when there is no space: it is tried again later. */
  async #attempt<Result>(work: () => Result | Promise<Result>): Promise<Result | false> {
    const { bavail, bsize } = statfsSync(dirname(this.#data.indexPath));
    if (bavail * bsize < this.#data.reserveBytes) return false;
    try {
      return await work();
    } catch (error) {
      if (toFaultKind(error) === 'full') return false;
      throw error;
    }
  }

  #ask(blob: string, sizeBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    this.#asked += 1;
    const ask = this.#asked;
    return new Promise((resolve) => {
      this.#answers.set(ask, resolve);
      this.#closing.signal.addEventListener('abort', () => resolve(null), { once: true });
      post({ ask, blob, sizeBytes });
    });
  }

  /** Until it is woken, or for a while. */
  async #rest(onWake: (wake: () => void) => void): Promise<void> {
    const woken = new AbortController();
    onWake(() => woken.abort());
    await this.#pause(lookAgainMs, woken.signal);
  }

  async #pause(ms: number, woken?: AbortSignal): Promise<void> {
    const signals = woken === undefined ? [this.#closing.signal] : [this.#closing.signal, woken];
    await sleep(ms, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  }
}

function post(message: FromIndexer): void {
  parentPort?.postMessage(message);
}

const indexer = new Indexer(workerData as IndexerData);
parentPort?.on('message', (message: ToIndexer) => indexer.receive(message));
post({ ready: true });
await indexer.run();
