import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DisposableCache } from './disposable-cache.ts';

function makeFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-cache-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const image = (byte: number, length = 96) => Buffer.alloc(length, byte);

test('what was written is read again, also by the next process, and nothing that is damaged', async (context) => {
  const folder = join(makeFolder(context), 'made');
  const cache = new DisposableCache(folder, 10_000);
  assert.equal(await cache.read('a'), null);
  await cache.write('a', image(1));
  assert.deepEqual(await cache.read('a'), image(1));
  const next = new DisposableCache(folder, 10_000);
  assert.deepEqual(await next.read('a'), image(1));
  writeFileSync(join(folder, 'a'), image(2, 100));
  assert.equal(await next.read('a'), null);
  writeFileSync(join(folder, 'a'), '');
  assert.equal(await next.read('a'), null);
});

test('a full cache drops what was not used for longest, counting what an earlier process left', async (context) => {
  const folder = makeFolder(context);
  const before = new DisposableCache(folder, 1000);
  await before.write('old', image(0));
  utimesSync(join(folder, 'old'), 1, 1);
  writeFileSync(join(folder, '.1-1-broken-off'), 'x');
  const cache = new DisposableCache(folder, 300);
  await cache.write('a', image(1));
  await cache.write('b', image(2));
  assert.deepEqual(readdirSync(folder).sort(), ['a', 'b', 'old']);
  await cache.read('old');
  await cache.write('c', image(3));
  assert.deepEqual(readdirSync(folder).sort(), ['b', 'c', 'old']);
  await cache.write('huge', image(4, 1000));
  assert.deepEqual(readdirSync(folder), [], 'nothing larger than the cache stays');
});

test('what was made long ago is deleted', async (context) => {
  const folder = makeFolder(context);
  const cache = new DisposableCache(folder, 10_000);
  await cache.write('a', image(1));
  await cache.write('b', image(2));
  utimesSync(join(folder, 'a'), 1, 1);
  await cache.deleteBefore(2000);
  assert.deepEqual(readdirSync(folder), ['b']);
});

test('a folder that cannot be written to is no error', async (context) => {
  const folder = join(makeFolder(context), 'file');
  writeFileSync(folder, '');
  const cache = new DisposableCache(folder, 10_000);
  await cache.write('a', image(1));
  assert.equal(await cache.read('a'), null);
  await cache.deleteBefore(Date.now());
});
