import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRanges, toContentRange } from './ranges.ts';

test('ranges are read as RFC 9110 defines them', () => {
  const cases: [string, number, [number, number][]][] = [
    ['bytes=0-0', 10, [[0, 1]]],
    ['bytes=0-9', 10, [[0, 10]]],
    ['bytes=0-99', 10, [[0, 10]]],
    ['bytes=3-', 10, [[3, 10]]],
    ['bytes=-3', 10, [[7, 10]]],
    ['bytes=-99', 10, [[0, 10]]],
    ['Bytes = 1-2', 10, [[1, 3]]],
    [
      'bytes=0-1, 4-5,-1',
      10,
      [
        [0, 2],
        [4, 6],
        [9, 10],
      ],
    ],
    [
      'bytes=4-5,0-1',
      10,
      [
        [4, 6],
        [0, 2],
      ],
    ],
    ['bytes=99-,0-1', 10, [[0, 2]]],
    ['bytes=0-1,', 10, [[0, 2]]],
    ['bytes=,0-1', 10, [[0, 2]]],
    ['bytes=0-99999999999999999999', 10, [[0, 10]]],
    ['bytes=-99999999999999999999', 10, [[0, 10]]],
  ];
  for (const [header, size, expected] of cases) {
    assert.deepEqual(
      readRanges(header, size)?.map(({ start, end }) => [start, end]),
      expected,
      header,
    );
  }
});

test('a range after the end of the file is empty', () => {
  for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=99-100', 'bytes=-0', 'bytes=99999999999999999999-']) {
    assert.deepEqual(readRanges(header, 10), [], header);
  }
  assert.deepEqual(readRanges('bytes=0-', 0), []);
});

test('invalid, overlapping or too many ranges are ignored', () => {
  const many = Array.from({ length: 33 }, (_, n) => `${n}-${n}`).join(',');
  const wrong = [
    '',
    'bytes',
    'bytes=',
    'bytes=,',
    'bytes=a-b',
    'bytes=5-2',
    'bytes=-',
    'bytes=1',
    'bytes=1-2-3',
    'items=0-1',
  ];
  for (const header of [
    null,
    ...wrong,
    'bytes=0-1,x',
    'bytes=0-9,0-9',
    'bytes=0-9,5-',
    `bytes=${many}`,
    'bytes=+1-2',
  ]) {
    assert.equal(readRanges(header, 10), null, String(header));
  }
});

test('a content range includes its last byte', () => {
  assert.equal(toContentRange({ start: 0, end: 1 }, 10), 'bytes 0-0/10');
});
