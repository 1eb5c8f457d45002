// The thread of `maintenance/maintenance.ts`. It only reads what the service has: closing a file descriptor of the database would release the
// locks of the whole process, so the database is opened by SQLite alone, which knows that.

import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { readLocalBlobs } from '../blobs/local/local.ts';
import { exitOnRequest } from '../runtime/threads.ts';
import { type Port, WorkerCalls } from '../runtime/worker-calls.ts';
import { folderOf, openArchivedJournal, openKeysOfJournal, toS3Options } from '../server/storage.ts';
import { backUp } from './backup/backup.ts';
import type { MaintenanceData, MaintenanceFunctions, ProgressFunctions, VerifyReport } from './maintenance.ts';
import { openS3, openTables } from './migration.ts';
import { Problems } from './verify/problems.ts';
import type { Progress, Subject } from './verify/subject.ts';
import { type VerifyResult, verify } from './verify/verify.ts';

exitOnRequest();
const { storage, name } = workerData as MaintenanceData;
const folder = folderOf(storage, name);
const progressEveryMs = 200;
const signal = new AbortController().signal;

const main = new WorkerCalls<ProgressFunctions>(parentPort as Port, {
  verify: ({ bytesPerSecond }) => verifyOrReport(bytesPerSecond),
  async backUp(target) {
    const s3 = toS3Options(storage, name);
    const blobs = s3 === null ? readLocalBlobs(folder) : await openS3(s3);
    const journalKeys = await openKeysOfJournal(storage, name);
    return await backUp({ folder, name, blobs, journalKeys, onProgress }, target);
  },
} satisfies MaintenanceFunctions);

let reportedAt = 0;
function onProgress(progress: Progress): void {
  if (performance.now() - reportedAt < progressEveryMs) return;
  reportedAt = performance.now();
  main.notify('progress', progress);
}

async function openSubject(): Promise<Subject & { close(): Promise<void> }> {
  const tables = await openTables(storage, name, 'source');
  if (tables === null) throw new Error(`There is no ${name} environment in ${storage.dataFolder}.`);
  const s3 = toS3Options(storage, name);
  const s3Blobs = s3 === null ? null : await openS3(s3);
  return {
    tables,
    isSqlite: storage.catalog.kind === 'sqlite',
    blobs: s3Blobs ?? readLocalBlobs(folder),
    journalFiles: await openArchivedJournal(storage, name),
    journalKeys: await openKeysOfJournal(storage, name),
    async close() {
      await tables.close();
      await s3Blobs?.close();
    },
  };
}

/** Keeps the average over the whole time below the given speed. */
function toThrottle(bytesPerSecond: number | null): (bytes: number) => Promise<void> {
  const startedAt = performance.now();
  let totalBytes = 0;
  return async (bytes) => {
    totalBytes += bytes;
    if (bytesPerSecond === null) return;
    const aheadMs = (totalBytes / bytesPerSecond) * 1000 - (performance.now() - startedAt);
    if (aheadMs > 10) await sleep(aheadMs);
  };
}

function toReport({ problems, ...counts }: VerifyResult): VerifyReport {
  return { ...counts, problems: problems.list, problemCount: problems.count };
}

/** A database that cannot be opened is the worst finding, not a failure of the verification. */
async function verifyOrReport(bytesPerSecond: number | null): Promise<VerifyReport> {
  let subject: Awaited<ReturnType<typeof openSubject>>;
  try {
    subject = await openSubject();
  } catch (error) {
    if ((error as { errcode?: number }).errcode === undefined) throw error;
    const problems = new Problems();
    problems.add('catalog.db', `cannot be opened: ${(error as Error).message}`);
    const none = { entries: 0, versions: 0, contents: 0, blobs: 0, bytes: 0, orphans: 0, journalRows: 0 };
    return toReport({ ...none, problems });
  }
  try {
    return toReport(await verify(subject, { onProgress, throttle: toThrottle(bytesPerSecond), signal }));
  } finally {
    await subject.close();
  }
}
