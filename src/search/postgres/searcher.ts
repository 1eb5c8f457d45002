// Answers queries from the index on PostgreSQL, with the same stages, scores and snippets as `sqlite/searcher-thread.ts`.

import { setTimeout as pause } from 'node:timers/promises';
import { isLost, openPool } from '../../catalog/postgres/connection.ts';
import { hasPart, isShortPart, toPartScore } from '../parts.ts';
import type { Query } from '../query.ts';
import { toScore } from '../score.ts';
import { type IndexStatus, type RankedSlice, type RankRequest, type SnippetsRequest, stages } from '../search.ts';
import { toSnippet } from '../snippet.ts';
import { beginningChars, SnippetBudget } from '../snippet-budget.ts';
import { findSlice, type Slice, type SliceRow, scanEntries } from './slice.ts';
import { toLookup } from './vectors.ts';

/** How long to search on while nothing matches. */
const searchMs = 50;
/** Texts up to this size are fetched together, longer ones a few at a time. */
const maxSmallBytes = 32 * 1024;
const longTextBatch = 8;
const maxSkippedShown = 100;
/** Larger counts are estimates of the database: metrics read the status every few seconds. */
const maxCounted = 1_000_000;
const maxConnections = 3;
/** How long to retry while the database cannot be reached: it may be restarting. */
const retryMs = 10_000;

export interface PostgresSearcherData {
  url: string;
  schema: string;
}

interface SnippetSource {
  name: string;
  properties: string;
  text: string;
  /** Whether `text` is only the beginning. */
  isCut: boolean;
}

export class PostgresSearcher {
  readonly #pool: ReturnType<typeof openPool>;

  constructor({ url, schema }: PostgresSearcherData) {
    this.#pool = openPool({ url, schema, maxConnections });
  }

