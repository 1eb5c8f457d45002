import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { test } from 'node:test';
import { toInserts, toManyReads, toText as toPostgresText } from './postgres/statements.ts';
import { execute, insert, type Row, rows, type Verb } from './sql.ts';
import { Connection } from './sqlite/connection.ts';
import { toText as toSqliteText } from './sqlite/dialect.ts';
import { exactSize, insertInto, join, raw, sql } from './statement.ts';

/** Everything that an engine which rewrites text by patterns would take for its own. */
const confusing = `$1 ? VALUES (coalesce($1, 0)) exact_size(entries) RETURNING x FOR UPDATE`;

test('the values of a statement are numbered in the order in which they stand', () => {
  const nested = sql`a = ${'one'} OR b = ${'two'}`;
  const { statement, values } = sql`SELECT x FROM t WHERE (${nested}) AND c = ${3} ORDER BY ${raw('d')}`;
  assert.equal(toPostgresText('read', statement), 'SELECT x FROM t WHERE (a = $1 OR b = $2) AND c = $3 ORDER BY d');
  assert.equal(toSqliteText('read', statement), 'SELECT x FROM t WHERE (a = ? OR b = ?) AND c = ? ORDER BY d');
  assert.deepEqual(values, ['one', 'two', 3]);
});

test('text within a statement reaches the database as it is', () => {
  const { statement, values } =
    sql`UPDATE t SET a = coalesce(${null}, '$1 ? VALUES ($1)'), b = ${exactSize} WHERE c = ${1}`;
  const text = toSqliteText('execute', statement);
  assert.equal(text, `UPDATE t SET a = coalesce(?, '$1 ? VALUES ($1)'), b = size WHERE c = ?`);
  assert.match(toPostgresText('execute', statement), /coalesce\(\$1, '\$1 \? VALUES \(\$1\)'\).* WHERE c = \$2$/s);
  assert.deepEqual(values, [null, 1]);
});

test('the same place in the source with the same parts is the same statement', () => {
  const make = (column: string, value: string) => sql`SELECT ${raw(column)} FROM t WHERE a = ${value}`;
  assert.equal(make('x', '1').statement, make('x', '2').statement);
  assert.notEqual(make('x', '1').statement, make('y', '1').statement);
  const list = (count: number) => join(Array(count).fill(sql`${1}`), ', ');
  assert.equal(list(3).statement, list(3).statement);
  assert.equal(toSqliteText('read', sql`SELECT ${list(3)}`.statement), 'SELECT ?, ?, ?');
});

test('one read for many values repeats none of its text', () => {
  const { statement } = sql`SELECT a FROM t WHERE b = ${'x'} AND c = '$2' AND d = ${1}`;
  const { sql: text, values } = toManyReads(statement, [
    ['x', 1],
    ['y', 2],
  ]);
  assert.match(text, /LATERAL \(SELECT a FROM t WHERE b = \(given\.v1 COLLATE "C"\) AND c = '\$2' AND d = given\.v2\)/);
  assert.deepEqual(values, [
    ['x', 'y'],
    [1, 2],
  ]);
});

test('many rows are inserted by few statements, made from the columns', () => {
  const into = insertInto('t', 'a b', { numbered: 'n', onConflict: 'ON CONFLICT DO NOTHING' });
  const inserts = toInserts(
    into,
    Array.from({ length: 6 }, (_, index) => [index, confusing, 100 + index]),
  );
  assert.deepEqual(
    inserts.map(({ count }) => count),
    [4, 1, 1],
  );
  assert.equal(inserts[1]?.sql, 'INSERT INTO t (a, b, n) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING');
  assert.match(inserts[0]?.sql ?? '', /^INSERT INTO t \(a, b, n\) VALUES \(\$1, \$2, \$3\), .*\(\$10, \$11, \$12\) ON/);
  assert.deepEqual(inserts[0]?.values.slice(0, 3), [0, confusing, 100]);
});

test('a statement that changes something cannot pass for one that reads', () => {
  const { statement } = sql`UPDATE t SET a = ${1}`;
  assert.throws(() => toSqliteText('read', statement), /not of the kind read/);
  assert.throws(() => toPostgresText('read', statement), /not of the kind read/);
  // Rows are inserted as data.
  assert.throws(() => toSqliteText('execute', sql`INSERT INTO t VALUES (coalesce(${1}, 0))`.statement), /kind execute/);
});

const intoTexts = insertInto('texts', 'name value');

function* confuse(): Verb<Row[]> {
  yield* insert(intoTexts, [confusing, null]);
  yield* execute(sql`UPDATE texts SET value = coalesce(${null}, '$1 ? FOR UPDATE') WHERE name = ${confusing}`);
  return yield* rows(sql`SELECT name, value FROM texts WHERE name = ${confusing}`);
}

test('SQLite keeps text that looks like a statement', (context) => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'cabinet-statement-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const connection = new Connection(joinPath(folder, 'catalog.db'), 'writer');
  connection.exec('CREATE TABLE texts (name TEXT, value TEXT)');
  const [found] = connection.run(confuse());
  connection.close();
  assert.deepEqual({ ...found }, { name: confusing, value: '$1 ? FOR UPDATE' });
});
