// The ways through tables that a disk has damaged come to an end, and say what they could not pass.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TableStore } from '../../catalog/table-store.ts';
import type { CheckedVersion } from '../../catalog/verbs/checks.ts';
import { VersionCursor } from './records.ts';
import { type Numbers, walk } from './slices.ts';

interface Slice {
  after: number;
  limit: number;
}

/** A table of numbers with the given answers. */
async function walkThrough(last: number, answer: (slice: Slice) => number[]) {
  const seen: number[] = [];
  const lost: (Numbers & { why: string })[] = [];
  const walked = {
    tables: { read: async (slice: unknown) => answer(slice as Slice) } as unknown as TableStore,
    last,
    list: (after: number, limit: number) => ({ after, limit }) as never,
    numberOf: (row: number) => row,
    onLost: async (numbers: Numbers, error: unknown) => {
      lost.push({ ...numbers, why: (error as Error).message });
    },
  };
  for await (const rows of walk<number>(walked, 3)) {
    seen.push(...rows);
    assert.ok(seen.length <= 10 * last, 'it goes round in circles');
  }
  return { seen, lost };
}

const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('A walk through a table', () => {
  it('sees every row once', async () => {
    const { seen, lost } = await walkThrough(10, ({ after, limit }) =>
      numbersTo(10).filter((number) => number > after && number <= after + limit),
    );
    assert.deepEqual([seen, lost], [numbersTo(10), []]);
  });

  it('goes on behind rows that cannot be read, and says which', async () => {
    const { seen, lost } = await walkThrough(10, ({ after, limit }) => {
      const numbers = numbersTo(10).filter((number) => number > after && number <= after + limit);
      if (numbers.includes(5)) throw new Error('malformed');
      return numbers;
    });
    assert.deepEqual(seen, [1, 2, 3, 4, 6, 7, 8, 9, 10]);
    assert.deepEqual(lost, [{ first: 5, last: 5, why: 'malformed' }]);
  });

  it('ends where rows lead back', async () => {
    const { lost } = await walkThrough(10, ({ after }) => (after < 4 ? [after + 1, after + 2] : [2, 3]));
    assert.deepEqual(lost, [{ first: 5, last: 10, why: 'the rows are out of order' }]);
  });

  it('ends where nothing more can be read', async () => {
    const { seen, lost } = await walkThrough(1000, ({ after }) => {
      if (after >= 3) throw new Error('malformed');
      return [after + 1];
    });
    assert.deepEqual(seen, [1, 2, 3]);
    assert.deepEqual(lost, [{ first: 4, last: 1000, why: 'malformed' }]);
  });
});

describe('The cursor through all versions', () => {
  const rows = (...keys: [entry: number, version: number][]) =>
    keys.map(([entry, version]) => ({ entry, version }) as CheckedVersion);

  it('goes on from the last row, and is over when there are no more', () => {
    const cursor = new VersionCursor(10);
    assert.ok(cursor.pass(rows([1, 1], [2, 1], [2, 2])));
    assert.deepEqual([cursor.after.entry, cursor.after.version, cursor.isOver], [2, 2, false]);
    assert.ok(cursor.pass([]));
    assert.ok(cursor.isOver);
  });

  it('is over where rows lead back', () => {
    for (const back of [rows([2, 2]), rows([2, 1]), rows([1, 9])]) {
      const cursor = new VersionCursor(10);
      cursor.pass(rows([2, 2]));
      assert.equal(cursor.pass(back), false);
      assert.ok(cursor.isOver);
    }
  });

  it('passes what cannot be read in steps that grow', () => {
    const cursor = new VersionCursor(1_000_000);
    let steps = 0;
    while (!cursor.isOver && steps < 100) {
      assert.ok(cursor.pass(null));
      steps += 1;
    }
    assert.ok(cursor.isOver && steps < 20, `it took ${steps} steps`);
  });
});
