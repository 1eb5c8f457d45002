// Answers questions from the index on PostgreSQL: the same stages, slices, weights and snippets as `searcher-thread.ts` gives
// on SQLite.

import { setTimeout as pause } from 'node:timers/promises';
import { isLost, openPool } from '../../catalog/postgres/connection.ts';
import type { Query } from '../query.ts';
import { toScore } from '../score.ts';
import { toSnippet } from '../snippet.ts';
import { beginningChars, SnippetBudget } from '../snippet-budget.ts';
import type { IndexStatus, RankAsked, Ranked, SnippetsAsked } from '../sqlite/searcher-thread.ts';
import { findSlice, type Slice, type SliceRow } from './slice.ts';
import { toLookup } from './vectors.ts';

/** So long it looks on for a slice that has anything in it. */
const lookMs = 50;
/** Texts up to this size are fetched all at once, longer ones a few at a time. */
const mostSmallBytes = 32 * 1024;
const longTextsAtOnce = 8;
const mostSkippedShown = 100;
/** More documents are told as the database estimates them: metrics ask every few seconds. */
const mostCounted = 1_000_000;
const mostConnections = 3;
/** How long a database that cannot be reached is waited for: it may be starting again. */
const patienceMs = 10_000;

export interface PostgresSearcherData {
  url: string;
  schema: string;
}

interface Shown {
  name: string;
  properties: string;
  text: string;
  /** Whether it is only the beginning of the text. */
  isCut: boolean;
}

export class PostgresSearcher {
  readonly #pool: ReturnType<typeof openPool>;

  constructor({ url, schema }: PostgresSearcherData) {
    this.#pool = openPool({ url, schema, mostConnections });
  }

  async #ask<Tuple extends unknown[]>(text: string, values: readonly unknown[]): Promise<Tuple[]> {
    const until = performance.now() + patienceMs;
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

  async rank({ space, query, stage, before }: RankAsked): Promise<Ranked> {
    const deadline = performance.now() + lookMs;
    const lookup = toLookup(query);
    const begin = before ?? (await this.#findNewest(space)) + 1;
    if (lookup === null) return { stage, entries: [], before: begin, next: null };
    const column = stage === 0 ? 'names' : 'words';
    let slice: Slice = { rows: [], begin, end: begin };
    while (slice.end > 0) {
      slice = await findSlice((sql, values) => this.#ask(sql, values), {
        ...{ space, column, lookup, deadline },
        begin: slice.end,
      });
      // Those that the first stage has proposed are left out.
      const found = stage === 0 ? slice.rows : slice.rows.filter(({ isNamed }) => !isNamed);
      if (found.length > 0)
        return { stage, entries: sortByScore(found, query), before: slice.begin, next: slice.end || null };
      if (performance.now() > deadline) break;
    }
    return { stage, entries: [], before: begin, next: slice.end || null };
  }

  async #findNewest(space: number): Promise<number> {
    const sql = 'SELECT entry FROM search_documents WHERE space = $1 ORDER BY entry DESC LIMIT 1';
    const [found] = await this.#ask<[number]>(sql, [space]);
    return found?.[0] ?? -1;
  }

  async snippets({ space, query, entries }: SnippetsAsked): Promise<string[]> {
    const budget = new SnippetBudget();
    const found = await this.#findShown(space, entries, mostSmallBytes);
    const snippets: string[] = [];
    for (const [index, entry] of entries.entries()) {
      if (found.get(entry)?.isCut && budget.isLeft) await this.#completeNext(space, found, entries.slice(index));
      const shown = found.get(entry);
      if (shown === undefined) snippets.push('');
      else snippets.push(toSnippet(query.terms, { ...shown, text: budget.take(shown.text) }));
    }
    return snippets;
  }

  /** Fetches the whole texts of the next few of which only the beginning is there. */
  async #completeNext(space: number, found: Map<number, Shown>, entries: readonly number[]): Promise<void> {
    const cut = entries.filter((entry) => found.get(entry)?.isCut).slice(0, longTextsAtOnce);
    for (const entry of cut) found.delete(entry);
    for (const [entry, shown] of await this.#findShown(space, cut, null)) found.set(entry, shown);
  }

  /** Of longer texts only the beginning; a document that is gone is left out. */
  async #findShown(space: number, entries: readonly number[], mostBytes: number | null): Promise<Map<number, Shown>> {
    const tuples = await this.#ask<[number, string, string, string | null, boolean | null]>(
      `SELECT entry, name, properties,
         CASE WHEN octet_length(text) > $3::int THEN left(text, ${beginningChars}) ELSE text END,
         octet_length(text) > $3::int
       FROM search_documents WHERE space = $1 AND entry = ANY ($2::bigint[])`,
      [space, entries, mostBytes],
    );
    return new Map(
      tuples.map(([entry, name, properties, text, isCut]) => {
        return [entry, { name, properties, text: text ?? '', isCut: isCut ?? false }];
      }),
    );
  }

  async status(): Promise<IndexStatus> {
    // Before the counts: what was followed up to this position is in them.
    const [state] = await this.#ask<[number | null, number | null]>('SELECT position, walk FROM search_state', []);
    const [counts] = await this.#ask<[number, number, number]>(
      `SELECT
         CASE WHEN reltuples > ${mostCounted} THEN reltuples::bigint ELSE (SELECT count(*) FROM search_documents) END,
         (SELECT count(*) FROM search_documents WHERE state = 'waiting'),
         (SELECT count(*) FROM search_documents WHERE state = 'skipped')
       FROM pg_class WHERE oid = 'search_documents'::regclass`,
      [],
    );
    const skipped = await this.#ask<[number, string]>(
      `SELECT entry, reason FROM search_documents WHERE state = 'skipped' ORDER BY space, entry LIMIT ${mostSkippedShown}`,
      [],
    );
    const [documents = 0, waiting = 0, skippedCount = 0] = counts ?? [];
    const [position = null, walk = null] = state ?? [];
    return {
      ...{ documents, waiting, skipped: skippedCount },
      position: position ?? 0,
      // One that was not begun yet has everything before it.
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

function sortByScore(found: readonly SliceRow[], { terms }: Query): Ranked['entries'] {
  return found
    .map(({ entry, name, properties, length: words, frequencies }) => {
      const pairs = new Uint32Array(new Uint8Array(frequencies).buffer);
      return { entry, score: toScore(terms, { name, properties, words, pairs }) };
    })
    .sort((a, b) => b.score - a.score || b.entry - a.entry);
}
