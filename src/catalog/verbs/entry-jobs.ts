// Jobs that change many entries and go on after the answer: how far they are, and their results for an hour after the end. Who does
// the work writes a sign of life from time to time; a job without one was interrupted by the end of its process.

import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, returning, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

const intoEntryJobs = insertInto('entry_jobs', 'id actor app_key total done state changed_at expires_at');

/** Signs of life come every few seconds. */
const interruptedAfterMs = 2 * 60 * 1000;
const keptMs = 60 * 60 * 1000;

export type EntryJobState = 'running' | 'done' | 'failed' | 'interrupted';

export interface EntryJob {
  id: string;
  done: number;
  total: number;
  state: EntryJobState;
  /** JSON; null until it is done. */
  results: string | null;
}

export interface AddEntryJob {
  id: string;
  actor: string;
  appKey: string;
  total: number;
  at: number;
}

export const addEntryJob = write(
  { space: () => noSpace, lock: 'shared', pages: 'unchanged', isAnnounced: false },
  function* addEntryJob({ id, actor, appKey, total, at }: AddEntryJob): Verb<void> {
    yield* insert(intoEntryJobs, [id, actor, appKey, total, 0, 'running', at, at + keptMs]);
  },
);

export interface NoteEntryJob {
  id: string;
  done: number;
  state: 'running' | 'done' | 'failed';
  results: string | null;
  at: number;
}

export const noteEntryJob = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* noteEntryJob({ id, done, state, results, at }: NoteEntryJob): Verb<void> {
    yield* execute(sql`UPDATE entry_jobs SET done = ${done}, state = ${state}, results = ${results}, changed_at = ${at},
      expires_at = ${at + keptMs} WHERE id = ${id}`);
  },
);

interface EntryJobRow {
  done: number;
  total: number;
  state: 'running' | 'done' | 'failed';
  results: string | null;
  changed_at: number;
}

/** Null if the actor has no such job with this application. */
export const findEntryJob = read(
  {},
  function* findEntryJob({
    id,
    actor,
    appKey,
    at,
  }: {
    id: string;
    actor: string;
    appKey: string;
    at: number;
  }): Verb<EntryJob | null> {
    const found = yield* row<EntryJobRow>(sql`SELECT done, total, state, results, changed_at FROM entry_jobs
    WHERE id = ${id} AND actor = ${actor} AND app_key = ${appKey} AND expires_at > ${at}`);
    if (found === undefined) return null;
    const { done, total, results } = found;
    const isInterrupted = found.state === 'running' && found.changed_at < at - interruptedAfterMs;
    return { id, done, total, state: isInterrupted ? 'interrupted' : found.state, results };
  },
);

/** Deletes at most 1,000 expired ones; returns how many. */
export const forgetEntryJobs = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* forgetEntryJobs({ at }: { at: number }): Verb<number> {
    const forgotten = yield* returning(sql`DELETE FROM entry_jobs WHERE id IN
      (SELECT id FROM entry_jobs WHERE expires_at <= ${at} ORDER BY expires_at LIMIT 1000) RETURNING id`);
    return forgotten.length;
  },
);