  async #query<Tuple extends unknown[]>(text: string, values: readonly unknown[]): Promise<Tuple[]> {
    const until = performance.now() + retryMs;
    for (;;) {
      try {
        const { rows } = await this.#pool.query<Tuple>({
          name: toName(text),
          text,
          values: [...values],
          rowMode: 'array',
        });
        return rows;
      } catch (error) {
        if (!isLost(error) || performance.now() > until) throw error;
        await pause(50 + Math.random() * 200);
      }
    }
  }

  async rank(request: RankRequest): Promise<RankedSlice> {
    const slice = await this.#rankStage(request);
    const isOver = slice.entries.length === 0 && slice.next === null;
    // A second message between threads would cost more than searching the next stage at once.
    return isOver && request.stage + 1 < stages
      ? await this.#rankStage({ ...request, stage: request.stage + 1, before: null })
      : slice;
  }

  async #rankStage({ space, query, stage, before }: RankRequest): Promise<RankedSlice> {
    const deadline = performance.now() + searchMs;
    const lookup = toLookup(query);
    const begin = before ?? (await this.#findNewest(space)) + 1;
    const { part } = query;
    if (lookup === null || (part !== null && stage > 0)) return { stage, entries: [], before: begin, next: null };
    const run = (sql: string, values: readonly unknown[]) => this.#query(sql, values);
    const column = chooseColumn(query, stage);
    let slice: Slice = { rows: [], begin, end: begin };
    while (slice.end > 0) {
      slice =
        part !== null && isShortPart(part)
          ? await scanEntries(run, { space, begin: slice.end })
          : await findSlice(run, { ...{ space, column, lookup, deadline }, begin: slice.end });
      const rows = slice.rows.filter((row) => isOfStage(row, query, stage));
      if (rows.length > 0)
        return { stage, entries: sortByScore(rows, query), before: slice.begin, next: slice.end || null };
      if (performance.now() > deadline) break;
    }
    return { stage, entries: [], before: begin, next: slice.end || null };
  }

  async #findNewest(space: number): Promise<number> {
    const sql = 'SELECT entry FROM search_documents WHERE space = $1 ORDER BY entry DESC LIMIT 1';
    const [newest] = await this.#query<[number]>(sql, [space]);
    return newest?.[0] ?? -1;
  }

  async snippets({ space, query, entries }: SnippetsRequest): Promise<string[]> {
    const budget = new SnippetBudget();
    const sources = await this.#findSources(space, entries, maxSmallBytes);
    const snippets: string[] = [];
    for (const [index, entry] of entries.entries()) {
      if (sources.get(entry)?.isCut && budget.isLeft) await this.#completeNext(space, sources, entries.slice(index));
      const source = sources.get(entry);
      if (source === undefined) snippets.push('');
      else snippets.push(toSnippet(query, { ...source, text: budget.take(source.text) }));
    }
    return snippets;
  }

  /** Fetches the whole texts of the next few that are cut. */
  async #completeNext(space: number, sources: Map<number, SnippetSource>, entries: readonly number[]): Promise<void> {
    const cut = entries.filter((entry) => sources.get(entry)?.isCut).slice(0, longTextBatch);
    for (const entry of cut) sources.delete(entry);
    for (const [entry, source] of await this.#findSources(space, cut, null)) sources.set(entry, source);
  }

  /** Cuts texts longer than `maxBytes` to their beginning. Documents that are gone are left out. */
  async #findSources(
    space: number,
    entries: readonly number[],
    maxBytes: number | null,
  ): Promise<Map<number, SnippetSource>> {
    const tuples = await this.#query<[number, string, string, string | null, boolean | null]>(
      `SELECT entry, name, properties,
         CASE WHEN octet_length(text) > $3::int THEN left(text, ${beginningChars}) ELSE text END,
         octet_length(text) > $3::int
       FROM search_documents WHERE space = $1 AND entry = ANY ($2::bigint[])`,
      [space, entries, maxBytes],
    );
    return new Map(
      tuples.map(([entry, name, properties, text, isCut]) => {
        return [entry, { name, properties, text: text ?? '', isCut: isCut ?? false }];
      }),
    );
  }

  async status(): Promise<IndexStatus> {
    // Read before the counts, so that they include everything up to this position.
    const [state] = await this.#query<[number | null, number | null]>('SELECT position, walk FROM search_state', []);
    const [counts] = await this.#query<[number, number, number]>(
      `SELECT
         CASE WHEN reltuples > ${maxCounted} THEN reltuples::bigint ELSE (SELECT count(*) FROM search_documents) END,
         (SELECT count(*) FROM search_documents WHERE state = 'waiting'),
         (SELECT count(*) FROM search_documents WHERE state = 'skipped')
       FROM pg_class WHERE oid = 'search_documents'::regclass`,
      [],
    );
    const skipped = await this.#query<[number, string]>(
      `SELECT entry, reason FROM search_documents WHERE state = 'skipped' ORDER BY space, entry LIMIT ${maxSkippedShown}`,
      [],
    );
    const [documents = 0, waiting = 0, skippedCount = 0] = counts ?? [];
    const [position = null, walk = null] = state ?? [];
    return {
      ...{ documents, waiting, skipped: skippedCount },
      position: position ?? 0,
      // An index that does not exist yet is one whose rebuild has not started.
      walk: position === null ? 0 : walk,
      skippedEntries: skipped.map(([entry, reason]) => ({ entry, reason })),
    };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

const names = new Map<string, string>();

/** Each statement is prepared once on each connection. */
function toName(sql: string): string {
  const name = names.get(sql) ?? `search ${names.size + 1}`;
  names.set(sql, name);
  return name;
}

function chooseColumn({ part }: Query, stage: number): 'names' | 'words' | 'parts' {
  if (part !== null) return 'parts';
  return stage === 0 ? 'names' : 'words';
}

/** The second stage leaves out what the first one returns. */
function isOfStage({ name, isNamed }: SliceRow, { part }: Query, stage: number): boolean {
  if (part !== null) return hasPart(name, part);
  return stage === 0 || !isNamed;
}

function sortByScore(rows: readonly SliceRow[], { terms, part }: Query): RankedSlice['entries'] {
  return rows
    .map(({ entry, name, properties, length: words, frequencies }) => {
      if (part !== null) return { entry, score: toPartScore(name, part) };
      const pairs = new Uint32Array(new Uint8Array(frequencies).buffer);
      return { entry, score: toScore(terms, { name, properties, words, pairs }) };
    })
    .sort((a, b) => b.score - a.score || b.entry - a.entry);
}
