// The search index beside a catalog on PostgreSQL: in the same database, so that all nodes ask the same one. Each node has a
// thread that answers; one of them at a time indexes (`indexer-thread.ts`). Nothing that fails here is a failure of
// the service: the index can always be made again.

import type { Blobs } from '../../blobs/blobs.ts';
import { type PostgresOptions, toFault } from '../../catalog/postgres/connection.ts';
import type { PostgresEngine } from '../../catalog/postgres/postgres.ts';
import type { Clock } from '../../runtime/clock.ts';
import { IndexerHost } from '../indexer-host.ts';
import { parseQuery, type Query } from '../query.ts';
import type { Search } from '../search.ts';
import { SearcherHost } from '../searcher-host.ts';
import type { IndexStatus, RankAsked, Ranked, SnippetsAsked } from '../sqlite/searcher-thread.ts';
import type { PostgresIndexerData } from './indexer-thread.ts';
import type { PostgresSearcherData } from './searcher.ts';
import { transact } from './session.ts';

export interface PostgresSearchOptions {
  pool: PostgresEngine['pool'];
  /** The threads have connections of their own. */
  options: Pick<PostgresOptions, 'url' | 'schema'>;
  blobs: Blobs;
  extractTimeoutMs: number;
  /** Something failed; it is tried again. */
  onTrouble(error: unknown): void;
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

  constructor({ pool, options: { url, schema }, blobs, extractTimeoutMs, onTrouble, clock }: PostgresSearchOptions) {
    this.#pool = pool;
    this.#schema = schema;
    this.#searcher = new SearcherHost({
      thread: new URL('./searcher-thread.ts', import.meta.url),
      data: { url, schema } satisfies PostgresSearcherData,
      onTrouble,
    });
    this.#indexer = new IndexerHost({
      thread: new URL('./indexer-thread.ts', import.meta.url),
      data: { url, schema, extractTimeoutMs } satisfies PostgresIndexerData,
      blobs,
      onTrouble,
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

  /** Whichever node indexes goes on from there. */
  async rebuild(): Promise<void> {
    this.follow();
    try {
      const client = await this.#pool.connect();
      try {
        await transact(client, (index) => index.beginAnew());
      } finally {
        client.release();
      }
      // As if something had changed, in no space: all nodes look.
      await this.#pool.query('SELECT pg_notify($1, $2)', [this.#schema, '[]']);
    } catch (error) {
      throw toFault(error);
    }
  }

  rank(asked: RankAsked): Promise<Ranked> {
    return this.#searcher.ask({ rank: asked }) as Promise<Ranked>;
  }

  snippets(asked: SnippetsAsked): Promise<string[]> {
    return this.#searcher.ask({ snippets: asked }) as Promise<string[]>;
  }

  status(): Promise<IndexStatus> {
    return this.#searcher.ask({ status: true }) as Promise<IndexStatus>;
  }

  async close(): Promise<void> {
    const closed = this.#indexer.close();
    await this.#searcher.end();
    await closed;
  }
}
