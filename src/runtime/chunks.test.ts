import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Chunks } from './chunks.ts';

test('bytes come out as they went in, whatever the sizes', () => {
  const chunks = new Chunks();
  const sent: Buffer[] = [];
  for (const size of [0, 1, 1, 2000, 1, 1023, 1024, 3, 16_384, 5, ...Array.from({ length: 40_000 }, () => 1)]) {
    const chunk = randomBytes(size);
    sent.push(chunk);
    chunks.push(chunk);
  }
  assert.equal(chunks.sizeBytes, Buffer.concat(sent).length);
  assert.ok(Buffer.concat(chunks.take()).equals(Buffer.concat(sent)));
  assert.equal(chunks.sizeBytes, 0);
  assert.deepEqual(chunks.take(), []);
});

test('bytes that come one by one are kept in few pieces; large chunks are not copied', () => {
  const chunks = new Chunks();
  for (let count = 0; count < 100_000; count += 1) chunks.push(Buffer.alloc(1));
  assert.ok(chunks.count <= 8, `${chunks.count} pieces`);
  const large = Buffer.alloc(5000);
  chunks.push(large);
  assert.equal(chunks.take().at(-1), large);
});
