import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { sized } from '../../test/size.ts';
import { Counts, openShared, SharedNumbers, toBuffers } from './shared-counters.ts';

test('a name has its number, and others have theirs', () => {
  const numbers = new SharedNumbers();
  assert.equal(numbers.get('a'), 0);
  assert.equal(
    numbers.change('a', (n) => n + 2.5),
    2.5,
  );
  numbers.change('b', (n) => n + 1);
  assert.deepEqual([numbers.get('a'), numbers.get('b'), numbers.get('c')], [2.5, 1, 0]);
});

test('tens of thousands of names keep their numbers', () => {
  const numbers = new SharedNumbers();
  const names = Array.from({ length: 50_000 }, (_, n) => `name ${n}`);
  for (const [n, name] of names.entries()) numbers.change(name, () => n + 1);
  const lost = names.filter((name, n) => numbers.get(name) !== n + 1);
  // Which of them share a place is chance; a table that does not keep them loses thousands.
  assert.ok(lost.length < 25, `${lost.length} are lost`);
});

test('where there is no room the least is forgotten, and nothing fails', () => {
  const numbers = new SharedNumbers();
  numbers.change('large', () => 1e9);
  for (let n = 0; n < sized(150_000, 400_000); n += 1) numbers.change(`name ${n}`, () => 1 + (n % 100));
  assert.equal(numbers.get('large'), 1e9);
});

test('what is not worth keeping needs no room', () => {
  const numbers = new SharedNumbers();
  numbers.change('kept', () => 50);
  // In the places of numbers that are over, others can stand.
  for (let n = 0; n < sized(150_000, 300_000); n += 1) numbers.change(`name ${n}`, () => 30, 40);
  assert.equal(numbers.get('kept'), 50);
  assert.equal(numbers.get('name 7'), 0);
});

test('no more are taken than there are, and what is given back can be taken again', () => {
  const counts = new Counts();
  assert.deepEqual([counts.take('a', 2), counts.take('a', 2), counts.take('a', 2)], [true, true, false]);
  assert.ok(counts.take('b', 1));
  counts.giveBack('a');
  assert.equal(counts.get('a'), 1);
  assert.ok(counts.take('a', 2));
  for (let n = 0; n < 5; n += 1) counts.giveBack('b');
  assert.equal(counts.get('b'), 0);
});

test('threads change the same number without losing a change', async () => {
  const shared = openShared();
  const work = `
    import { workerData } from 'node:worker_threads';
    const { openShared } = await import(workerData.module);
    const { counts } = openShared(workerData.buffers);
    let taken = 0;
    for (let n = 0; n < 20_000; n += 1) {
      if (counts.take('all', 30_000)) taken += 1;
      counts.take('own and others', Number.POSITIVE_INFINITY);
      counts.giveBack('own and others');
    }
    (await import('node:worker_threads')).parentPort.postMessage(taken);
  `;
  const workerData = { module: new URL('./shared-counters.ts', import.meta.url).href, buffers: toBuffers(shared) };
  const source = new URL(`data:text/javascript,${encodeURIComponent(work)}`);
  const workers = Array.from({ length: 3 }, () => new Worker(source, { workerData }));
  const taken = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0] as number));
  assert.equal(
    taken.reduce((sum, count) => sum + count, 0),
    30_000,
  );
  assert.equal(shared.counts.get('all'), 30_000);
  assert.equal(shared.counts.get('own and others'), 0);
});
