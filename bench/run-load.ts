// Runs the load generator (`load.ts`) in its own process and fails at the first wrong answer.

import { join } from 'node:path';
import type { Children } from './children.ts';
import type { Job, JobResult, Measurement } from './job.ts';

export async function runLoad(children: Children, job: Job): Promise<JobResult> {
  const args = [join(import.meta.dirname, 'load.ts')];
  const result = await children.run({ program: process.execPath, args, input: JSON.stringify(job) });
  const { failure } = result as JobResult;
  if (failure !== null) throw new Error(`wrong answer: ${failure}`);
  return result as JobResult;
}

/** For jobs that are limited by time. */
export async function measureLoad(children: Children, job: Job): Promise<Measurement> {
  const { measured } = await runLoad(children, job);
  if (measured === null) throw new Error('no answer within the measured time');
  return measured;
}
