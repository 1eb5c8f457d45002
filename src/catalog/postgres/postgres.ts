// The PostgreSQL engine: any number of nodes on one database. Concurrent saves are batched without a timer, as on SQLite,
// and run in step in one transaction; other verbs have a transaction each.

import type pg from 'pg';
import { Fault } from '../../domain/fault.ts';
import { Refusal } from '../../domain/refusal.ts';
import { registry, requireRead } from '../catalog.ts';
import { allSpaces } from '../declaration.ts';
import type { Engine, Verb } from '../sql.ts';
import { type BackgroundEvents, BackgroundWork } from './background-work.ts';
import { countNewRows, takeBatch, type WaitingWrite } from './batches.ts';
import {
  type Client,
  checkServer,
  endsTransaction,
  isConflict,
  isLost,
  openPool,
  type PostgresOptions,
  toFault,
} from './connection.ts';
import { type Listener, listen } from './listener.ts';
import { toLockClass, toLocks } from './locks.ts';
import { migratePostgres } from './migrate.ts';
import { Numbers, ReservedNumbers } from './numbers.ts';
import type { PendingWrites } from './pending-writes.ts';
import { runAlone } from './run-alone.ts';
import { saveInStep } from './run-in-step.ts';
import { Transaction } from './transaction.ts';
import { maxAttempts, release, Transactor } from './transactor.ts';

/** Concurrent batches: while one commits, the next one reads. */
const lanes = 2;

export interface PostgresEvents extends BackgroundEvents {
  /** The number of writes in a commit, and its duration. */
  onBatch?: (writes: number, seconds: number) => void;
}

export type ExclusivePurpose = 'sweep' | 'webhooks';

/** The work gets a signal that is aborted when the lock is lost with its connection. */
export type RunExclusive = <Result>(
  purpose: ExclusivePurpose,
  work: (lost: AbortSignal) => Promise<Result>,
) => Promise<Result | null>;

export interface PostgresEngine extends Engine {
  readonly pool: pg.Pool;
  /** Whether the database answered recently. */
  isReachable(): boolean;
  /** Runs work on one node at a time; null if another node is running it. */
  runExclusive: RunExclusive;
  /** Resolves when the chain of the journal goes on with the newest key. */
  changeJournalKey(): Promise<void>;
}

export async function openPostgres(options: PostgresOptions, events: PostgresEvents = {}): Promise<PostgresEngine> {
  const pool = openPool(options);
  try {
    await withClient(pool, async (client) => {
      await checkServer(client);
      await migratePostgres(client, options.schema);
    });
    const listening = await listen(options, (spaces) => events.onSequenced?.(spaces), events.clock);
    const engine = new Postgres({ pool, options, events, listening });
    if (events.journalKey !== undefined) await engine.changeJournalKey();
    return engine;
  } catch (error) {
    await pool.end();
    if (isLost(error))
      throw new Fault('unavailable', `PostgreSQL cannot be reached: ${(error as Error).message}`, error);
    throw toFault(error);
  }
}

/** Deletes an environment with all its data. */
export async function removeSchema(options: PostgresOptions): Promise<void> {
  const pool = openPool({ ...options, maxConnections: 1 });
  await pool.query(`DROP SCHEMA IF EXISTS "${options.schema}" CASCADE`).finally(() => pool.end());
}

