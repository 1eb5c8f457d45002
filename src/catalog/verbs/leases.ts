// Leases of blobs that are being uploaded: a row protects the blob from the sweeper until a record refers to it. Whoever
// deletes the row decides about the blob: the save that needs it, in its transaction, or the sweeper after the lease expired.

import { Fault } from '../../domain/fault.ts';
import { noSpace, write } from '../declaration.ts';
import { execute, insert, returning, returningRow, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

const intoLeases = insertInto('leases', 'blob until');

/** Leases that one write deletes or renews, so that no save waits long. */
const maxBlobs = 500;

export interface LeaseBlob {
  blob: string;
  until: number;
}

export const leaseBlob = write(
  { space: () => noSpace, lock: 'shared', pages: 'unchanged' },
  function* leaseBlob({ blob, until }: LeaseBlob): Verb<void> {
    yield* insert(intoLeases, [blob, until]);
  },
);

/** Returns those of these blobs whose lease has expired: the sweeper was first. At most 500 at a time. */
export const renewLeases = write(
  { space: () => noSpace, lock: 'shared', pages: 'unchanged' },
  function* renewLeases({ blobs, until }: { blobs: readonly string[]; until: number }): Verb<string[]> {
    const lost: string[] = [];
    for (const blob of blobs.slice(0, maxBlobs)) {
      const renewed = yield* returningRow(sql`UPDATE leases SET until = ${until} WHERE blob = ${blob} RETURNING blob`);
      if (renewed === undefined) lost.push(blob);
    }
    return lost;
  },
);

/** No record will refer to the blob. A blob without a lease is not an error. */
export const endLease = write(
  { space: () => noSpace, lock: 'shared', pages: 'unchanged' },
  function* endLease({ blob }: { blob: string }): Verb<void> {
    yield* execute(sql`DELETE FROM leases WHERE blob = ${blob}`);
  },
);

/** Deletes expired leases, some at a time. Returns how many. */
export const expireLeases = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* expireLeases({ at }: { at: number }): Verb<number> {
    // The time is checked twice: a lease that is renewed while this waits for its row must stay.
    const expired = yield* returning(sql`DELETE FROM leases WHERE until < ${at} AND blob IN (SELECT blob FROM leases
        WHERE until < ${at} ORDER BY until LIMIT ${maxBlobs}) RETURNING blob`);
    return expired.length;
  },
);

/** For the transaction whose record refers to the blob. */
export function* takeOver(blob: string): Verb<void> {
  const taken = yield* returningRow(sql`DELETE FROM leases WHERE blob = ${blob} RETURNING blob`);
  if (taken === undefined) throw new Fault('other', `the lease of blob ${blob} was over before its record was written`);
}
