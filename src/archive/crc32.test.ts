import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { combineCrc32, toWholeCrc32 } from './crc32.ts';

test('Joined checksums are the checksum of the joined bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (a, b) => {
      assert.equal(combineCrc32(crc32(a), crc32(b), b.length), crc32(Buffer.concat([a, b])));
    }),
  );
});

test('Lengths beyond 32 bits count whole: zeros appended in two steps or in one are the same', () => {
  const start = crc32('anything');
  const zeros = (count: number) => {
    let sum = 0;
    let size = 0;
    // Doubling: the checksum of n zeros, joined with itself, is that of 2n.
    for (const bit of count.toString(2)) {
      sum = combineCrc32(sum, sum, size);
      size *= 2;
      if (bit === '1') {
        sum = combineCrc32(sum, crc32(Buffer.alloc(1)), 1);
        size += 1;
      }
    }
    return sum;
  };
  for (const [a, b] of [
    [5, 7],
    [2 ** 32, 1],
    [2 ** 33 + 12_345, 2 ** 40 - 1],
  ] as const) {
    const once = combineCrc32(start, zeros(a + b), a + b);
    assert.equal(combineCrc32(combineCrc32(start, zeros(a), a), zeros(b), b), once);
  }
});

test('The checksum of a whole comes from those of its chunks, whatever is left for the last one', () => {
  const chunkBytes = 1000;
  for (const size of [1, 999, 1000, 1001, 2000, 5500]) {
    const bytes = randomBytes(size);
    const sums = Buffer.alloc(Math.ceil(size / chunkBytes) * 4);
    for (let at = 0; at < size; at += chunkBytes)
      sums.writeUInt32LE(crc32(bytes.subarray(at, at + chunkBytes)), (at / chunkBytes) * 4);
    // As it comes from the catalog: a part of a larger buffer.
    const shifted = Buffer.concat([Buffer.alloc(3), sums]).subarray(3);
    assert.equal(toWholeCrc32(shifted, size, chunkBytes), crc32(bytes), `${size} bytes`);
  }
});
