import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRetryDelay } from './webhook-retries.ts';

const second = 1000;
const minute = 60 * second;

test('delays grow to an hour, with up to a tenth more', () => {
  const delays = [5 * second, 30 * second, 2 * minute, 15 * minute, 60 * minute, 60 * minute];
  for (const [index, delay] of delays.entries()) {
    assert.equal(toRetryDelay(index + 1, null, 0), delay);
    assert.equal(toRetryDelay(index + 1, null, 1), Math.round(delay * 1.1));
  }
});

test('a receiver can ask for more time, not for less', () => {
  assert.equal(toRetryDelay(1, 60 * second, 0.5), 60 * second);
  assert.equal(toRetryDelay(1, second, 0), 5 * second);
});
