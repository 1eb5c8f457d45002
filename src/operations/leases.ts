// Blobs that are being written or wait for their record: the sweeper leaves them alone. Where one thread writes all of them
// it only needs to remember them. Where several do, or several nodes, a row in the catalog tells all of them; the transaction that
// points to the blob removes the row, so that either the record or the sweeper wins, never both.

import type { Catalog } from '../catalog/catalog.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';

/** Much longer than clocks of nodes differ, and less than the day after which blobs are swept at the earliest. */
const leaseMs = 12 * 60 * 60 * 1000;
const renewEveryMs = 10 * 60 * 1000;
/** What one write renews. */
const renewTogether = 500;

export interface Leases {
  /** Whether a content with a blob must say that it is leased. */
  readonly isShared: boolean;
  /** From now on the sweeper here leaves the blob alone; once it resolves, that of every node. Nothing may point to the
   *  blob before. */
  begin(blob: string): Promise<void>;
  /** Whether it is being written or waits for its record here. */
  has(blob: string): boolean;
  /** The record has taken it over; or nobody knows whether it has, and time will tell. */
  forget(blob: string): void;
  /** Nothing will point to the blob, and it is discarded. */
  end(blob: string): Promise<void>;
  /** For the sweeper: leases whose holders are gone are over. */
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

/** `onTrouble` is told what fails in the background; it is tried again long before a lease is over. */
export function sharedLeases(
  catalog: Catalog,
  onTrouble: (error: unknown) => void = () => undefined,
  clock = systemClock,
): Leases {
  const held = new Map<string, Promise<void>>();
  let renewing: Promise<void> = Promise.resolve();
  const timer = clock.every(renewEveryMs, () => {
    renewing = renewing.then(() => renew(catalog, clock, [...held.keys()])).catch(onTrouble);
  });
  return {
    isShared: true,
    begin(blob) {
      const begun = catalog.leaseBlob({ blob, until: clock.now() + leaseMs });
      held.set(blob, begun);
      return begun;
    },
    has: (blob) => held.has(blob),
    forget: (blob) => void held.delete(blob),
    async end(blob) {
      // An upload may fail before its lease has begun.
      await held.get(blob)?.catch(() => undefined);
      held.delete(blob);
      // What cannot be ended now is over by itself.
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
  for (let at = 0; at < blobs.length; at += renewTogether) {
    // One that is lost is told to whoever saves: nothing is there to take over.
    await catalog.renewLeases({ blobs: blobs.slice(at, at + renewTogether), until });
  }
}
