// Renders statements for PostgreSQL. Verbs handle one row at a time; here the same statement of many verbs becomes one
// statement for all of them, rendered from its parts.

import { checkKind, type QueryKind } from '../sql.ts';
import type { Dialect, Insert, Statement, Value } from '../statement.ts';

export interface Text {
  sql: string;
  values: readonly Value[];
}

const exactSize = `(entries.size + CASE entries.kind WHEN 0 THEN coalesce(
  (SELECT sum(size_additions.bytes) FROM size_additions WHERE size_additions.entry = entries.entry), 0)::bigint ELSE 0 END)`;

function exactUsage(column: 'entries' | 'bytes'): string {
  return `(usage.${column} + coalesce((SELECT sum(usage_additions.${column}) FROM usage_additions
    WHERE usage_additions.space = usage.space AND usage_additions.actor = usage.actor), 0)::bigint)`;
}

/** Additions that are not folded yet belong to the sum. */
const computed: Dialect['computed'] = {
  'exact size': exactSize,
  'exact entries': exactUsage('entries'),
  'exact bytes': exactUsage('bytes'),
};

const dialect: Dialect = { toPlaceholder: (index) => `$${index}`, computed };

const texts = new WeakMap<Statement, string>();

export function toText(kind: QueryKind, statement: Statement): string {
  let text = texts.get(statement);
  if (text === undefined) {
    text = statement.render(dialect);
    checkKind(kind, text);
    if (kind === 'lock') text += ' FOR UPDATE';
    texts.set(statement, text);
  }
  return text;
}

/** A text in PostgreSQL cannot contain NUL, so no row matches a value with one. */
export function isUnknowable(value: Value): boolean {
  return typeof value === 'string' && value.includes('\0');
}

/** Texts by the types of the values. */
const manyReads = new WeakMap<Statement, Map<string, string>>();

/** One read for many sets of values. `place` is the number of the set that a row belongs to, counted from 1. */
export function toManyReads(statement: Statement, sets: readonly (readonly Value[])[]): Text {
  const [first = []] = sets;
  const types = first.map((_, index) => typeOf(sets.map((set) => set[index] ?? null)));
  const known = manyReads.get(statement) ?? new Map<string, string>();
  manyReads.set(statement, known);
  const key = types.join();
  const text = known.get(key) ?? toManyReadsText(statement, types);
  known.set(key, text);
  return { sql: text, values: types.map((_, index) => sets.map((set) => set[index] ?? null) as unknown as Value) };
}

function toManyReadsText(statement: Statement, types: readonly string[]): string {
  const given = types.map((_, index) => `v${index + 1}`);
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  // Indexes on text use the collation "C"; a comparison in another one would not use them.
  const toPlaceholder = (index: number) =>
    types[index - 1] === 'text' ? `(given.v${index} COLLATE "C")` : `given.v${index}`;
  const inner = statement.render({ toPlaceholder, computed });
  return `SELECT given.place, found.* FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS given (${given.join(', ')}, place)
    CROSS JOIN LATERAL (${inner}) AS found ORDER BY given.place`;
}

function typeOf(values: readonly Value[]): string {
  const known = values.find((value) => value !== null);
  if (known instanceof Uint8Array) return 'bytea';
  return typeof known === 'number' || typeof known === 'bigint' ? 'bigint' : 'text';
}

/** Few sizes, so that each statement is prepared once. */
const rowsEach = [64, 16, 4, 1];

export function toInsert(insert: Insert, values: readonly Value[]): Text {
  return { sql: toInsertText(insert, 1), values };
}

/** Many rows in few inserts. In a numbered insert the last value of each row is its number. */
export function toInserts(
  insert: Insert,
  rows: readonly (readonly Value[])[],
): { sql: string; values: Value[]; count: number }[] {
  const inserts: { sql: string; values: Value[]; count: number }[] = [];
  for (let at = 0; at < rows.length; ) {
    const count = rowsEach.find((size) => size <= rows.length - at) ?? 1;
    inserts.push({ sql: toInsertText(insert, count), values: rows.slice(at, at + count).flat(), count });
    at += count;
  }
  return inserts;
}

const insertTexts = new WeakMap<Insert, Map<number, string>>();

function toInsertText(insert: Insert, count: number): string {
  const known = insertTexts.get(insert) ?? new Map<number, string>();
  insertTexts.set(insert, known);
  const text = known.get(count) ?? renderInsert(insert, count);
  known.set(count, text);
  return text;
}

function renderInsert({ table, columns, numbered, onConflict }: Insert, count: number): string {
  const names = numbered === null ? columns : [...columns, numbered];
  const toRow = (_: unknown, row: number) =>
    `(${names.map((_name, at) => `$${row * names.length + at + 1}`).join(', ')})`;
  const rows = Array.from({ length: count }, toRow);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES ${rows.join(', ')} ${onConflict}`;
}
