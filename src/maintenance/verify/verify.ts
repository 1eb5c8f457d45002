// Reads everything that an environment has and says what is wrong: the database by SQLite's own check, every row with what
// it refers to, every sum, the chain of the journal, every content by its SHA-256. Nothing is changed. The service may be
// running: rows are looked at a slice at a time, each slice in one snapshot.

import * as checks from '../../catalog/verbs/checks.ts';
import { type JournalSlice, listJournal } from '../../catalog/verbs/journal.ts';
import { verifyJournal } from '../../operations/admin/verify-journal.ts';
import { type ContentCounts, verifyContents } from './contents.ts';
import { Problems } from './problems.ts';
import { type RecordCounts, verifyRecords } from './records.ts';
import type { Subject, VerifyOptions } from './subject.ts';

export interface VerifyResult extends RecordCounts, ContentCounts {
  journalRows: number;
  problems: Problems;
}

export async function verify(subject: Subject, options: VerifyOptions): Promise<VerifyResult> {
  const problems = new Problems();
  if (subject.isSqlite) await verifyDatabase(subject, problems, options);
  const records = await verifyRecords(subject, problems, options);
  const journalRows = await verifyChain(subject, problems, options);
  const contents = await verifyContents(subject, problems, options);
  return { ...records, ...contents, journalRows, problems };
}

async function verifyDatabase(
  { tables }: Subject,
  problems: Problems,
  { onProgress, signal }: VerifyOptions,
): Promise<void> {
  const report = (what: string) => (error: unknown) => {
    problems.add(what, (error as Error).message);
    return [];
  };
  const names = await tables.read(checks.listTables()).catch(report('catalog.db'));
  for (const [index, name] of names.entries()) {
    signal.throwIfAborted();
    onProgress({ step: 'the database', done: index, of: names.length });
    const found = await tables.read(checks.findDamage(name)).catch(report(`catalog.db, table ${name}`));
    for (const damage of found) problems.add(`catalog.db, table ${name}`, damage);
  }
  const broken = await tables.read(checks.findBrokenReferences()).catch(report('catalog.db, references'));
  for (const text of broken) problems.add('catalog.db, references', text);
}

async function verifyChain(
  subject: Subject,
  problems: Problems,
  { onProgress, signal }: VerifyOptions,
): Promise<number> {
  signal.throwIfAborted();
  onProgress({ step: 'the journal', done: 0, of: 1 });
  const { tables, journalFiles, journalKeys } = subject;
  const catalog = { listJournal: (slice: JournalSlice) => tables.read(listJournal(slice)) };
  try {
    const found = await verifyJournal({ catalog, journalFiles, journalKeys }, []);
    for (const { position, problem } of found.problems) problems.add(`journal, position ${position}`, problem);
    return found.rows;
  } catch (error) {
    problems.add('journal', (error as Error).message);
    return 0;
  }
}
