// Passwords that are hashed at almost no cost, for tests that sign people in. The real cost is 50 ms of processor time for each.

import { costs } from './passwords.ts';

/** From now on, in this process. */
export function hashPasswordsCheaply(): void {
  Object.assign(costs, { memoryKib: 8, passes: 1 });
}
