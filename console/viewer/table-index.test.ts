import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countRows, indexTable, readRow } from './table-index.ts';

async function parse(text: string): Promise<string[][]> {
  const index = await indexTable(text);
  return Array.from({ length: countRows(index) }, (_, row) => readRow(index, row));
}

test('cells are separated by commas, semicolons or tabs, whatever the ends of lines', async () => {
  assert.deepEqual(await parse('a,b\n1,2\n'), [
    ['a', 'b'],
    ['1', '2'],
  ]);
  assert.deepEqual(await parse('a;b\r\n1,5;2'), [
    ['a', 'b'],
    ['1,5', '2'],
  ]);
  assert.deepEqual(await parse('a\tb\n\n1\t2\n'), [['a', 'b'], [''], ['1', '2']]);
  assert.deepEqual(await parse(''), []);
});

test('quoted cells may hold separators, quotes and line breaks', async () => {
  assert.deepEqual(await parse('name;note\n"a;b";"said ""no""\nand left"\n"";x"y\n"""q""";1\n5"";6'), [
    ['name', 'note'],
    ['a;b', 'said "no"\nand left'],
    ['', 'x"y'],
    ['"q"', '1'],
    ['5""', '6'],
  ]);
});

test('a quote that is never closed takes the rest, and nothing hangs', async () => {
  assert.deepEqual(await parse('a,b\n"1,2\n3,4'), [['a', 'b'], ['1,2\n3,4']]);
});

test('400,000 cells are indexed in slices, as many rows, as many columns, or both', async () => {
  const shapes = [
    { rows: 400_000, columns: 1 },
    { rows: 1_000, columns: 400 },
    { rows: 25, columns: 16_000 },
  ];
  for (const { rows, columns } of shapes) {
    const row = `${Array.from({ length: columns }, (_, at) => `c${at}`).join(',')}\n`;
    const text = row.repeat(rows);
    let pauses = 0;
    const index = await indexTable(text, {
      pause: async () => {
        pauses += 1;
      },
    });
    assert.deepEqual([countRows(index), index.columns, index.isCut], [rows, columns, false]);
    assert.ok(pauses >= text.length / 500_000, `${pauses} pauses`);
    assert.equal(readRow(index, rows - 1).at(-1), `c${columns - 1}`);
  }
});

test('what is more than can be shown is left out', async () => {
  const limits = { rows: 3, columns: 2 };
  const index = await indexTable('a,b,c\n1,2,3\n4,5,6\n7,8,9\n', { limits });
  assert.deepEqual([countRows(index), index.columns, index.isCut], [3, 2, true]);
  assert.deepEqual(readRow(index, 2), ['4', '5']);
});
