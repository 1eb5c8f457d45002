// Finds the newest documents that a question is true of. The index of words knows no order, so it is asked block by block of
// entry numbers, from the newest down: small blocks where much is found, large ones where little is. So a question
// looks through a bounded part of the index, whether its words are in every document or in none.
//
// The words lead to candidates; whether they follow each other, in a phrase, is then looked up for each.

import type { Lookup } from './vectors.ts';
import { blockSizes, toMark } from './vectors.ts';

export type Ask = (sql: string, values: readonly unknown[]) => Promise<unknown[][]>;

export interface SliceAsked {
  space: number;
  /** Where it is looked: names alone, or all words. */
  column: 'names' | 'words';
  lookup: Lookup;
  /** Entries with smaller numbers only. */
  begin: number;
  /** When to give up if nothing was found. */
  deadline: number;
}

export interface SliceRow {
  entry: number;
  name: string;
  properties: string;
  length: number;
  frequencies: Buffer;
  /** Whether the question is true of the name alone. */
  isNamed: boolean;
}

export interface Slice {
  rows: SliceRow[];
  /** Where the window begins that the rows are in: asked from there, the slice is the same. */
  begin: number;
  /** Where to go on. */
  end: number;
}

/** Documents of one slice, how many entry numbers it spans at most, and how many candidates are looked at for it. */
const sliceRows = 300;
const windowNumbers = 2 ** 18;
const mostCandidates = 1500;
/** A larger block in which there are more is left for smaller ones. */
const mostInBlock = 4000;

export async function findSlice(ask: Ask, asked: SliceAsked): Promise<Slice> {
  const walk = new Walk(asked.begin);
  while (walk.isGoingOn) {
    const { level, start, end, limit } = walk;
    walk.take(await findInBlock(ask, asked, { level, start, end, limit }));
    if (walk.rows.length === 0 && performance.now() > asked.deadline) break;
  }
  return { rows: walk.rows, begin: walk.top, end: walk.end };
}

interface Found {
  rows: (SliceRow & { isTrue: boolean })[];
  /** Candidates in the block. */
  count: number;
}

class Walk {
  readonly rows: SliceRow[] = [];
  level = 0;
  end: number;
  /** The window of the first document that was found, as if the windows were gone through one by one. */
  top: number;
  #bottom = 0;
  #candidates = 0;

  constructor(begin: number) {
    this.end = begin;
    this.top = begin;
  }

  get isGoingOn(): boolean {
    return this.end > this.#bottom && this.rows.length < sliceRows && this.#candidates < mostCandidates;
  }

  get start(): number {
    const size = blockSizes[this.level] as number;
    return Math.max(this.#bottom, Math.floor((this.end - 1) / size) * size);
  }

  get limit(): number {
    return sliceRows - this.rows.length;
  }

  take({ rows, count }: Found): void {
    if (count > mostInBlock && this.level > 0) {
      this.level -= 1;
      return;
    }
    const { start, end, limit } = this;
    this.#candidates += rows.length;
    this.end = rows.length === limit ? (rows.at(-1)?.entry ?? start) : start;
    for (const row of rows) if (row.isTrue) this.#add(row);
    this.end = Math.max(this.end, this.#bottom);
    this.#chooseLevel(count / (end - start));
  }

  #add(row: SliceRow): void {
    if (this.rows.length === 0) {
      this.top -= windowNumbers * Math.floor((this.top - 1 - row.entry) / windowNumbers);
      this.#bottom = Math.max(0, this.top - windowNumbers);
    }
    if (row.entry >= this.#bottom) this.rows.push(row);
  }

  /** The next larger blocks, if they can be expected to hold about as many as are wanted. */
  #chooseLevel(density: number): void {
    const next = blockSizes[this.level + 1];
    if (next !== undefined && density * next < 2 * this.limit) this.level += 1;
  }
}

type Block = Pick<Walk, 'level' | 'start' | 'end' | 'limit'>;

async function findInBlock(ask: Ask, asked: SliceAsked, { level, start, end, limit }: Block): Promise<Found> {
  const { space, column, lookup } = asked;
  const { words, phrases } = lookup;
  const candidates = `${toMark(space, level, end - 1)} & ${words}`;
  const inName = [words, ...phrases.map((phrase) => `(${phrase})`)].join(' & ');
  const values = [candidates, start, end, limit, inName];
  const tuples = column === 'names' ? await ask(inNames, values) : await ask(inWords, [...values, phrases]);
  const rows = tuples.map(([entry, name, properties, length, frequencies, isNamed, isTrue]) => {
    return { entry, name, properties, length, frequencies, isNamed, isTrue } as Found['rows'][number];
  });
  return { rows, count: (tuples[0]?.[7] as number | undefined) ?? 0 };
}

/** `+ 0` keeps the plan from going through all entry numbers instead of the words. */
function toStatement(column: string, isTrue: string): string {
  return `SELECT entry, name, properties, length, frequencies, names @@ $5::tsquery, ${isTrue}, count FROM (
      SELECT *, count(*) OVER () AS count FROM (
        SELECT space, entry, name, properties, length, frequencies, pieces, names, words FROM search_documents
        WHERE ${column} @@ $1::tsquery AND entry + 0 >= $2::bigint AND entry + 0 < $3::bigint LIMIT ${mostInBlock + 1}
      ) AS candidates ORDER BY entry DESC LIMIT $4::int
    ) AS newest`;
}

const inNames = toStatement('names', 'names @@ $5::tsquery');

const inWords = toStatement(
  'words',
  `NOT EXISTS (SELECT FROM unnest($6::tsquery[]) AS phrase WHERE NOT (
    CASE pieces WHEN 0 THEN words @@ phrase ELSE EXISTS (
      SELECT FROM search_pieces WHERE search_pieces.space = newest.space AND search_pieces.entry = newest.entry
      AND search_pieces.words @@ phrase
    ) END))`,
);
