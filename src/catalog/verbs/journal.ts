// Reads the journal: for managers, for verifying the chain, and for archiving. Verbs write to it with `append`.

import type { Change } from '../../domain/chain.ts';
import { noSpace, read, write } from '../declaration.ts';
import { note, type Origin, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, join, raw, sql } from '../statement.ts';

/** A row of the table or of an archive file. */
export interface JournalRow extends Change {
  position: number;
  link: string;
}

export const intoJournal = insertInto('journal', 'position at space by action entry request details link');
const columns = raw(intoJournal.columns.join(', '));

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
    sql`SELECT ${columns} FROM journal WHERE position >= ${from} AND position <= ${to} ORDER BY position
      LIMIT ${limit}`,
  );
});

export interface JournalEnds {
  /** The positions of the oldest and the newest row of the table. */
  first: number;
  last: number;
}

/** Null: the journal is empty. */
export const findJournalEnds = read(
  { catchUp: 'journal' },
  function* findJournalEnds(_: Record<string, never>): Verb<JournalEnds | null> {
    const first = yield* row<{ position: number }>(sql`SELECT position FROM journal ORDER BY position LIMIT 1`);
    const last = yield* row<{ position: number }>(sql`SELECT position FROM journal ORDER BY position DESC LIMIT 1`);
    return first === undefined || last === undefined ? null : { first: first.position, last: last.position };
  },
);

/** Deletes at most `limit` of the oldest rows up to a position; returns how many. The newest row always stays, because the
 *  chain continues from it. */
export const forgetJournal = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* forgetJournal({ upTo, limit }: { upTo: number; limit: number }): Verb<number> {
    const forgotten = yield* returning(sql`DELETE FROM journal WHERE position IN
       (SELECT position FROM journal WHERE position <= ${upTo} AND position < (SELECT max(position) FROM journal)
        ORDER BY position LIMIT ${limit})
     RETURNING position`);
    return forgotten.length;
  },
);

export interface NoteRead extends Origin {
  space: number;
  entry: string;
  version: number | null;
}

/** Records that someone reads the bytes of a file. */
export const noteRead = write(
  { space: ({ space }) => space, lock: 'shared', pages: 'unchanged', isAnnounced: false },
  function* noteRead(input: NoteRead): Verb<void> {
    const { version } = input;
    yield* note(input, input.space, 'file.read', input.entry, version === null ? {} : { version });
  },
);

export interface NoteMcpCall extends Origin {
  space: number;
  /** What the call is about: an entry, or the root of the space. */
  entry: string;
  tool: string;
  /** The code of the refusal; null: it succeeded. */
  error: string | null;
}

/** Records that an agent has called a tool. */
export const noteMcpCall = write(
  { space: ({ space }) => space, lock: 'shared', pages: 'unchanged', isAnnounced: false },
  function* noteMcpCall(input: NoteMcpCall): Verb<void> {
    const { tool, error } = input;
    yield* note(input, input.space, 'mcp.called', input.entry, { tool, ...(error !== null && { error }) });
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
  /** Rows before this position; null: from the newest. */
  before: number | null;
  limit: number;
}

export interface AuditPage {
  events: JournalRow[];
  /** The next page has rows before this position; null on the last page. */
  next: number | null;
}

/** Rows that one page scans. */
const maxScanned = 2000;
/** Rows are in commit order, which differs slightly from time order, and clocks are set back; by less than this. */
const disorderMs = 60 * 60 * 1000;

/** Rows of one space, newest first. A page can be short, even empty, and still have a next one. */
export const listAudit = read({ catchUp: 'journal' }, function* listAudit(input: ListAudit): Verb<AuditPage> {
  const { space, limit } = input;
  const before = input.before ?? (yield* findStart(input.until));
  const scanned = yield* rows<{ position: number; at: number }>(sql`SELECT position, at FROM (SELECT position, at
    FROM journal WHERE space = ${space} AND position < ${before} ORDER BY position DESC
    LIMIT ${maxScanned}) AS scanned ORDER BY position LIMIT 1`);
  const [oldest] = scanned;
  if (oldest === undefined) return { events: [], next: null };
  const events = yield* findEvents(input, oldest.position, before);
  const last = events.at(-1);
  if (events.length === limit && last !== undefined && last.position > oldest.position) {
    return { events, next: last.position };
  }
  const isTooOld = input.since !== null && oldest.at < input.since - disorderMs;
  const hasMore = !isTooOld && (yield* isBefore(space, oldest.position));
  return { events, next: hasMore ? oldest.position : null };
});

function* findEvents(input: ListAudit, from: number, before: number): Verb<JournalRow[]> {
  const { space, limit, since, until, by, action, entry } = input;
  const conditions = [
    ...(since === null ? [] : [sql`AND at >= ${since}`]),
    ...(until === null ? [] : [sql`AND at <= ${until}`]),
    ...(by === null ? [] : [sql`AND by = ${by}`]),
    ...(action === null ? [] : [sql`AND action = ${action}`]),
    ...(entry === null ? [] : [sql`AND entry = ${entry}`]),
  ];
  return yield* rows<JournalRow>(sql`SELECT ${columns} FROM journal
    WHERE space = ${space} AND position >= ${from} AND position < ${before} ${join(conditions, ' ')}
    ORDER BY position DESC LIMIT ${limit}`);
}

function* isBefore(space: number, position: number): Verb<boolean> {
  return (
    (yield* row(sql`SELECT position FROM journal WHERE space = ${space} AND position < ${position} LIMIT 1`)) !==
    undefined
  );
}

/** A position after which no row is as old as `until`, found by binary search. */
function* findStart(until: number | null): Verb<number> {
  const ends = yield* findJournalEnds({});
  if (ends === null) return 0;
  let [low, high] = [ends.first, ends.last + 1];
  if (until === null) return high;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = yield* row<{ at: number }>(sql`SELECT at FROM journal WHERE position = ${middle}`);
    if (found !== undefined && found.at > until + disorderMs) high = middle;
    else low = middle + 1;
  }
  return high;
}
