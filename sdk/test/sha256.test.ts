// SHA-256 as browsers get it is the same as Node's, however the bytes are cut.

import assert from 'node:assert/strict';
import { hash, randomBytes, randomInt } from 'node:crypto';
import { test } from 'node:test';
import { PlainSha256, startSha256 } from '../src/sha256.ts';

test('every length up to three blocks, and some large ones, in pieces of any size', () => {
  const lengths = [...Array(200).keys(), 65_535, 1_000_003];
  for (const length of lengths) {
    const bytes = randomBytes(length);
    for (const start of [() => new PlainSha256(), startSha256]) {
      const sha256 = start();
      for (let at = 0; at < length; ) {
        const end = at + randomInt(1, 100_000);
        sha256.update(bytes.subarray(at, end));
        at = end;
      }
      assert.equal(sha256.digest(), hash('sha256', bytes), `${length} bytes`);
    }
  }
});
