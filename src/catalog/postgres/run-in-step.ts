// Runs many saves in one transaction, in step: each continues until it needs rows, then all reads are sent at once, equal
// statements as one. Inserts are sent at the end, with many rows each. So a batch costs about as many round trips as one
// save.
//
// Saves that run in step do not see each other. Saves with the same claims are never in one batch; any conflict that is
// left (a row that two of them insert) fails the batch, which is then run one by one. A verb that does more than read and
// insert leaves the batch, with nothing done, and runs alone after the others.

import { Refusal } from '../../domain/refusal.ts';
import type { Insertion, Query, Row, Step, Sum, Verb } from '../sql.ts';
import type { Value } from '../statement.ts';
import type { ReservedNumbers } from './numbers.ts';
import { PendingWrites } from './pending-writes.ts';
import { isUnknowable, toInserts, toManyReads, toText } from './statements.ts';
import type { Transaction } from './transaction.ts';

export type StepOutcome = { value: unknown } | { error: unknown } | { isAlone: true };

class Runner {
  readonly verb: Verb<unknown>;
  readonly writes: Insertion[] = [];
  readonly pendingWrites = new PendingWrites();
  /** The query that it waits for. */
  wanted: Query | null = null;
  outcome: StepOutcome | null = null;

  constructor(verb: Verb<unknown>) {
    this.verb = verb;
  }
}

export async function saveInStep(
  verbs: readonly Verb<unknown>[],
  transaction: Transaction,
  numbers: ReservedNumbers,
): Promise<StepOutcome[]> {
  const runners = await run(verbs, transaction, numbers);
  send(
    runners.filter(({ outcome }) => outcome !== null && 'value' in outcome),
    transaction,
  );
  return runners.map(({ outcome }) => outcome as StepOutcome);
}

/** The same for read verbs. */
export async function readInStep(verbs: readonly Verb<unknown>[], transaction: Transaction): Promise<unknown[]> {
  const runners = await run(verbs, transaction, null);
  return runners.map(({ outcome }) => {
    if (outcome !== null && 'value' in outcome) return outcome.value;
    throw outcome !== null && 'error' in outcome ? outcome.error : new Error('a read verb tried to write');
  });
}

async function run(
  verbs: readonly Verb<unknown>[],
  transaction: Transaction,
  numbers: ReservedNumbers | null,
): Promise<Runner[]> {
  const runners = verbs.map((verb) => new Runner(verb));
  const pending = (sum: Sum) => {
    const waiting = { entries: 0, bytes: 0 };
    for (const { pendingWrites } of runners) {
      const { entries, bytes } = pendingWrites.sums.pending(sum);
      waiting.entries += entries;
      waiting.bytes += bytes;
    }
    return waiting;
  };
  for (const runner of runners) advance(runner, [], { numbers, pending });
  for (;;) {
    const waiting = runners.filter(({ wanted }) => wanted !== null);
    if (waiting.length === 0) break;
    const found = await readTogether(
      waiting.map(({ wanted }) => wanted as Query),
      transaction,
    );
    for (const [index, runner] of waiting.entries()) advance(runner, found[index] ?? [], { numbers, pending });
  }
  return runners;
}

interface Surroundings {
  /** Null: nothing may be written. */
  numbers: ReservedNumbers | null;
  pending(sum: Sum): { entries: number; bytes: number };
}

/** Continues with the rows of the last query until the next one. */
function advance(runner: Runner, found: Row[], surroundings: Surroundings): void {
  runner.wanted = null;
  try {
    let step = runner.verb.next(found);
    while (!step.done) {
      const rows = take(runner, step.value, surroundings);
      if (rows === 'waits') return;
      if (rows === 'alone') {
        runner.outcome = { isAlone: true };
        runner.verb.return(undefined);
        runner.pendingWrites.sums.forget();
        return;
      }
      step = runner.verb.next(rows);
    }
    runner.outcome = { value: step.value };
  } catch (error) {
    // Any other error occurs again when the verb runs alone, and then fails only this verb.
    runner.outcome = error instanceof Refusal ? { error } : { isAlone: true };
    runner.pendingWrites.sums.forget();
  }
}

