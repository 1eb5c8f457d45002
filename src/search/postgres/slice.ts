// Finds the newest documents that match a query. The index of words has no order, so it is searched in blocks of entry numbers,
// from the newest down: small blocks where there are many matches, large ones where there are few. So a query reads a bounded part
// of the index, whether its words are in every document or in none.
//
// Words give candidates; phrases are then checked for each of them.

import type { Lookup } from './vectors.ts';
import { blockSizes, toMark } from './vectors.ts';

type RunQuery = (sql: string, values: readonly unknown[]) => Promise<unknown[][]>;

interface SliceRequest {
  space: number;
  /** Names alone, all words, or parts of names: then the caller checks the order of the runs. */
  column: 'names' | 'words' | 'parts';
  lookup: Lookup;
  /** Only entries with smaller numbers. */
  begin: number;
  /** When to stop while nothing matches. */
  deadline: number;
}

export interface SliceRow {
  entry: number;
  name: string;
  properties: string;
  length: number;
  frequencies: Buffer;
  /** Whether the name alone matches. */
  isNamed: boolean;
}

export interface Slice {
  rows: SliceRow[];
  /** The beginning of the window with the rows: from there, the slice is the same. */
  begin: number;
  /** Where to continue. */
  end: number;
}

/** Documents of one slice, the entry numbers that it spans at most, and the candidates checked for it. */
const sliceRows = 300;
const windowNumbers = 2 ** 18;
const maxCandidates = 1500;
/** Names that a short part is compared with at a time. */
const scannedRows = 500;
/** A block with more candidates is searched in smaller blocks. */
const maxInBlock = 4000;

export async function findSlice(query: RunQuery, request: SliceRequest): Promise<Slice> {
  const walk = new Walk(request.begin);
  while (walk.isUnfinished) {
    const { level, start, end, limit } = walk;
    walk.take(await findInBlock(query, request, { level, start, end, limit }));
    if (walk.rows.length === 0 && performance.now() > request.deadline) break;
  }
  return { rows: walk.rows, begin: walk.top, end: walk.end };
}

interface BlockMatches {
  rows: (SliceRow & { isMatch: boolean })[];
  /** Candidates in the block. */
  count: number;
}

class Walk {
  readonly rows: SliceRow[] = [];
  level = 0;
  end: number;
  /** The window of the first match, as if the windows were searched one by one. */
  top: number;
  #bottom = 0;
  #candidates = 0;

  constructor(begin: number) {
    this.end = begin;
    this.top = begin;
  }

  get isUnfinished(): boolean {
    return this.end > this.#bottom && this.rows.length < sliceRows && this.#candidates < maxCandidates;
  }

  get start(): number {
    const size = blockSizes[this.level] as number;
    return Math.max(this.#bottom, Math.floor((this.end - 1) / size) * size);
  }

  get limit(): number {
    return sliceRows - this.rows.length;
  }

  take({ rows, count }: BlockMatches): void {
    if (count > maxInBlock && this.level > 0) {
      this.level -= 1;
      return;
    }
    const { start, end, limit } = this;
    this.#candidates += rows.length;
    this.end = rows.length === limit ? (rows.at(-1)?.entry ?? start) : start;
    for (const row of rows) if (row.isMatch) this.#add(row);
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

  /** Moves to larger blocks if they can be expected to have about as many matches as needed. */
  #chooseLevel(density: number): void {
    const next = blockSizes[this.level + 1];
    if (next !== undefined && density * next < 2 * this.limit) this.level += 1;
  }
}

type Block = Pick<Walk, 'level' | 'start' | 'end' | 'limit'>;

async function findInBlock(
  query: RunQuery,
  request: SliceRequest,
  { level, start, end, limit }: Block,
): Promise<BlockMatches> {
  const { space, column, lookup } = request;
  const { words, phrases } = lookup;
  const candidates = `${toMark(space, level, end - 1)} & ${words}`;
  const inName = [words, ...phrases.map((phrase) => `(${phrase})`)].join(' & ');
  const values = [candidates, start, end, limit, inName];
  const tuples = column === 'words' ? await query(inWords, [...values, phrases]) : await query(inNames[column], values);
  const rows = tuples.map(([entry, name, properties, length, frequencies, isNamed, isMatch]) => {
    return { entry, name, properties, length, frequencies, isNamed, isMatch } as BlockMatches['rows'][number];
  });
  return { rows, count: (tuples[0]?.[7] as number | undefined) ?? 0 };
}

/** `+ 0` keeps the planner from scanning entry numbers instead of the words. */
function toStatement(column: string, isMatch: string): string {
  return `SELECT entry, name, properties, length, frequencies, names @@ $5::tsquery, ${isMatch}, count FROM (
      SELECT *, count(*) OVER () AS count FROM (
        SELECT space, entry, name, properties, length, frequencies, pieces, names, words, parts FROM search_documents
        WHERE ${column} @@ $1::tsquery AND entry + 0 >= $2::bigint AND entry + 0 < $3::bigint LIMIT ${maxInBlock + 1}
      ) AS candidates ORDER BY entry DESC LIMIT $4::int
    ) AS newest`;
}

const inNames = {
  names: toStatement('names', 'names @@ $5::tsquery'),
  parts: toStatement('parts', 'parts @@ $5::tsquery'),
};

/** The newest entries below a number, whatever their names. */
export async function scanEntries(query: RunQuery, { space, begin }: { space: number; begin: number }): Promise<Slice> {
  const tuples = await query(
    `SELECT entry, name, properties, length, frequencies FROM search_documents
     WHERE space = $1 AND entry < $2::bigint ORDER BY entry DESC LIMIT ${scannedRows}`,
    [space, begin],
  );
  const rows = tuples.map(([entry, name, properties, length, frequencies]) => {
    return { entry, name, properties, length, frequencies, isNamed: true } as SliceRow;
  });
  return { rows, begin, end: rows.length === scannedRows ? (rows.at(-1)?.entry ?? 0) : 0 };
}

const inWords = toStatement(
  'words',
  `NOT EXISTS (SELECT FROM unnest($6::tsquery[]) AS phrase WHERE NOT (
    CASE pieces WHEN 0 THEN words @@ phrase ELSE EXISTS (
      SELECT FROM search_pieces WHERE search_pieces.space = newest.space AND search_pieces.entry = newest.entry
      AND search_pieces.words @@ phrase
    ) END))`,
);
