// The tables of a SQLite catalog, for moving it. The lock of the data folder keeps others out.

import { existsSync } from 'node:fs';
import { Fault } from '../../domain/fault.ts';
import type { Verb } from '../sql.ts';
import type { StoreRole, TableStore } from '../table-store.ts';
import { nameRow, type Table, type TableRow, tables } from '../tables.ts';
import { Connection, checkpoint, toFaultKind } from './connection.ts';
import { latestSchema, migrate } from './migrate.ts';

/** Transactions between two checkpoints. */
const maxLogged = 16;

/** Null: there is no source. */
export function openSqliteTables(path: string, role: StoreRole): TableStore | null {
  if (role === 'source' && !existsSync(path)) return null;
  const connection = new Connection(path, role === 'source' ? 'reader' : 'writer');
  try {
    if (role === 'target') migrate(connection);
    else requireLatest(connection);
    return new SqliteTables(connection, role);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function requireLatest(connection: Connection): void {
  const found = Number(connection.all('PRAGMA user_version')[0]?.user_version);
  if (found === latestSchema) return;
  throw new Fault(
    'other',
    `The catalog has schema ${found}, this release ${latestSchema}. Start the service once with this release, so that it is brought up to date.`,
  );
}

class SqliteTables implements TableStore {
  readonly #connection: Connection;
  readonly #role: StoreRole;
  #logged = 0;

  constructor(connection: Connection, role: StoreRole) {
    this.#connection = connection;
    this.#role = role;
  }

  async hold(): Promise<void> {}

  async read<Result>(verb: Verb<Result>): Promise<Result> {
    return this.#connection.read(verb);
  }

  async write(verbs: readonly Verb<void>[]): Promise<void> {
    this.#transact(() => {
      for (const verb of verbs) this.#connection.run(verb);
    });
  }

  async insert(table: Table, rows: readonly TableRow[]): Promise<void> {
    this.#transact(() => {
      for (const row of rows) this.#insert(table, row);
    });
  }

  #insert(table: Table, row: TableRow): void {
    try {
      this.#connection.insert(table.into, row);
    } catch (error) {
      if (toFaultKind(error) !== 'other') throw error;
      throw new Fault('other', `${nameRow(table, row)} cannot be kept: ${(error as Error).message}`, error);
    }
  }

  async clear(): Promise<void> {
    this.#transact(() => {
      for (const { name } of tables.toReversed()) this.#connection.all(`DELETE FROM ${name}`);
    });
  }

  /** SQLite continues after the highest number by itself. */
  async settle(): Promise<void> {}

  #transact(work: () => void): void {
    try {
      this.#connection.exec('BEGIN IMMEDIATE');
      work();
      this.#connection.exec('COMMIT');
    } catch (error) {
      // SQLite may have ended the transaction itself.
      if (toFaultKind(error) !== 'fatal') this.#rollBack();
      throw toFaultKind(error) === 'full' ? new Fault('full', 'no space is left for the catalog', error) : error;
    }
    this.#logged += 1;
    if (this.#logged < maxLogged) return;
    this.#logged = 0;
    checkpoint(this.#connection, 'PASSIVE');
  }

  #rollBack(): void {
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // SQLite had already ended the transaction.
    }
  }

  async close(): Promise<void> {
    if (this.#role === 'target') checkpoint(this.#connection, 'TRUNCATE');
    this.#connection.close();
  }
}
