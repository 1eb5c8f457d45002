// The SQLite engine in another thread than the one that opened it: a connection of its own to read, and a port to the writer.

import type { MessagePort } from 'node:worker_threads';
import { Fault } from '../../domain/fault.ts';
import type { Engine } from '../sql.ts';
import { Connection } from './connection.ts';
import { read } from './read.ts';
import { Outbox, type OutboxEvents } from './write-queue.ts';
import type { FromWriter, ToWriter } from './writer.ts';

export interface WorkerOptions extends OutboxEvents {
  path: string;
  /** From `openWorkerPort` of the engine. */
  port: MessagePort;
}

export interface WorkerEngine extends Engine {
  /** Whoever opened the engine has learned that it can promise nothing any more. */
  die(fault: Fault): void;
}

export function attachSqlite({ path, port, ...events }: WorkerOptions): WorkerEngine {
  const outbox = new Outbox((batch) => {
    port.postMessage({ batch } satisfies ToWriter, [batch.bytes.buffer]);
  }, events);
  const reader = new Connection(path, 'reader');
  let isClosing = false;
  port.on('close', () => {
    if (!isClosing) outbox.die(new Fault('fatal', 'the writer stopped'));
  });
  port.on('message', (message: FromWriter) => {
    if ('outcomes' in message) outbox.settle(message);
  });
  return {
    read: (name, input) => read(reader, name, input),
    write: (name, input) => outbox.write(name, input),
    die: (fault) => outbox.die(fault),
    async close() {
      await outbox.close();
      isClosing = true;
      port.close();
      // After a failure nobody may move the log into the database file, as the last one to close it would.
      if (!outbox.isDead) reader.close();
    },
  };
}
