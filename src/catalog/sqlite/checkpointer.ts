// The checkpointer: a thread with its own connection that moves committed pages from the write-ahead log into the database
// file, so that no save waits for it. After a crash it first checks the database for damage.

import { parentPort, workerData } from 'node:worker_threads';
import { Fault } from '../../domain/fault.ts';
import { SyncGuard } from '../../runtime/sync-guard.ts';
import { Connection, checkpoint } from './connection.ts';

export interface CheckpointReport {
  /** How many pages the log holds. */
  logPages: number;
  /** Unused pages of the database file. */
  freePages: number;
}

export interface CheckpointerData {
  path: string;
  syncs: SharedArrayBuffer;
  isCheckWanted: boolean;
}

const { path, syncs: shared, isCheckWanted } = workerData as CheckpointerData;
const connection = new Connection(path, 'checkpointer');
const syncs = new SyncGuard(shared);

/** Null: nothing may be synced any more. */
function work(): CheckpointReport | null {
  if (syncs.haveFailed) return null;
  try {
    const logPages = checkpoint(connection, 'PASSIVE') ?? 0;
    return { logPages, freePages: Number(connection.all('PRAGMA freelist_count')[0]?.freelist_count) };
  } catch (error) {
    // First of all: the writer must not commit again.
    syncs.fail();
    throw error;
  }
}

parentPort?.on('message', (message: 'checkpoint' | 'close') => {
  if (message === 'checkpoint') {
    const done = work();
    if (done !== null) parentPort?.postMessage(done);
  } else {
    connection.close();
    parentPort?.close();
  }
});

if (isCheckWanted) {
  const [found] = connection.all('PRAGMA quick_check(1)');
  if (found?.quick_check !== 'ok') throw new Fault('fatal', `the catalog is damaged: ${found?.quick_check}`);
}
