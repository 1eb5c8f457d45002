// Numbers for new rows, fetched from the sequences of the database in blocks, so that an insert need not wait for the number
// of its row. Numbers that a node has fetched and not used are lost.

import type pg from 'pg';

const leastBlock = 256;

export class Numbers {
  readonly #pool: pg.Pool;
  readonly #blocks = new Map<string, number[]>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async take(column: string): Promise<number> {
    const [number] = await this.reserve(column, 1);
    return number as number;
  }

  async reserve(column: string, count: number): Promise<number[]> {
    while ((this.#blocks.get(column)?.length ?? 0) < count) await this.#fetch(column, count);
    return this.#blocks.get(column)?.splice(0, count) ?? [];
  }

  async #fetch(column: string, count: number): Promise<void> {
    const { rows } = await this.#pool.query<{ number: number }>(
      'SELECT nextval($1::regclass) AS number FROM generate_series(1, $2)',
      [`${column}_numbers`, Math.max(count, leastBlock)],
    );
    const fresh = rows.map(({ number }) => number).sort((a, b) => a - b);
    this.#blocks.set(column, [...(this.#blocks.get(column) ?? []), ...fresh]);
  }
}

/** The numbers of one batch. */
export class ReservedNumbers {
  readonly #numbers: Record<string, number[]>;
  readonly #taken = new Map<string, number>();

  private constructor(numbers: Record<string, number[]>) {
    this.#numbers = numbers;
  }

  /** `count` numbers for entries, and as many for contents. */
  static async from(numbers: Numbers, count: number): Promise<ReservedNumbers> {
    const [entry, content] = await Promise.all([numbers.reserve('entry', count), numbers.reserve('content', count)]);
    return new ReservedNumbers({ entry, content });
  }

  take(column: string): number {
    const index = this.#taken.get(column) ?? 0;
    this.#taken.set(column, index + 1);
    const number = this.#numbers[column]?.[index];
    if (number === undefined) throw new Error(`no number is left for ${column}`);
    return number;
  }

  /** Makes the numbers available again after a transaction that was not committed. */
  giveBack(): void {
    this.#taken.clear();
  }
}
