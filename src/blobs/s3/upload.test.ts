import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPartBytes } from './upload.ts';

const mib = 1024 * 1024;

test('parts are of a size that S3 takes, and reach 5 TiB where ten thousand of them are allowed', () => {
  const sizes = Array.from({ length: 10_000 }, (_, index) => toPartBytes(index + 1, 10_000));
  assert.ok(sizes.every((size) => size >= 5 * mib && size <= 5 * 1024 * mib));
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) >= 5 * 1024 * 1024 * mib);
  assert.ok(sizes.slice(0, 5000).every((size) => size === 8 * mib));
});

test('with a thousand parts, as Swift has them by default, they reach beyond a tebibyte', () => {
  const sizes = Array.from({ length: 1000 }, (_, index) => toPartBytes(index + 1, 1000));
  assert.ok(sizes.every((size) => size >= 5 * mib && size <= 5 * 1024 * mib));
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) >= 1024 * 1024 * mib);
});
