import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../domain/refusal.ts';
import { MovableClock } from '../../runtime/clock-for-tests.ts';
import { BodyMemory } from './body-memory.ts';

const mib = 1024 * 1024;

/** With a clock that stands still: what waits is refused by nothing but a test. */
const newMemory = (clock = new MovableClock({ now: 0 })) => new BodyMemory({ clock });

/** Lets what was started go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a caller with many bodies holds a quarter, and others are served at once', async () => {
  const memory = newMemory();
  let held = 0;
  const releases: (() => void)[] = [];
  const holds = Array.from({ length: 200 }, () =>
    memory.hold(['by hostile', 'in 1'], mib).then((release) => {
      held += 1;
      releases.push(release);
    }),
  );
  await settle();
  assert.equal(held, 32);
  assert.equal(memory.usedBytes, 32 * mib);
  (await memory.hold(['by normal', 'in 2'], mib))();
  for (let index = 0; index < 200; index += 1) {
    releases[index]?.();
    await settle();
  }
  await Promise.all(holds);
  assert.equal(memory.usedBytes, 0);
});

test('when all memory is used, what is given back goes to each caller in turn', async () => {
  const memory = newMemory();
  const releases: (() => void)[] = [];
  for (const caller of ['a', 'b', 'c', 'd']) {
    for (let count = 0; count < 32; count += 1) releases.push(await memory.hold([`by ${caller}`], mib));
  }
  const order: string[] = [];
  for (const caller of ['a', 'a', 'a', 'e', 'f']) {
    void memory.hold([`by ${caller}`], mib).then(() => order.push(caller));
  }
  for (const release of releases.slice(0, 3)) {
    release();
    await settle();
  }
  assert.deepEqual(order.sort(), ['a', 'e', 'f']);
});

test('the spaces of many callers have a share too', async () => {
  const memory = newMemory();
  let held = 0;
  for (let caller = 0; caller < 100; caller += 1) {
    void memory.hold([`by ${caller}`, 'in 1'], mib).then(() => {
      held += 1;
    });
  }
  await settle();
  assert.equal(held, 32);
  (await memory.hold(['by another', 'in 2'], mib))();
});

test('who waits too long is refused, and tiny bodies never wait', async () => {
  const clock = new MovableClock({ now: 0 });
  const memory = newMemory(clock);
  for (let count = 0; count < 32; count += 1) await memory.hold(['by a'], mib);
  const refused = assert.rejects(
    memory.hold(['by a'], mib),
    (error) => error instanceof Refusal && error.code === 'TooManyRequests',
  );
  await memory.hold(['by a'], 1000);
  await clock.advance(31_000);
  await refused;
  assert.equal(memory.usedBytes, 32 * mib);
});
