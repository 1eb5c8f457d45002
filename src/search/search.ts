// The search index of one environment, as the rest of the process sees it. Here: the one beside a catalog on SQLite, a file
// of its own with two threads, one that indexes and one that answers. `postgres/search.ts` is the other. Nothing that fails
// here is a failure of the service: the index can always be made again.

import { existsSync } from 'node:fs';
import type { Blobs } from '../blobs/blobs.ts';
import type { Clock } from '../runtime/clock.ts';
import { IndexerHost } from './indexer-host.ts';
import { parseQuery, type Query } from './query.ts';
import { type Asked, SearcherHost } from './searcher-host.ts';
import type { IndexerData } from './sqlite/indexer-thread.ts';
import type { IndexStatus, RankAsked, Ranked, SnippetsAsked } from './sqlite/searcher-thread.ts';

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
  clock?: Clock;
}

export function openSearch(options: SearchOptions): Search {
  return new ThreadedSearch(options);
}

class ThreadedSearch implements Search {
  readonly #indexPath: string;
  readonly #indexer: IndexerHost;
  readonly #searcher: SearcherHost;

  constructor({ catalogPath, indexPath, reserveBytes, extractTimeoutMs, ...others }: SearchOptions) {
    const { blobs, onTrouble, clock } = others;
    this.#indexPath = indexPath;
    this.#searcher = new SearcherHost({
      thread: new URL('./sqlite/searcher-thread.ts', import.meta.url),
      data: { path: indexPath },
      onTrouble,
    });
    this.#indexer = new IndexerHost({
      thread: new URL('./sqlite/indexer-thread.ts', import.meta.url),
      data: { catalogPath, indexPath, reserveBytes, extractTimeoutMs } satisfies IndexerData,
      blobs,
      onTrouble,
      // The index may be another file by then: whoever has it open is ended too.
      onFailed: () => void this.#searcher.end(),
      ...(clock !== undefined && { clock }),
    });
  }

  parse(text: string | null): Query {
    return parseQuery(text);
  }

  follow(): void {
    this.#indexer.start();
  }

  nudge(): void {
    this.#indexer.nudge();
  }

  async rebuild(): Promise<void> {
    await this.#indexer.rebuild();
  }

  rank(asked: RankAsked): Promise<Ranked> {
    return this.#ask({ rank: asked }) as Promise<Ranked>;
  }

  snippets(asked: SnippetsAsked): Promise<string[]> {
    return this.#ask({ snippets: asked }) as Promise<string[]>;
  }

  async status(): Promise<IndexStatus> {
    if (!this.#indexer.isStarted && !existsSync(this.#indexPath)) return emptyStatus;
    return (await this.#ask({ status: true })) as IndexStatus;
  }

  async #ask(asked: Asked): Promise<unknown> {
    if (this.#indexer.isStarted) await this.#indexer.ready;
    return await this.#searcher.ask(asked);
  }

  async close(): Promise<void> {
    const closed = this.#indexer.close();
    await this.#searcher.end();
    await closed;
  }
}

const emptyStatus: IndexStatus = { documents: 0, waiting: 0, skipped: 0, position: 0, walk: 0, skippedEntries: [] };
