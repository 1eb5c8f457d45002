import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalFiles, JournalRange } from '../catalog/journal-files.ts';
import type { JournalRow } from '../catalog/verbs/journal.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import { archiveJournal } from './archive-journal.ts';

const row = (position: number): JournalRow => ({
  ...{ position, at: 0, space: 1, by: 'a', action: 'x', entry: 'e', request: 'r', details: '{}', link: 'l' },
});

/** A journal of rows in memory, with what was done to it in order. */
function makeJournal(count: number) {
  let table = Array.from({ length: count }, (_, index) => row(index + 1));
  const files = new Map<number, JournalRow[]>();
  const done: string[] = [];
  const journalFiles: JournalFiles = {
    list: async () => [...files].map(([first, rows]) => ({ first, last: first + rows.length - 1 })),
    async write({ first }: JournalRange, rows) {
      done.push('write');
      files.set(first, [...rows]);
    },
    async settle() {
      done.push('settle');
    },
    read: async ({ first }) => files.get(first) ?? assert.fail('no such file'),
  };
  const catalog = {
    findWebhookFloor: async () => null,
    findJournalEnds: async () => ({ first: table[0]?.position ?? 0, last: table.at(-1)?.position ?? 0 }),
    listJournal: async ({ from, to }: { from: number; to: number }) =>
      table.filter(({ position }) => from <= position && position <= to),
    async forgetJournal({ upTo }: { upTo: number }) {
      const left = table.filter(({ position }) => position > upTo);
      const count = table.length - left.length;
      if (count > 0) done.push('forget');
      table = left;
      return count;
    },
  };
  return { cabinet: { catalog, journalFiles, limits: { journalMs: 0 } } as unknown as Cabinet, journalFiles, done };
}

test('rows go when their file is durable', async () => {
  const { cabinet, done } = makeJournal(5);
  assert.equal(await archiveJournal(cabinet, { now: 1, positions: 4 }), 4);
  assert.deepEqual(done, ['write', 'forget']);
});

test('a file that an earlier life has left is made durable before rows go that are in it alone from then on', async () => {
  const { cabinet, journalFiles, done } = makeJournal(5);
  await journalFiles.write({ first: 1, last: 4 }, [1, 2, 3, 4].map(row));
  assert.equal(await archiveJournal(cabinet, { now: 1, positions: 4 }), 4);
  assert.deepEqual(done, ['write', 'settle', 'forget']);
});
