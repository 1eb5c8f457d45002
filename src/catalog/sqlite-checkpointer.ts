// The checkpointer: a thread with a connection of its own that moves committed pages from the write-ahead log into the
// database file, so that no save waits for it.

import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from './sqlite-connection.ts';

/** How many pages the log holds, and how many of them are in the database file by now. */
export interface Checkpointed {
  log: number;
  checkpointed: number;
}

const connection = new Connection((workerData as { path: string }).path, 'checkpointer');

parentPort?.on('message', (message: 'checkpoint' | 'close') => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  const [result] = connection.all('PRAGMA wal_checkpoint(PASSIVE)');
  parentPort?.postMessage({
    log: Number(result?.log),
    checkpointed: Number(result?.checkpointed),
  } satisfies Checkpointed);
});
