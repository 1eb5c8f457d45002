// The main thread's side of a searcher's thread: starts it with the first question, and again after it failed.

import { Worker } from 'node:worker_threads';
import { Fault } from '../domain/fault.ts';
import { endThread } from '../runtime/threads.ts';
import type { FromSearcher, RankAsked, SnippetsAsked, ToSearcher } from './sqlite/searcher-thread.ts';

export type Asked = { rank: RankAsked } | { snippets: SnippetsAsked } | { status: true };

export interface SearcherOptions {
  thread: URL;
  /** What the thread is given to begin with. */
  data: unknown;
  onTrouble(error: unknown): void;
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

export class SearcherHost {
  readonly #options: SearcherOptions;
  #searcher: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(options: SearcherOptions) {
    this.#options = options;
  }

  async ask(asked: Asked): Promise<unknown> {
    this.#searcher ??= this.#start();
    this.#asked += 1;
    const id = this.#asked;
    const searcher = this.#searcher;
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      searcher.postMessage({ id, ...asked } satisfies ToSearcher);
    });
  }

  #start(): Worker {
    const { thread, data, onTrouble } = this.#options;
    const searcher = new Worker(thread, { workerData: data });
    searcher.on('message', (message: FromSearcher) => {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if ('result' in message) waiting?.resolve(message.result);
      else waiting?.reject(new Fault(message.kind ?? 'other', message.fault));
    });
    searcher.once('error', (error) => {
      onTrouble(error);
      if (this.#searcher === searcher) void this.end();
    });
    return searcher;
  }

  /** The next question starts another one. */
  async end(): Promise<void> {
    const searcher = this.#searcher;
    this.#searcher = null;
    for (const { reject } of this.#waiting.values())
      reject(new Fault('other', 'the search index is being opened again'));
    this.#waiting.clear();
    if (searcher !== null) await endThread(searcher);
  }
}
