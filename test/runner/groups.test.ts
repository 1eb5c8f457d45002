// Which test files share a process.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinTestFiles } from './groups.ts';
import { toTestFile } from './job.ts';

const paths = ['a', 'b', 'c', 'd', 'e'].map((name) => `test/${name}.test.ts`);
const jobs = paths.map((path) => toTestFile('units', path));

test('files that stand beside each other share a process, as many as are asked for or one less', () => {
  const joined = joinTestFiles(jobs, 3);
  assert.deepEqual(
    joined.map(({ command }) => command.filter((word) => word.endsWith('.test.ts'))),
    [paths.slice(0, 3), paths.slice(3)],
  );
  assert.deepEqual(
    joined.map(({ name }) => name),
    ['test/a.test.ts … c.test.ts (3 files)', 'test/d.test.ts … e.test.ts (2 files)'],
  );
});

test('a program has a process of its own', () => {
  const program = { suite: 'units', name: 'tsc', command: ['tsc'], isTestFile: false };
  assert.deepEqual(joinTestFiles([...jobs.slice(0, 2), program], 2)[0], program);
});

test('with one file per process, nothing is joined', () => {
  assert.deepEqual(joinTestFiles(jobs, 1), jobs);
});
