// The sums by type and time, without a service.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sum, toFamilies, toFamily, toPeriods } from './usage-sums.ts';

const of = (...days: [string, number][]) =>
  new Map<string, Sum>(days.map(([day, bytes]) => [day, { files: 1, bytes }]));

test('content types stand in families that people know', () => {
  const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  assert.deepEqual(
    ['image/png', 'video/mp4', 'audio/ogg', 'application/pdf', docx, 'application/json', 'application/zip', 'x/y'].map(
      toFamily,
    ),
    ['picture', 'film', 'sound', 'pdf', 'office', 'text', 'archive', 'other'],
  );
});

test('families are added up, the largest first', () => {
  const byType = new Map([
    ['text/plain', { files: 1, bytes: 5 }],
    ['image/png', { files: 2, bytes: 30 }],
    ['image/jpeg', { files: 1, bytes: 10 }],
  ]);
  assert.deepEqual(toFamilies(byType), [
    ['picture', { files: 3, bytes: 40 }],
    ['text', { files: 1, bytes: 5 }],
  ]);
});

test('a young space is shown by days, with empty ones before the first', () => {
  const { step, periods } = toPeriods(of(['2026-03-01', 7], ['2026-03-02', 1]), '2026-03-02');
  assert.equal(step, 'day');
  assert.equal(periods.length, 12);
  assert.deepEqual(periods[0], { day: '2026-02-19', files: 0, bytes: 0 });
  assert.deepEqual(periods.at(-2), { day: '2026-03-01', files: 1, bytes: 7 });
});

test('after a month it is shown by weeks, after half a year by months, and nothing is lost', () => {
  const weeks = toPeriods(of(['2026-01-07', 3], ['2026-03-01', 4]), '2026-03-31');
  assert.equal(weeks.step, 'week');
  assert.equal(weeks.periods[0]?.day, '2026-01-05');
  const months = toPeriods(of(['2024-12-31', 3], ['2026-03-01', 4]), '2026-03-31');
  assert.equal(months.step, 'month');
  assert.deepEqual([months.periods[0]?.day, months.periods.at(-1)?.day], ['2024-12-01', '2026-03-01']);
  for (const { periods } of [weeks, months])
    assert.equal(
      periods.reduce((sum, { bytes }) => sum + bytes, 0),
      7,
    );
});