function take(runner: Runner, step: Step, { numbers, pending }: Surroundings): Row[] | 'waits' | 'alone' {
  const { pendingWrites, writes } = runner;
  if ('change' in step) {
    pendingWrites.changes.push(step.change);
    return [{ position: 0 }];
  }
  if ('add' in step) {
    pendingWrites.sums.add(step.add);
    return [];
  }
  if ('pending' in step) {
    // Quotas must be checked one save after another.
    return step.pending.kind === 'usage' ? 'alone' : [pending(step.pending)];
  }
  if ('together' in step) return 'alone';
  if ('insert' in step) return numbers === null ? 'alone' : takeInsert(step, writes, numbers);
  if (step.kind !== 'read') return 'alone';
  runner.wanted = step;
  return 'waits';
}

function takeInsert({ insert, values }: Insertion, writes: Insertion[], numbers: ReservedNumbers): Row[] {
  if (insert.numbered === null) {
    writes.push({ insert, values });
    return [];
  }
  const number = numbers.take(insert.numbered);
  writes.push({ insert, values: [...values, number] });
  return [{ number }];
}

async function readTogether(queries: readonly Query[], transaction: Transaction): Promise<Row[][]> {
  const byStatement = Map.groupBy(queries.entries(), ([, { statement }]) => statement);
  const found: Row[][] = queries.map(() => []);
  const reads = [...byStatement].map(async ([statement, entries]) => {
    const sets = Map.groupBy(entries, ([, { values }]) => toKey(values));
    for (const [key, same] of sets) if (same[0]?.[1].values.some(isUnknowable)) sets.delete(key);
    const distinct = [...sets.values()].map((same) => (same[0] as [number, Query])[1].values);
    if (distinct.length === 0) return;
    const { isTuples } = (entries[0] as [number, Query])[1];
    const rows = await readEach({ statement, isTuples }, distinct, transaction);
    for (const [index, same] of [...sets.values()].entries()) {
      for (const [place] of same) found[place] = rows[index] ?? [];
    }
  });
  await Promise.all(reads);
  return found;
}

function toKey(values: readonly Value[]): string {
  return JSON.stringify(
    values.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)),
  );
}

/** The rows for each set of values. */
async function readEach(
  { statement, isTuples }: Pick<Query, 'statement' | 'isTuples'>,
  sets: readonly (readonly Value[])[],
  transaction: Transaction,
): Promise<Row[][]> {
  const [only] = sets;
  if (sets.length === 1 && only !== undefined) {
    const sql = toText('read', statement);
    return [(await transaction.query({ sql, values: only, isTuples })).rows];
  }
  const { rows } = await transaction.query({ ...toManyReads(statement, sets), isTuples });
  const found: Row[][] = sets.map(() => []);
  for (const row of rows) {
    if (isTuples) {
      const [place, ...tuple] = row as unknown as Value[];
      found[(place as number) - 1]?.push(tuple as unknown as Row);
    } else {
      const { place, ...rest } = row;
      found[(place as number) - 1]?.push(rest);
    }
  }
  return found;
}

/** Inserts in the order of the first verb that has them: referenced rows come first. */
function send(runners: readonly Runner[], transaction: Transaction): void {
  const byInsert = Map.groupBy(
    runners.flatMap(({ writes }) => writes),
    ({ insert }) => insert,
  );
  for (const [insert, writes] of byInsert) {
    const rows = writes.map(({ values }) => values);
    for (const { sql, values, count } of toInserts(insert, rows)) {
      if (insert.mustWrite) transaction.sendFor(count, sql, values);
      else transaction.send(sql, values);
    }
  }
  const all = new PendingWrites();
  for (const { pendingWrites } of runners) all.addAll(pendingWrites);
  all.send(transaction);
}
