// Goes through the rows of a table by their numbers. Where the disk has lost a part of the table, it reports which numbers
// cannot be read, and continues after them.

import type { Verb } from '../../catalog/sql.ts';
import type { TableStore } from '../../catalog/table-store.ts';

export interface Numbers {
  first: number;
  last: number;
}

interface WalkOptions<Row> {
  tables: TableStore;
  /** The number of the table's last row. */
  last: number;
  /** The rows behind a number, up to so many numbers further on. */
  list(after: number, limit: number): Verb<Row[]>;
  numberOf(row: Row): number;
  onLost(lost: Numbers, error: unknown): Promise<void>;
}

export async function* walk<Row>(walked: WalkOptions<Row>, limit: number): AsyncGenerator<Row[]> {
  for (let after = 0; after < walked.last; ) {
    const read = await readBehind(walked, after, limit);
    if (read.lost !== null) await walked.onLost(read.lost, read.error);
    if (read.rows.length > 0) yield read.rows;
    if (read.next <= after) {
      // What the disk has put out of order would be met again and again.
      await walked.onLost({ first: after + 1, last: walked.last }, new Error('the rows are out of order'));
      return;
    }
    after = read.next;
  }
}

interface Read<Row> {
  rows: Row[];
  next: number;
  lost: Numbers | null;
  error: unknown;
}

async function readBehind<Row>(walked: WalkOptions<Row>, after: number, limit: number): Promise<Read<Row>> {
  const { tables, last } = walked;
  let [error, size]: [unknown, number] = [null, limit];
  // Fewer at a time, until only what is lost is in the way; then further and further, until something can be read again.
  for (let skip = 0; after + skip < last; ) {
    try {
      const rows = await tables.read(walked.list(after + skip, size));
      const end = rows.at(-1);
      const lost = skip === 0 ? null : { first: after + 1, last: after + skip };
      const next = end === undefined ? after + skip + size : walked.numberOf(end);
      return { rows, next, lost, error };
    } catch (caught) {
      error = caught;
      if (size > 1) size = 1;
      else skip = skip === 0 ? 1 : skip * 2;
    }
  }
  return { rows: [], next: last, lost: { first: after + 1, last }, error };
}
