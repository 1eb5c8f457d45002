// The connection of the node that indexes: one transaction at a time. It is the same one that holds the lock by which other
// nodes know that somebody indexes, so whoever has lost the lock can write nothing any more.

import { type Client, isLost } from '../../catalog/postgres/connection.ts';
import { toLockClass } from '../../catalog/postgres/locks.ts';
import { Transaction } from '../../catalog/postgres/transaction.ts';
import { isRefused, PostgresIndex } from './index-store.ts';

export class PostgresSession {
  readonly #client: Client;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: Client) {
    this.#client = client;
  }

  /** False: another node indexes. Once it is taken, it is kept until the connection ends. */
  async lead(schema: string): Promise<boolean> {
    const { rows } = await this.#client.query('SELECT pg_try_advisory_lock($1::int, 0) AS is_taken', [
      toLockClass(schema, 'search'),
    ]);
    return (rows[0] as { is_taken: boolean }).is_taken;
  }

  /** Others have to wait for nothing here: what a power cut takes is indexed again, for the place goes with it. */
  async prepare(): Promise<void> {
    await this.#client.query('SET synchronous_commit = off');
  }

  transact<Result>(work: Work<Result>): Promise<Result> {
    const result = this.#last.then(() => transactCarefully(this.#client, work));
    this.#last = result.catch(() => undefined);
    return result;
  }
}

type Work<Result> = (index: PostgresIndex) => Promise<Result>;

/** One document that PostgreSQL refuses holds up no others. */
async function transactCarefully<Result>(client: Client, work: Work<Result>): Promise<Result> {
  try {
    return await transact(client, work);
  } catch (error) {
    if (!isRefused(error)) throw error;
    return await transact(client, work, true);
  }
}

export async function transact<Result>(client: Client, work: Work<Result>, isCareful = false): Promise<Result> {
  const transaction = new Transaction(client);
  transaction.send('BEGIN');
  try {
    const result = await work(new PostgresIndex(transaction, isCareful));
    await transaction.commit();
    return result;
  } catch (error) {
    if (!isLost(error)) await transaction.rollBack();
    throw error;
  }
}
