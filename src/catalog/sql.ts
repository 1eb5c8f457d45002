// The interface between the catalog's verbs and a database engine. A verb is a generator: it yields steps (a statement, an
// insert, a change for the journal, an addition to a sum) and receives the rows. So the same verb runs on an engine that
// answers synchronously (SQLite, in its own thread) and on one that answers later. Verbs take and return plain data.
//
// Statements are written with the tag `sql` (`statement.ts`), in what SQLite and PostgreSQL both understand.

import type { Change } from '../domain/chain.ts';
import type { Insert, Sql, Statement, Value } from './statement.ts';

export type Row = Record<string, Value>;

/** `read`: only reads. `lock`: reads rows that the verb is about to change, and keeps others from changing them until the
 *  commit. `execute`: changes rows. `return`: changes rows and returns some (RETURNING). */
export type QueryKind = 'read' | 'lock' | 'execute' | 'return';

export interface Query {
  kind: QueryKind;
  statement: Statement;
  values: readonly Value[];
  /** Rows as arrays of values in the order of the columns: cheaper when there are many. */
  isTuples: boolean;
}

const opening = {
  read: /^\s*(SELECT|WITH|PRAGMA)\b/,
  lock: /^\s*SELECT\b/,
  execute: /^\s*(UPDATE|DELETE)\b/,
  return: /^\s*(UPDATE|DELETE)\b/,
};

/** Engines call this once per statement: a statement that changes rows must not be run as a read. */
export function checkKind(kind: QueryKind, text: string): void {
  if (!opening[kind].test(text)) throw new Error(`a statement is not of the kind ${kind}: ${text}`);
}

/** One row, with a value for each column of the insert. */
export interface Insertion {
  insert: Insert;
  values: readonly Value[];
}

/** A sum that many verbs add to: the size of a folder, or the usage of an actor in a space. */
export type Sum = { kind: 'size'; entry: number } | { kind: 'usage'; space: number; actor: string };
export type Addition =
  | { kind: 'size'; entry: number; bytes: number }
  | { kind: 'usage'; space: number; actor: string; entries: number; bytes: number };

/** Engines may write an `add` later, together with others. `pending` returns how much of a sum is not written yet; only
 *  verbs that declare `readsPendingSums` need it, because everything is written before any other verb runs. */
export type Step =
  | Query
  | Insertion
  | { change: Change }
  | { add: Addition }
  | { pending: Sum }
  | { together: Verb<unknown>[] };
export type Verb<Result> = Generator<Step, Result, Row[]>;

export function* rows<R = Row>({ statement, values }: Sql): Verb<R[]> {
  return (yield { kind: 'read', statement, values, isTuples: false }) as R[];
}

export function* row<R = Row>({ statement, values }: Sql): Verb<R | undefined> {
  return ((yield { kind: 'read', statement, values, isTuples: false }) as R[])[0];
}

export function* tuples({ statement, values }: Sql): Verb<Value[][]> {
  return (yield { kind: 'read', statement, values, isTuples: true }) as unknown as Value[][];
}

export function* lockTuples({ statement, values }: Sql): Verb<Value[][]> {
  return (yield { kind: 'lock', statement, values, isTuples: true }) as unknown as Value[][];
}

export function* execute({ statement, values }: Sql): Verb<void> {
  yield { kind: 'execute', statement, values, isTuples: false };
}

export function* returning<R = Row>({ statement, values }: Sql): Verb<R[]> {
  return (yield { kind: 'return', statement, values, isTuples: false }) as R[];
}

export function* returningRow<R = Row>(query: Sql): Verb<R | undefined> {
  return (yield* returning<R>(query))[0];
}

export function* insert(into: Insert, values: readonly Value[]): Verb<void> {
  yield { insert: into, values };
}

/** Returns the number that the row was given. */
export function* insertNumbered(into: Insert, values: readonly Value[]): Verb<number> {
  const [inserted] = yield { insert: into, values };
  return inserted?.number as number;
}

/** Runs independent reads; an engine that answers later sends them all at once. */
export function* together<Result>(verbs: Verb<Result>[]): Verb<Result[]> {
  return (yield { together: verbs }) as unknown as Result[];
}

export function* add(addition: Addition): Verb<void> {
  yield { add: addition };
}

export function* pending(sum: Sum): Verb<{ entries: number; bytes: number }> {
  const [waiting] = yield { pending: sum };
  return waiting as unknown as { entries: number; bytes: number };
}

/** Returns the position of the change in the journal. */
export function* append(change: Change): Verb<number> {
  const [placed] = yield { change };
  return placed?.position as number;
}

/** When, by whom and under which tracking id a change was requested. */
export interface Origin {
  at: number;
  /** The value of `By`: `operator`, or the caller's actor. */
  by: string;
  request: string;
  /** The AppKey of the application that acts for a person. */
  through?: string;
  /** Tokens of locks that the caller has sent. */
  lockTokens?: readonly string[];
}

/** Adds a change to the journal. A change that concerns no space has the space 0. */
export function* note(
  origin: Origin,
  space: number | null,
  action: string,
  entry: string,
  details: object,
): Verb<void> {
  const { at, by, request } = origin;
  yield* append({ at, space: space ?? 0, by, action, entry, request, details: toChangeDetails(origin, details) });
}

/** The details of a change as JSON. The application of a person is among them, so that the chain covers it. */
export function toChangeDetails({ through }: Pick<Origin, 'through'>, details: object): string {
  return JSON.stringify(through === undefined ? details : { ...details, through });
}

/** Runs verbs by name. `read` sees one snapshot; `write` resolves when its commit is durable. */
export interface Engine {
  read<Input, Result>(name: string, input: Input): Promise<Result>;
  write<Input, Result>(name: string, input: Input): Promise<Result>;
  close(): Promise<void>;
}
