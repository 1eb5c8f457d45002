// Runs many saves in one transaction, in step: each goes on until it waits for rows, then all that is wanted is asked for at
// once, the same statements as one. What they insert is sent at the end, many rows at a time. So a batch costs about as
// many round trips as one save, however many it holds.
//
// Saves that run in step do not see each other. Whoever gathers the batch leaves out those that want the same name; what is
// left (a row that two of them insert) fails the batch, which is then run one by one. A verb that does more than read and
// insert steps out, with nothing done, and is run alone behind the others.

import { Refusal } from '../../domain/refusal.ts';
import type { Query, Row, Step, Sum, Value, Verb } from '../sql.ts';
import { Gathered } from './gathered.ts';
import type { Reserved } from './numbers.ts';
import { isPlainInsert, isPlainRead, isUnknowable, toManyInserts, toManyReads, withNumber } from './statements.ts';
import type { Transaction } from './transaction.ts';

export type InStep = { value: unknown } | { error: unknown } | { isAlone: true };

interface Write {
  sql: string;
  values: readonly Value[];
  mustWrite: boolean;
}

class Runner {
  readonly verb: Verb<unknown>;
  readonly writes: Write[] = [];
  readonly gathered = new Gathered();
  /** What it waits for. */
  wanted: Query | null = null;
  outcome: InStep | null = null;

  constructor(verb: Verb<unknown>) {
    this.verb = verb;
  }
}

export async function saveInStep(
  verbs: readonly Verb<unknown>[],
  transaction: Transaction,
  numbers: Reserved,
): Promise<InStep[]> {
  const runners = await run(verbs, transaction, numbers);
  send(
    runners.filter(({ outcome }) => outcome !== null && 'value' in outcome),
    transaction,
  );
  return runners.map(({ outcome }) => outcome as InStep);
}

/** The same for verbs that only read. */
export async function readInStep(verbs: readonly Verb<unknown>[], transaction: Transaction): Promise<unknown[]> {
  const runners = await run(verbs, transaction, null);
  return runners.map(({ outcome }) => {
    if (outcome !== null && 'value' in outcome) return outcome.value;
    throw outcome !== null && 'error' in outcome
      ? outcome.error
      : new Error('a verb that only reads wants to change something');
  });
}

async function run(
  verbs: readonly Verb<unknown>[],
  transaction: Transaction,
  numbers: Reserved | null,
): Promise<Runner[]> {
  const runners = verbs.map((verb) => new Runner(verb));
  const pending = (sum: Sum) => {
    const waiting = { entries: 0, bytes: 0 };
    for (const { gathered } of runners) {
      const { entries, bytes } = gathered.sums.pending(sum);
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
  numbers: Reserved | null;
  pending(sum: Sum): { entries: number; bytes: number };
}

/** Goes on with the rows that were waited for, until more are. */
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
        runner.gathered.sums.forget();
        return;
      }
      step = runner.verb.next(rows);
    }
    runner.outcome = { value: step.value };
  } catch (error) {
    // Whatever else went wrong shows again when it is alone, and then fails nobody but itself.
    runner.outcome = error instanceof Refusal ? { error } : { isAlone: true };
    runner.gathered.sums.forget();
  }
}

function take(runner: Runner, step: Step, { numbers, pending }: Surroundings): Row[] | 'waits' | 'alone' {
  const { gathered, writes } = runner;
  if ('change' in step) {
    gathered.changes.push(step.change);
    return [{ position: 0 }];
  }
  if ('add' in step) {
    gathered.sums.add(step.add);
    return [];
  }
  if ('pending' in step) {
    // What is left of a quota is told one by one.
    return step.pending.kind === 'usage' ? 'alone' : [pending(step.pending)];
  }
  if ('together' in step) return 'alone';
  const { sql, values } = step;
  if (numbers === null) {
    if (!isPlainRead(sql)) return 'alone';
  } else if (step.numbers !== undefined) {
    const number = numbers.take(step.numbers);
    const numbered = [...values, number];
    writes.push({ sql: withNumber(sql, step.numbers, values.length), values: numbered, mustWrite: false });
    return [{ [step.numbers]: number }];
  }
  if (numbers !== null && isPlainInsert(sql)) {
    writes.push({ sql, values, mustWrite: step.mustWrite === true });
    return [];
  }
  if (!isPlainRead(sql)) return 'alone';
  runner.wanted = step;
  return 'waits';
}

async function readTogether(queries: readonly Query[], transaction: Transaction): Promise<Row[][]> {
  const bySql = Map.groupBy(queries.entries(), ([, { sql }]) => sql);
  const found: Row[][] = queries.map(() => []);
  const reads = [...bySql].map(async ([sql, entries]) => {
    const sets = Map.groupBy(entries, ([, { values }]) => toKey(values));
    for (const [key, same] of sets) if (same[0]?.[1].values.some(isUnknowable)) sets.delete(key);
    const distinct = [...sets.values()].map((same) => (same[0] as [number, Query])[1].values);
    if (distinct.length === 0) return;
    const isTuples = (entries[0] as [number, Query])[1].isTuples === true;
    const rows = await readEach(sql, distinct, isTuples, transaction);
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
  sql: string,
  sets: readonly (readonly Value[])[],
  isTuples: boolean,
  transaction: Transaction,
): Promise<Row[][]> {
  const [only] = sets;
  if (sets.length === 1 && only !== undefined) return [(await transaction.ask({ sql, values: only, isTuples })).rows];
  const { rows } = await transaction.ask({ ...toManyReads(sql, sets), isTuples });
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

/** Statements in the order in which the first verb that has them wrote them: what is referred to comes first. */
function send(runners: readonly Runner[], transaction: Transaction): void {
  const bySql = Map.groupBy(
    runners.flatMap(({ writes }) => writes),
    ({ sql }) => sql,
  );
  for (const [sql, writes] of bySql) {
    const isCounted = writes.some(({ mustWrite }) => mustWrite);
    for (const many of toManyInserts(
      sql,
      writes.map(({ values }) => values),
    )) {
      if (isCounted) transaction.sendFor(many.count, many.sql, many.values);
      else transaction.send(many.sql, many.values);
    }
  }
  const all = new Gathered();
  for (const { gathered } of runners) all.addAll(gathered);
  all.send(transaction);
}
