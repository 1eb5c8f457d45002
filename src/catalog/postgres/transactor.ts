// Runs transactions to completion: retries after a conflict, and after the connection was lost before the commit. Every
// transaction writes a mark; if the connection is lost during the commit, the mark shows whether it was committed.

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { Fault } from '../../domain/fault.ts';
import { Refusal } from '../../domain/refusal.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { type Client, isConflict, isLost, toFault } from './connection.ts';
import { type Lock, sendLocks } from './locks.ts';
import { Transaction } from './transaction.ts';

/** Attempts when transactions conflict. */
export const maxAttempts = 10;
/** How long to wait for a server that cannot be reached: it may be restarting. */
const patienceMs = 10_000;
/** How long to try to find out whether a commit succeeded. */
const unsurePatienceMs = 60_000;

export class Transactor {
  readonly #pool: pg.Pool;
  readonly #lockClass: number;
  readonly #clock: Clock;
  #isReached = true;
  #isClosed = false;

  constructor(pool: pg.Pool, lockClass: number, clock = systemClock) {
    this.#pool = pool;
    this.#clock = clock;
    this.#lockClass = lockClass;
  }

  isReachable(): boolean {
    return this.#isReached;
  }

  /** Stops waiting for the server. */
  close(): void {
    this.#isClosed = true;
  }

  /** Runs and commits the work. Retries after a conflict, or if the connection was lost before the commit. */
  async transact<Result>(
    locks: readonly Lock[],
    work: (transaction: Transaction) => Promise<Result>,
    { isOnce = false } = {},
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.patiently(() => this.#attempt(locks, work));
      } catch (error) {
        if (isOnce || !isConflict(error) || attempt === maxAttempts) throw error;
        await this.#clock.sleep(Math.random() * 10 * attempt);
      }
    }
  }

  async #attempt<Result>(locks: readonly Lock[], work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const mark = randomUUID();
    const client = await this.#pool.connect();
    const transaction = new Transaction(client);
    let done: { result: Result } | null = null;
    try {
      transaction.send('BEGIN');
      sendLocks(transaction, this.#lockClass, locks);
      transaction.send('INSERT INTO commits (mark) VALUES ($1)', [mark]);
      done = { result: await work(transaction) };
      await transaction.commit();
      client.release();
      return done.result;
    } catch (error) {
      if (!isLost(error)) {
        await release(client, transaction);
        throw error;
      }
      client.release(true);
      if (done !== null && transaction.isEnding && (await this.#wasCommitted(mark))) return done.result;
      throw error;
    }
  }

  /** Whether the transaction that wrote the mark was committed. If not, it never will be: inserting the same mark prevents
   *  it, and waits for it if it is still running. */
  async #wasCommitted(mark: string): Promise<boolean> {
    const until = this.#clock.monotonic() + unsurePatienceMs;
    for (;;) {
      try {
        await this.#pool.query(
          'INSERT INTO commits (mark, is_given_up) VALUES ($1, true) ON CONFLICT (mark) DO NOTHING',
          [mark],
        );
        const { rows } = await this.#pool.query('SELECT is_given_up FROM commits WHERE mark = $1', [mark]);
        return rows[0]?.is_given_up === false;
      } catch (error) {
        if (this.#clock.monotonic() > until) {
          throw new Fault('unsure', 'PostgreSQL was lost while it committed, and cannot be reached', error);
        }
        await this.#clock.sleep(100 + Math.random() * 200);
      }
    }
  }

  /** Retries while the server cannot be reached. */
  async patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    const until = this.#clock.monotonic() + patienceMs;
    for (;;) {
      try {
        const result = await work();
        this.#isReached = true;
        return result;
      } catch (error) {
        if (error instanceof Refusal || !isLost(error)) throw error;
        this.#isReached = false;
        if (this.#isClosed || this.#clock.monotonic() > until) throw toFault(error);
        await this.#clock.sleep(50 + Math.random() * 200);
      }
    }
  }
}

/** Returns a connection to the pool once its transaction has ended; destroys it if that fails. */
export async function release(client: Client, transaction: Transaction): Promise<void> {
  try {
    await transaction.rollBack();
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}