async function withClient<Result>(pool: pg.Pool, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

interface Parts {
  pool: pg.Pool;
  options: PostgresOptions;
  events: PostgresEvents;
  listening: Listener;
}

class Postgres implements PostgresEngine {
  readonly pool: pg.Pool;
  readonly #options: PostgresOptions;
  readonly #events: PostgresEvents;
  readonly #numbers: Numbers;
  readonly #transactor: Transactor;
  readonly #background: BackgroundWork;
  readonly #listening: Listener;
  #waiting: WaitingWrite[] = [];
  #running = 0;
  #isScheduled = false;
  #isClosed = false;
  #onIdle: (() => void) | null = null;

  constructor({ pool, options, events, listening }: Parts) {
    this.pool = pool;
    this.#options = options;
    this.#events = events;
    this.#listening = listening;
    this.#numbers = new Numbers(pool);
    this.#transactor = new Transactor(pool, toLockClass(options.schema, 'spaces'), events.clock);
    this.#background = new BackgroundWork(pool, options, this.#transactor, events);
  }

  isReachable(): boolean {
    return this.#transactor.isReachable();
  }

  /** The lock belongs to its own connection, so that it is released when this node dies. */
  async runExclusive<Result>(
    purpose: ExclusivePurpose,
    work: (lost: AbortSignal) => Promise<Result>,
  ): Promise<Result | null> {
    const client = await this.pool.connect();
    const lock = [toLockClass(this.#options.schema, purpose)];
    const lost = new AbortController();
    const lose = () => lost.abort();
    client.on('error', lose).on('end', lose);
    try {
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1::int, 0) AS is_ours', lock);
      if (rows[0]?.is_ours !== true) return null;
      return await work(lost.signal).finally(() => client.query('SELECT pg_advisory_unlock($1::int, 0)', lock));
    } finally {
      client.off('error', lose).off('end', lose);
      client.release(lost.signal.aborted);
    }
  }

  changeJournalKey(): Promise<void> {
    return this.#background.changeKey();
  }

  async read<Input, Result>(name: string, input: Input): Promise<Result> {
    const verb = requireRead(name);
    const lagging = typeof verb.catchUp === 'function' ? verb.catchUp(input) : verb.catchUp;
    if (lagging === 'journal') await this.#background.sequence();
    if (lagging === 'sums') await this.#background.fold();
    return await this.#transactor.patiently(async () => {
      const client = await this.pool.connect();
      const transaction = new Transaction(client);
      transaction.send('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      try {
        return (await runAlone(verb(input), transaction, null)).result as Result;
      } finally {
        void release(client, transaction);
      }
    });
  }

  write<Input, Result>(name: string, input: Input): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new Fault('other', 'the catalog is closed'));
    const verb = registry.get(name);
    if (verb?.kind !== 'write') return Promise.reject(new Error(`there is no verb ${name} that writes`));
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ verb, input, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running >= lanes || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#waiting.length === 0) return;
      this.#running += 1;
      void this.#run(takeBatch(this.#waiting)).finally(() => {
        this.#running -= 1;
        this.#schedule();
        if (this.#running === 0 && this.#waiting.length === 0) this.#onIdle?.();
      });
      this.#schedule();
    });
  }

  async #run(batch: WaitingWrite[]): Promise<void> {
    const begunAt = performance.now();
    try {
      const outcomes = await this.#commit(batch);
      this.#events.onBatch?.(batch.length, (performance.now() - begunAt) / 1000);
      for (const [index, outcome] of outcomes.entries()) {
        const { resolve, reject } = batch[index] as WaitingWrite;
        if ('value' in outcome) resolve(outcome.value);
        else reject(outcome.error instanceof Refusal ? outcome.error : toFault(outcome.error));
      }
      this.#background.sequenceSoon();
    } catch (error) {
      const fault = toFault(error);
      for (const { reject } of batch) reject(fault);
    }
  }

  async #commit(batch: WaitingWrite[]): Promise<Outcome[]> {
    const locks = toLocks(batch);
    const isGathered = batch.length > 1 || (batch[0] as WaitingWrite).verb.lock === 'shared';
    if (isGathered) {
      const numbers = await this.#transactor.patiently(() => ReservedNumbers.from(this.#numbers, countNewRows(batch)));
      const work = (transaction: Transaction) => this.#runInStep(batch, transaction, numbers);
      try {
        return await this.#transactor.transact(locks, work, { isOnce: true });
      } catch (error) {
        // A verb that fails must fail alone: run them one by one.
        if (error instanceof Fault || isLost(error)) throw error;
      }
    }
    // After a conflict the verbs have the space exclusively, so that there is no second conflict.
    const alone = locks.map((lock) => ({ ...lock, isShared: lock.isShared && lock.space === allSpaces }));
    return await this.#transactor.transact(alone, (transaction) => this.#runOneByOne(batch, transaction));
  }

  async #runInStep(batch: WaitingWrite[], transaction: Transaction, numbers: ReservedNumbers): Promise<Outcome[]> {
    numbers.giveBack();
    const together = await saveInStep(batch.map(begin), transaction, numbers);
    // Confirm the statements of the others before a verb that left the batch runs.
    if (together.some((outcome) => 'isAlone' in outcome)) await transaction.settle();
    const outcomes: Outcome[] = [];
    for (const [index, outcome] of together.entries()) {
      outcomes.push('isAlone' in outcome ? await this.#runApart(batch[index] as WaitingWrite, transaction) : outcome);
    }
    return outcomes;
  }

  async #runOneByOne(batch: WaitingWrite[], transaction: Transaction): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const item of batch) outcomes.push(await this.#runApart(item, transaction));
    return outcomes;
  }

  /** A verb that fails leaves nothing, and fails alone. */
  async #runApart(item: WaitingWrite, transaction: Transaction): Promise<Outcome> {
    for (let attempt = 1; ; attempt += 1) {
      transaction.send('SAVEPOINT item');
      try {
        const { result, pending } = await runAlone(begin(item), transaction, this.#numbers);
        await sendPending(pending, transaction);
        transaction.send('RELEASE SAVEPOINT item');
        return { value: result };
      } catch (error) {
        if (endsTransaction(error)) throw error;
        await transaction.undoTo('item');
        if (!isConflict(error) || attempt === maxAttempts) return { error };
      }
    }
  }

  async close(): Promise<void> {
    if (this.#running > 0 || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#isClosed = true;
    this.#transactor.close();
    await this.#background.close();
    await this.#listening.close();
    await this.pool.end();
  }
}

type Outcome = { value: unknown } | { error: unknown };

function begin({ verb, input }: WaitingWrite): Verb<unknown> {
  return verb(input);
}

/** Waits until all statements of a verb have succeeded, before its savepoint is released. */
async function sendPending(pending: PendingWrites, transaction: Transaction): Promise<void> {
  pending.send(transaction);
  await transaction.settle();
}
