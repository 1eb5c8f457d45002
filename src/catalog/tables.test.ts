import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqliteTables } from './sqlite/tables.ts';
import { readSlice, type TableRow, tables, toKey } from './tables.ts';

test('slices of a table are short if its rows are large, and contain every row once, in order', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-tables-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const store = openSqliteTables(join(folder, 'catalog.db'), 'target');
  const contents = tables.find(({ name }) => name === 'contents');
  assert.ok(store !== null && contents !== undefined);
  const mib = 1024 * 1024;
  const sizes = [...Array<number>(1500).fill(10), ...Array<number>(9).fill(mib), 6 * mib, 10, 10];
  const toRow = (size: number, index: number): TableRow => {
    return [index + 1, new Uint8Array(32), size, null, null, new Uint8Array(size), null];
  };
  await store.insert(contents, sizes.map(toRow));
  const found: number[] = [];
  for (let after: TableRow | null = null; ; ) {
    const slice: TableRow[] = await store.read(readSlice(contents, after));
    const last = slice.at(-1);
    if (last === undefined) break;
    const bytes = slice.reduce((sum, row) => sum + Number(row[2]), 0);
    assert.ok(slice.length <= 1000 && bytes - Number(last[2]) < 4 * mib, `${slice.length} rows of ${bytes} bytes`);
    found.push(...slice.map(([content]) => Number(content)));
    after = toKey(contents, last);
  }
  await store.close();
  assert.deepEqual(
    found,
    sizes.map((_, index) => index + 1),
  );
});
