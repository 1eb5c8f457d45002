// Work that reads everything an environment has, for `cabinet verify`, `cabinet backup` and the scrub: in a thread of its own,
// with connections of its own, so that saves go on beside it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { Fault } from '../domain/fault.ts';
import { endThread } from '../runtime/threads.ts';
import { folderOf, type Places } from '../server/storage.ts';
import type { BackupJob, MadeBackup } from './backup/backup.ts';
import type { Problem } from './verify/problems.ts';
import type { Progress } from './verify/subject.ts';
import type { Verified } from './verify/verify.ts';

export type Work = { kind: 'verify'; bytesPerSecond: number | null } | { kind: 'backup'; job: BackupJob };

export interface MaintenanceData {
  places: Places;
  name: EnvironmentName;
  work: Work;
}

/** As it crosses the thread. */
export type VerifyReport = Omit<Verified, 'problems'> & { problems: Problem[]; problemCount: number };

export type FromMaintenance =
  | { progress: Progress }
  | { verified: VerifyReport }
  | { made: MadeBackup }
  | { failed: string };

export interface Watched {
  progress(told: Progress): void;
  signal: AbortSignal;
}

export interface Asked {
  places: Places;
  name: EnvironmentName;
  watched: Watched;
}

/** `bytesPerSecond`: how fast it may read; null: as fast as it can. */
export async function verifyEnvironment(asked: Asked, bytesPerSecond: number | null): Promise<VerifyReport> {
  const done = await run(asked, { kind: 'verify', bytesPerSecond });
  if (!('verified' in done)) throw new Error('the thread has done something else');
  return done.verified;
}

/** Each of these environments that is there. */
export async function verifyAll(
  { places, watched }: Omit<Asked, 'name'>,
  names: readonly EnvironmentName[],
): Promise<{ name: EnvironmentName; report: VerifyReport }[]> {
  const verified: { name: EnvironmentName; report: VerifyReport }[] = [];
  for (const name of names) {
    if (places.catalog.kind === 'sqlite' && !existsSync(join(folderOf(places, name), 'catalog.db'))) continue;
    verified.push({ name, report: await verifyEnvironment({ places, name, watched }, null) });
  }
  if (verified.length === 0) throw new Fault('other', `There is nothing to verify in ${places.dataFolder}.`);
  return verified;
}

export async function backUpEnvironment(asked: Asked, job: BackupJob): Promise<MadeBackup> {
  const done = await run(asked, { kind: 'backup', job });
  if (!('made' in done)) throw new Error('the thread has done something else');
  return done.made;
}

async function run({ places, name, watched }: Asked, work: Work): Promise<FromMaintenance> {
  const { dataFolder, catalog, blobs } = places;
  const workerData: MaintenanceData = { places: { dataFolder, catalog, blobs }, name, work };
  const worker = new Worker(new URL('./maintenance-thread.ts', import.meta.url), { workerData });
  const stop = () => void endThread(worker);
  watched.signal.addEventListener('abort', stop);
  try {
    if (watched.signal.aborted) stop();
    return await answerOf(worker, watched);
  } finally {
    watched.signal.removeEventListener('abort', stop);
    await endThread(worker);
  }
}

function answerOf(worker: Worker, { progress }: Watched): Promise<FromMaintenance> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromMaintenance) => {
      if ('progress' in message) progress(message.progress);
      else if ('failed' in message) reject(new Fault('other', message.failed));
      else resolve(message);
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Fault('other', 'It was broken off.')));
  });
}
