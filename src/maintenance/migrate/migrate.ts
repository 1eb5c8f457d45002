// Moves one environment from one storage to another, in an order that can be broken off anywhere and gone through again:
// the target is claimed, everything is copied, everything is compared, and only then the target may be used. The source is
// never changed.

import { countOpenUploads } from '../../catalog/verbs/uploads.ts';
import { claimTarget, release } from './claim.ts';
import { type ContentCounts, compareContents, copyContents } from './contents.ts';
import { type Chain, compareChains, compareJournalFiles, copyJournalFiles, copyJournalKeys } from './journal.ts';
import { compareRecords, copyRecords, type RecordCounts } from './records.ts';
import { type Difference, Differences, type Migration } from './side.ts';

export interface MigrationReport {
  /** Null, here and below: stayed where it was, or is still to be moved. */
  records: RecordCounts | null;
  contents: ContentCounts | null;
  journalFiles: number | null;
  chain: Chain | null;
  /** Unfinished uploads, which are not carried over: their clients begin them anew. */
  uploadsLeft: number;
  differences: Difference[];
  /** Whether the target may be used from now on. */
  isFinished: boolean;
  /** When an earlier run had finished it, and nothing was left to do; null: it was this one, or none. */
  doneAt: string | null;
}

export async function migrate(migration: Migration): Promise<MigrationReport> {
  const { source, target, moved, blobs, isContentsOnly } = migration;
  if (moved.records) await target.tables.hold();
  if (!isContentsOnly) await source.tables.hold();
  const { isFresh, doneAt } = await claimTarget(migration);
  if (doneAt !== null) {
    return { contents: null, ...nothing, uploadsLeft: 0, differences: [], isFinished: true, doneAt };
  }
  const differences = new Differences();
  const contents = blobs === null ? null : await copyContents({ ...migration, blobs }, differences, isFresh);
  if (!isContentsOnly) await copyRest(migration);
  if (blobs !== null) await compareContents({ ...migration, blobs }, differences);
  const compared = isContentsOnly ? nothing : await compareRest(migration, differences);
  const isFinished = !isContentsOnly && differences.list.length === 0;
  if (isFinished) await release(migration);
  const uploadsLeft = isContentsOnly ? 0 : await source.tables.read(countOpenUploads());
  return { contents, ...compared, uploadsLeft, differences: differences.list, isFinished, doneAt };
}

const nothing = { records: null, journalFiles: null, chain: null };

async function copyRest(migration: Migration): Promise<void> {
  const { source, target, moved } = migration;
  if (moved.journalFiles || moved.records) await copyJournalKeys(migration);
  if (moved.journalFiles) await copyJournalFiles(migration);
  if (!moved.records) return;
  await copyRecords(migration);
  const keys = await source.keys.read();
  if (keys !== null) await target.keys.write(keys);
}

async function compareRest(migration: Migration, differences: Differences) {
  const { source, target, moved } = migration;
  const records = moved.records ? await compareRecords(migration, differences) : null;
  const journalFiles = moved.journalFiles ? await compareJournalFiles(migration, differences) : null;
  const isJournalMoved = moved.records || moved.journalFiles;
  const chain = isJournalMoved ? await compareChains(migration, differences) : null;
  if (moved.records && (await source.keys.read()) !== (await target.keys.read())) {
    differences.add('the keys', 'differ');
  }
  return { records, journalFiles, chain };
}
