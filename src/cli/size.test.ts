import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCount, toSize } from './size.ts';

test('sizes have the units of the console', () => {
  const sizes = [0, 13, 999, 1000, 1536, 9_940, 12_345, 999_499, 999_500, 2_500_000_000];
  assert.deepEqual(sizes.map(toSize), [
    '0 B',
    '13 B',
    '999 B',
    '1 kB',
    '1.5 kB',
    '9.9 kB',
    '12 kB',
    '999 kB',
    '1 MB',
    '2.5 GB',
  ]);
});

test('one is singular', () => {
  assert.deepEqual([toCount(0, 'file'), toCount(1, 'file'), toCount(2, 'file')], ['0 files', '1 file', '2 files']);
  assert.deepEqual([toCount(1, 'entry'), toCount(2, 'entry')], ['1 entry', '2 entries']);
});
