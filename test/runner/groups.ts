// Test files that run in one process: most of what a short one takes is loading the service and compiling it to machine code.

import { basename } from 'node:path';
import { type Job, toTestCommand } from './job.ts';

export function joinTestFiles(jobs: readonly Job[], filesPerProcess: number): Job[] {
  if (filesPerProcess === 1) return [...jobs];
  const alone = jobs.filter(({ isTestFile }) => !isTestFile);
  const files = jobs.filter(({ isTestFile }) => isTestFile);
  const count = Math.ceil(files.length / filesPerProcess);
  // Sizes that differ by one at most.
  const first = (n: number) => Math.round((n * files.length) / count);
  const groups = Array.from({ length: count }, (_, n) => files.slice(first(n), first(n + 1)));
  return [...alone, ...groups.map(toJob)];
}

function toJob(jobs: readonly Job[]): Job {
  const [first, ...others] = jobs as [Job, ...Job[]];
  if (others.length === 0) return first;
  const paths = jobs.map(({ name }) => name);
  const name = `${first.name} … ${basename(paths.at(-1) ?? '')} (${paths.length} files)`;
  return { suite: first.suite, name, command: toTestCommand(paths), isTestFile: true };
}
