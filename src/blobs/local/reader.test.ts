import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { toAsync } from '../../../test/contracts/blobs.ts';
import { newBlobId } from '../blobs.ts';
import { openLocalBlobs } from './local.ts';

const mebibyte = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'cabinet-reader-'));
after(() => rmSync(folder, { recursive: true }));
const blobs = await openLocalBlobs({ folder, onFatal: assert.fail });

async function put(bytes: Buffer): Promise<string> {
  const id = newBlobId();
  await blobs.put(id, toAsync([[bytes]]));
  return id;
}

function countDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

test('a chunk stays as it is after `return`, however many others are read', async () => {
  const bytes = randomBytes(mebibyte);
  const chunks = blobs.open(await put(bytes), 0, bytes.length);
  const { value: held } = await chunks.next();
  await chunks.return?.();
  const other = randomBytes(mebibyte);
  for (let index = 0; index < 4; index += 1) {
    for await (const chunk of blobs.open(await put(other), 0, other.length)) assert.ok(chunk.equals(other));
  }
  assert.ok((held as Buffer).equals(bytes));
});

test('what is released is used for the next blob, and never for two at once', async () => {
  const all = await Promise.all([1, 2, 3].map(() => randomBytes(2 * mebibyte + 5)).map(put));
  const read = async (id: string) => {
    const chunks = blobs.open(id, 0, 2 * mebibyte + 5);
    const { value } = await chunks.next();
    return { chunks, memory: (value as Buffer).buffer };
  };
  const first = await read(all[0] as string);
  first.chunks.release?.();
  const [second, third] = await Promise.all([read(all[1] as string), read(all[2] as string)]);
  assert.equal(second.memory === first.memory || third.memory === first.memory, true);
  assert.notEqual(second.memory, third.memory);
  // A second release gives nothing back twice.
  second.chunks.release?.();
  second.chunks.release?.();
  const [fourth, fifth] = await Promise.all([read(all[0] as string), read(all[1] as string)]);
  assert.notEqual(fourth.memory, fifth.memory);
  for (const { chunks } of [third, fourth, fifth]) await chunks.return?.();
});

test('no descriptor stays open: after the last chunk, after `return`, and after a file that is too short', async () => {
  const id = await put(randomBytes(3 * mebibyte));
  const before = countDescriptors();
  for await (const chunk of blobs.open(id, 0, 3 * mebibyte)) assert.equal(chunk.length, mebibyte);
  for await (const _ of blobs.open(id, 0, 3 * mebibyte)) break;
  await assert.rejects(Array.fromAsync(blobs.open(id, mebibyte, 3 * mebibyte + 1)), /ends at/);
  assert.equal((await Array.fromAsync(blobs.open(id, 7, 7))).length, 0);
  assert.equal(countDescriptors(), before);
});
