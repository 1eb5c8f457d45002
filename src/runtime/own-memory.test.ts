import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeMemory, ownMemory } from './own-memory.ts';

test('owned memory is freed once, and what others may have stays', () => {
  const own = new Uint8Array(100);
  const shared = new Uint8Array(100);
  ownMemory(own);
  for (let time = 0; time < 2; time += 1) for (const bytes of [own, shared]) freeMemory(bytes);
  assert.deepEqual([own.byteLength, shared.byteLength], [0, 100]);
});

test('the memory of empty bytes can be freed', () => {
  const empty = new Uint8Array(0);
  ownMemory(empty);
  freeMemory(empty);
  assert.equal(empty.byteLength, 0);
});
