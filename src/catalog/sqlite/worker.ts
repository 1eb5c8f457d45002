// The SQLite engine in a worker thread: its own connection for reads, and a port to the writer.

import type { MessagePort } from 'node:worker_threads';
import { Fault } from '../../domain/fault.ts';
import type { Engine } from '../sql.ts';
import { Connection } from './connection.ts';
import { Reader } from './read.ts';
import { WriteQueue, type WriteQueueEvents } from './write-queue.ts';
import type { FromWriter, ToWriter } from './writer.ts';

export interface WorkerOptions extends WriteQueueEvents {
  path: string;
  /** From `openWorkerPort` of the engine. */
  port: MessagePort;
}

export interface WorkerEngine extends Engine {
  /** The thread that opened the engine has found that it can no longer guarantee durability. */
  die(fault: Fault): void;
}

export function attachSqlite({ path, port, ...events }: WorkerOptions): WorkerEngine {
  const writeQueue = new WriteQueue((batch) => {
    port.postMessage({ batch } satisfies ToWriter, [batch.bytes.buffer]);
  }, events);
  const reader = new Reader(new Connection(path, 'reader'));
  let isClosing = false;
  port.on('close', () => {
    if (!isClosing) writeQueue.die(new Fault('fatal', 'the writer stopped'));
  });
  port.on('message', (message: FromWriter) => {
    if ('outcomes' in message) writeQueue.settle(message);
  });
  return {
    read: (name, input) => reader.read(name, input),
    write: (name, input) => writeQueue.write(name, input),
    die: (fault) => writeQueue.die(fault),
    async close() {
      await writeQueue.close();
      isClosing = true;
      port.close();
      // After a failure nobody may move the log into the database file, which closing the last connection would do.
      if (!writeQueue.isDead) reader.close();
    },
  };
}
