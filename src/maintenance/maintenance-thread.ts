// The thread of `maintenance/maintenance.ts`. It only reads what the service has: a closed file descriptor of the database would end the
// locks of the whole process, so the database is opened by SQLite alone, which knows that.

import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { readLocalBlobs } from '../blobs/local/local.ts';
import { endWhenTold } from '../runtime/threads.ts';
import { folderOf, openSealedJournal, toS3Options } from '../server/storage.ts';
import { backUp } from './backup/backup.ts';
import type { FromMaintenance, MaintenanceData, VerifyReport } from './maintenance.ts';
import { openS3, openTables } from './migration.ts';
import { Problems } from './verify/problems.ts';
import type { Subject } from './verify/subject.ts';
import { type Verified, verify } from './verify/verify.ts';

endWhenTold();
const { places, name, work } = workerData as MaintenanceData;
const tellEveryMs = 200;
const signal = new AbortController().signal;

function post(message: FromMaintenance): void {
  parentPort?.postMessage(message);
}

let toldAt = 0;
function tell(progress: Extract<FromMaintenance, { progress: unknown }>['progress']): void {
  if (performance.now() - toldAt < tellEveryMs) return;
  toldAt = performance.now();
  post({ progress });
}

async function openSubject(): Promise<Subject & { close(): Promise<void> }> {
  const tables = await openTables(places, name, 'source');
  if (tables === null) throw new Error(`There is no ${name} environment in ${places.dataFolder}.`);
  const s3 = toS3Options(places, name);
  const far = s3 === null ? null : await openS3(s3);
  return {
    tables,
    isSqlite: places.catalog.kind === 'sqlite',
    blobs: far ?? readLocalBlobs(folderOf(places, name)),
    journalFiles: await openSealedJournal(places, name),
    async close() {
      await tables.close();
      await far?.close();
    },
  };
}

/** Never faster than it may be, over the whole time. */
function toRest(bytesPerSecond: number | null): (bytes: number) => Promise<void> {
  const begunAt = performance.now();
  let read = 0;
  return async (bytes) => {
    read += bytes;
    if (bytesPerSecond === null) return;
    const aheadMs = (read / bytesPerSecond) * 1000 - (performance.now() - begunAt);
    if (aheadMs > 10) await sleep(aheadMs);
  };
}

function toReport({ problems, ...counts }: Verified): VerifyReport {
  return { ...counts, problems: problems.found, problemCount: problems.count };
}

/** A database that cannot even be opened is the worst finding, not a failure to look. */
async function verifyOrTell(bytesPerSecond: number | null): Promise<VerifyReport> {
  let subject: Awaited<ReturnType<typeof openSubject>>;
  try {
    subject = await openSubject();
  } catch (error) {
    if ((error as { errcode?: number }).errcode === undefined) throw error;
    const problems = new Problems();
    problems.tell('catalog.db', `cannot be opened: ${(error as Error).message}`);
    const none = { entries: 0, versions: 0, contents: 0, blobs: 0, bytes: 0, strangers: 0, journalRows: 0 };
    return toReport({ ...none, problems });
  }
  try {
    return toReport(await verify(subject, { tell, rest: toRest(bytesPerSecond), signal }));
  } finally {
    await subject.close();
  }
}

try {
  if (work.kind === 'verify') post({ verified: await verifyOrTell(work.bytesPerSecond) });
  else {
    const s3 = toS3Options(places, name);
    const blobs = s3 === null ? readLocalBlobs(folderOf(places, name)) : await openS3(s3);
    post({ made: await backUp({ folder: folderOf(places, name), name, blobs, tell }, work.job) });
  }
} catch (error) {
  post({ failed: (error as Error).message });
}
