// The tables of a PostgreSQL catalog, for moving it. Everything runs on one connection, which also holds the locks: when it
// is lost, nothing more is read or written.

import type pg from 'pg';
import { Fault } from '../../domain/fault.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Verb } from '../sql.ts';
import { CatalogInUse, type StoreRole, type TableStore } from '../table-store.ts';
import { nameRow, type Table, type TableRow, tables } from '../tables.ts';
import { type Client, checkServer, openPool, type PostgresOptions, toFault } from './connection.ts';
import { LinkKeys } from './link-keys.ts';
import { toLockClass } from './locks.ts';
import { latestPostgresSchema, migratePostgres } from './migrate.ts';
import { runAlone } from './run-alone.ts';
import { foldSlice, sequenceSlice } from './sequencer.ts';
import { toInsert, toInserts } from './statements.ts';
import { Transaction } from './transaction.ts';

/** Tables that are not moved: additions (folded before), marks of commits, leases, unfinished uploads and jobs. */
const passing = ['size_additions', 'usage_additions', 'unsealed_changes', 'commits', 'leases', 'uploads', 'entry_jobs'];
/** By the column that holds the number. */
const numbered = { space: 'spaces', entry: 'entries', content: 'contents' };

const patienceMs = 3000;

/** Null: there is no source. */
export async function openPostgresTables(
  options: PostgresOptions,
  role: StoreRole,
  keys = new LinkKeys(),
): Promise<TableStore | null> {
  const pool = openPool({ ...options, maxConnections: 1 });
  try {
    const client = await pool.connect();
    // Not counted as a node; and statements may take long.
    await client.query(`SET application_name = 'cabinet migrate'; SET statement_timeout = 0`);
    if (role === 'target') {
      await checkServer(client);
      await migratePostgres(client, options.schema);
    } else if (!(await isThere(client, options.schema))) {
      client.release();
      await pool.end();
      return null;
    }
    return new PostgresTables({ pool, client, schema: options.schema, keys });
  } catch (error) {
    await pool.end();
    throw toFault(error);
  }
}

async function isThere(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS is_there', [`${schema}.meta`]);
  if (rows[0]?.is_there !== true) return false;
  const found = await client.query(`SELECT value FROM meta WHERE name = 'schema'`);
  const schemaNumber = Number(found.rows[0]?.value ?? 0);
  if (schemaNumber === latestPostgresSchema) return true;
  throw new Fault(
    'other',
    `The catalog has schema ${schemaNumber}, this release ${latestPostgresSchema}. Start the service once with this release, so that it is brought up to date.`,
  );
}

class PostgresTables implements TableStore {
  readonly #pool: pg.Pool;
  readonly #client: Client;
  readonly #schema: string;
  readonly #keys: LinkKeys;

  constructor({ pool, client, schema, keys }: { pool: pg.Pool; client: Client; schema: string; keys: LinkKeys }) {
    this.#pool = pool;
    this.#client = client;
    this.#schema = schema;
    this.#keys = keys;
  }

  /** Every write verb shares the lock of all spaces: holding it exclusively keeps all of them out. */
  async hold(): Promise<void> {
    await this.#untilFree(async () => {
      const { rows } = await this.#query(
        `SELECT count(*) AS connections FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'cabinet' AND pid <> pg_backend_pid()`,
      );
      const connections = Number(rows[0]?.connections);
      return connections === 0 ? null : `nodes have ${connections} connections`;
    });
    for (const purpose of ['sweep', 'spaces', 'sequence', 'fold'] as const) {
      const lock = [toLockClass(this.#schema, purpose)];
      await this.#untilFree(async () => {
        const { rows } = await this.#query('SELECT pg_try_advisory_lock($1::int, 0) AS is_ours', lock);
        return rows[0]?.is_ours === true ? null : 'another process has a lock';
      });
    }
    await this.#bringUpToDate();
  }

  /** The server releases the locks of an earlier process only when it notices that the process is gone. */
  async #untilFree(findObstacle: () => Promise<string | null>): Promise<void> {
    for (const until = systemClock.monotonic() + patienceMs; ; await systemClock.sleep(100)) {
      const obstacle = await findObstacle();
      if (obstacle === null) return;
      if (systemClock.monotonic() < until) continue;
      throw new CatalogInUse(
        `The catalog ${this.#schema} on PostgreSQL is in use: ${obstacle}. Stop all nodes that use this database first.`,
      );
    }
  }

  /** Does what a node would do within a second. */
  async #bringUpToDate(): Promise<void> {
    const lockClass = toLockClass(this.#schema, 'sequence');
    const sequence = { lockClass, keys: this.#keys, now: systemClock.now() };
    const fold = toLockClass(this.#schema, 'fold');
    while ((await this.#transact((transaction) => sequenceSlice(transaction, sequence))).count > 0);
    while ((await this.#transact((transaction) => foldSlice(transaction, fold))) > 0);
  }

  async read<Result>(verb: Verb<Result>): Promise<Result> {
    return await this.#transact(async (transaction) => (await runAlone(verb, transaction, null)).result, 'READ ONLY');
  }

  async write(verbs: readonly Verb<void>[]): Promise<void> {
    await this.#transact(async (transaction) => {
      for (const verb of verbs) await runAlone(verb, transaction, null);
    });
  }

  async insert(table: Table, rows: readonly TableRow[]): Promise<void> {
    try {
      await this.#transact(async (transaction) => {
        for (const { sql, values } of toInserts(table.into, rows)) transaction.send(sql, values);
      });
    } catch (error) {
      // 22: an invalid value; 23: a violated constraint.
      const isOfRow = /^2[23]/.test(String(((error as Fault).cause as { code?: string } | undefined)?.code));
      throw isOfRow ? ((await this.#findBadRow(table, rows)) ?? error) : error;
    }
  }

  /** Tries the rows one by one, and rolls back. */
  async #findBadRow(table: Table, rows: readonly TableRow[]): Promise<Fault | null> {
    let bad: Fault | null = null;
    const tried = this.#transact(async (transaction) => {
      for (const row of rows) {
        await transaction.query(toInsert(table.into, row)).catch((error: Error) => {
          bad = new Fault('other', `${nameRow(table, row)} cannot be kept: ${error.message}`, error);
          throw error;
        });
      }
      throw new Error('none is bad');
    });
    await tried.catch(() => undefined);
    return bad;
  }

  async clear(): Promise<void> {
    const names = [...tables.map(({ name }) => name), ...passing];
    await this.#query(`TRUNCATE ${names.join(', ')}`);
  }

  /** Advances the sequences beyond the moved rows, and updates the statistics of the planner. */
  async settle(): Promise<void> {
    for (const [column, table] of Object.entries(numbered)) {
      await this.#query(
        `SELECT setval('${column}_numbers', max(${column})) FROM ${table} HAVING max(${column}) IS NOT NULL`,
      );
    }
    await this.#query(`ANALYZE ${tables.map(({ name }) => name).join(', ')}`);
  }

  async #query(sql: string, values: unknown[] = []): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(sql, values);
    } catch (error) {
      throw toFault(error);
    }
  }

  async #transact<Result>(work: (transaction: Transaction) => Promise<Result>, mode = ''): Promise<Result> {
    const transaction = new Transaction(this.#client);
    transaction.send(`BEGIN ISOLATION LEVEL REPEATABLE READ ${mode}`);
    try {
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollBack().catch(() => undefined);
      throw toFault(error);
    }
  }

  async close(): Promise<void> {
    // Destroyed, not returned to the pool: its locks end with it.
    this.#client.release(true);
    await this.#pool.end();
  }
}
