// Runs jobs side by side. A job that failed is run once more, alone, when all others are done: if it passes then, it is unstable
// rather than broken, which is reported. What stands at the front is begun first.

import type { Job, Outcome } from './job.ts';

/** A run with more unstable jobs than this has failed: it is no longer chance. */
export const maxUnstable = 2;

export interface Result {
  /** The last outcome of each job. */
  outcomes: Outcome[];
  /** Jobs that failed beside others and passed alone: both outcomes. */
  unstable: { first: Outcome; second: Outcome }[];
}

export type Run = (job: Job) => Promise<Outcome>;

export async function runAll(jobs: readonly Job[], lanes: number, run: Run): Promise<Result> {
  const first = await runLanes(jobs, lanes, run);
  const outcomes: Outcome[] = [];
  const unstable: Result['unstable'] = [];
  for (const outcome of first) {
    if (outcome.isPassed) {
      outcomes.push(outcome);
      continue;
    }
    const second = await run(outcome.job);
    outcomes.push(second);
    if (second.isPassed) unstable.push({ first: outcome, second });
  }
  return { outcomes, unstable };
}

export function hasPassed({ outcomes, unstable }: Result): boolean {
  return outcomes.every(({ isPassed }) => isPassed) && unstable.length <= maxUnstable;
}

/** A lane takes the next job when it is free. */
async function runLanes(jobs: readonly Job[], lanes: number, run: Run): Promise<Outcome[]> {
  const waiting = [...jobs];
  const outcomes: Outcome[] = [];
  const lane = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) outcomes.push(await run(job));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return outcomes;
}
