// The work behind the saves, on every node: giving committed changes their places soon after they were written, folding sums,
// and what a node that is gone has left undone.

import type pg from 'pg';
import { Fault } from '../../domain/fault.ts';
import { type Clock, systemClock, type Timer } from '../../runtime/clock.ts';
import type { PostgresOptions } from './connection.ts';
import { toLockClass } from './locks.ts';
import { foldSlice, sealSlice } from './sequencer.ts';
import type { Transactor } from './transactor.ts';

const sealSoonMs = 100;
const tendEveryMs = 1000;
const turnsBetweenClocks = 60;
const mostOffMs = 15_000;

export interface TendingEvents {
  /** Changes of these spaces, by whatever node, have their places in the journal. */
  onSealed?: (spaces: readonly number[]) => void;
  /** Work in the background failed; it will be tried again. */
  onBackgroundError?: (error: unknown) => void;
  clock?: Clock;
}

export class Tending {
  readonly #pool: pg.Pool;
  readonly #options: PostgresOptions;
  readonly #transactor: Transactor;
  readonly #events: TendingEvents;
  readonly #clock: Clock;
  readonly #turns: Timer;
  #turn: Promise<void> = Promise.resolve();
  #sealing: Promise<void> | null = null;
  #nextSealing: Promise<void> | null = null;
  #sealSoon: Timer | null = null;
  #isClosed = false;
  #turnsDone = 0;

  constructor(pool: pg.Pool, options: PostgresOptions, transactor: Transactor, events: TendingEvents) {
    this.#pool = pool;
    this.#options = options;
    this.#transactor = transactor;
    this.#events = events;
    this.#clock = events.clock ?? systemClock;
    this.#turns = this.#clock.every(tendEveryMs, () => {
      this.#turn = this.#turn.then(() => this.#tend());
    });
  }

  /** Something was written here. */
  sealSoon(): void {
    this.#sealSoon ??= this.#clock.after(sealSoonMs, () => {
      this.#sealSoon = null;
      void this.seal().catch((error) => this.#trouble(error));
    });
  }

  /** Resolves when every change that was committed before has its place. */
  seal(): Promise<void> {
    if (this.#sealing === null) {
      this.#sealing = this.#sealAll().finally(() => {
        this.#sealing = null;
      });
      return this.#sealing;
    }
    // The one under way may have looked too early.
    this.#nextSealing ??= this.#sealing
      .catch(() => undefined)
      .then(() => {
        this.#nextSealing = null;
        return this.seal();
      });
    return this.#nextSealing;
  }

  async #sealAll(): Promise<void> {
    const { rows } = await this.#transactor.patiently(() => this.#pool.query('SELECT 1 FROM unsealed_changes LIMIT 1'));
    for (let isMore = rows.length > 0; isMore; ) {
      const { count, spaces } = await this.#transactor.transact([], async (transaction) => {
        const sealed = await sealSlice(transaction, toLockClass(this.#options.schema, 'seal'));
        if (sealed.count > 0) {
          transaction.send('SELECT pg_notify($1, $2)', [this.#options.schema, JSON.stringify(sealed.spaces)]);
        }
        return sealed;
      });
      if (spaces.length > 0) this.#events.onSealed?.(spaces);
      isMore = count > 0;
    }
  }

  async fold(): Promise<void> {
    for (;;) {
      const folded = await this.#transactor.transact([], (transaction) =>
        foldSlice(transaction, toLockClass(this.#options.schema, 'fold')),
      );
      if (folded === 0) return;
    }
  }

  /** What a node that is gone has left undone is done by the others. */
  async #tend(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.seal();
      await this.fold();
      if (this.#turnsDone % turnsBetweenClocks === 0) await this.#compareClocks();
      this.#turnsDone += 1;
      await analyzeNew(this.#pool);
      await this.#pool.query(`DELETE FROM commits WHERE at < now() - interval '1 hour'`);
    } catch (error) {
      this.#trouble(error);
    }
  }

  /** Nodes whose clocks differ by more than the tolerance refuse each other's tokens. */
  async #compareClocks(): Promise<void> {
    const { rows } = await this.#pool.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at');
    const offMs = this.#clock.now() - Number(rows[0]?.at);
    if (Math.abs(offMs) < mostOffMs) return;
    const direction = offMs > 0 ? 'ahead of' : 'behind';
    const seconds = Math.round(Math.abs(offMs) / 1000);
    this.#trouble(new Fault('other', `the clock of this node is ${seconds} s ${direction} that of PostgreSQL`));
  }

  #trouble(error: unknown): void {
    if (!this.#isClosed) this.#events.onBackgroundError?.(error);
  }

  async close(): Promise<void> {
    this.#turns.cancel();
    this.#sealSoon?.cancel();
    this.#isClosed = true;
    await this.#turn;
    await Promise.allSettled([this.#sealing, this.#nextSealing]);
  }
}

/** Until a table was looked at for the first time, the planner knows nothing of it; the server's own turn may be minutes
 *  away. */
async function analyzeNew(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
     AND reltuples < 0 AND pg_relation_size(oid) > 65536`,
  );
  for (const { name } of rows) await pool.query(`ANALYZE ${name}`);
}
