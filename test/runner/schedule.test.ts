// A failed job gets a second chance, alone; what that means for the run.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, Outcome } from './job.ts';
import { hasPassed, runAll } from './schedule.ts';

const job = (name: string): Job => ({ suite: 'suite', name, command: [], isTestFile: false });

function toOutcome(one: Job, isPassed: boolean): Outcome {
  const ending = isPassed ? '' : 'exit code 1';
  return { job: one, isPassed, seconds: 1, report: null, processorSeconds: null, output: '', ending };
}

/** Jobs fail as often as their names say: `a2` twice, then it passes. */
function failing() {
  const runs: string[] = [];
  const run = async (one: Job) => {
    runs.push(one.name);
    const times = Number(/\d+$/.exec(one.name)?.[0] ?? 0);
    return toOutcome(one, runs.filter((name) => name === one.name).length > times);
  };
  return { runs, run };
}

test('jobs that pass run once, in the order of the list', async () => {
  const { runs, run } = failing();
  const result = await runAll([job('a'), job('b'), job('c')], 1, run);
  assert.deepEqual(runs, ['a', 'b', 'c']);
  assert.ok(hasPassed(result));
  assert.deepEqual(result.unstable, []);
});

test('a job that fails runs again when all others are done, and counts as unstable if it passes', async () => {
  const { runs, run } = failing();
  const result = await runAll([job('a1'), job('b')], 1, run);
  assert.deepEqual(runs, ['a1', 'b', 'a1']);
  assert.ok(hasPassed(result));
  assert.deepEqual(
    result.unstable.map(({ first, second }) => [first.job.name, first.isPassed, second.isPassed]),
    [['a1', false, true]],
  );
});

test('a job that fails twice has failed', async () => {
  const { runs, run } = failing();
  const result = await runAll([job('a2')], 1, run);
  assert.deepEqual(runs, ['a2', 'a2']);
  assert.ok(!hasPassed(result));
  assert.deepEqual(result.unstable, []);
});

test('two unstable files are tolerated, three are not', async () => {
  const two = await runAll([job('a1'), job('b1')], 1, failing().run);
  assert.ok(hasPassed(two));
  const three = await runAll([job('a1'), job('b1'), job('c1')], 1, failing().run);
  assert.ok(!hasPassed(three));
});

test('no more jobs run at once than there are lanes, and repetitions run alone', async () => {
  let [running, most, mostAgain] = [0, 0, 0];
  const seen = new Set<string>();
  const run = async (one: Job) => {
    running += 1;
    const isAgain = seen.has(one.name);
    seen.add(one.name);
    if (isAgain) mostAgain = Math.max(mostAgain, running);
    else most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return toOutcome(one, isAgain);
  };
  await runAll(['a', 'b', 'c', 'd', 'e'].map(job), 3, run);
  assert.deepEqual([most, mostAgain], [3, 1]);
});
