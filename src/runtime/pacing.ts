// Background work in slices, so that requests are served in between.

import { setTimeout as pause } from 'node:timers/promises';

/** Runs a slice of long work and rests as long as it took, or longer: saves have the writer for at least half of the
 *  time. */
export async function runSlice<Result>(slice: () => Promise<Result>, rests = 1): Promise<Result> {
  const startedAt = performance.now();
  const result = await slice();
  await pause((performance.now() - startedAt) * rests);
  return result;
}

/** Lets everything else that waits run first. */
export function yieldToOthers(): Promise<void> {
  return pause(1);
}
