// Runs one verb in a transaction, step by step. What it adds to sums and writes into the journal is gathered and sent when
// the verb is done.

import type { Query, Row, Step, Verb } from '../sql.ts';
import { Conflict } from './connection.ts';
import { Gathered } from './gathered.ts';
import type { Numbers } from './numbers.ts';
import { readInStep } from './run-in-step.ts';
import { hasRows, isPlainRead, withNumber } from './statements.ts';
import type { Transaction } from './transaction.ts';

export async function runAlone<Result>(
  verb: Verb<Result>,
  transaction: Transaction,
  numbers: Numbers | null,
): Promise<{ result: Result; gathered: Gathered }> {
  const gathered = new Gathered();
  const take = async (step: Step): Promise<Row[]> => {
    if ('sql' in step) return await query(step, transaction, numbers);
    if ('change' in step) {
      gathered.changes.push(step.change);
      return [{ position: 0 }];
    }
    if ('add' in step) {
      gathered.sums.add(step.add);
      return [];
    }
    if ('pending' in step) return [gathered.sums.pending(step.pending)];
    return (await readInStep(step.together, transaction)) as Row[];
  };
  let step = verb.next();
  while (!step.done) step = verb.next(await take(step.value));
  return { result: step.value, gathered };
}

async function query(step: Query, transaction: Transaction, numbers: Numbers | null): Promise<Row[]> {
  const { sql, values, isTuples } = step;
  if (step.numbers !== undefined) {
    if (numbers === null) throw new Error('a verb that only reads wants to change something');
    const number = await numbers.take(step.numbers);
    transaction.send(withNumber(sql, step.numbers, values.length), [...values, number]);
    return [{ [step.numbers]: number }];
  }
  if (isPlainRead(sql) || hasRows(sql) || /FOR UPDATE\s*$/.test(sql)) {
    return (await transaction.ask({ sql, values, isTuples })).rows;
  }
  if (step.mustWrite === true) {
    const { count } = await transaction.ask({ sql, values });
    if (count === 0) throw new Conflict('someone else was first');
  } else transaction.send(sql, values);
  return [];
}
