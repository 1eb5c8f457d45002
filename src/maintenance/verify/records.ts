// Entries, versions and the trash: each row with what it refers to and with its seal, folders that lead to their root, and
// sums.

import { isChecksumWrong, toEntryChecksum, toTrashChecksum, toVersionChecksum } from '../../catalog/row-checksums.ts';
import type { Verb } from '../../catalog/sql.ts';
import * as checks from '../../catalog/verbs/checks.ts';
import { trashId } from '../../catalog/verbs/tree.ts';
import { toNameKey } from '../../domain/name.ts';
import type { Problems } from './problems.ts';
import { walk } from './slices.ts';
import type { Subject, VerifyOptions } from './subject.ts';

const sliceRows = 500;
const notAsWritten = 'it is not as it was written: its seal does not fit';

export interface RecordCounts {
  entries: number;
  versions: number;
}

export async function verifyRecords(
  subject: Subject,
  problems: Problems,
  options: VerifyOptions,
): Promise<RecordCounts> {
  const counts = { entries: 0, versions: 0 };
  const parents = new Map<number, number | null>();
  const entries = { table: 'entries', list: checks.listCheckedEntries, options } as const;
  for await (const row of each(subject, problems, entries)) {
    counts.entries += 1;
    if (row.kind === 0) parents.set(row.entry, row.parent);
    const problem = findEntryProblem(row);
    if (problem !== null) await addEntryProblem(subject, problems, row, problem);
  }
  for (const entry of findCircles(parents)) {
    problems.add(`entries, row ${entry}`, 'the folders above it lead round in circles');
  }
  counts.versions = await verifyVersions(subject, problems, options);
  await verifyTrash(subject, problems, options);
  if (subject.isSqlite) await verifySums(subject, problems);
  return counts;
}

interface TableWalk<Row> {
  table: 'entries' | 'trash';
  list(after: number, limit: number): Verb<Row[]>;
  options: VerifyOptions;
}

async function* each<Row extends { entry: number }>(
  { tables }: Subject,
  problems: Problems,
  { table, list, options }: TableWalk<Row>,
): AsyncGenerator<Row> {
  const last = await lastOf(tables.read(checks.findLastOf(table)), problems, table);
  const walked = {
    tables,
    last,
    list,
    numberOf: ({ entry }: Row) => entry,
    onLost: async (lost: { first: number; last: number }, error: unknown) =>
      problems.add(`${table}, rows ${lost.first} to ${lost.last}`, `cannot be read: ${(error as Error).message}`),
  };
  for await (const rows of walk(walked, sliceRows)) {
    options.signal.throwIfAborted();
    options.onProgress({ step: table, done: rows.at(-1)?.entry ?? 0, of: last });
    yield* rows;
    await options.throttle(rows.length * 200);
  }
}

export async function lastOf(number: Promise<number>, problems: Problems, table: string): Promise<number> {
  return await number.catch((error: Error) => {
    problems.add(table, `cannot be read: ${error.message}`);
    return 0;
  });
}

function findEntryProblem(row: checks.CheckedEntry): string | null {
  return (
    findLocationProblem(row) ??
    findRecordProblem(row) ??
    (isChecksumWrong(row.seal, toEntryChecksum(row)) ? notAsWritten : null)
  );
}

function findLocationProblem(row: checks.CheckedEntry): string | null {
  if (row.root === null) return `space ${row.space} is not there`;
  if (row.parent === null) {
    if (row.id === row.root || row.id === '-trash-' || row.id === '-hidden-') return null;
    return 'it is in no folder';
  }
  if (row.holder_kind === null) return `its folder, ${row.parent}, is not there`;
  if (row.holder_kind !== 0) return 'what should be its folder is a file';
  if (row.holder_space !== row.space) return 'its folder is in another space';
  return (row.trashed !== null) === (row.holder_id === trashId) ? null : 'the trash says otherwise where it is';
}

function findRecordProblem(row: checks.CheckedEntry): string | null {
  const isHiddenTop = row.holder_id?.startsWith('-') ?? false;
  if (row.parent !== null && row.name_key !== (isHiddenTop ? row.id : toNameKey(row.name)))
    return 'its name and the key of its name differ';
  if (!isProperties(row.properties)) return 'its properties cannot be read';
  if (row.kind !== 1) return row.version === 0 ? null : 'a folder has a version';
  if (row.content_size === null) return `its version ${row.version} is not there`;
  return row.content_size === row.size ? null : 'its size is not that of its content';
}

function isProperties(text: string | null): boolean {
  if (text === null) return true;
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return Object.values(value).every((each) => typeof each === 'string');
  } catch {
    return false;
  }
}

async function addEntryProblem(
  { tables }: Subject,
  problems: Problems,
  { entry, version }: { entry: number; version: number },
  problem: string,
): Promise<void> {
  const named = await nameOr(tables.read(checks.nameEntry(entry)), entry);
  problems.add(`entries, row ${entry}`, problem, [{ ...named, version }]);
}

async function nameOr(name: Promise<{ id: string; path: string }>, entry: number) {
  return await name.catch(() => ({ id: `#${entry}`, path: '?' }));
}

