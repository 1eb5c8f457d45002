// The journal beyond its table: sealed parts are copied and compared row by row, and the whole chain is recomputed where it
// is now.

import type { JournalFiles } from '../../catalog/journal-files.ts';
import { isJournalKeyName } from '../../catalog/journal-keys.ts';
import { findHead } from '../../catalog/tables.ts';
import { type JournalSlice, listJournal } from '../../catalog/verbs/journal.ts';
import { isSameRow } from '../../domain/chain.ts';
import { type JournalVerification, verifyJournal } from '../../operations/admin/verify-journal.ts';
import type { Differences, Migration, Side } from './side.ts';

export async function copyJournalFiles({ source, target, onProgress }: Migration): Promise<void> {
  const ranges = await source.journalFiles.list();
  const there = new Set((await target.journalFiles.list()).map(toText));
  for (const [index, range] of ranges.entries()) {
    const rows = await source.journalFiles.read(range);
    const isThere = there.has(toText(range)) && (await holds(target.journalFiles, range, rows));
    if (!isThere) await target.journalFiles.write(range, rows);
    onProgress({ step: 'copying sealed parts of the journal', done: index + 1, of: ranges.length });
  }
}

/** Before the rows: a chain is worth nothing without them. */
export async function copyJournalKeys({ source, target }: Migration): Promise<void> {
  const [from, to] = [source.journalKeys.files, target.journalKeys.files];
  const there = new Set(await to.list());
  for (const name of (await from.list()).filter(isJournalKeyName)) {
    if (!there.has(name)) await to.write(name, await from.read(name));
  }
}

/** Returns how many there are. */
export async function compareJournalFiles({ source, target }: Migration, differences: Differences): Promise<number> {
  const ranges = await source.journalFiles.list();
  const wanted = new Set(ranges.map(toText));
  for (const range of await target.journalFiles.list()) {
    if (!wanted.has(toText(range))) differences.add(`sealed journal ${toText(range)}`, 'is not in the source');
  }
  for (const range of ranges) {
    const isSame = await holds(target.journalFiles, range, await source.journalFiles.read(range));
    if (!isSame) differences.add(`sealed journal ${toText(range)}`, 'differs');
  }
  return ranges.length;
}

type Range = Parameters<JournalFiles['read']>[0];
type Rows = Awaited<ReturnType<JournalFiles['read']>>;

function toText({ first, last }: Range): string {
  return `${first}-${last}`;
}

async function holds(files: JournalFiles, range: Range, rows: Rows): Promise<boolean> {
  const found = await files.read(range).catch(() => []);
  return found.length === rows.length && rows.every((row, index) => isSameRow(row, found[index]));
}

export interface Chain {
  head: string;
  /** What is wrong with the chain in both storage: it was so before. */
  problems: JournalVerification['problems'];
}

/** Whatever is wrong here and not there is a difference. */
export async function compareChains({ source, target }: Migration, differences: Differences): Promise<Chain> {
  const expected = await source.tables.read(findHead());
  const found = await walk(target, expected);
  const known = found.problems.length === 0 ? [] : (await walk(source, expected)).problems;
  for (const { position, problem } of found.problems) {
    const isOld = known.some((old) => old.position === position && old.problem === problem);
    if (!isOld) differences.add(`journal: position ${position}`, problem);
  }
  return { head: `${found.head.position}:${found.head.link}`, problems: known };
}

function walk(
  { tables, journalFiles, journalKeys }: Side,
  expected: JournalVerification['head'] | null,
): Promise<JournalVerification> {
  const catalog = { listJournal: (slice: JournalSlice) => tables.read(listJournal(slice)) };
  return verifyJournal({ catalog, journalFiles, journalKeys }, expected === null ? [] : [expected]);
}
