// What people keep an eye on: entries that they have starred, and those that they opened or saved last. Rows name entries, and stay
// while an entry is in the trash; whoever reads a list checks what the person may see.

import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, returning, rows, type Verb } from '../sql.ts';
import { insertInto, raw, sql } from '../statement.ts';

const intoStarred = insertInto('starred', 'user_id space id at', {
  onConflict: 'ON CONFLICT (user_id, space, id) DO NOTHING',
});
const intoRecent = insertInto('recent', 'user_id space id at', {
  onConflict: 'ON CONFLICT (user_id, space, id) DO UPDATE SET at = excluded.at',
});

/** For each person; the oldest are forgotten. */
const maxRecent = 200;

export interface PersonalEntry {
  user: string;
  space: number;
  id: string;
}

export const starEntry = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* starEntry({ user, space, id, at }: PersonalEntry & { at: number }): Verb<void> {
    yield* insert(intoStarred, [user, space, id, at]);
  },
);

/** Ids are never used twice, so the space need not be known. Returns whether there was a star. */
export const unstarEntry = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* unstarEntry({ user, id }: { user: string; id: string }): Verb<boolean> {
    const removed = yield* returning(sql`DELETE FROM starred WHERE user_id = ${user} AND id = ${id} RETURNING id`);
    return removed.length > 0;
  },
);

export const noteRecent = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* noteRecent({ user, space, id, at }: PersonalEntry & { at: number }): Verb<void> {
    yield* insert(intoRecent, [user, space, id, at]);
    yield* execute(sql`DELETE FROM recent WHERE user_id = ${user} AND at <
      (SELECT min(at) FROM (SELECT at FROM recent WHERE user_id = ${user} ORDER BY at DESC LIMIT ${maxRecent}) AS newest)`);
  },
);

/** Where a list goes on. */
export type PersonalCursor = readonly [at: number, id: string];

export interface ListPersonal {
  user: string;
  list: 'starred' | 'recent';
  after: PersonalCursor | null;
  limit: number;
}

export interface ListedEntry {
  space: number;
  id: string;
  at: number;
}

/** The newest first. */
export const listPersonal = read({}, function* listPersonal({ user, list, after, limit }: ListPersonal): Verb<
  ListedEntry[]
> {
  const [at, id] = after ?? [Number.MAX_SAFE_INTEGER, ''];
  return yield* rows<ListedEntry>(sql`SELECT space, id, at FROM ${raw(list)}
    WHERE user_id = ${user} AND (at, id) < (${at}, ${id}) ORDER BY at DESC, id DESC LIMIT ${limit}`);
});

/** Deletes at most 1,000 rows of entries that are gone; returns how many. */
export const forgetPersonal = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* forgetPersonal(_: object): Verb<number> {
    let count = 0;
    for (const list of ['starred', 'recent']) {
      const forgotten = yield* returning(sql`DELETE FROM ${raw(list)} WHERE (user_id, space, id) IN
        (SELECT user_id, space, id FROM ${raw(list)} AS listed WHERE NOT EXISTS
          (SELECT 1 FROM entries WHERE entries.space = listed.space AND entries.id = listed.id) LIMIT 1000) RETURNING id`);
      count += forgotten.length;
    }
    return count;
  },
);
