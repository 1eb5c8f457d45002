import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UploadMemory } from './cabinet.ts';
import { gatherBlocks } from './gather-blocks.ts';

const mib = 1024 * 1024;

function toSource(sizes: readonly number[]) {
  const left = sizes.values();
  const source = {
    closed: 0,
    async next() {
      const { value, done } = left.next();
      return done ? null : Buffer.alloc(value);
    },
    async close() {
      source.closed += 1;
    },
  };
  return source;
}

const sizeOf = (block: Buffer[]) => block.reduce((sum, { length }) => sum + length, 0);

test('chunks become blocks of a mebibyte, the first ones included, and memory counts what is held', async ({
  mock,
}) => {
  mock.method(performance, 'now', () => 0);
  const memory = new UploadMemory();
  const source = toSource(Array<number>(24).fill(mib / 8));
  const sizes: number[] = [];
  for await (const block of gatherBlocks(source, memory, [Buffer.alloc(10)])) {
    sizes.push(sizeOf(block));
    assert.equal(memory.usedBytes, mib);
  }
  assert.deepEqual(sizes, [mib + 10, mib, mib]);
  assert.deepEqual([memory.usedBytes, source.closed], [0, 1]);
});

test('blocks are small when all uploads together hold much', async () => {
  const memory = new UploadMemory();
  memory.usedBytes = 64 * mib;
  const sizes: number[] = [];
  for await (const block of gatherBlocks(toSource([mib / 16, mib / 16]), memory)) sizes.push(sizeOf(block));
  assert.deepEqual(sizes, [mib / 16, mib / 16]);
});

test('nothing is yielded without bytes, and stopping early gives memory back and closes the source', async () => {
  const memory = new UploadMemory();
  const empty = toSource([0]);
  for await (const _ of gatherBlocks(empty, memory)) assert.fail('there are no bytes');
  const source = toSource([mib, mib]);
  for await (const _ of gatherBlocks(source, memory)) break;
  assert.deepEqual([memory.usedBytes, empty.closed, source.closed], [0, 1, 1]);
});
