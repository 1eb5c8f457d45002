import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BufferPool } from './buffer-pool.ts';

const mebibyte = 1024 * 1024;

test('a buffer that was given back is taken again, by the next who needs one as large', () => {
  const pool = new BufferPool();
  const buffer = pool.take(mebibyte);
  assert.notEqual(pool.take(mebibyte), buffer);
  pool.giveBack(buffer);
  assert.notEqual(pool.take(1000), buffer);
  assert.equal(pool.take(mebibyte - 1), buffer);
});

test('of what is given back 8 MiB are kept, and the memory of the rest is freed at once', () => {
  const pool = new BufferPool();
  const buffers = Array.from({ length: 20 }, () => pool.take(mebibyte));
  for (const buffer of buffers) pool.giveBack(buffer);
  assert.deepEqual(
    buffers.map(({ length }) => length),
    buffers.map((_, index) => (index < 8 ? mebibyte : 0)),
  );
  for (let taken = 0; taken < 20; taken += 1) assert.equal(pool.take(mebibyte).length, mebibyte);
});
