import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bandwidth, toRate } from './bandwidth.ts';
import { UsageError } from './exit-codes.ts';

test('a rate is a number of bytes with a unit', () => {
  assert.deepEqual(['64000', '500k', '1.5M', '2G'].map(toRate), [64_000, 500_000, 1_500_000, 2_000_000_000]);
  for (const text of ['', '10', 'fast', '1kk', '-5M', '63k']) assert.throws(() => toRate(text), UsageError, text);
});

test('what is taken at once and one after the other stays within the rate', async () => {
  let now = 0;
  const waits: number[] = [];
  const pause = async (ms: number) => void waits.push(ms);
  const bandwidth = new Bandwidth(1000, { nowMs: () => now, pause });
  await Promise.all([bandwidth.take(500), bandwidth.take(500), bandwidth.take(1000)]);
  assert.deepEqual(waits, [500, 1000]);
  now = 5000;
  await bandwidth.take(100);
  assert.deepEqual(waits, [500, 1000]);
});
