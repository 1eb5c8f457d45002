// Work that reads everything an environment has, for `cabinet verify`, `cabinet backup` and the scrub: in a thread of its own,
// with connections of its own, so that saves go on beside it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { Fault } from '../domain/fault.ts';
import { endThread } from '../runtime/threads.ts';
import { type Functions, WorkerCalls } from '../runtime/worker-calls.ts';
import { folderOf, type StorageConfig } from '../server/storage.ts';
import type { BackupTarget, EnvironmentBackup } from './backup/backup.ts';
import type { Problem } from './verify/problems.ts';
import type { Progress } from './verify/subject.ts';
import type { VerifyResult } from './verify/verify.ts';

/** What the thread is started with. */
export interface MaintenanceData {
  storage: StorageConfig;
  name: EnvironmentName;
}

/** What the thread does. */
export interface MaintenanceFunctions extends Functions {
  verify(input: { bytesPerSecond: number | null }): Promise<VerifyReport>;
  backUp(target: BackupTarget): Promise<EnvironmentBackup>;
}

/** What the thread reports. */
export interface ProgressFunctions extends Functions {
  progress(progress: Progress): void;
}

/** As it crosses from thread to thread. */
export type VerifyReport = Omit<VerifyResult, 'problems'> & { problems: Problem[]; problemCount: number };

/** Whoever waits for it. */
export interface Observer {
  progress(progress: Progress): void;
  /** Interrupts the work. */
  signal: AbortSignal;
}

interface MaintenanceRequest extends MaintenanceData {
  observer: Observer;
}

/** `bytesPerSecond`: how fast it may read; null: as fast as it can. */
export async function verifyEnvironment(
  request: MaintenanceRequest,
  bytesPerSecond: number | null,
): Promise<VerifyReport> {
  return await withThread(request, (thread) => thread.call('verify', { bytesPerSecond }));
}

/** Each of these environments that exists. */
export async function verifyAll(
  { storage, observer }: Omit<MaintenanceRequest, 'name'>,
  names: readonly EnvironmentName[],
): Promise<{ name: EnvironmentName; report: VerifyReport }[]> {
  const reports: { name: EnvironmentName; report: VerifyReport }[] = [];
  for (const name of names) {
    if (storage.catalog.kind === 'sqlite' && !existsSync(join(folderOf(storage, name), 'catalog.db'))) continue;
    reports.push({ name, report: await verifyEnvironment({ storage, name, observer }, null) });
  }
  if (reports.length === 0) throw new Fault('other', `There is nothing to verify in ${storage.dataFolder}.`);
  return reports;
}

export async function backUpEnvironment(request: MaintenanceRequest, target: BackupTarget): Promise<EnvironmentBackup> {
  return await withThread(request, (thread) => thread.call('backUp', target));
}

async function withThread<Result>(
  { storage, name, observer }: MaintenanceRequest,
  work: (thread: WorkerCalls<MaintenanceFunctions>) => Promise<Result>,
): Promise<Result> {
  const { dataFolder, catalog, blobs, journalKeysFolder } = storage;
  const workerData: MaintenanceData = { storage: { dataFolder, catalog, blobs, journalKeysFolder }, name };
  const worker = new Worker(new URL('./maintenance-thread.ts', import.meta.url), { workerData });
  const thread = new WorkerCalls<MaintenanceFunctions>(worker, {
    progress: (progress) => observer.progress(progress),
  } satisfies ProgressFunctions);
  worker.once('error', (error: Error) => thread.close(new Fault('other', error.message, error)));
  const interrupt = () => {
    thread.close(new Fault('other', 'The command was interrupted.'));
    void endThread(worker);
  };
  observer.signal.addEventListener('abort', interrupt);
  try {
    if (observer.signal.aborted) interrupt();
    return await work(thread);
  } finally {
    observer.signal.removeEventListener('abort', interrupt);
    await endThread(worker);
  }
}
