import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';
import { MovableClock } from './clock-for-tests.ts';

test('a clock that is moved fires what became due in order, and not before', async () => {
  const clock = new MovableClock({ now: 1000 });
  const fired: string[] = [];
  const note = (what: string) => () => fired.push(`${what} ${clock.now()}`);
  clock.after(300, note('late'));
  clock.after(100, note('early'));
  clock.after(200, note('cancelled')).cancel();
  await clock.advance(99);
  assert.deepEqual(fired, []);
  await clock.advance(201);
  assert.deepEqual(fired, ['early 1100', 'late 1300']);
  assert.deepEqual([clock.now(), clock.waiting], [1300, 0]);
});

test('what begins while the clock is moved is due within the same move', async () => {
  const clock = new MovableClock({ now: 0 });
  const slept: number[] = [];
  const sleeping = (async () => {
    for (let count = 0; count < 3; count += 1) {
      await clock.sleep(100);
      slept.push(clock.now());
    }
  })();
  await clock.advance(1000);
  await sleeping;
  assert.deepEqual(slept, [100, 200, 300]);
  assert.equal(clock.now(), 1000);
});

test('a periodic timer that was due several times fires once, and then again when it is due', async () => {
  const clock = new MovableClock({ now: 0 });
  const fired: number[] = [];
  const timer = clock.every(100, () => fired.push(clock.now()));
  await clock.advance(350);
  await clock.advance(49);
  assert.deepEqual(fired, [300]);
  await clock.advance(1);
  assert.deepEqual(fired, [300, 400]);
  timer.cancel();
  await clock.advance(1000);
  assert.equal(fired.length, 2);
});

test('a sleep can be broken off', async () => {
  for (const clock of [new MovableClock(), systemClock]) {
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort();
    await assert.rejects(sleeping, { name: 'AbortError' });
    await assert.rejects(clock.sleep(60_000, AbortSignal.abort()), { name: 'AbortError' });
  }
});

test('a clock that runs goes on by itself, and can be moved as well', async () => {
  const clock = new MovableClock({ isRunning: true });
  const before = clock.monotonic();
  await new Promise<void>((resolve) => clock.after(1, resolve));
  assert.ok(clock.monotonic() > before);
  let isFired = false;
  clock.after(3_600_000, () => {
    isFired = true;
  });
  await clock.advance(3_599_000);
  assert.equal(isFired, false);
  await clock.advance(1000);
  assert.equal(isFired, true);
  assert.ok(Math.abs(clock.now() - Date.now() - 3_600_000) < 1000);
});
