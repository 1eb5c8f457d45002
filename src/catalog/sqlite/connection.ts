// One connection to a SQLite catalog: opens it with the settings that durability depends on and runs verbs by feeding each
// step its rows. Statements are prepared once.

import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { Change } from '../../domain/chain.ts';
import { Fault, type FaultKind } from '../../domain/fault.ts';
import { makePrivate } from '../../runtime/private-file.ts';
import type { Addition, Insertion, Query, Row, Sum, Verb } from '../sql.ts';
import type { Insert, Statement, Value } from '../statement.ts';
import { toInsertText, toText } from './dialect.ts';

// Below this version a checkpoint that races a commit can corrupt the database (sqlite.org/wal.html#walresetbug).
const oldestSqlite = [3, 51, 3] as const;

const cacheKib = 32 * 1024;
const pageSizeBytes = 4096;

// SQLite's primary result codes (sqlite.org/rescode.html).
const codeFull = 13;
const fatalCodes = new Set([8 /* READONLY */, 10 /* IOERR */, 11 /* CORRUPT */, 14 /* CANTOPEN */, 26 /* NOTADB */]);

export type Role = 'writer' | 'reader' | 'checkpointer';

/** Effects of a verb beside its statements. */
export interface Effects {
  append(change: Change): number;
  add(addition: Addition): Row[];
  pending(sum: Sum): { entries: number; bytes: number };
}

export class Connection {
  readonly #database: DatabaseSync;
  /** Set by everything that may change rows. Callers clear it first. */
  hasWritten = false;
  readonly #native = new Map<string, StatementSync>();
  readonly #statements = new Map<Statement, StatementSync>();
  readonly #tupleStatements = new Map<Statement, StatementSync>();
  readonly #inserts = new Map<Insert, StatementSync>();
  #state: StatementSync | null = null;

  constructor(path: string, role: Role) {
    if (role === 'writer') makePrivate(path);
    this.#database = new DatabaseSync(path, { readOnly: role === 'reader', timeout: 5000 });
    requireSqlite(this.#database);
    if (role === 'writer') {
      // Neither setting can be changed once the database has content.
      const isEmpty = this.all('PRAGMA page_count')[0]?.page_count === 0;
      if (isEmpty) this.exec(`PRAGMA page_size = ${pageSizeBytes}; PRAGMA auto_vacuum = INCREMENTAL`);
      this.exec('PRAGMA journal_mode = WAL');
    }
    this.exec(`PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
      PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${cacheKib}`);
  }

  /** Only for text without values: settings and transactions. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** For the engine's own statements, in SQLite's dialect. */
  all(text: string, values: readonly unknown[] = []): Row[] {
    this.hasWritten = true;
    let statement = this.#native.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#native.set(text, statement);
    }
    return statement.all(...(values as SQLInputValue[])) as Row[];
  }

  /** Returns the number of the row. */
  insert(into: Insert, values: readonly Value[]): number {
    this.hasWritten = true;
    let statement = this.#inserts.get(into);
    if (statement === undefined) {
      statement = this.#database.prepare(toInsertText(into));
      this.#inserts.set(into, statement);
    }
    return Number(statement.run(...(values as SQLInputValue[])).lastInsertRowid);
  }

  #query({ kind, statement, values, isTuples }: Query): Row[] {
    const statements = isTuples ? this.#tupleStatements : this.#statements;
    let prepared = statements.get(statement);
    if (prepared === undefined) {
      prepared = this.#database.prepare(toText(kind, statement));
      if (isTuples) prepared.setReturnArrays(true);
      statements.set(statement, prepared);
    }
    if (kind === 'execute' || kind === 'return') this.hasWritten = true;
    return prepared.all(...(values as SQLInputValue[])) as Row[];
  }

  run<Result>(verb: Verb<Result>, effects: Effects = readOnly): Result {
    let step = verb.next();
    while (!step.done) {
      const wanted = step.value;
      if ('statement' in wanted) step = verb.next(this.#query(wanted));
      else if ('insert' in wanted) step = verb.next(this.#insert(wanted));
      else if ('change' in wanted) step = verb.next([{ position: effects.append(wanted.change) }]);
      else if ('add' in wanted) step = verb.next(effects.add(wanted.add));
      else if ('pending' in wanted) step = verb.next([effects.pending(wanted.pending)]);
      else step = verb.next(wanted.together.map((each) => this.run(each, effects)) as unknown as Row[]);
    }
    return step.value;
  }

  #insert({ insert, values }: Insertion): Row[] {
    const number = this.insert(insert, values);
    return insert.numbered === null ? none : [{ number }];
  }

  /** Runs a read verb in one snapshot. */
  read<Result>(verb: Verb<Result>): Result {
    this.all('BEGIN');
    try {
      return this.run(verb);
    } finally {
      this.all('COMMIT');
    }
  }

  /** A number that changes with every commit of another connection. */
  readState(): number {
    if (this.#state === null) {
      this.#state = this.#database.prepare('PRAGMA data_version');
      // An object for the row would cost as much as reading it.
      this.#state.setReturnArrays(true);
    }
    const [state] = this.#state.get() as unknown as SQLOutputValue[];
    return Number(state);
  }

  close(): void {
    this.#database.close();
  }
}

const none: Row[] = [];

function requireSqlite(database: DatabaseSync): void {
  const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  const parts = version.split('.').map(Number);
  for (const [index, least] of oldestSqlite.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part < least) throw new Fault('fatal', `SQLite ${version} is older than ${oldestSqlite.join('.')}`);
  }
}

function refuse(): never {
  throw new Error('a read verb tried to write');
}

const readOnly: Effects = { append: refuse, add: refuse, pending: () => ({ entries: 0, bytes: 0 }) };

/** Tells errors that can be retried from those that must stop the engine and from bugs. */
export function toFaultKind(error: unknown): FaultKind {
  if (error instanceof Fault) return error.kind;
  const { errcode } = error as { errcode?: number };
  if (errcode === undefined) return 'other';
  const primary = errcode & 0xff;
  if (primary === codeFull) return 'full';
  return fatalCodes.has(primary) ? 'fatal' : 'other';
}

/** Returns the number of pages in the log; null if a full disk has prevented the checkpoint. The log remains then, with
 *  everything committed. */
export function checkpoint(connection: Connection, mode: 'PASSIVE' | 'TRUNCATE'): number | null {
  try {
    return Number(connection.all(`PRAGMA wal_checkpoint(${mode})`)[0]?.log);
  } catch (error) {
    if (toFaultKind(error) === 'full') return null;
    throw error;
  }
}
