// Runs one verb in a transaction, step by step. Returns its additions to sums and journal changes, which are to be sent at
// the end.

import type { Insertion, Query, Row, Step, Verb } from '../sql.ts';
import { Conflict } from './connection.ts';
import type { Numbers } from './numbers.ts';
import { PendingWrites } from './pending-writes.ts';
import { readInStep } from './run-in-step.ts';
import { isUnknowable, toInsert, toText } from './statements.ts';
import type { Transaction } from './transaction.ts';

export async function runAlone<Result>(
  verb: Verb<Result>,
  transaction: Transaction,
  numbers: Numbers | null,
): Promise<{ result: Result; pending: PendingWrites }> {
  const pending = new PendingWrites();
  const take = async (step: Step): Promise<Row[]> => {
    if ('statement' in step) return await query(step, transaction);
    if ('insert' in step) return await insert(step, transaction, numbers);
    if ('change' in step) {
      pending.changes.push(step.change);
      return [{ position: 0 }];
    }
    if ('add' in step) {
      pending.sums.add(step.add);
      return [];
    }
    if ('pending' in step) return [pending.sums.pending(step.pending)];
    return (await readInStep(step.together, transaction)) as Row[];
  };
  let step = verb.next();
  while (!step.done) step = verb.next(await take(step.value));
  return { result: step.value, pending };
}

async function query({ kind, statement, values, isTuples }: Query, transaction: Transaction): Promise<Row[]> {
  if (kind === 'read' && values.some(isUnknowable)) return [];
  const sql = toText(kind, statement);
  if (kind !== 'execute') return (await transaction.query({ sql, values, isTuples })).rows;
  transaction.send(sql, values);
  return [];
}

async function insert(
  { insert: into, values }: Insertion,
  transaction: Transaction,
  numbers: Numbers | null,
): Promise<Row[]> {
  if (into.numbered !== null) {
    if (numbers === null) throw new Error('a read verb tried to write');
    const number = await numbers.take(into.numbered);
    const { sql, values: all } = toInsert(into, [...values, number]);
    transaction.send(sql, all);
    return [{ number }];
  }
  const single = toInsert(into, values);
  if (!into.mustWrite) transaction.send(single.sql, values);
  else if ((await transaction.query(single)).count === 0) throw new Conflict('someone else was first');
  return [];
}
