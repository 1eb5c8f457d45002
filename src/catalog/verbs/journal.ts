// The journal as it is read: by managers, by whoever verifies the chain, and by what moves its old part into files. What
// is written to it is written by the verbs themselves, through `append`.

import type { Change } from '../../domain/chain.ts';
import { noSpace, read, write } from '../declaration.ts';
import { note, type Origin, row, rows, type Value, type Verb } from '../sql.ts';

/** A row, as it stands in the table or in a sealed file. */
export interface JournalRow extends Change {
  position: number;
  link: string;
}

const columns = 'position, at, space, by, action, entry, request, details, link';

export interface JournalSlice {
  /** Both inclusive. */
  from: number;
  to: number;
  limit: number;
}

/** Rows of all spaces, in order. */
export const listJournal = read({ catchUp: 'journal' }, function* listJournal({ from, to, limit }: JournalSlice): Verb<
  JournalRow[]
> {
  return yield* rows<JournalRow>(
    `SELECT ${columns} FROM journal WHERE position >= $1 AND position <= $2 ORDER BY position LIMIT $3`,
    from,
    to,
    limit,
  );
});

export interface JournalEnds {
  /** The positions of the oldest and the newest row of the table. */
  first: number;
  last: number;
}

/** Null: there is none yet. */
export const findJournalEnds = read(
  { catchUp: 'journal' },
  function* findJournalEnds(_: Record<string, never>): Verb<JournalEnds | null> {
    const first = yield* row<{ position: number }>('SELECT position FROM journal ORDER BY position LIMIT 1');
    const last = yield* row<{ position: number }>('SELECT position FROM journal ORDER BY position DESC LIMIT 1');
    return first === undefined || last === undefined ? null : { first: first.position, last: last.position };
  },
);

/** Removes at most `limit` of the oldest rows up to a position; says how many. The newest row always stays: the chain goes
 *  on from it. */
export const forgetJournal = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* forgetJournal({ upTo, limit }: { upTo: number; limit: number }): Verb<number> {
    const forgotten = yield* rows(
      `DELETE FROM journal WHERE position IN
       (SELECT position FROM journal WHERE position <= $1 AND position < (SELECT max(position) FROM journal)
        ORDER BY position LIMIT $2)
     RETURNING position`,
      upTo,
      limit,
    );
    return forgotten.length;
  },
);

export interface NoteRead extends Origin {
  space: number;
  entry: string;
  version: number | null;
}

/** That someone reads the bytes of a file. */
export const noteRead = write(
  { space: ({ space }) => space, lock: 'shared', pages: 'unchanged', isAnnounced: false },
  function* noteRead(asked: NoteRead): Verb<void> {
    const { version } = asked;
    yield* note(asked, asked.space, 'file.read', asked.entry, version === null ? {} : { version });
  },
);

export interface AuditFilter {
  /** Milliseconds since 1970, inclusive. */
  since: number | null;
  until: number | null;
  by: string | null;
  action: string | null;
  entry: string | null;
}

export interface ListAudit extends AuditFilter {
  space: number;
  /** Rows before this position; null: from the newest on. */
  before: number | null;
  limit: number;
}

export interface AuditPage {
  events: JournalRow[];
  /** The position before which the next page begins; null: there is none. */
  next: number | null;
}

/** What one page looks at, at most, whatever it finds. */
const mostScanned = 2000;
/** Rows stand in the order of their commits, not quite in that of their times; and clocks are set back, by less than this. */
const disorderMs = 60 * 60 * 1000;

/** The rows of one space, newest first. A page may be short, even empty, and still have a next one. */
export const listAudit = read({ catchUp: 'journal' }, function* listAudit(asked: ListAudit): Verb<AuditPage> {
  const { space, limit } = asked;
  const before = asked.before ?? (yield* findStart(asked.until));
  const scanned = yield* rows<{ position: number; at: number }>(
    `SELECT position, at FROM
       (SELECT position, at FROM journal WHERE space = $1 AND position < $2 ORDER BY position DESC LIMIT $3) AS scanned
     ORDER BY position LIMIT 1`,
    space,
    before,
    mostScanned,
  );
  const [oldest] = scanned;
  if (oldest === undefined) return { events: [], next: null };
  const events = yield* findEvents(asked, oldest.position, before);
  const last = events.at(-1);
  if (events.length === limit && last !== undefined && last.position > oldest.position) {
    return { events, next: last.position };
  }
  const isTooOld = asked.since !== null && oldest.at < asked.since - disorderMs;
  const hasMore = !isTooOld && (yield* isBefore(space, oldest.position));
  return { events, next: hasMore ? oldest.position : null };
});

const filters = [
  ['since', 'at >='],
  ['until', 'at <='],
  ['by', 'by ='],
  ['action', 'action ='],
  ['entry', 'entry ='],
] as const satisfies [keyof AuditFilter, string][];

function* findEvents(asked: ListAudit, from: number, before: number): Verb<JournalRow[]> {
  const values: Value[] = [asked.space, from, before, asked.limit];
  const conditions = filters.flatMap(([field, condition]) => {
    const value = asked[field];
    return value === null ? [] : [`AND ${condition} $${values.push(value)}`];
  });
  return yield* rows<JournalRow>(
    `SELECT ${columns} FROM journal WHERE space = $1 AND position >= $2 AND position < $3 ${conditions.join(' ')}
     ORDER BY position DESC LIMIT $4`,
    ...values,
  );
}

function* isBefore(space: number, position: number): Verb<boolean> {
  const sql = 'SELECT position FROM journal WHERE space = $1 AND position < $2 LIMIT 1';
  return (yield* row(sql, space, position)) !== undefined;
}

/** A position behind which no row is as old as `until`: found by halving, for the table may be long. */
function* findStart(until: number | null): Verb<number> {
  const ends = yield* findJournalEnds({});
  if (ends === null) return 0;
  let [low, high] = [ends.first, ends.last + 1];
  if (until === null) return high;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = yield* row<{ at: number }>('SELECT at FROM journal WHERE position = $1', middle);
    if (found !== undefined && found.at > until + disorderMs) high = middle;
    else low = middle + 1;
  }
  return high;
}
