// Records: every row of every table, copied slice by slice in the order of the keys, and compared afterwards. What an
// earlier run has copied is compared as it is passed; if the source has changed since, all is copied anew.

import { createHash } from 'node:crypto';
import {
  countRows,
  nameRow,
  readRows,
  readSlice,
  type Table,
  type TableRow,
  tables,
  toKey,
} from '../../catalog/tables.ts';
import type { Differences, Migration } from './side.ts';

export interface RecordCounts {
  /** Rows by table. */
  rows: Record<string, number>;
  /** Of small contents, which stand in their rows. */
  bytes: number;
}

class SourceHasChanged extends Error {}

export async function copyRecords(migration: Migration): Promise<void> {
  try {
    for (const table of tables) await copyTable(migration, table);
  } catch (error) {
    if (!(error instanceof SourceHasChanged)) throw error;
    await migration.target.tables.clear();
    for (const table of tables) await copyTable(migration, table);
  }
}

async function copyTable({ source, target, onProgress }: Migration, table: Table): Promise<void> {
  const of = await source.tables.read(countRows(table));
  let isBeyond = false;
  let done = 0;
  for (let after: TableRow | null = null; ; ) {
    const slice: TableRow[] = await source.tables.read(readSlice(table, after));
    const there: TableRow[] = isBeyond
      ? []
      : await target.tables.read(readRows(table, after, Math.max(slice.length, 1)));
    if (!there.every((row, index) => isSame(row, slice[index]))) throw new SourceHasChanged();
    isBeyond ||= there.length < slice.length;
    if (slice.length === 0) return;
    if (there.length < slice.length) await target.tables.insert(table, slice.slice(there.length));
    after = toKey(table, slice.at(-1) as TableRow);
    done += slice.length;
    onProgress({ step: `copying ${table.name}`, done, of });
  }
}

export async function compareRecords(migration: Migration, differences: Differences): Promise<RecordCounts> {
  const counts: RecordCounts = { rows: {}, bytes: 0 };
  for (const table of tables) counts.rows[table.name] = await compareTable(migration, table, differences, counts);
  return counts;
}

async function compareTable(
  { source, target, onProgress }: Migration,
  table: Table,
  differences: Differences,
  counts: RecordCounts,
): Promise<number> {
  const of = await source.tables.read(countRows(table));
  const look = toLook(table, differences, counts);
  let done = 0;
  for (let after: TableRow | null = null; !differences.areEnough; ) {
    const slice: TableRow[] = await source.tables.read(readSlice(table, after));
    const there: TableRow[] = await target.tables.read(readRows(table, after, Math.max(slice.length, 1)));
    if (slice.length === 0 && there.length === 0) break;
    const compared = compareSlices(table, slice, there, differences);
    for (const row of there.slice(0, compared.rows)) look(row);
    after = compared.after;
    done += compared.rows;
    onProgress({ step: `comparing ${table.name}`, done, of });
  }
  return done;
}

/** Goes along both as far as their keys agree. Where they do not, the row with the smaller key is on one side only, and
 *  both sides are read again from behind it. */
function compareSlices(
  table: Table,
  slice: readonly TableRow[],
  there: readonly TableRow[],
  differences: Differences,
): { rows: number; after: TableRow | null } {
  let after: TableRow | null = null;
  for (let index = 0; index < Math.max(slice.length, there.length); index += 1) {
    const [wanted, found] = [slice[index], there[index]];
    const order = compareKeys(table, wanted, found);
    if (order < 0) differences.add(nameRow(table, wanted as TableRow), 'is missing');
    if (order > 0) differences.add(nameRow(table, found as TableRow), 'is not in the source');
    after = toKey(table, (order > 0 ? found : wanted) as TableRow);
    if (order !== 0) return { rows: index, after };
    const columns = table.columns.filter((_, at) => !isSameValue(wanted?.[at], found?.[at]));
    if (columns.length > 0) differences.add(nameRow(table, wanted as TableRow), `differs in ${columns.join(', ')}`);
  }
  return { rows: slice.length, after };
}

/** A row that is missing comes behind all others. */
function compareKeys(table: Table, a: TableRow | undefined, b: TableRow | undefined): number {
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  for (const [index, value] of toKey(table, a).entries()) {
    const other = b[index];
    const order =
      typeof value === 'string'
        ? Buffer.compare(Buffer.from(value), Buffer.from(String(other)))
        : Number(value) - Number(other);
    if (order !== 0) return order;
  }
  return 0;
}

/** The bytes of small contents must be what their records say, whatever the source has. */
function toLook(table: Table, differences: Differences, counts: RecordCounts): (row: TableRow) => void {
  if (table.name !== 'contents') return () => undefined;
  const at = (column: string) => table.columns.indexOf(column);
  const [bytesAt, sha256At, sizeAt] = [at('bytes'), at('sha256'), at('size')];
  return (row) => {
    const bytes = row[bytesAt] as Uint8Array | null;
    if (bytes === null) return;
    counts.bytes += bytes.byteLength;
    const isGood =
      bytes.byteLength === row[sizeAt] &&
      createHash('sha256')
        .update(bytes)
        .digest()
        .equals(row[sha256At] as Uint8Array);
    if (!isGood) differences.add(nameRow(table, row), 'does not have the bytes that its record says');
  };
}

function isSame(a: TableRow, b: TableRow | undefined): boolean {
  return b !== undefined && a.every((value, index) => isSameValue(value, b[index]));
}

function isSameValue(a: unknown, b: unknown): boolean {
  return a === b || (a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0);
}
