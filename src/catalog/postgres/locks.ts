// Which verbs may run beside each other. Saves share a space: where two want the same name, an index or the lock of a row
// tells. Everything else has its space to itself for as long as its transaction takes, so that verbs are written as if
// they were alone, as they are on SQLite. What concerns several spaces has all of them.

import { createHash } from 'node:crypto';
import type { writes } from '../catalog.ts';
import type { Transaction } from './transaction.ts';

type WriteName = keyof typeof writes;

/** Verbs that share their space. They only add rows, or lock the row that they change. */
export const sharing: ReadonlySet<string> = new Set<WriteName>([
  'beginUpload',
  'createFolder',
  'dropUpload',
  'endLease',
  'keepUpload',
  'leaseBlob',
  'noteRead',
  'renewLeases',
  'saveFile',
  'saveVersion',
  'spendUploads',
  'takeTurn',
]);

/** Verbs that may change entries of any space. */
const sweeping: ReadonlySet<string> = new Set<WriteName>(['abandonCopies', 'abandonCopy', 'expireVersions']);

export interface Lock {
  /** 0: all spaces; -1: what belongs to none (applications, people, sign-ins). */
  space: number;
  isShared: boolean;
}

export const everything = 0;
const nowhere = -1;

export function toLocks(items: readonly { name: string; input: unknown }[]): Lock[] {
  const locks = new Map<number, boolean>();
  const want = (space: number, isShared: boolean) => locks.set(space, (locks.get(space) ?? true) && isShared);
  for (const { name, input } of items) {
    const space = toSpace(input);
    if (sweeping.has(name) || (name === 'emptyTrash' && space === null)) want(everything, false);
    else {
      want(everything, true);
      want(space ?? nowhere, sharing.has(name));
    }
  }
  // In the order of their numbers, so that no two wait for each other.
  return [...locks].map(([space, isShared]) => ({ space, isShared })).sort((a, b) => a.space - b.space);
}

function toSpace(input: unknown): number | null {
  const { space, asked } = input as { space?: unknown; asked?: { space?: unknown } };
  const found = space ?? asked?.space;
  return typeof found === 'number' ? found : null;
}

/** The names of our locks begin with a number of the schema, for a database may have several. */
export function toLockClass(
  schema: string,
  purpose: 'spaces' | 'seal' | 'fold' | 'migrate' | 'sweep' | 'search',
): number {
  return createHash('sha256').update(`${schema} ${purpose}`).digest().readInt32BE();
}

/** Held until the transaction ends. */
export function sendLocks(transaction: Transaction, lockClass: number, locks: readonly Lock[]): void {
  for (const { space, isShared } of locks) {
    transaction.send(`SELECT pg_advisory_xact_lock${isShared ? '_shared' : ''}($1::int, $2::int)`, [lockClass, space]);
  }
}
