// The empty file that a lock of a new name makes. Programs lock, save nothing, and then save the file: the first content that
// arrives under that lock takes the place of version 1, so that the file begins with what was meant.

import { execute, type Origin, row, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';
import type { EntryRow } from './entries.ts';
import { remove } from './removal.ts';

type Filler = Pick<Origin, 'at' | 'by' | 'lockTokens'> & { space: number };

/** Removes the empty version if the caller holds the lock that made it. Returns whether it did. */
export function* takePlaceholder({ space, at, by, lockTokens = [] }: Filler, file: EntryRow): Verb<boolean> {
  if (lockTokens.length === 0 || file.version !== 1 || file.size !== 0) return false;
  const lock = yield* row<{ token: string; taken_by: string }>(
    sql`SELECT token, taken_by FROM locks WHERE entry = ${file.entry} AND is_new = 1 AND expires_at > ${at}`,
  );
  if (lock === undefined || lock.taken_by !== by || !lockTokens.includes(lock.token)) return false;
  yield* execute(sql`UPDATE locks SET is_new = 0 WHERE token = ${lock.token}`);
  yield* remove({ reason: 'placeholder-filled', space, file: file.entry });
  return true;
}
