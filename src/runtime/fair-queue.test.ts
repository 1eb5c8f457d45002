import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue, QueueFull } from './fair-queue.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('sources take turns, however much one of them has queued', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 100, maxSources: 10 });
  const order: string[] = [];
  const run = (source: string) =>
    queue.run(source, async () => {
      order.push(source);
      await settle();
    });
  await Promise.all([...Array.from({ length: 50 }, () => run('hostile')), run('ann'), run('ben')]);
  // One is running already; the next is the hostile one's second.
  assert.deepEqual(order.slice(0, 4), ['hostile', 'hostile', 'ann', 'ben']);
  assert.equal(order.length, 52);
});

test('a source with a full queue is refused, and others are not', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 2, maxSources: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const runs = [queue.run('a', () => promise), queue.run('a', () => promise), queue.run('a', () => promise)];
  await assert.rejects(
    queue.run('a', () => promise),
    QueueFull,
  );
  runs.push(queue.run('b', () => promise));
  await assert.rejects(
    queue.run('c', () => promise),
    QueueFull,
  );
  resolve();
  await Promise.all(runs);
  await queue.run('a', async () => undefined);
});

test('work that fails gives its slot on', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 2, maxSources: 2 });
  const fail = async () => {
    throw new Error('failed');
  };
  const outcomes = await Promise.allSettled([
    queue.run('a', fail),
    queue.run('b', fail),
    queue.run('c', async () => 1),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  );
});
