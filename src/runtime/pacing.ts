// Work in slices: how long work leaves time for requests.

import { setTimeout as pause } from 'node:timers/promises';

/** Runs a slice of a long work and rests for as long as it took, or longer: the writer belongs to saves for at least half
 *  of the time. */
export async function runSlice<Result>(slice: () => Promise<Result>, rests = 1): Promise<Result> {
  const begunAt = performance.now();
  const result = await slice();
  await pause((performance.now() - begunAt) * rests);
  return result;
}

/** Lets everything that waits go first. */
export function yieldToOthers(): Promise<void> {
  return pause(1);
}
