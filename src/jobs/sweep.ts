// Removes what crashes and time leave behind: abandoned uploads, blobs without a record, expired idempotency results and sign-ins,
// and versions and trash whose retention is over. It works in slices, so that saves are not held up, and ends between two of
// them when it is stopped.

import type { Logger } from 'pino';
import type { Cabinet } from '../operations/cabinet.ts';
import { discardBlobs } from '../operations/discard-blobs.ts';
import { byOperator } from '../operations/origin.ts';
import { removeTrashed } from '../operations/trash.ts';
import { expireUploads } from '../operations/uploads.ts';
import { runSlice } from '../runtime/pacing.ts';
import type { EnvironmentMetrics } from '../telemetry/environment-metrics.ts';
import type { Job } from './job.ts';

const sweepEveryMs = 60 * 60 * 1000;
/** A blob without a record may still get one; after a day it never will. */
const sweepAfterMs = 24 * 60 * 60 * 1000;
/** What the log of webhooks keeps. */
const keepDeliveriesMs = 30 * 24 * 60 * 60 * 1000;
const pageOfBlobs = 500;
/** Requests that began before a person was erased have ended by then. */
const lateMs = 24 * 60 * 60 * 1000;
/** A copy that has not grown for so long never will. */
const abandonedMs = 10 * 60 * 1000;

interface SweepCounts {
  uploads: number;
  blobs: number;
  results: number;
  signIns: number;
  setupLinks: number;
  sessions: number;
  links: number;
  shares: number;
  shareDownloads: number;
  entryJobs: number;
  personalEntries: number;
  erasedRows: number;
  deliveries: number;
  versions: number;
  trashed: number;
}

export function toSweepJob(log: Logger, metrics: EnvironmentMetrics): Job {
  return {
    name: 'sweep',
    intervalMs: sweepEveryMs,
    isExclusive: true,
    async run({ name, cabinet }, signal) {
      const { clock } = cabinet;
      try {
        const counts = await sweep(cabinet, clock.now(), signal);
        metrics.countSweep(true, clock.now());
        log.debug({ environment: name, ...counts }, 'sweep finished');
      } catch (error) {
        if (!signal.aborted) metrics.countSweep(false, clock.now());
        throw error;
      }
    },
  };
}

export async function sweep(cabinet: Cabinet, now: number, signal?: AbortSignal): Promise<SweepCounts> {
  const { catalog } = cabinet;
  await catalog.abandonCopies({ before: now - abandonedMs });
  await cabinet.thumbnails.deleteOld(now);
  await cabinet.previews?.deleteOld(now);
  const untilNone = (slice: () => Promise<number>) => repeatUntilNone(slice, signal);
  return {
    uploads: await untilNone(() => expireUploads(cabinet, now)),
    blobs: await sweepBlobs(cabinet, now, signal),
    results: await untilNone(() => catalog.forgetResults({ at: now })),
    signIns: await untilNone(() => catalog.forgetIssuerRecords({ at: now })),
    setupLinks: await untilNone(() => catalog.forgetSetupLinks({ at: now })),
    sessions: await untilNone(() => catalog.forgetSessions({ at: now })),
    links: await untilNone(() => catalog.forgetLinks({ at: now })),
    shares: await untilNone(() => catalog.forgetShares({ at: now })),
    shareDownloads: await untilNone(() => catalog.forgetShareDownloads({ at: now })),
    entryJobs: await untilNone(() => catalog.forgetEntryJobs({ at: now })),
    personalEntries: await untilNone(() => catalog.forgetPersonal({})),
    erasedRows: await finishErasures(cabinet, now, signal),
    deliveries: await untilNone(() => catalog.forgetDeliveries({ before: now - keepDeliveriesMs })),
    versions: await untilNone(() => expireVersions(cabinet, now)),
    trashed: await expireTrash(cabinet, now),
  };
}

/** What an erasure that was interrupted left, and what requests wrote that had begun before it. */
async function finishErasures({ catalog }: Cabinet, now: number, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (const id of await catalog.listErased({ since: now - lateMs })) {
    count += await repeatUntilNone(() => catalog.eraseRows({ id }), signal);
  }
  return count;
}

async function sweepBlobs(cabinet: Cabinet, now: number, signal?: AbortSignal): Promise<number> {
  await cabinet.leases.expire(now);
  await cabinet.blobs.tidy?.(now - sweepAfterMs, (blobs) => findUnwanted(cabinet, blobs));
  let swept = 0;
  let page: string[] = [];
  for await (const { id, storedAtMs } of cabinet.blobs.list()) {
    signal?.throwIfAborted();
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
  // An earlier purge may have been interrupted.
  cabinet.purger.nudge();
  if (cabinet.limits.trashMs === null) return 0;
  return await removeTrashed(cabinet, { space: null, before: now - cabinet.limits.trashMs, ...byOperator(cabinet) });
}

async function repeatUntilNone(slice: () => Promise<number>, signal?: AbortSignal): Promise<number> {
  for (let total = 0; ; ) {
    signal?.throwIfAborted();
    const count = await slice();
    if (count === 0) return total;
    total += count;
  }
}
