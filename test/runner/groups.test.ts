// Which test files share a process.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinTestFiles } from './groups.ts';
import { toTestFile } from './job.ts';

const plain = ['test/rules.test.ts', 'test/architecture.test.ts', 'test/runner/schedule.test.ts'];
const hooked = 'src/auth/keys.test.ts';
const toJobs = (paths: string[]) => paths.map((path) => toTestFile('units', path));

test('files without hooks at the top share a process; a file with them runs alone', () => {
  const jobs = joinTestFiles(toJobs([plain[0] as string, hooked, ...plain.slice(1)]), 2);
  assert.deepEqual(
    jobs.map(({ command }) => command.filter((word) => word.endsWith('.test.ts'))),
    [[hooked], plain.slice(0, 2), plain.slice(2)],
  );
  assert.deepEqual(
    jobs.map(({ name }) => name),
    [hooked, 'test/rules.test.ts … architecture.test.ts (2 files)', plain[2]],
  );
});

test('with one file per process, nothing is joined', () => {
  const jobs = toJobs([...plain, hooked]);
  assert.deepEqual(joinTestFiles(jobs, 1), jobs);
});
