// The main thread's side of a searcher thread: starts it with the first query, and again after a failure.

import { Worker } from 'node:worker_threads';
import { Fault } from '../domain/fault.ts';
import { endThread } from '../runtime/threads.ts';
import { type Functions, WorkerCalls } from '../runtime/worker-calls.ts';
import type { IndexStatus, RankedSlice, RankRequest, SnippetsRequest } from './search.ts';

/** What the thread answers. */
export interface SearcherFunctions extends Functions {
  rank(request: RankRequest): RankedSlice | Promise<RankedSlice>;
  snippets(request: SnippetsRequest): string[] | Promise<string[]>;
  status(): IndexStatus | Promise<IndexStatus>;
}

interface SearcherOptions {
  thread: URL;
  /** The `workerData` of the thread. */
  data: unknown;
  onBackgroundError(error: unknown): void;
}

interface Searcher {
  worker: Worker;
  calls: WorkerCalls<SearcherFunctions>;
}

export class SearcherHost {
  readonly #options: SearcherOptions;
  #searcher: Searcher | null = null;

  constructor(options: SearcherOptions) {
    this.#options = options;
  }

  /** To be used at once: it changes when the thread is started again. */
  get calls(): WorkerCalls<SearcherFunctions> {
    this.#searcher ??= this.#start();
    return this.#searcher.calls;
  }

  #start(): Searcher {
    const { thread, data, onBackgroundError } = this.#options;
    const worker = new Worker(thread, { workerData: data });
    worker.once('error', (error) => {
      onBackgroundError(error);
      if (this.#searcher?.worker === worker) void this.end();
    });
    return { worker, calls: new WorkerCalls<SearcherFunctions>(worker, {}) };
  }

  /** The next request starts a new thread. */
  async end(): Promise<void> {
    const searcher = this.#searcher;
    this.#searcher = null;
    if (searcher === null) return;
    searcher.calls.close(new Fault('other', 'the search index is being reopened'));
    await endThread(searcher.worker);
  }
}
