// Changes of many entries that go on after the answer: begins such a job, and shows how far it is. The job belongs to who began it,
// and ends with the process; what was changed until then stays.

import { randomUUIDv7 } from 'node:crypto';
import type { EntryJob } from '../catalog/verbs/entry-jobs.ts';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { changeEntries, checkBatch, type EntryBatch, type EntryOutcome } from './change-entries.ts';

/** How often the job writes how far it is. */
const noteEveryMs = 2000;

interface JobRun {
  renewCaller(): Promise<Caller>;
  /** The outcomes as they will be shown. */
  render(outcomes: readonly EntryOutcome[]): string;
  /** The job has ended, with a fault or without one. */
  onEnd(fault: unknown): void;
}

/** Resolves when the job is recorded. Takes over the responsibility for calling `onEnd` then. */
export async function beginEntryJob(
  cabinet: Cabinet,
  caller: Caller,
  batch: EntryBatch,
  run: JobRun,
): Promise<EntryJob> {
  checkBatch(batch);
  const id = randomUUIDv7();
  const total = batch.entryIds.length;
  const { actor, appKey } = caller;
  await cabinet.catalog.addEntryJob({ id, actor, appKey, total, at: cabinet.clock.now() });
  void work(cabinet, id, batch, run).then(
    () => run.onEnd(null),
    (fault) => run.onEnd(fault),
  );
  return { id, done: 0, total, state: 'running', results: null };
}

async function work(cabinet: Cabinet, id: string, batch: EntryBatch, { renewCaller, render }: JobRun): Promise<void> {
  const { catalog, clock } = cabinet;
  let done = 0;
  let noted: Promise<void> = Promise.resolve();
  const note = (state: 'running' | 'done' | 'failed', results: string | null) => {
    const next = () => catalog.noteEntryJob({ id, done, state, results, at: clock.now() });
    noted = noted.then(next, next);
    return noted;
  };
  // The next note says it again, and the last one is waited for.
  const timer = clock.every(noteEveryMs, () => void note('running', null).catch(() => undefined));
  const onProgress = (count: number) => {
    done = count;
  };
  try {
    const outcomes = await changeEntries(cabinet, batch, { renewCaller, onProgress });
    timer.cancel();
    await note('done', render(outcomes));
  } catch (error) {
    timer.cancel();
    await note('failed', null).catch(() => undefined);
    throw error;
  }
}

/** Nobody else's. */
export async function showEntryJob({ catalog, clock }: Cabinet, caller: Caller, id: string): Promise<EntryJob> {
  const { actor, appKey } = caller;
  const job = await catalog.findEntryJob({ id, actor, appKey, at: clock.now() });
  if (job === null) throw new Refusal('JobNotFound', 'There is no such job.');
  return job;
}
