// One transaction on one connection. Statements whose result is not needed are sent without waiting; if one fails, the next
// query or the commit rejects with the first failure.

import { type Client, Conflict, isLost, runQuery } from './connection.ts';
import type { QueryResult, QueryText } from './prepared-query.ts';

export class Transaction {
  readonly #client: Client;
  #failure: { error: unknown } | null = null;
  readonly #counted: Promise<void>[] = [];
  /** Whether COMMIT has been sent. */
  isEnding = false;

  constructor(client: Client) {
    this.#client = client;
  }

  async query(input: QueryText): Promise<QueryResult> {
    try {
      return await runQuery(this.#client, input);
    } catch (error) {
      this.#failure ??= { error };
      throw this.#failure.error;
    }
  }

  send(sql: string, values: QueryText['values'] = []): void {
    this.query({ sql, values }).catch(() => undefined);
  }

  /** The same for a statement that must change `count` rows: fewer mean that another writer was first. */
  sendFor(count: number, sql: string, values: QueryText['values']): void {
    const counted = this.query({ sql, values }).then(
      (answer) => {
        if (answer.count < count) this.#failure ??= { error: new Conflict('someone else was first') };
      },
      () => undefined,
    );
    this.#counted.push(counted);
  }

  /** Undoes everything since the savepoint, including a failure. */
  async undoTo(savepoint: string): Promise<void> {
    const failure = this.#failure;
    if (failure !== null && isLost(failure.error)) throw failure.error;
    this.#failure = null;
    await this.query({ sql: `ROLLBACK TO SAVEPOINT ${savepoint}`, values: [] });
  }

  /** Resolves when all statements before have succeeded, or rejects with the first failure. */
  async settle(): Promise<void> {
    await this.query({ sql: 'SELECT 1', values: [] });
    this.#throwFailure();
  }

  /** PostgreSQL rolls a failed transaction back without reporting an error. */
  async commit(): Promise<void> {
    await Promise.all(this.#counted);
    this.#throwFailure();
    this.isEnding = true;
    const { command } = await this.query({ sql: 'COMMIT', values: [] });
    this.#throwFailure();
    if (command !== 'COMMIT') throw new Error('PostgreSQL rolled a transaction back');
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  async rollBack(): Promise<void> {
    await runQuery(this.#client, { sql: 'ROLLBACK', values: [] });
  }
}
