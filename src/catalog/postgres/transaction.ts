// One transaction on one connection. Statements whose rows nobody waits for are sent and forgotten; if one fails, the
// first failure is what whoever asks next, or commits, is told.

import { type Client, Conflict, isLost, type QueryResult, type QueryText, runQuery } from './connection.ts';

export class Transaction {
  readonly #client: Client;
  #failure: { error: unknown } | null = null;
  readonly #counted: Promise<void>[] = [];
  /** Whether COMMIT is on its way, or was. */
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

  /** The same, for a statement that must change exactly so many rows: fewer say that someone else was first. */
  sendFor(count: number, sql: string, values: QueryText['values']): void {
    const counted = this.query({ sql, values }).then(
      (answer) => {
        if (answer.count < count) this.#failure ??= { error: new Conflict('someone else was first') };
      },
      () => undefined,
    );
    this.#counted.push(counted);
  }

  /** Takes back what was done since, also what failed. */
  async undoTo(savepoint: string): Promise<void> {
    const failure = this.#failure;
    if (failure !== null && isLost(failure.error)) throw failure.error;
    this.#failure = null;
    await this.query({ sql: `ROLLBACK TO SAVEPOINT ${savepoint}`, values: [] });
  }

  /** Everything before it was done, or this rejects with what was not. */
  async settle(): Promise<void> {
    await this.query({ sql: 'SELECT 1', values: [] });
    this.#throwFailure();
  }

  /** A transaction in which something failed is rolled back by PostgreSQL, which says so without an error. */
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
