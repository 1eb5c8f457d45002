// Background work of every node: sequencing committed changes soon after they were written, folding sums, and finishing what
// a node that is gone has left undone.

import type pg from 'pg';
import { Fault } from '../../domain/fault.ts';
import { type Clock, systemClock, type Timer } from '../../runtime/clock.ts';
import type { PostgresOptions } from './connection.ts';
import { LinkKeys, type ReadKey } from './link-keys.ts';
import { toLockClass } from './locks.ts';
import { foldSlice, sequenceSlice } from './sequencer.ts';
import type { Transactor } from './transactor.ts';

const sequenceSoonMs = 100;
const runEveryMs = 1000;
const turnsBetweenClocks = 60;
const maxOffMs = 15_000;

export interface BackgroundEvents {
  /** Changes of these spaces, of any node, have their positions in the journal. */
  onSequenced?: (spaces: readonly number[]) => void;
  /** Background work failed and will be retried. */
  onBackgroundError?: (error: unknown) => void;
  /** The newest key of the journal's links. */
  journalKey?: ReadKey;
  clock?: Clock;
}

export class BackgroundWork {
  readonly #pool: pg.Pool;
  readonly #options: PostgresOptions;
  readonly #transactor: Transactor;
  readonly #events: BackgroundEvents;
  readonly #clock: Clock;
  readonly #keys: LinkKeys;
  readonly #turns: Timer;
  #turn: Promise<void> = Promise.resolve();
  #sequencing: Promise<void> | null = null;
  #nextSequencing: Promise<void> | null = null;
  #sequenceSoon: Timer | null = null;
  #isClosed = false;
  #turnsDone = 0;

  constructor(pool: pg.Pool, options: PostgresOptions, transactor: Transactor, events: BackgroundEvents) {
    this.#pool = pool;
    this.#options = options;
    this.#transactor = transactor;
    this.#events = events;
    this.#clock = events.clock ?? systemClock;
    this.#keys = new LinkKeys(events.journalKey);
    this.#turns = this.#clock.every(runEveryMs, () => {
      this.#turn = this.#turn.then(() => this.#run());
    });
  }

  /** Call it after a write of this node. */
  sequenceSoon(): void {
    this.#sequenceSoon ??= this.#clock.after(sequenceSoonMs, () => {
      this.#sequenceSoon = null;
      void this.sequence().catch((error) => this.#report(error));
    });
  }

  /** Resolves when every change that was committed before has its position. */
  sequence(): Promise<void> {
    if (this.#sequencing === null) {
      this.#sequencing = this.#sequenceAll().finally(() => {
        this.#sequencing = null;
      });
      return this.#sequencing;
    }
    // The current run may have read before the change was committed.
    this.#nextSequencing ??= this.#sequencing
      .catch(() => undefined)
      .then(() => {
        this.#nextSequencing = null;
        return this.sequence();
      });
    return this.#nextSequencing;
  }

  /** The journal's links are made with the newest key from now on. */
  async changeKey(): Promise<void> {
    this.#keys.forget();
    await this.#sequencing;
    await this.#sequenceSlices();
  }

  async #sequenceAll(): Promise<void> {
    const { rows } = await this.#transactor.patiently(() => this.#pool.query('SELECT 1 FROM unsealed_changes LIMIT 1'));
    if (rows.length > 0) await this.#sequenceSlices();
  }

  async #sequenceSlices(): Promise<void> {
    const lockClass = toLockClass(this.#options.schema, 'sequence');
    for (let isMore = true; isMore; ) {
      const { count, spaces } = await this.#transactor.transact([], async (transaction) => {
        const slice = await sequenceSlice(transaction, { lockClass, keys: this.#keys, now: this.#clock.now() });
        if (slice.count > 0) {
          transaction.send('SELECT pg_notify($1, $2)', [this.#options.schema, JSON.stringify(slice.spaces)]);
        }
        return slice;
      });
      if (spaces.length > 0) this.#events.onSequenced?.(spaces);
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

  /** Also does what nodes that are gone have left undone. */
  async #run(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.sequence();
      await this.fold();
      if (this.#turnsDone % turnsBetweenClocks === 0) await this.#compareClocks();
      this.#turnsDone += 1;
      await analyzeNew(this.#pool);
      await this.#pool.query(`DELETE FROM commits WHERE at < now() - interval '1 hour'`);
    } catch (error) {
      this.#report(error);
    }
  }

  /** Nodes whose clocks differ by more than the tolerance refuse each other's tokens. */
  async #compareClocks(): Promise<void> {
    const { rows } = await this.#pool.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at');
    const offMs = this.#clock.now() - Number(rows[0]?.at);
    if (Math.abs(offMs) < maxOffMs) return;
    const direction = offMs > 0 ? 'ahead of' : 'behind';
    const seconds = Math.round(Math.abs(offMs) / 1000);
    this.#report(new Fault('other', `the clock of this node is ${seconds} s ${direction} that of PostgreSQL`));
  }

  #report(error: unknown): void {
    if (!this.#isClosed) this.#events.onBackgroundError?.(error);
  }

  async close(): Promise<void> {
    this.#turns.cancel();
    this.#sequenceSoon?.cancel();
    this.#isClosed = true;
    await this.#turn;
    await Promise.allSettled([this.#sequencing, this.#nextSequencing]);
  }
}

/** The planner has no statistics of a table before its first ANALYZE, and autovacuum may be minutes away. */
async function analyzeNew(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
     AND reltuples < 0 AND pg_relation_size(oid) > 65536`,
  );
  for (const { name } of rows) await pool.query(`ANALYZE ${name}`);
}
