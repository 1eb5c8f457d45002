// A catalog as tables, for moving it to another engine: whole tables are read and written in slices. Sums and the journal
// are plain rows here.

import type { Verb } from './sql.ts';
import type { Table, TableRow } from './tables.ts';

/** A source is only read. */
export type StoreRole = 'source' | 'target';

export interface TableStore {
  /** Keeps all others from changing the catalog until it is closed; rejects with `CatalogInUse` if others may be using it.
   *  Brings up to date what lags behind the saves (the journal, sums). Without it, a source may change while it is read. */
  hold(): Promise<void>;
  /** Runs a verb that only reads. */
  read<Result>(verb: Verb<Result>): Promise<Result>;
  /** Runs verbs in one transaction; when it resolves they are durable. */
  write(verbs: readonly Verb<void>[]): Promise<void>;
  /** Inserts rows in one transaction; when it resolves they are durable. If a single row cannot be stored, rejects with a
   *  `Fault` that names it. */
  insert(table: Table, rows: readonly TableRow[]): Promise<void>;
  /** Removes the rows of all tables. */
  clear(): Promise<void>;
  /** Call it after the last row: the engine updates what depends on the rows, such as the next free numbers. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export class CatalogInUse extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CatalogInUse';
  }
}
