// Which verbs may run beside each other. Saves share a space: where two want the same name, an index or the lock of a row
// tells. Everything else has its space to itself for as long as its transaction takes, so that verbs are written as if
// they were alone, as they are on SQLite. What concerns several spaces has all of them.

import { createHash } from 'node:crypto';
import type { AnyWrite } from '../catalog.ts';
import { allSpaces } from '../declaration.ts';
import type { Transaction } from './transaction.ts';

export interface Lock {
  /** Or `allSpaces`, or `noSpace`. */
  space: number;
  isShared: boolean;
}

export function toLocks(items: readonly { verb: AnyWrite; input: unknown }[]): Lock[] {
  const locks = new Map<number, boolean>();
  const want = (space: number, isShared: boolean) => locks.set(space, (locks.get(space) ?? true) && isShared);
  for (const { verb, input } of items) {
    const space = verb.space(input);
    if (space !== allSpaces) want(allSpaces, true);
    want(space, verb.lock === 'shared');
  }
  // In the order of their numbers, so that no two wait for each other.
  return [...locks].map(([space, isShared]) => ({ space, isShared })).sort((a, b) => a.space - b.space);
}

/** What a lock is for, and its name in the database, which nodes of all releases share. */
const lockNames = {
  spaces: 'spaces',
  sequence: 'seal',
  fold: 'fold',
  migrate: 'migrate',
  sweep: 'sweep',
  search: 'search',
} as const;

/** A database may have several schemas, each with locks of its own. */
export function toLockClass(schema: string, purpose: keyof typeof lockNames): number {
  return createHash('sha256').update(`${schema} ${lockNames[purpose]}`).digest().readInt32BE();
}

/** Held until the transaction ends. */
export function sendLocks(transaction: Transaction, lockClass: number, locks: readonly Lock[]): void {
  for (const { space, isShared } of locks) {
    transaction.send(`SELECT pg_advisory_xact_lock${isShared ? '_shared' : ''}($1::int, $2::int)`, [lockClass, space]);
  }
}
