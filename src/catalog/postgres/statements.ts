// Statements of the catalog as PostgreSQL takes them. The verbs are written for one row at a time; here the same
// statement of many verbs becomes one statement for all of them, made from its text.

import type { Value } from '../sql.ts';

const exactSize = `(entries.size + CASE entries.kind WHEN 0 THEN coalesce(
  (SELECT sum(size_additions.bytes) FROM size_additions WHERE size_additions.entry = entries.entry), 0)::bigint ELSE 0 END)`;

function exactUsage(column: string): string {
  return `(usage.${column} + coalesce((SELECT sum(usage_additions.${column}) FROM usage_additions
    WHERE usage_additions.space = usage.space AND usage_additions.actor = usage.actor), 0)::bigint)`;
}

const texts = new Map<string, string>();

/** What is not folded into a sum yet belongs to it (see `sql.ts`). */
export function toStatement(sql: string): string {
  let text = texts.get(sql);
  if (text === undefined) {
    text = sql
      .replaceAll('exact_size(entries)', exactSize)
      .replaceAll(/exact_usage\((\w+)\)/g, (_, column: string) => exactUsage(column));
    texts.set(sql, text);
  }
  return text;
}

/** No text of PostgreSQL can hold a NUL, so none is equal to one that does. */
export function isUnknowable(value: Value): boolean {
  return typeof value === 'string' && value.includes('\0');
}

export function isPlainRead(sql: string): boolean {
  return /^\s*(SELECT|WITH)\b/.test(sql) && !isLocking(sql);
}

function isLocking(sql: string): boolean {
  return /FOR UPDATE\s*$/.test(sql);
}

export function isPlainInsert(sql: string): boolean {
  return /^\s*INSERT\b[\s\S]*\bVALUES\s*\([^)]*\)/.test(sql) && !hasRows(sql);
}

export function hasRows(sql: string): boolean {
  return /\bRETURNING\b/.test(sql);
}

/** One read for many sets of values: `place` tells for which set a row was found, counted from 1. */
export function toManyReads(sql: string, sets: readonly (readonly Value[])[]): { sql: string; values: Value[] } {
  const [first = []] = sets;
  const types = first.map((_, index) => typeOf(sets.map((set) => set[index] ?? null)));
  const given = types.map((_, index) => `v${index + 1}`);
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  // A text without this would be compared in another order than that of the indexes, which would not be used.
  const inner = sql.replaceAll(/\$(\d+)/g, (_, index: string) =>
    types[Number(index) - 1] === 'text' ? `(given.v${index} COLLATE "C")` : `given.v${index}`,
  );
  return {
    sql: `SELECT given.place, found.* FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS given (${given.join(', ')}, place)
      CROSS JOIN LATERAL (${inner}) AS found ORDER BY given.place`,
    values: types.map((_, index) => sets.map((set) => set[index] ?? null) as unknown as Value),
  };
}

function typeOf(values: readonly Value[]): string {
  const known = values.find((value) => value !== null);
  if (known instanceof Uint8Array) return 'bytea';
  return typeof known === 'number' || typeof known === 'bigint' ? 'bigint' : 'text';
}

/** Statements of few sizes, so that each can be prepared once. */
const rowsEach = [64, 16, 4, 1];

/** One insert of a row, repeated for many, as few inserts of many rows. */
export function toManyInserts(
  sql: string,
  sets: readonly (readonly Value[])[],
): { sql: string; values: Value[]; count: number }[] {
  const made: { sql: string; values: Value[]; count: number }[] = [];
  for (let at = 0; at < sets.length; ) {
    const count = rowsEach.find((rows) => rows <= sets.length - at) ?? 1;
    const values = sets.slice(at, at + count).flat();
    made.push({ sql: toInsertOf(sql, count), values, count });
    at += count;
  }
  return made;
}

const inserts = new Map<string, string>();

function toInsertOf(sql: string, count: number): string {
  if (count === 1) return sql;
  const key = `${count} ${sql}`;
  let text = inserts.get(key);
  if (text === undefined) {
    const [, head = '', row = '', tail = ''] = /^(\s*INSERT\b[\s\S]*?\bVALUES\s*)(\([^)]*\))([\s\S]*)$/.exec(sql) ?? [];
    const width = new Set(row.match(/\$\d+/g)).size;
    const repeated = Array.from({ length: count }, (_, index) =>
      row.replaceAll(/\$(\d+)/g, (_match, number: string) => `$${Number(number) + index * width}`),
    );
    // Values that the row does not use, in the tail, would be numbered wrong.
    if (/\$\d+/.test(tail)) throw new Error(`cannot be repeated: ${sql}`);
    text = `${head}${repeated.join(', ')}${tail}`;
    inserts.set(key, text);
  }
  return text;
}

/** The insert with the number that its row was given. */
export function withNumber(sql: string, column: string, width: number): string {
  return sql.replace('(', `(${column}, `).replace(/VALUES\s*\(/, `VALUES ($${width + 1}, `);
}
