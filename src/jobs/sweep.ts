// Tidies up behind crashes and time: uploads that nobody goes on with, blobs that no record points to, results that are too old to be given again, sign-ins
// that are over, versions and trash that have been kept long enough.

import type { Cabinet } from '../operations/cabinet.ts';
import { discardBlobs } from '../operations/discard-blobs.ts';
import { byOperator } from '../operations/origin.ts';
import { removeTrashed } from '../operations/trash.ts';
import { expireUploads } from '../operations/uploads.ts';
import { runSlice } from '../runtime/pacing.ts';
import { sealJournal } from './archive-journal.ts';

/** A blob without a record may still get one; after a day it never will. */
const sweepAfterMs = 24 * 60 * 60 * 1000;
const pageOfBlobs = 500;
/** A copy that has not grown for so long never will. */
const abandonedMs = 10 * 60 * 1000;

export interface Swept {
  uploads: number;
  blobs: number;
  results: number;
  signIns: number;
  versions: number;
  trashed: number;
  sealed: number;
}

export async function sweep(cabinet: Cabinet, now: number): Promise<Swept> {
  const { catalog } = cabinet;
  await catalog.abandonCopies({ before: now - abandonedMs });
  return {
    uploads: await untilNone(() => expireUploads(cabinet, now)),
    blobs: await sweepBlobs(cabinet, now),
    results: await untilNone(() => catalog.forgetResults({ at: now })),
    signIns: await untilNone(() => catalog.forgetIssuerRecords({ at: now })),
    versions: await untilNone(() => expireVersions(cabinet, now)),
    trashed: await expireTrash(cabinet, now),
    sealed: await sealJournal(cabinet, now),
  };
}

async function sweepBlobs(cabinet: Cabinet, now: number): Promise<number> {
  await cabinet.leases.expire(now);
  await cabinet.blobs.tidy?.(now - sweepAfterMs, (blobs) => findUnwanted(cabinet, blobs));
  let swept = 0;
  let page: string[] = [];
  for await (const { id, storedAtMs } of cabinet.blobs.list()) {
    if (now - storedAtMs < sweepAfterMs) continue;
    page.push(id);
    if (page.length < pageOfBlobs) continue;
    swept += await discardUnreferenced(cabinet, page);
    page = [];
  }
  return swept + (await discardUnreferenced(cabinet, page));
}

async function discardUnreferenced(cabinet: Cabinet, blobs: string[]): Promise<number> {
  if (blobs.length === 0) return 0;
  const unwanted = await findUnwanted(cabinet, blobs);
  for (const blob of unwanted) await cabinet.blobs.discard(blob);
  return unwanted.length;
}

/** Of these blobs, the ones that no record points to and nobody is writing. */
async function findUnwanted({ catalog, leases }: Cabinet, blobs: string[]): Promise<string[]> {
  const given = blobs.filter((blob) => !leases.has(blob));
  return given.length === 0 ? [] : await catalog.findUnreferencedBlobs({ blobs: given });
}

async function expireVersions(cabinet: Cabinet, now: number): Promise<number> {
  const { catalog, blobs, limits } = cabinet;
  if (limits.versionMs === null) return 0;
  const before = now - limits.versionMs;
  const { count, freedBlobs } = await runSlice(() => catalog.expireVersions({ before, ...byOperator(cabinet) }));
  await discardBlobs(blobs, freedBlobs);
  return count;
}

async function expireTrash(cabinet: Cabinet, now: number): Promise<number> {
  // What an earlier run left undone is taken up again.
  cabinet.purger.nudge();
  if (cabinet.limits.trashMs === null) return 0;
  return await removeTrashed(cabinet, { space: null, before: now - cabinet.limits.trashMs, ...byOperator(cabinet) });
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
