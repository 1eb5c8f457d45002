// Leases on blobs that are being written or wait for their record: the sweeper skips them. Where one thread writes all blobs, a set
// in memory is enough. Where several threads or nodes do, a lease is a row in the catalog; the transaction that references the blob
// removes the row, so either the record or the sweeper wins, never both.

import type { Catalog } from '../catalog/catalog.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';

/** Much longer than the clock skew between nodes, and less than the day before blobs can be swept. */
const leaseMs = 12 * 60 * 60 * 1000;
const renewEveryMs = 10 * 60 * 1000;
/** Leases renewed by one write. */
const renewBatch = 500;

export interface Leases {
  /** Whether a content with a blob must be marked as leased. */
  readonly isShared: boolean;
  /** From now on the sweeper of this process skips the blob; once it resolves, so does that of every node. No record may reference
   *  the blob before. */
  begin(blob: string): Promise<void>;
  /** Whether this process holds a lease on the blob. */
  has(blob: string): boolean;
  /** The record references the blob now, or may reference it: the lease is left to expire. */
  forget(blob: string): void;
  /** No record will reference the blob, and it is discarded. */
  end(blob: string): Promise<void>;
  /** For the sweeper: removes the leases of holders that are gone. */
  expire(now: number): Promise<void>;
  /** Stops renewing. */
  close(): Promise<void>;
}

export function localLeases(): Leases {
  const held = new Set<string>();
  return {
    isShared: false,
    begin: async (blob) => void held.add(blob),
    has: (blob) => held.has(blob),
    forget: (blob) => void held.delete(blob),
    end: async (blob) => void held.delete(blob),
    expire: async () => undefined,
    close: async () => undefined,
  };
}

/** `onBackgroundError` gets what fails in the background; renewals are retried long before a lease expires. */
export function sharedLeases(
  catalog: Catalog,
  onBackgroundError: (error: unknown) => void = () => undefined,
  clock = systemClock,
): Leases {
  const held = new Map<string, Promise<void>>();
  let renewing: Promise<void> = Promise.resolve();
  const timer = clock.every(renewEveryMs, () => {
    renewing = renewing.then(() => renew(catalog, clock, [...held.keys()])).catch(onBackgroundError);
  });
  return {
    isShared: true,
    begin(blob) {
      const lease = catalog.leaseBlob({ blob, until: clock.now() + leaseMs });
      held.set(blob, lease);
      return lease;
    },
    has: (blob) => held.has(blob),
    forget: (blob) => void held.delete(blob),
    async end(blob) {
      // An upload may fail before its lease is written.
      await held.get(blob)?.catch(() => undefined);
      held.delete(blob);
      // What cannot be ended now expires by itself.
      await catalog.endLease({ blob }).catch(() => undefined);
    },
    async expire(now) {
      while ((await catalog.expireLeases({ at: now })) > 0);
    },
    async close() {
      timer.cancel();
      await renewing;
    },
  };
}

async function renew(catalog: Catalog, clock: Clock, blobs: readonly string[]): Promise<void> {
  const until = clock.now() + leaseMs;
  for (let at = 0; at < blobs.length; at += renewBatch) {
    // A lost lease fails the save later: its transaction finds no row to remove.
    await catalog.renewLeases({ blobs: blobs.slice(at, at + renewBatch), until });
  }
}
