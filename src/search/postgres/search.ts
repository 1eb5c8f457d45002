// The search index beside a catalog on PostgreSQL: in the same database, so that all nodes share it. Every node has a thread that
// answers queries; one node at a time indexes (`indexer-thread.ts`).

import type { Blobs } from '../../blobs/blobs.ts';
import { type PostgresOptions, toFault } from '../../catalog/postgres/connection.ts';
import type { PostgresEngine } from '../../catalog/postgres/postgres.ts';
import type { Clock } from '../../runtime/clock.ts';
import { IndexerHost } from '../indexer-host.ts';
import { type Match, parseQuery, type Query } from '../query.ts';
import type { IndexStatus, RankedSlice, RankRequest, Search, SnippetsRequest } from '../search.ts';
import { SearcherHost } from '../searcher-host.ts';
import type { PostgresIndexerData } from './indexer-thread.ts';
import type { PostgresSearcherData } from './searcher.ts';
import { transact } from './session.ts';

interface PostgresSearchOptions {
  pool: PostgresEngine['pool'];
  /** The threads have connections of their own. */
  options: Pick<PostgresOptions, 'url' | 'schema'>;
  blobs: Blobs;
  extractTimeoutMs: number;
  /** Gets what fails in the background; it is retried. */
  onBackgroundError(error: unknown): void;
  clock?: Clock;
}

export function openPostgresSearch(options: PostgresSearchOptions): Search {
  return new PostgresSearch(options);
}

class PostgresSearch implements Search {
  readonly #pool: PostgresEngine['pool'];
  readonly #schema: string;
  readonly #indexer: IndexerHost;
  readonly #searcher: SearcherHost;

  constructor({
    pool,
    options: { url, schema },
    blobs,
    extractTimeoutMs,
    onBackgroundError,
    clock,
  }: PostgresSearchOptions) {
    this.#pool = pool;
    this.#schema = schema;
    this.#searcher = new SearcherHost({
      thread: new URL('./searcher-thread.ts', import.meta.url),
      data: { url, schema } satisfies PostgresSearcherData,
      onBackgroundError,
    });
    this.#indexer = new IndexerHost({
      thread: new URL('./indexer-thread.ts', import.meta.url),
      data: { url, schema, extractTimeoutMs } satisfies PostgresIndexerData,
      blobs,
      onBackgroundError,
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

  /** The node that indexes continues from there. */
  async rebuild(): Promise<void> {
    this.follow();
    try {
      const client = await this.#pool.connect();
      try {
        await transact(client, (index) => index.startRebuild());
      } finally {
        client.release();
      }
      // Notifies all nodes, as after a change that affects no space.
      await this.#pool.query('SELECT pg_notify($1, $2)', [this.#schema, '[]']);
    } catch (error) {
      throw toFault(error);
    }
  }

  rank(request: RankRequest): Promise<RankedSlice> {
    return this.#searcher.calls.call('rank', request);
  }

  snippets(request: SnippetsRequest): Promise<string[]> {
    return this.#searcher.calls.call('snippets', request);
  }

  status(): Promise<IndexStatus> {
    return this.#searcher.calls.call('status', undefined);
  }

  async close(): Promise<void> {
    const closed = this.#indexer.close();
    await this.#searcher.end();
    await closed;
  }
}
