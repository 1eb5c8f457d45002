// The three formats of a date in a header, and text that is not a date.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHttpDate } from './http-date.ts';

const now = Date.UTC(2026, 0, 1);

test('all three formats are read', () => {
  const expected = Date.UTC(1994, 10, 6, 8, 49, 37);
  assert.equal(readHttpDate('Sun, 06 Nov 1994 08:49:37 GMT', now), expected);
  assert.equal(readHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', now), expected);
  assert.equal(readHttpDate('Sun Nov  6 08:49:37 1994', now), expected);
  assert.equal(readHttpDate('Wed Nov 16 08:49:37 1994', now), Date.UTC(1994, 10, 16, 8, 49, 37));
  assert.equal(readHttpDate('Thu, 29 Feb 2024 23:59:60 GMT', now), Date.UTC(2024, 2, 1));
});

test('a date is read back as it was written', () => {
  for (let at = 0; at < 4e12; at += 12_345_678_000) assert.equal(readHttpDate(new Date(at).toUTCString()), at);
});

test('a two-digit year more than 50 years ahead is in the past', () => {
  assert.equal(readHttpDate('Monday, 01-Jan-76 00:00:00 GMT', now), Date.UTC(2076, 0, 1));
  assert.equal(readHttpDate('Monday, 01-Jan-77 00:00:00 GMT', now), Date.UTC(1977, 0, 1));
});

test('anything else is not a date', () => {
  for (const text of [
    '',
    '1',
    '2099-01-01',
    '2099-01-01T00:00:00Z',
    '4070908800000',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0100',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 nov 1994 08:49:37 GMT',
    '06 Nov 1994 08:49:37 GMT',
    'Sun, 31 Feb 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, and more',
    'Sun Nov 6 08:49:37 1994',
  ]) {
    assert.equal(readHttpDate(text, now), null, text);
  }
});
