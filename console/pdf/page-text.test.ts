import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSpans, toItemParts, toPageText } from './page-text.ts';

const page = toPageText([
  { str: 'Dear ', hasEOL: false },
  { str: 'Ms AMES,', hasEOL: true },
  { str: '', hasEOL: true },
  { str: 'please find', hasEOL: false },
]);

test('text is found whatever its case, also over items and lines', () => {
  const [span] = findSpans(page, 'r ms  ames', 9);
  assert.deepEqual(span, { start: 3, end: 12 });
  assert.deepEqual(toItemParts(page, { start: 3, end: 12 }), [
    { item: 0, start: 3, end: 5 },
    { item: 1, start: 0, end: 7 },
  ]);
  const over = findSpans(page, 'ames,', 9)[0];
  assert.deepEqual(over && toItemParts(page, over), [{ item: 1, start: 3, end: 8 }]);
});

test('every match is found once, up to the limit, and nothing by nothing', () => {
  assert.equal(findSpans(page, 'e', 9).length, 4);
  assert.equal(findSpans(page, 'e', 2).length, 2);
  assert.deepEqual(findSpans(page, '  ', 9), []);
});

test('letters whose lower case is longer leave the positions right', () => {
  const turkish = toPageText([
    { str: 'İİ', hasEOL: false },
    { str: 'find me', hasEOL: false },
  ]);
  const [span] = findSpans(turkish, 'me', 9);
  assert.deepEqual(span && toItemParts(turkish, span), [{ item: 1, start: 5, end: 7 }]);
});
