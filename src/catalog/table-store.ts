// A catalog below its verbs, as one that moves it to another engine has it: whole tables, read and written in slices. There
// are no gathered sums and no journal here: rows are what they are.

import type { Verb } from './sql.ts';
import type { Table, TableRow } from './tables.ts';

/** As a source it is only read. */
export type StoreRole = 'source' | 'target';

export interface TableStore {
  /** Keeps all others from changing the catalog until it is closed, and rejects with `CatalogInUse` if someone may be at it.
   *  What lags behind saves there (places in the journal, sums) is brought up to date. A source that is not held may
   *  change while it is read. */
  hold(): Promise<void>;
  /** Runs a verb that only reads. */
  read<Result>(verb: Verb<Result>): Promise<Result>;
  /** Runs verbs in one transaction; when it resolves they are durable. */
  write(verbs: readonly Verb<void>[]): Promise<void>;
  /** Inserts rows in one transaction; when it resolves they are durable. Rejects with a `Fault` that names the row, if it is
   *  one row that cannot be kept. */
  insert(table: Table, rows: readonly TableRow[]): Promise<void>;
  /** Removes the rows of all tables. */
  clear(): Promise<void>;
  /** After the last row: what the engine itself must know of the rows, such as the next free numbers. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export class CatalogInUse extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CatalogInUse';
  }
}
