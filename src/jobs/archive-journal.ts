// Moves the old part of the journal into files, so that the table does not grow for ever: whole ranges of a fixed number
// of positions, all of whose rows are old enough, and never the newest row. First the file is durable, then the rows go, in
// slices, so that no save waits. Whatever a crash leaves, the next sweep goes on with: a range whose file is there and
// holds the same rows only has its rows removed.

import type { SealedRange } from '../catalog/journal-files.ts';
import type { JournalRow } from '../catalog/verbs/journal.ts';
import { isSameRow } from '../domain/chain.ts';
import { Fault } from '../domain/fault.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import { yieldToOthers } from '../runtime/pacing.ts';

/** How many positions a file holds. */
export const rangePositions = 10_000;
const sliceRows = 1000;

/** Returns how many rows were moved. `positions`: for tests, which have fewer. */
export async function sealJournal(cabinet: Cabinet, now: number, positions = rangePositions): Promise<number> {
  const { catalog, limits } = cabinet;
  if (limits.journalMs === null) return 0;
  const before = now - limits.journalMs;
  for (let moved = 0; ; ) {
    const ends = await catalog.findJournalEnds({});
    if (ends === null) return moved;
    const first = Math.floor((ends.first - 1) / positions) * positions + 1;
    const range = { first, last: first + positions - 1 };
    if (range.last >= ends.last) return moved;
    if (!(await isSealed(cabinet, range, before))) return moved;
    moved += await forget(cabinet, range);
  }
}

/** Makes sure that the file of the range is there and holds what the table holds; false: it is too early for it. */
async function isSealed(cabinet: Cabinet, range: SealedRange, before: number): Promise<boolean> {
  const { journalFiles } = cabinet;
  const kept = await readTable(cabinet, range);
  if (kept.some(({ at }) => at >= before)) return false;
  const isWhole = kept.length === range.last - range.first + 1;
  const isThere = (await journalFiles.list()).some(({ first }) => first === range.first);
  const sealed = isThere ? await journalFiles.read(range).catch(() => null) : null;
  if (sealed !== null && holds(sealed, kept, range)) {
    // It may have been written by one that ended before its name was durable.
    await journalFiles.settle();
    return true;
  }
  // The table has all of it: then a file that is missing or damaged is made anew. If not, nothing more may be removed.
  if (!isWhole) throw new Fault('other', `positions ${range.first} to ${range.last} of the journal cannot be sealed`);
  await journalFiles.write(range, kept);
  const written = await journalFiles.read(range);
  if (!holds(written, kept, range)) throw new Fault('other', 'a sealed part of the journal is not what was written');
  return true;
}

async function readTable({ catalog }: Cabinet, { first, last }: SealedRange): Promise<JournalRow[]> {
  const found: JournalRow[] = [];
  for (let from = first; from <= last; ) {
    const slice = await catalog.listJournal({ from, to: last, limit: sliceRows });
    found.push(...slice);
    const end = slice.at(-1);
    if (end === undefined) break;
    from = end.position + 1;
    await yieldToOthers();
  }
  return found;
}

/** Whether the file has every position of the range, and the same rows as the table where that still has them. */
function holds(sealed: readonly JournalRow[], kept: readonly JournalRow[], { first, last }: SealedRange): boolean {
  if (sealed.length !== last - first + 1) return false;
  if (sealed.some(({ position }, index) => position !== first + index)) return false;
  return kept.every((row) => isSameRow(row, sealed[row.position - first]));
}

async function forget({ catalog }: Cabinet, { last }: SealedRange): Promise<number> {
  for (let moved = 0; ; await yieldToOthers()) {
    const count = await catalog.forgetJournal({ upTo: last, limit: sliceRows });
    if (count === 0) return moved;
    moved += count;
  }
}
