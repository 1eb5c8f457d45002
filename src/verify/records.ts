// Entries and versions: each row with what it refers to, folders that lead to their root, and sums.

import * as checks from '../catalog/checks.ts';
import type { Verb } from '../catalog/sql.ts';
import { toNameKey } from '../domain/name.ts';
import type { Problems } from './problems.ts';
import { walk } from './slices.ts';
import type { Subject, VerifyOptions } from './verify.ts';

const sliceRows = 500;

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
  for await (const row of each(subject, problems, { table: 'entries', options })) {
    counts.entries += 1;
    if (row.kind === 0) parents.set(row.entry, row.parent);
    const problem = judgeEntry(row);
    if (problem !== null) await tellEntry(subject, problems, row, problem);
  }
  for (const entry of findCircles(parents)) {
    problems.tell(`entries, row ${entry}`, 'the folders above it lead round in circles');
  }
  counts.versions = await verifyVersions(subject, problems, options);
  if (subject.isSqlite) await verifySums(subject, problems);
  return counts;
}

async function* each(
  { tables }: Subject,
  problems: Problems,
  { table, options }: { table: 'entries'; options: VerifyOptions },
): AsyncGenerator<checks.CheckedEntry> {
  const last = await lastOf(tables.read(checks.findLastOf(table)), problems, table);
  const walked = {
    tables,
    last,
    list: checks.listCheckedEntries,
    numberOf: ({ entry }: checks.CheckedEntry) => entry,
    onLost: async (lost: { first: number; last: number }, error: unknown) =>
      problems.tell(`${table}, rows ${lost.first} to ${lost.last}`, `cannot be read: ${(error as Error).message}`),
  };
  for await (const rows of walk(walked, sliceRows)) {
    options.signal.throwIfAborted();
    options.tell({ step: table, done: rows.at(-1)?.entry ?? 0, of: last });
    yield* rows;
    await options.rest(rows.length * 200);
  }
}

export async function lastOf(asked: Promise<number>, problems: Problems, table: string): Promise<number> {
  return await asked.catch((error: Error) => {
    problems.tell(table, `cannot be read: ${error.message}`);
    return 0;
  });
}

function judgeEntry(row: checks.CheckedEntry): string | null {
  if (row.root === null) return `space ${row.space} is not there`;
  if (row.parent === null) {
    if (row.id === row.root || row.id === '-trash-' || row.id === '-hidden-') return null;
    return 'it is in no folder';
  }
  if (row.holder_kind === null) return `its folder, ${row.parent}, is not there`;
  if (row.holder_kind !== 0) return 'what should be its folder is a file';
  if (row.holder_space !== row.space) return 'its folder is in another space';
  const isHiddenTop = row.holder_id?.startsWith('-') ?? false;
  if (row.name_key !== (isHiddenTop ? row.id : toNameKey(row.name))) return 'its name and the key of its name differ';
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

async function tellEntry(
  { tables }: Subject,
  problems: Problems,
  { entry, version }: { entry: number; version: number },
  problem: string,
): Promise<void> {
  const named = await nameOr(tables.read(checks.nameEntry(entry)), entry);
  problems.tell(`entries, row ${entry}`, problem, [{ ...named, version }]);
}

async function nameOr(asked: Promise<{ id: string; path: string }>, entry: number) {
  return await asked.catch(() => ({ id: `#${entry}`, path: '?' }));
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
  for (let after = 0; after < last; after += sliceRows) {
    options.signal.throwIfAborted();
    options.tell({ step: 'versions', done: after, of: last });
    const rows = await readOr(tables.read(checks.listCheckedVersions(after, sliceRows)), (error) =>
      problems.tell(`versions of entries ${after + 1} to ${after + sliceRows}`, `cannot be read: ${error.message}`),
    );
    count += rows.length;
    for (const row of rows) {
      const problem = judgeVersion(row);
      if (problem === null) continue;
      const named = await nameOr(tables.read(checks.nameEntry(row.entry)), row.entry);
      problems.tell(`versions, ${row.version} of entry ${row.entry}`, problem, [{ ...named, version: row.version }]);
    }
    await options.rest(rows.length * 100);
  }
  return count;
}

async function readOr<Row>(asked: Promise<Row[]>, onError: (error: Error) => void): Promise<Row[]> {
  return await asked.catch((error: Error) => {
    onError(error);
    return [];
  });
}

function judgeVersion(row: checks.CheckedVersion): string | null {
  if (row.current === null) return 'its file is not there';
  if (row.kind !== 1) return 'a folder has a version';
  if (row.has_content === null) return `its content, ${row.content}, is not there`;
  if (row.version > row.current) return 'it is later than the current one';
  return (row.superseded_at === null) === (row.version === row.current) ? null : 'when it was superseded is wrong';
}

async function verifySums({ tables }: Subject, problems: Problems): Promise<void> {
  const ask = async <Row>(verb: Verb<Row[]>) =>
    await readOr(tables.read(verb), (error) => problems.tell('sums', `cannot be read: ${error.message}`));
  if (await tables.read(checks.isBusy()).catch(() => true)) return;
  for (const { entry } of await ask(checks.findWrongSizes())) {
    const { path } = await nameOr(tables.read(checks.nameEntry(entry)), entry);
    problems.tell(`entries, row ${entry}`, `the size of the folder ${path} is not the sum of what is in it`);
  }
  for (const { space, actor } of await ask(checks.findWrongUsage())) {
    problems.tell(`usage, space ${space} ${JSON.stringify(actor)}`, 'is not what is there');
  }
}
