// `If-Match`: whether an entry is unchanged since the caller read it.

import { Refusal } from './refusal.ts';

/** "Failed: 400 `PreconditionFailed`." Null: whatever it is. */
export function checkMatch(expected: readonly string[] | null, actual: string): void {
  if (expected === null || expected.includes(actual)) return;
  throw new Refusal('PreconditionFailed', 'It has changed: If-Match names another state than the present one.', {
    target: 'If-Match',
    hint: `Look at it again; its ETag is ${actual} now.`,
  });
}