/** One folder of each circle. */
function findCircles(parents: Map<number, number | null>): number[] {
  const good = new Set<number>();
  const circles: number[] = [];
  for (const start of parents.keys()) {
    const way = new Set<number>();
    let at: number | null | undefined = start;
    while (at !== null && at !== undefined && !good.has(at) && !way.has(at)) {
      way.add(at);
      at = parents.get(at);
    }
    if (at !== null && at !== undefined && way.has(at)) circles.push(at);
    for (const entry of way) good.add(entry);
  }
  return circles;
}

async function verifyVersions({ tables }: Subject, problems: Problems, options: VerifyOptions): Promise<number> {
  const last = await lastOf(tables.read(checks.findLastOf('versions')), problems, 'versions');
  let count = 0;
  for (const cursor = new VersionCursor(last); !cursor.isOver; ) {
    options.signal.throwIfAborted();
    options.onProgress({ step: 'versions', done: cursor.after.entry, of: last });
    const rows = await readOr(tables.read(checks.listCheckedVersions(cursor.after, sliceRows)), (error) =>
      problems.add(`versions of entries after ${cursor.after.entry}`, `cannot be read: ${error.message}`),
    );
    if (!cursor.pass(rows)) problems.add('versions', 'the rows are out of order');
    count += rows?.length ?? 0;
    for (const row of rows ?? []) {
      const problem = findVersionProblem(row);
      if (problem === null) continue;
      const named = await nameOr(tables.read(checks.nameEntry(row.entry)), row.entry);
      problems.add(`versions, ${row.version} of entry ${row.entry}`, problem, [{ ...named, version: row.version }]);
    }
    await options.throttle((rows?.length ?? 0) * 100);
  }
  return count;
}

/** Goes through all versions. Skips what cannot be read in steps that grow, and never goes round in circles. */
export class VersionCursor {
  after: checks.VersionKey = { entry: 0, version: 0 };
  isOver = false;
  readonly #last: number;
  #skipped = 1;

  constructor(last: number) {
    this.#last = last;
  }

  /** Whether the rows are where they should be. */
  pass(rows: readonly checks.CheckedVersion[] | null): boolean {
    const { entry, version } = this.after;
    if (rows === null) {
      this.after = { entry: entry + sliceRows * this.#skipped, version: 0 };
      this.#skipped *= 2;
      this.isOver = this.after.entry >= this.#last;
      return true;
    }
    this.#skipped = 1;
    const end = rows.at(-1);
    this.isOver = end === undefined;
    if (end === undefined) return true;
    this.after = end;
    this.isOver = !(end.entry > entry || (end.entry === entry && end.version > version));
    return !this.isOver;
  }
}

async function readOr<Row>(rows: Promise<Row[]>, onError: (error: Error) => void): Promise<Row[] | null> {
  return await rows.catch((error: Error) => {
    onError(error);
    return null;
  });
}

function findVersionProblem(row: checks.CheckedVersion): string | null {
  if (row.current === null) return 'its file is not there';
  if (row.kind !== 1) return 'a folder has a version';
  if (row.sha256 === null) return `its content, ${row.content}, is not there`;
  if (row.version > row.current) return 'it is later than the current one';
  if ((row.superseded_at === null) !== (row.version === row.current)) return 'when it was superseded is wrong';
  return isChecksumWrong(row.seal, toVersionChecksum({ ...row, sha256: row.sha256 })) ? notAsWritten : null;
}

async function verifyTrash(subject: Subject, problems: Problems, options: VerifyOptions): Promise<void> {
  const trash = { table: 'trash', list: checks.listCheckedTrash, options } as const;
  for await (const row of each(subject, problems, trash)) {
    const problem = findTrashProblem(row);
    if (problem === null) continue;
    const named = await nameOr(subject.tables.read(checks.nameEntry(row.entry)), row.entry);
    problems.add(`trash, entry ${row.entry}`, problem, [{ ...named, version: 0 }]);
  }
}

function findTrashProblem(row: checks.CheckedTrash): string | null {
  if (row.entry_space === null) return 'its entry is not there';
  if (row.entry_space !== row.space) return 'its entry is in another space';
  if (row.holder_id !== trashId) return 'its entry is not in the trash';
  return isChecksumWrong(row.seal, toTrashChecksum(row)) ? notAsWritten : null;
}

async function verifySums({ tables }: Subject, problems: Problems): Promise<void> {
  const list = async <Row>(verb: Verb<Row[]>) =>
    (await readOr(tables.read(verb), (error) => problems.add('sums', `cannot be read: ${error.message}`))) ?? [];
  if (await tables.read(checks.isBusy()).catch(() => true)) return;
  for (const { entry } of await list(checks.findWrongSizes())) {
    const { path } = await nameOr(tables.read(checks.nameEntry(entry)), entry);
    problems.add(`entries, row ${entry}`, `the size of the folder ${path} is not the sum of what is in it`);
  }
  for (const { space, actor } of await list(checks.findWrongUsage())) {
    problems.add(`usage, space ${space} ${JSON.stringify(actor)}`, 'is not what is there');
  }
}
