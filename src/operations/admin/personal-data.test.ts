// The export of a person beside a long journal: it is read in slices, no faster than the reader takes them, and others have their turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalSlice } from '../../catalog/verbs/journal.ts';
import type { Cabinet } from '../cabinet.ts';
import { exportPerson, type PersonalPart } from './personal-data.ts';

const sliceRows = 500;
const row = (position: number) => ({
  ...{ position, at: 0, space: 1, by: position % 2 === 0 ? 'ann' : 'ben', action: 'file.saved' },
  ...{ entry: 'e', request: 'r', details: '{}', link: 'l' },
});

/** A journal of which the first rows are in a file. */
function makeJournal({ archived, rows }: { archived: number; rows: number }) {
  const state = { archived, rowsRead: 0, largest: 0 };
  const all = Array.from({ length: rows }, (_, index) => row(index + 1));
  const journalFiles = {
    list: async () => (state.archived === 0 ? [] : [{ first: 1, last: state.archived }]),
    read: async () => all.slice(0, state.archived),
  };
  const catalog = {
    findUser: async () => ({ id: 'ann', erasedAt: null }),
    findSecondFactors: async () => ({ recoveryCodes: 0 }),
    listPersonalSections: async () => [],
    async listJournal({ from, to, limit }: JournalSlice) {
      state.largest = Math.max(state.largest, limit);
      const found = all.slice(Math.max(from - 1, state.archived), to).slice(0, limit);
      state.rowsRead += found.length;
      return found;
    },
  };
  return { cabinet: { catalog, journalFiles } as unknown as Cabinet, state };
}

const positionsOf = (part: PersonalPart) => ('journal' in part ? part.journal.map(({ position }) => position) : []);

test('a long journal is read in slices, and no slice before the one before it was taken', async () => {
  const { cabinet, state } = makeJournal({ archived: 0, rows: 3200 });
  let parts = 0;
  const positions: number[] = [];
  for await (const part of exportPerson(cabinet, 'ann')) {
    parts += 1;
    const found = positionsOf(part);
    assert.ok(found.length <= sliceRows);
    // A look at the first row of the rest belongs to each slice.
    assert.ok(state.rowsRead <= parts * (sliceRows + 1), `${state.rowsRead} rows were read for ${parts} parts`);
    positions.push(...found);
  }
  assert.equal(state.largest, sliceRows);
  assert.deepEqual(
    positions,
    Array.from({ length: 1600 }, (_, index) => 2 * (index + 1)),
  );
});

test('others have their turn between two slices, also of a file, and where nothing names the person', async () => {
  for (const archived of [0, 3000]) {
    const { cabinet } = makeJournal({ archived, rows: 3200 });
    let parts = 0;
    let hadTurn = true;
    for await (const part of exportPerson(cabinet, 'ann')) {
      if (!('journal' in part)) continue;
      parts += 1;
      // The first part is empty: it begins the list.
      if (parts > 2) assert.ok(hadTurn, `part ${parts} came at once`);
      hadTurn = false;
      setImmediate(() => {
        hadTurn = true;
      });
    }
    assert.ok(parts >= 7);
  }
});

test('rows that move into a file meanwhile are exported once', async () => {
  const { cabinet, state } = makeJournal({ archived: 0, rows: 3200 });
  const positions: number[] = [];
  for await (const part of exportPerson(cabinet, 'ann')) {
    positions.push(...positionsOf(part));
    if (positions.length >= 400) state.archived = 2000;
  }
  assert.equal(positions.length, 1600);
  assert.equal(new Set(positions).size, 1600);
});
