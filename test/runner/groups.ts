// Test files that run in one process: most of what a short one takes is the start. A file with hooks at its top runs alone, for they
// would apply to the others too.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Job, root } from './job.ts';

export function joinTestFiles(jobs: readonly Job[], filesPerProcess: number): Job[] {
  if (filesPerProcess === 1) return [...jobs];
  const alone = jobs.filter(hasHooksAtTop);
  const others = jobs.filter((job) => !alone.includes(job));
  const count = Math.ceil(others.length / filesPerProcess);
  const groups = Array.from({ length: count }, (_, n) => others.slice(n * filesPerProcess, (n + 1) * filesPerProcess));
  return [...alone, ...groups.map(toJob)];
}

function hasHooksAtTop({ name }: Job): boolean {
  return /^(before|after)(Each)?\(/m.test(readFileSync(join(root, name), 'utf8'));
}

function toJob(jobs: readonly Job[]): Job {
  const [first, ...others] = jobs as [Job, ...Job[]];
  if (others.length === 0) return first;
  const paths = jobs.map(({ name }) => name);
  const name = `${first.name} … ${basename(paths.at(-1) ?? '')} (${paths.length} files)`;
  const command = [process.execPath, '--test-force-exit', join(import.meta.dirname, 'files.js'), ...paths];
  return { suite: first.suite, name, command, isTestFile: true };
}
