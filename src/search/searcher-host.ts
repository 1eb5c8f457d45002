// The main thread's side of a searcher thread: starts it with the first query, and again after a failure.

import { Worker } from 'node:worker_threads';
import { Fault, type FaultKind } from '../domain/fault.ts';
import { endThread } from '../runtime/threads.ts';
import type { RankRequest, SnippetsRequest } from './search.ts';

export type SearcherRequest = { rank: RankRequest } | { snippets: SnippetsRequest } | { status: true };
export type ToSearcher = { id: number } & SearcherRequest;
export type FromSearcher = { id: number } & ({ result: unknown } | { fault: string; kind?: FaultKind });

interface SearcherOptions {
  thread: URL;
  /** The `workerData` of the thread. */
  data: unknown;
  onBackgroundError(error: unknown): void;
}

interface PendingRequest {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

export class SearcherHost {
  readonly #options: SearcherOptions;
  #searcher: Worker | null = null;
  readonly #pending = new Map<number, PendingRequest>();
  #lastId = 0;

  constructor(options: SearcherOptions) {
    this.#options = options;
  }

  async request(request: SearcherRequest): Promise<unknown> {
    this.#searcher ??= this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    const searcher = this.#searcher;
    return await new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      searcher.postMessage({ id, ...request } satisfies ToSearcher);
    });
  }

  #start(): Worker {
    const { thread, data, onBackgroundError } = this.#options;
    const searcher = new Worker(thread, { workerData: data });
    searcher.on('message', (message: FromSearcher) => {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if ('result' in message) pending?.resolve(message.result);
      else pending?.reject(new Fault(message.kind ?? 'other', message.fault));
    });
    searcher.once('error', (error) => {
      onBackgroundError(error);
      if (this.#searcher === searcher) void this.end();
    });
    return searcher;
  }

  /** The next request starts a new thread. */
  async end(): Promise<void> {
    const searcher = this.#searcher;
    this.#searcher = null;
    for (const { reject } of this.#pending.values()) reject(new Fault('other', 'the search index is being reopened'));
    this.#pending.clear();
    if (searcher !== null) await endThread(searcher);
  }
}
