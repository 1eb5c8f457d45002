import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

test('everybody gets a turn, in the order of their calls', async () => {
  const turns = new Turns();
  const order: number[] = [];
  await Promise.all(Array.from({ length: 300 }, (_, n) => turns.take().then(() => order.push(n))));
  assert.deepEqual(
    order,
    Array.from({ length: 300 }, (_, n) => n),
  );
});

test('where the thread is busy, other work runs in between', async () => {
  const turns = new Turns();
  let [others, isOver] = [0, false];
  const other = (): void => {
    others += 1;
    if (!isOver) setImmediate(other);
  };
  other();
  for (let n = 0; n < 100; n += 1) {
    const until = performance.now() + 1;
    await turns.take();
    while (performance.now() < until);
  }
  isOver = true;
  assert.ok(others > 10, `${others}`);
});
