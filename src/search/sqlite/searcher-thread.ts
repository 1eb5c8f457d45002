// The thread that answers questions from the index, over a connection that only reads: a long question holds up neither
// requests nor indexing.
//
// Entries are proposed stage by stage: first those that have all words in their names, then the others. Within a stage they
// come in slices of the newest ones, each in the order of its weights. A slice is told by where it begins, so that a next
// page costs what the first one does, however deep it is.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { FaultKind } from '../../domain/fault.ts';
import { endWhenTold } from '../../runtime/threads.ts';
import type { Query } from '../query.ts';
import { toScore } from '../score.ts';
import { toSnippet } from '../snippet.ts';
import { SnippetBudget } from '../snippet-budget.ts';
import {
  entriesPerSpace,
  type PackedText,
  toDocument,
  toEntryNumber,
  unpackBeginning,
  unpackText,
} from './index-store.ts';

/** Entries of one slice, and how many numbers it looks through at a time. */
const sliceRows = 300;
const windowNumbers = 2 ** 18;
/** So long it looks on for a slice that has anything in it. */
const lookMs = 50;
const mostSkippedShown = 100;
const cacheKib = 16 * 1024;

const stages = 2;

export interface RankAsked {
  space: number;
  query: Query;
  stage: number;
  /** Entries with smaller numbers only; null: all. */
  before: number | null;
}

export interface Ranked {
  /** The one that was asked for, or the next one where nothing was found in that. */
  stage: number;
  /** Best first; of the same weight, the newest. */
  entries: { entry: number; score: number }[];
  /** Where the slice begins, also once there are newer entries. */
  before: number;
  /** Where the next slice begins; null: the stage is over. */
  next: number | null;
}

export interface SnippetsAsked {
  space: number;
  query: Query;
  entries: readonly number[];
}

export interface IndexStatus {
  documents: number;
  waiting: number;
  skipped: number;
  /** How far the journal was followed. */
  position: number;
  /** The entry up to which a rebuild has come; null: none is under way. */
  walk: number | null;
  /** The first of those that were skipped. */
  skippedEntries: { entry: number; reason: string }[];
}

export type ToSearcher = { id: number } & ({ rank: RankAsked } | { snippets: SnippetsAsked } | { status: true });
export type FromSearcher = { id: number } & ({ result: unknown } | { fault: string; kind?: FaultKind });

