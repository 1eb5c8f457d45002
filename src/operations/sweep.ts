// Tidies up behind crashes and time: blobs that no record points to, results that are too old to be given again, sign-ins
// that are over.

import type { Cabinet } from './cabinet.ts';

/** A blob without a record may still get one; after a day it never will. */
const sweepAfterMs = 24 * 60 * 60 * 1000;
const pageOfBlobs = 500;

export interface Swept {
  blobs: number;
  results: number;
  signIns: number;
}

export async function sweep(cabinet: Cabinet, now: number): Promise<Swept> {
  const { catalog } = cabinet;
  return {
    blobs: await sweepBlobs(cabinet, now),
    results: await untilNone(() => catalog.forgetResults({ at: now })),
    signIns: await untilNone(() => catalog.forgetIssuerRecords({ at: now })),
  };
}

async function sweepBlobs(cabinet: Cabinet, now: number): Promise<number> {
  let swept = 0;
  let page: string[] = [];
  for await (const { id, storedAtMs } of cabinet.blobs.list()) {
    if (now - storedAtMs < sweepAfterMs || cabinet.pendingBlobs.has(id)) continue;
    page.push(id);
    if (page.length < pageOfBlobs) continue;
    swept += await discardUnreferenced(cabinet, page);
    page = [];
  }
  return swept + (await discardUnreferenced(cabinet, page));
}

async function discardUnreferenced(cabinet: Cabinet, blobs: string[]): Promise<number> {
  if (blobs.length === 0) return 0;
  const unreferenced = await cabinet.catalog.findUnreferencedBlobs({ blobs });
  for (const blob of unreferenced) await cabinet.blobs.discard(blob);
  return unreferenced.length;
}

/** In slices, so that saves are not held up. */
async function untilNone(forget: () => Promise<number>): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const count = await forget();
    forgotten += count;
    if (count === 0) return forgotten;
  }
}
