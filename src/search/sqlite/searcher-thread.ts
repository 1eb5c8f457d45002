// The thread that answers queries from the index, over a read-only connection: a long query blocks neither requests nor
// indexing.
//
// A stage is searched from the newest entry down, in windows of entry numbers. A slice is identified by where its window begins,
// so that a deep page costs as much as the first one.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { exitOnRequest } from '../../runtime/threads.ts';
import { type Port, WorkerCalls } from '../../runtime/worker-calls.ts';
import { hasPart, isShortPart, toPartScore } from '../parts.ts';
import type { Query } from '../query.ts';
import { toScore } from '../score.ts';
import { type IndexStatus, type RankedSlice, type RankRequest, type SnippetsRequest, stages } from '../search.ts';
import type { SearcherFunctions } from '../searcher-host.ts';
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

/** Entries of one slice, and the width of a window in entry numbers. */
const sliceRows = 300;
/** Names that a short part is compared with at a time. */
const scannedRows = 500;
const windowNumbers = 2 ** 18;
/** How long to search on while nothing matches. */
const searchMs = 50;
const maxSkippedShown = 100;
const cacheKib = 16 * 1024;

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

  rank(request: RankRequest): RankedSlice {
    const slice = this.#rankStage(request);
    const isOver = slice.entries.length === 0 && slice.next === null;
    // A second message between threads would cost more than searching the next stage at once.
    return isOver && request.stage + 1 < stages
      ? this.#rankStage({ ...request, stage: request.stage + 1, before: null })
      : slice;
  }

  #rankStage({ space, query, stage, before }: RankRequest): RankedSlice {
    const deadline = performance.now() + searchMs;
    const newest = this.#findNewest(space);
    let begin = Math.min(before ?? entriesPerSpace, newest + 1);
    let end = begin;
    if (query.part !== null && stage > 0) return { stage, entries: [], before: begin, next: null };
    const source = chooseSource(query, stage);
    while (end > 0) {
      begin = end;
      const start = Math.max(0, end - windowNumbers);
      const slice = this.#findSlice(source, query, toDocument(space, start), toDocument(space, end));
      const last = slice.at(-1);
      end = slice.length === source.rows && last !== undefined ? toEntryNumber(last[0]) : start;
      const rows = this.#choose(slice, query, stage);
      if (rows.length > 0) return { stage, entries: sortByScore(rows, query), before: begin, next: end || null };
      if (performance.now() > deadline) break;
    }
    return { stage, entries: [], before: begin, next: end || null };
  }

  #findNewest(space: number): number {
    const [newest] = this.#all<[number]>(
      'SELECT document FROM documents WHERE document < ? ORDER BY document DESC LIMIT 1',
      toDocument(space + 1, 0),
    );
    return newest === undefined || newest[0] < toDocument(space, 0) ? -1 : toEntryNumber(newest[0]);
  }

  #findSlice({ table, rows }: Source, { expression }: Query, start: number, end: number): SliceRow[] {
    const columns = 'document, documents.name, documents.properties, length, frequencies';
    if (table === 'documents') {
      const sql = `SELECT ${columns} FROM documents WHERE document >= ? AND document < ? ORDER BY document DESC LIMIT ${rows}`;
      return this.#all<SliceRow>(sql, start, end);
    }
    return this.#all<SliceRow>(
      `SELECT ${columns} FROM ${table} JOIN documents ON document = ${table}.rowid
       WHERE ${table} MATCH ? AND ${table}.rowid >= ? AND ${table}.rowid < ? ORDER BY ${table}.rowid DESC LIMIT ${rows}`,
      expression,
      start,
      end,
    );
  }

  #choose(slice: readonly SliceRow[], query: Query, stage: number): readonly SliceRow[] {
    const { part } = query;
    if (part !== null) return slice.filter(([, name]) => hasPart(name, part));
    return stage === 0 ? slice : this.#withoutNamed(slice, query);
  }

  /** Leaves out what the first stage returns. That is at most as many as the slice has. */
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

  snippets({ space, query, entries }: SnippetsRequest): string[] {
    const budget = new SnippetBudget();
    return entries.map((entry) => {
      const [row] = this.#all<[string, string, PackedText | null]>(
        `SELECT name, properties, text FROM documents LEFT JOIN texts USING (document) WHERE document = ?`,
        toDocument(space, entry),
      );
      if (row === undefined) return '';
      const [name, properties, packed] = row;
      const unpack = budget.isLeft ? unpackText : unpackBeginning;
      const text = packed === null ? '' : budget.take(unpack(packed));
      return toSnippet(query, { name, properties, text });
    });
  }

  status(): IndexStatus {
    const count = (sql: string) => this.#all<[number]>(sql)[0]?.[0] ?? 0;
    // Read before the counts, so that they include everything up to this position.
    const state = new Map(this.#all<[string, number | null]>('SELECT name, value FROM state'));
    const skipped = this.#all<[number, string]>(
      `SELECT document, reason FROM documents WHERE state = 'skipped' ORDER BY document LIMIT ${maxSkippedShown}`,
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

interface Source {
  /** `documents`: all of them. */
  table: 'names' | 'words' | 'parts' | 'documents';
  /** At a time. */
  rows: number;
}

function chooseSource({ part }: Query, stage: number): Source {
  if (part !== null) {
    return isShortPart(part) ? { table: 'documents', rows: scannedRows } : { table: 'parts', rows: sliceRows };
  }
  return { table: stage === 0 ? 'names' : 'words', rows: sliceRows };
}

type SliceRow = [document: number, name: string, properties: string, words: number, frequencies: Uint8Array];

function sortByScore(rows: readonly SliceRow[], { terms, part }: Query): RankedSlice['entries'] {
  return rows
    .map(([document, name, properties, words, frequencies]) => {
      if (part !== null) return { entry: toEntryNumber(document), score: toPartScore(name, part) };
      const pairs = new Uint32Array(frequencies.slice().buffer);
      return { entry: toEntryNumber(document), score: toScore(terms, { name, properties, words, pairs }) };
    })
    .sort((a, b) => b.score - a.score || b.entry - a.entry);
}

const searcher = new Searcher((workerData as { path: string }).path);

exitOnRequest();
new WorkerCalls(parentPort as Port, {
  rank: (request) => searcher.rank(request),
  snippets: (request) => searcher.snippets(request),
  status: () => searcher.status(),
} satisfies SearcherFunctions);
