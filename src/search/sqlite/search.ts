// The search index beside a catalog on SQLite: a file of its own, and two threads, one that indexes and one that answers
// queries.

import { existsSync } from 'node:fs';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Clock } from '../../runtime/clock.ts';
import { IndexerHost } from '../indexer-host.ts';
import { type Match, parseQuery, type Query } from '../query.ts';
import type { IndexStatus, RankedSlice, RankRequest, Search, SnippetsRequest } from '../search.ts';
import { SearcherHost } from '../searcher-host.ts';
import type { IndexerData } from './indexer-thread.ts';

interface SqliteSearchOptions extends IndexerData {
  blobs: Blobs;
  /** Gets what fails in the background; it is retried. */
  onBackgroundError(error: unknown): void;
  clock?: Clock;
}

export function openSqliteSearch(options: SqliteSearchOptions): Search {
  return new SqliteSearch(options);
}

class SqliteSearch implements Search {
  readonly #indexPath: string;
  readonly #indexer: IndexerHost;
  readonly #searcher: SearcherHost;

  constructor({ catalogPath, indexPath, reserveBytes, extractTimeoutMs, ...others }: SqliteSearchOptions) {
    const { blobs, onBackgroundError, clock } = others;
    this.#indexPath = indexPath;
    this.#searcher = new SearcherHost({
      thread: new URL('./searcher-thread.ts', import.meta.url),
      data: { path: indexPath },
      onBackgroundError,
    });
    this.#indexer = new IndexerHost({
      thread: new URL('./indexer-thread.ts', import.meta.url),
      data: { catalogPath, indexPath, reserveBytes, extractTimeoutMs } satisfies IndexerData,
      blobs,
      onBackgroundError,
      // The index may be another file by then: the searcher must open it again.
      onFailed: () => void this.#searcher.end(),
      ...(clock !== undefined && { clock }),
    });
  }

  parse(text: string | null, match?: Match): Query {
    return parseQuery(text, match);
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

  async rank(request: RankRequest): Promise<RankedSlice> {
    return await (await this.#openSearcher()).call('rank', request);
  }

  async snippets(request: SnippetsRequest): Promise<string[]> {
    return await (await this.#openSearcher()).call('snippets', request);
  }

  async status(): Promise<IndexStatus> {
    if (!this.#indexer.isStarted && !existsSync(this.#indexPath)) return emptyStatus;
    return await (await this.#openSearcher()).call('status', undefined);
  }

  /** The indexer creates the index. */
  async #openSearcher(): Promise<SearcherHost['calls']> {
    if (this.#indexer.isStarted) await this.#indexer.ready;
    return this.#searcher.calls;
  }

  async close(): Promise<void> {
    const closed = this.#indexer.close();
    await this.#searcher.end();
    await closed;
  }
}

const emptyStatus: IndexStatus = { documents: 0, waiting: 0, skipped: 0, position: 0, walk: 0, skippedEntries: [] };
