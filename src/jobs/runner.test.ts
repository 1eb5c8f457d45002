import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cabinet } from '../operations/cabinet.ts';
import { MovableClock } from '../runtime/clock-for-tests.ts';
import type { Job } from './job.ts';
import { JobRunner } from './runner.ts';

const hourMs = 60 * 60 * 1000;

/** `isLocked`: whether another node of the cluster runs its jobs. */
function makeRunner({ isLocked = false } = {}) {
  const clock = new MovableClock();
  const events: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const lost = new AbortController();
  const environment = {
    name: 'test' as const,
    cabinet: {} as Cabinet,
    runExclusive: async <Result>(work: (lost: AbortSignal) => Promise<Result>) =>
      isLocked ? null : await work(lost.signal),
  };
  const onError = (error: unknown, { name }: Job) => events.push(`${name} failed: ${(error as Error).message}`);
  const runner = new JobRunner(environment, { clock, onError });
  const makeJob = (name: string, options: Partial<Job> = {}): Job => ({
    name,
    intervalMs: hourMs,
    isExclusive: false,
    async run() {
      events.push(`${name} starts`);
      const gate = Promise.withResolvers<void>();
      gates.set(name, gate);
      await gate.promise;
      events.push(`${name} ends`);
    },
    ...options,
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const finish = async (name: string) => {
    gates.get(name)?.resolve();
    await settle();
  };
  const fail = async (name: string, message: string) => {
    gates.get(name)?.reject(new Error(message));
    await settle();
  };
  return { runner, clock, events, makeJob, finish, fail, settle, lost };
}

test('a job with an interval runs at the start and then at each interval, and never twice at the same time', async () => {
  const { runner, clock, events, makeJob, finish, settle } = makeRunner();
  runner.start([makeJob('a')]);
  await clock.advance(hourMs);
  assert.deepEqual(events, ['a starts']);
  await finish('a');
  await clock.advance(hourMs);
  await settle();
  assert.deepEqual(events, ['a starts', 'a ends', 'a starts']);
  await finish('a');
  await runner.stop();
  assert.equal(clock.waiting, 0);
});

test('a job that is triggered while it runs runs once more', async () => {
  const { runner, events, makeJob, finish, settle } = makeRunner();
  runner.start([makeJob('a', { intervalMs: null })]);
  assert.deepEqual(events, []);
  for (let times = 0; times < 3; times += 1) runner.trigger('a');
  await settle();
  await finish('a');
  assert.deepEqual(events, ['a starts', 'a ends', 'a starts']);
  await finish('a');
  assert.deepEqual(events, ['a starts', 'a ends', 'a starts', 'a ends']);
});

test('exclusive jobs take turns, and are skipped while another node runs them', async () => {
  const { runner, events, makeJob, finish, settle } = makeRunner();
  runner.start([makeJob('a', { isExclusive: true }), makeJob('b', { isExclusive: true }), makeJob('c')]);
  await settle();
  assert.deepEqual(events, ['c starts', 'a starts']);
  await finish('a');
  assert.deepEqual(events, ['c starts', 'a starts', 'a ends', 'b starts']);
  const other = makeRunner({ isLocked: true });
  other.runner.start([other.makeJob('a', { isExclusive: true }), other.makeJob('c')]);
  await other.settle();
  assert.deepEqual(other.events, ['c starts']);
});

test('an exclusive job is stopped when another node may run it too, and runs again at the next interval', async () => {
  const { runner, clock, events, makeJob, settle, lost } = makeRunner();
  const job = makeJob('a', {
    isExclusive: true,
    run: (_, signal) =>
      new Promise((_, reject) => {
        events.push(signal.aborted ? 'too late' : 'starts');
        signal.addEventListener('abort', () => reject(new Error('ended')));
        if (signal.aborted) reject(new Error('ended'));
      }),
  });
  runner.start([job]);
  await settle();
  lost.abort();
  await settle();
  assert.deepEqual(events, ['starts'], 'its end is no failure');
  await clock.advance(hourMs);
  await settle();
  assert.deepEqual(events, ['starts', 'too late']);
});

test('a job that fails is reported and runs again at the next interval', async () => {
  const { runner, clock, events, makeJob, fail, settle } = makeRunner();
  runner.start([makeJob('a')]);
  await settle();
  await fail('a', 'no luck');
  await clock.advance(hourMs);
  await settle();
  assert.deepEqual(events, ['a starts', 'a failed: no luck', 'a starts']);
});

test('stopping aborts the signal, waits for what is running, and ignores its errors', async () => {
  const { runner, clock, events, makeJob, fail, settle } = makeRunner();
  let isAborted = false;
  const { run, ...rest } = makeJob('a');
  runner.start([
    {
      ...rest,
      async run(environment, signal) {
        signal.addEventListener('abort', () => {
          isAborted = true;
        });
        await run(environment, signal);
      },
    },
    makeJob('b', { intervalMs: null }),
  ]);
  await settle();
  let isStopped = false;
  const stopping = runner.stop().then(() => {
    isStopped = true;
  });
  await settle();
  assert.deepEqual([isAborted, isStopped], [true, false]);
  await fail('a', 'the catalog is closed');
  await stopping;
  runner.trigger('b');
  await clock.advance(hourMs);
  await settle();
  assert.deepEqual(events, ['a starts']);
});
