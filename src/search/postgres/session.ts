// The connection of the node that indexes: one transaction at a time. The same connection holds the lock, so a node that has lost
// the lock cannot write any more.

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

  /** Takes the lock until the connection ends; false when another node holds it. */
  async lead(schema: string): Promise<boolean> {
    const { rows } = await this.#client.query('SELECT pg_try_advisory_lock($1::int, 0) AS is_taken', [
      toLockClass(schema, 'search'),
    ]);
    return (rows[0] as { is_taken: boolean }).is_taken;
  }

  /** No need to wait for the disk: what a power cut loses is indexed again, because the position is lost with it. */
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

/** A document that PostgreSQL rejects must not block others. */
async function transactCarefully<Result>(client: Client, work: Work<Result>): Promise<Result> {
  try {
    return await transact(client, work);
  } catch (error) {
    if (!isRefused(error)) throw error;
    return await transact(client, work, true);
  }
}

export async function transact<Result>(client: Client, work: Work<Result>, isOneByOne = false): Promise<Result> {
  const transaction = new Transaction(client);
  transaction.send('BEGIN');
  try {
    const result = await work(new PostgresIndex(transaction, isOneByOne));
    await transaction.commit();
    return result;
  } catch (error) {
    if (!isLost(error)) await transaction.rollBack();
    throw error;
  }
}
