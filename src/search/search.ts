// The search index of one environment, as the rest of the process sees it: it starts the threads, tells them when there is
// more, hands them the bytes of blobs, and starts them again when one fails. Nothing that fails here is a failure of the
// service: the index can always be made again.

import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Blobs } from '../blobs/blobs.ts';
import { Fault } from '../domain/fault.ts';
import type { FromIndexer, IndexerData, ToIndexer } from './indexer-thread.ts';
import { parseQuery, type Query } from './query.ts';
import type { FromSearcher, IndexStatus, RankAsked, Ranked, SnippetsAsked, ToSearcher } from './searcher-thread.ts';

const startAgainMs = 5000;

/** What the operations use. The catalog decides which of the proposed entries are shown. */
export interface Search {
  /** Refuses what is no question. */
  parse(text: string | null): Query;
  rank(asked: RankAsked): Promise<Ranked>;
  /** HTML for each of the entries. */
  snippets(asked: SnippetsAsked): Promise<string[]>;
  status(): Promise<IndexStatus>;
  /** Begins to make the index anew, and returns. */
  rebuild(): Promise<void>;
  /** Begins to follow the catalog. */
  follow(): void;
  /** There may be more to index. */
  nudge(): void;
  close(): Promise<void>;
}

export interface SearchOptions extends IndexerData {
  blobs: Blobs;
  /** Something failed; it is tried again. */
  onTrouble(error: unknown): void;
}

export function openSearch(options: SearchOptions): Search {
  return new ThreadedSearch(options);
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

class ThreadedSearch implements Search {
  readonly #options: SearchOptions;
  #indexer: Worker | null = null;
  #searcher: Worker | null = null;
  #ready: PromiseWithResolvers<void> = Promise.withResolvers();
  #again: NodeJS.Timeout | null = null;
  #isNudged = false;
  #isClosing = false;
  #onRebuilding: (() => void)[] = [];
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  parse(text: string | null): Query {
    return parseQuery(text);
  }

  follow(): void {
    if (this.#isClosing || this.#indexer !== null) return;
    const { catalogPath, indexPath, reserveBytes, extractTimeoutMs } = this.#options;
    const indexer = new Worker(new URL('./indexer-thread.ts', import.meta.url), {
      workerData: { catalogPath, indexPath, reserveBytes, extractTimeoutMs } satisfies IndexerData,
    });
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

  /** The index may be another file by then: whoever has it open is ended too. */
  #startAgain(error: unknown): void {
    this.#options.onTrouble(error);
    this.#indexer = null;
    this.#isNudged = false;
    this.#ready.promise.catch(() => undefined);
    this.#ready.reject(new Fault('other', 'the search index cannot be opened', error));
    this.#ready = Promise.withResolvers();
    this.#ready.promise.catch(() => undefined);
    void this.#endSearcher();
    if (this.#isClosing) return;
    this.#again = setTimeout(() => this.follow(), startAgainMs).unref();
  }

  async #hand({ ask, blob, sizeBytes }: { ask: number; blob: string; sizeBytes: number }): Promise<void> {
    const bytes = await readWhole(this.#options.blobs, blob, sizeBytes).catch((error) => {
      this.#options.onTrouble(error);
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

  async rebuild(): Promise<void> {
    this.follow();
    await this.#ready.promise;
    const begun = new Promise<void>((resolve) => this.#onRebuilding.push(resolve));
    this.#indexer?.postMessage({ rebuild: true } satisfies ToIndexer);
    await begun;
  }

  rank(asked: RankAsked): Promise<Ranked> {
    return this.#ask({ rank: asked }) as Promise<Ranked>;
  }

  snippets(asked: SnippetsAsked): Promise<string[]> {
    return this.#ask({ snippets: asked }) as Promise<string[]>;
  }

  async status(): Promise<IndexStatus> {
    if (this.#indexer === null && !existsSync(this.#options.indexPath)) return emptyStatus;
    return (await this.#ask({ status: true })) as IndexStatus;
  }

  async #ask(asked: { rank: RankAsked } | { snippets: SnippetsAsked } | { status: true }): Promise<unknown> {
    if (this.#indexer !== null) await this.#ready.promise;
    this.#searcher ??= this.#startSearcher();
    this.#asked += 1;
    const id = this.#asked;
    const searcher = this.#searcher;
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      searcher.postMessage({ id, ...asked } satisfies ToSearcher);
    });
  }

  #startSearcher(): Worker {
    const searcher = new Worker(new URL('./searcher-thread.ts', import.meta.url), {
      workerData: { path: this.#options.indexPath },
    });
    searcher.on('message', (message: FromSearcher) => {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if ('result' in message) waiting?.resolve(message.result);
      else waiting?.reject(new Fault('other', message.fault));
    });
    searcher.once('error', (error) => {
      this.#options.onTrouble(error);
      if (this.#searcher === searcher) void this.#endSearcher();
    });
    return searcher;
  }

  async #endSearcher(): Promise<void> {
    const searcher = this.#searcher;
    this.#searcher = null;
    for (const { reject } of this.#waiting.values())
      reject(new Fault('other', 'the search index is being opened again'));
    this.#waiting.clear();
    await searcher?.terminate();
  }

  /** Whatever is under way is given up: it will be done again. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#again !== null) clearTimeout(this.#again);
    await this.#endSearcher();
    const indexer = this.#indexer;
    if (indexer === null) return;
    const exited = new Promise<void>((resolve) => indexer.once('exit', () => resolve()));
    indexer.postMessage({ close: true } satisfies ToIndexer);
    await exited;
  }
}

const emptyStatus: IndexStatus = { documents: 0, waiting: 0, skipped: 0, position: 0, walk: 0, skippedEntries: [] };

async function readWhole(blobs: Blobs, blob: string, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for await (const chunk of blobs.open(blob, 0, sizeBytes)) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
