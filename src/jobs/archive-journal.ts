// Moves the old part of the journal into files, so that the table does not grow for ever: whole ranges of a fixed number
// of positions, all of whose rows are old enough, and never the newest row. First the file is durable, then the rows are removed, in
// slices, so that no save waits. The next run continues after a crash: a range whose file exists and
// holds the same rows only has its rows removed.

import type { JournalRange } from '../catalog/journal-files.ts';
import type { JournalRow } from '../catalog/verbs/journal.ts';
import { isSameRow } from '../domain/chain.ts';
import { Fault } from '../domain/fault.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import { yieldToOthers } from '../runtime/pacing.ts';
import type { EnvironmentMetrics } from '../telemetry/environment-metrics.ts';
import type { Job } from './job.ts';

const archiveEveryMs = 60 * 60 * 1000;
/** How many positions a file holds. */
const rangePositions = 10_000;
const sliceRows = 1000;

/** Failures count as failed sweeps: operators watch one counter. */
export function toArchiveJournalJob(metrics: EnvironmentMetrics): Job {
  return {
    name: 'archive-journal',
    intervalMs: archiveEveryMs,
    isExclusive: true,
    async run({ cabinet }, signal) {
      try {
        await archiveJournal(cabinet, { now: cabinet.clock.now(), signal });
      } catch (error) {
        if (!signal.aborted) metrics.countSweep(false, cabinet.clock.now());
        throw error;
      }
    },
  };
}

interface ArchiveOptions {
  now: number;
  signal?: AbortSignal;
  /** For tests, which have fewer rows. */
  positions?: number;
}

/** Returns how many rows were moved. */
export async function archiveJournal(
  cabinet: Cabinet,
  { now, signal, positions = rangePositions }: ArchiveOptions,
): Promise<number> {
  const { catalog, limits } = cabinet;
  if (limits.journalMs === null) return 0;
  const before = now - limits.journalMs;
  for (let moved = 0; ; ) {
    signal?.throwIfAborted();
    const ends = await catalog.findJournalEnds({});
    if (ends === null) return moved;
    const first = Math.floor((ends.first - 1) / positions) * positions + 1;
    const range = { first, last: first + positions - 1 };
    if (range.last >= ends.last) return moved;
    const floor = await catalog.findWebhookFloor({});
    // Webhooks that are neither paused nor disabled still need what is after their positions.
    if (floor !== null && range.last > floor) return moved;
    if (!(await ensureFile(cabinet, range, before))) return moved;
    moved += await removeRows(cabinet, range, signal);
  }
}

/** Makes sure that the file of the range exists and holds what the table holds; false: some rows are too new. */
async function ensureFile(cabinet: Cabinet, range: JournalRange, before: number): Promise<boolean> {
  const { journalFiles } = cabinet;
  const rows = await readTable(cabinet, range);
  if (rows.some(({ at }) => at >= before)) return false;
  const isComplete = rows.length === range.last - range.first + 1;
  const exists = (await journalFiles.list()).some(({ first }) => first === range.first);
  const archived = exists ? await journalFiles.read(range).catch(() => null) : null;
  if (archived !== null && isArchiveOf(archived, rows, range)) {
    // It may have been written by a process that ended before its name was durable.
    await journalFiles.settle();
    return true;
  }
  // A missing or damaged file is written from the table, if that has all rows. If not, no more rows may be removed.
  if (!isComplete)
    throw new Fault('other', `cannot archive journal positions ${range.first} to ${range.last}: rows are missing`);
  await journalFiles.write(range, rows);
  const written = await journalFiles.read(range);
  if (!isArchiveOf(written, rows, range))
    throw new Fault('other', 'an archived part of the journal differs from what was written');
  return true;
}

async function readTable({ catalog }: Cabinet, { first, last }: JournalRange): Promise<JournalRow[]> {
  const rows: JournalRow[] = [];
  for (let from = first; from <= last; ) {
    const slice = await catalog.listJournal({ from, to: last, limit: sliceRows });
    rows.push(...slice);
    const end = slice.at(-1);
    if (end === undefined) break;
    from = end.position + 1;
    await yieldToOthers();
  }
  return rows;
}

/** Whether the file has every position of the range, and the same rows as the table where that still has them. */
function isArchiveOf(
  archived: readonly JournalRow[],
  rows: readonly JournalRow[],
  { first, last }: JournalRange,
): boolean {
  if (archived.length !== last - first + 1) return false;
  if (archived.some(({ position }, index) => position !== first + index)) return false;
  return rows.every((row) => isSameRow(row, archived[row.position - first]));
}

async function removeRows({ catalog }: Cabinet, { last }: JournalRange, signal?: AbortSignal): Promise<number> {
  for (let moved = 0; ; await yieldToOthers()) {
    signal?.throwIfAborted();
    const count = await catalog.forgetJournal({ upTo: last, limit: sliceRows });
    if (count === 0) return moved;
    moved += count;
  }
}
