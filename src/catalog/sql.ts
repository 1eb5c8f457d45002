// The small interface between the catalog's verbs and a database engine. A verb is a generator: it yields the steps it
// wants done (a statement, a change for the journal, an addition to a sum) and is handed the rows, so that the same verb
// runs on an engine that answers at once (SQLite, in its own thread) and on one that answers later. Verbs take and return
// plain data.
//
// Statements use `$1`, `$2`, … and only what SQLite and PostgreSQL both understand, but for three marks that each engine
// reads in its way:
//   FOR UPDATE           at the end: the rows are kept from others until the commit. SQLite has one writer and needs it not.
//   exact_size(entries)  the size of an entry with all that was added to it, where the column may lag behind.
//   exact_usage(column)  the same for what an actor holds.

import type { Change } from '../domain/chain.ts';

export type Value = string | number | bigint | Uint8Array | null;
export type Row = Record<string, Value>;

export interface Query {
  sql: string;
  values: readonly Value[];
  /** Rows as arrays of values in the order of the columns: cheaper to make when there are many. */
  isTuples?: boolean;
  /** A row must be changed; if none is, another writer was first, and the whole verb is run again. */
  mustWrite?: boolean;
  /** The column that holds the number which the database gives to the inserted row; it is the one row returned. */
  numbers?: string;
}

/** A sum that many verbs add to: the size of a folder, or what an actor has in a space. */
export type Sum = { kind: 'size'; entry: number } | { kind: 'usage'; space: number; actor: string };
export type Addition =
  | { kind: 'size'; entry: number; bytes: number }
  | { kind: 'usage'; space: number; actor: string; entries: number; bytes: number };

/** `add` may be written later than other steps, together with more of its kind; `pending` tells how much of a sum is not
 *  written yet. Only verbs in `gathered` (catalog.ts) need to ask: before any other, all is written. */
export type Step = Query | { change: Change } | { add: Addition } | { pending: Sum } | { together: Verb<unknown>[] };
export type Verb<Result> = Generator<Step, Result, Row[]>;

export function* rows<R = Row>(sql: string, ...values: Value[]): Verb<R[]> {
  return (yield { sql, values }) as R[];
}

export function* row<R = Row>(sql: string, ...values: Value[]): Verb<R | undefined> {
  return ((yield { sql, values }) as R[])[0];
}

export function* tuples(sql: string, ...values: Value[]): Verb<Value[][]> {
  return (yield { sql, values, isTuples: true }) as unknown as Value[][];
}

/** Runs verbs that only read and do not depend on each other: where answers take their time, they are asked for at once. */
export function* together<Result>(verbs: Verb<Result>[]): Verb<Result[]> {
  return (yield { together: verbs }) as unknown as Result[];
}

/** Inserts a row that the database numbers, and returns the number. */
export function* insert(numbers: string, sql: string, ...values: Value[]): Verb<number> {
  const [inserted] = yield { sql, values, numbers };
  return inserted?.[numbers] as number;
}

export function* add(addition: Addition): Verb<void> {
  yield { add: addition };
}

export function* pending(sum: Sum): Verb<{ entries: number; bytes: number }> {
  const [waiting] = yield { pending: sum };
  return waiting as unknown as { entries: number; bytes: number };
}

/** Returns the place that the change got in the journal. */
export function* append(change: Change): Verb<number> {
  const [placed] = yield { change };
  return placed?.position as number;
}

/** When, by whom and under which tracking id something was asked for that is not about entries. */
export interface Origin {
  at: number;
  /** What `By` says: `operator`, or whoever asked over HTTP. */
  by: string;
  request: string;
}

/** Notes such a change in the journal; what concerns no space stands under the space 0. */
export function* note(
  { at, by, request }: Origin,
  space: number | null,
  action: string,
  entry: string,
  details: object,
): Verb<void> {
  yield* append({ at, space: space ?? 0, by, action, entry, request, details: JSON.stringify(details) });
}

/** What an engine offers: run a verb by name. `read` sees one snapshot; `write` resolves when its commit is durable. */
export interface Engine {
  read<Input, Result>(name: string, input: Input): Promise<Result>;
  write<Input, Result>(name: string, input: Input): Promise<Result>;
  close(): Promise<void>;
}
