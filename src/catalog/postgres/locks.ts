// Advisory locks that decide which verbs run at the same time. Verbs with a shared lock run together in a space: for the
// same name, a unique index or a row lock decides. Any other verb has its space alone for its transaction, so that verbs
// are written as if they were the only writer, as on SQLite. A verb for all spaces locks all of them.

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
  // Ordered by number, so that no two transactions deadlock.
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
  webhooks: 'webhooks',
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