class Searcher {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    this.#database.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF`);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #all<Tuple>(sql: string, ...values: (string | number)[]): Tuple[] {
    return this.#prepare(sql).all(...values) as unknown as Tuple[];
  }

  rank(asked: RankAsked): Ranked {
    const ranked = this.#rankStage(asked);
    const isOver = ranked.entries.length === 0 && ranked.next === null;
    // At once, for asking back costs more than looking.
    return isOver && asked.stage + 1 < stages
      ? this.#rankStage({ ...asked, stage: asked.stage + 1, before: null })
      : ranked;
  }

  #rankStage({ space, query, stage, before }: RankAsked): Ranked {
    const deadline = performance.now() + lookMs;
    const newest = this.#findNewest(space);
    const begin = Math.min(before ?? entriesPerSpace, newest + 1);
    let end = begin;
    while (end > 0) {
      const start = Math.max(0, end - windowNumbers);
      const slice = this.#findSlice(
        stage === 0 ? 'names' : 'words',
        query,
        toDocument(space, start),
        toDocument(space, end),
      );
      const last = slice.at(-1);
      end = slice.length === sliceRows && last !== undefined ? toEntryNumber(last[0]) : start;
      const found = stage === 0 ? slice : this.#withoutNamed(slice, query);
      if (found.length > 0) return { stage, entries: sortByScore(found, query), before: begin, next: end || null };
      if (performance.now() > deadline) break;
    }
    return { stage, entries: [], before: begin, next: end || null };
  }

  #findNewest(space: number): number {
    const [found] = this.#all<[number]>(
      'SELECT document FROM documents WHERE document < ? ORDER BY document DESC LIMIT 1',
      toDocument(space + 1, 0),
    );
    return found === undefined || found[0] < toDocument(space, 0) ? -1 : toEntryNumber(found[0]);
  }

  #findSlice(table: 'names' | 'words', { expression }: Query, start: number, end: number): SliceRow[] {
    return this.#all<SliceRow>(
      `SELECT document, documents.name, documents.properties, length, frequencies
       FROM ${table} JOIN documents ON document = ${table}.rowid
       WHERE ${table} MATCH ? AND ${table}.rowid >= ? AND ${table}.rowid < ? ORDER BY ${table}.rowid DESC LIMIT ${sliceRows}`,
      expression,
      start,
      end,
    );
  }

  /** Those that the first stage has proposed are left out. There are at most as many of them as the slice is long. */
  #withoutNamed(slice: readonly SliceRow[], { expression }: Query): readonly SliceRow[] {
    const [first, last] = [slice[0], slice.at(-1)];
    if (first === undefined || last === undefined) return slice;
    const named = this.#all<[number]>(
      'SELECT rowid FROM names WHERE names MATCH ? AND rowid >= ? AND rowid <= ?',
      expression,
      last[0],
      first[0],
    );
    if (named.length === 0) return slice;
    const numbers = new Set(named.map(([document]) => document));
    return slice.filter(([document]) => !numbers.has(document));
  }

  snippets({ space, query, entries }: SnippetsAsked): string[] {
    const budget = new SnippetBudget();
    return entries.map((entry) => {
      const [found] = this.#all<[string, string, PackedText | null]>(
        `SELECT name, properties, text FROM documents LEFT JOIN texts USING (document) WHERE document = ?`,
        toDocument(space, entry),
      );
      if (found === undefined) return '';
      const [name, properties, packed] = found;
      const unpack = budget.isLeft ? unpackText : unpackBeginning;
      const text = packed === null ? '' : budget.take(unpack(packed));
      return toSnippet(query.terms, { name, properties, text });
    });
  }

  status(): IndexStatus {
    const count = (sql: string) => this.#all<[number]>(sql)[0]?.[0] ?? 0;
    // Before the counts: what was followed up to this position is in them.
    const state = new Map(this.#all<[string, number | null]>('SELECT name, value FROM state'));
    const skipped = this.#all<[number, string]>(
      `SELECT document, reason FROM documents WHERE state = 'skipped' ORDER BY document LIMIT ${mostSkippedShown}`,
    );
    return {
      documents: count('SELECT count(*) FROM documents'),
      waiting: count(`SELECT count(*) FROM documents WHERE state = 'waiting'`),
      skipped: count(`SELECT count(*) FROM documents WHERE state = 'skipped'`),
      position: state.get('position') ?? 0,
      walk: state.get('walk') ?? null,
      skippedEntries: skipped.map(([document, reason]) => ({ entry: toEntryNumber(document), reason })),
    };
  }
}

type SliceRow = [document: number, name: string, properties: string, words: number, frequencies: Uint8Array];

function sortByScore(found: readonly SliceRow[], { terms }: Query): Ranked['entries'] {
  return found
    .map(([document, name, properties, words, frequencies]) => {
      const pairs = new Uint32Array(frequencies.slice().buffer);
      return { entry: toEntryNumber(document), score: toScore(terms, { name, properties, words, pairs }) };
    })
    .sort((a, b) => b.score - a.score || b.entry - a.entry);
}

const searcher = new Searcher((workerData as { path: string }).path);

endWhenTold();
parentPort?.on('message', (message: ToSearcher) => {
  const { id } = message;
  try {
    const result =
      'rank' in message
        ? searcher.rank(message.rank)
        : 'snippets' in message
          ? searcher.snippets(message.snippets)
          : searcher.status();
    parentPort?.postMessage({ id, result } satisfies FromSearcher);
  } catch (error) {
    parentPort?.postMessage({ id, fault: String((error as Error).stack) } satisfies FromSearcher);
  }
});
