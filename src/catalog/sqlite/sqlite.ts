// The SQLite engine in the thread that opens it: starts and stops the writer and the checkpointer. Reads run on a read-only
// connection in this thread. Other threads of the process attach to it (`worker.ts`).

import { dirname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { JournalKey } from '../../domain/chain.ts';
import { Fault } from '../../domain/fault.ts';
import { type Clock, systemClock, type Timer } from '../../runtime/clock.ts';
import { syncFolder } from '../../runtime/durable-file.ts';
import { SyncGuard } from '../../runtime/sync-guard.ts';
import { CommitCounter } from '../page-cache/commit-counter.ts';
import type { Engine } from '../sql.ts';
import type { CheckpointerData, CheckpointReport } from './checkpointer.ts';
import { Connection } from './connection.ts';
import { Reader } from './read.ts';
import { WriteQueue, type WriteQueueEvents } from './write-queue.ts';
import type { FinishResult, FromWriter, ToWriter, WriterData } from './writer.ts';

const checkpointEveryMs = 250;
/** Above this many pages the writer runs a full checkpoint itself, so that the log can start over. */
const maxLogPages = 16_384;
/** Free pages to keep for future writes; more are returned to the disk while nobody writes. */
const keptFreePages = 8192;

export interface SqliteOptions extends WriteQueueEvents {
  path: string;
  /** Shared with everything else of the environment that syncs. */
  syncGuard?: SyncGuard;
  /** Makes the links of the journal; without it they are those of earlier releases. */
  journalKey?: JournalKey;
  clock?: Clock;
}

export interface SqliteEngine extends Engine {
  /** Shared with every thread that caches pages. */
  readonly commitCounter: CommitCounter;
  /** A port to the writer, for another thread. */
  openWorkerPort(): MessagePort;
  /** A write of a worker was committed. */
  noteCommit(): void;
  /** Makes the links of the journal from now on. */
  useJournalKey(key: JournalKey): void;
}

export async function openSqlite(options: SqliteOptions): Promise<SqliteEngine> {
  const { path, syncGuard: syncs = new SyncGuard(), journalKey = null } = options;
  const commitCounter = new CommitCounter();
  const writer = new Worker(new URL('./writer.ts', import.meta.url), {
    workerData: {
      ...{ path, syncs: syncs.shared, commitCounter: commitCounter.shared, journalKey },
    } satisfies WriterData,
  });
  const wasClosed = await isReady(writer);
  // The database and its log are new names in the folder; SQLite ignores errors when it syncs the folder itself.
  await syncFolder(dirname(path));
  const startCheckpointer = (isCheckWanted: boolean) =>
    new Worker(new URL('./checkpointer.ts', import.meta.url), {
      workerData: { path, syncs: syncs.shared, isCheckWanted } satisfies CheckpointerData,
    });
  return new OpenedSqlite(options, { writer, startCheckpointer, isCheckWanted: !wasClosed, commitCounter });
}

/** Resolves to whether the catalog was closed cleanly the last time. */
function isReady(writer: Worker): Promise<boolean> {
  return new Promise((resolve, reject) => {
    writer.once('error', reject);
    writer.once('message', (message: FromWriter) => {
      writer.off('error', reject);
      if ('failed' in message) reject(new Fault(message.failed.kind, message.failed.message));
      else resolve('ready' in message && message.wasClosed);
    });
  });
}

interface Threads {
  writer: Worker;
  startCheckpointer: (isCheckWanted: boolean) => Worker;
  /** Whether the database has to be checked for damage. */
  isCheckWanted: boolean;
  commitCounter: CommitCounter;
}

class OpenedSqlite implements SqliteEngine {
  readonly commitCounter: CommitCounter;
  readonly #writer: Worker;
  readonly #startCheckpointer: Threads['startCheckpointer'];
  /** Null until there is something to do: a command that only reads, and a start, do without. */
  #checkpointer: Worker | null = null;
  readonly #checkpoints: Timer;
  readonly #exited: Promise<void>;
  readonly #reader: Reader;
  readonly #writeQueue: WriteQueue;
  readonly #onCommitted: () => void;
  #hasNewPages = false;
  #onFinished: (finished: FinishResult) => void = () => undefined;

  constructor(
    { path, clock = systemClock, ...events }: SqliteOptions,
    { writer, startCheckpointer, isCheckWanted, commitCounter }: Threads,
  ) {
    this.commitCounter = commitCounter;
    this.#writer = writer;
    this.#writeQueue = new WriteQueue(
      (batch) => writer.postMessage({ batch } satisfies ToWriter, [batch.bytes.buffer as ArrayBuffer]),
      { ...events, onCommitted: () => this.noteCommit() },
    );
    this.#onCommitted = events.onCommitted ?? (() => undefined);
    this.#writer.on('message', (message: FromWriter) => {
      if ('outcomes' in message) this.#writeQueue.settle(message);
      else if ('finished' in message) this.#onFinished(message.finished);
    });
    this.#writer.on('error', (error) => this.#writeQueue.die(new Fault('fatal', 'the writer stopped', error)));
    this.#reader = new Reader(new Connection(path, 'reader'));
    this.#startCheckpointer = startCheckpointer;
    if (isCheckWanted) this.#checkpointer = this.#openCheckpointer(true);
    this.#exited = onceExited(writer);
    this.#checkpoints = clock.every(checkpointEveryMs, () => this.#checkpoint());
  }

  useJournalKey(journalKey: JournalKey): void {
    this.#writer.postMessage({ journalKey } satisfies ToWriter);
  }

  read<Input, Result>(name: string, input: Input): Promise<Result> {
    return this.#reader.read(name, input);
  }

  write<Input, Result>(name: string, input: Input): Promise<Result> {
    return this.#writeQueue.write(name, input);
  }

  openWorkerPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#writer.postMessage({ worker: port1 } satisfies ToWriter, [port1]);
    return port2;
  }

  noteCommit(): void {
    this.#hasNewPages = true;
    this.#onCommitted();
  }

  #giveBack(): void {
    if (this.#writeQueue.isDead) return;
    this.#writer.postMessage({ giveBack: true } satisfies ToWriter);
    // There may be more free pages: check again after the next checkpoint.
    this.#hasNewPages = true;
  }

  #checkpoint(): void {
    if (!this.#hasNewPages) return;
    this.#hasNewPages = false;
    this.#checkpointer ??= this.#openCheckpointer(false);
    this.#checkpointer.postMessage('checkpoint');
  }

  #openCheckpointer(isCheckWanted: boolean): Worker {
    const checkpointer = this.#startCheckpointer(isCheckWanted);
    checkpointer.on('error', (error) => this.#writeQueue.die(new Fault('fatal', 'a checkpoint failed', error)));
    checkpointer.on('message', ({ logPages, freePages }: CheckpointReport) => {
      if (logPages > maxLogPages) this.#writer.postMessage({ checkpoint: true } satisfies ToWriter);
      else if (freePages > keptFreePages && this.#writeQueue.isAtRest && !this.#hasNewPages) this.#giveBack();
    });
    return checkpointer;
  }

  /** Commits everything that was submitted before and moves it into the database file. A failure is reported like any
   *  other. */
  async close(): Promise<void> {
    this.#checkpoints.cancel();
    await this.#writeQueue.close();
    let isLogEmpty = false;
    try {
      if (!this.#writeQueue.isDead) isLogEmpty = await this.#finish();
    } finally {
      await (isLogEmpty ? this.#closeAll() : this.#abandon());
    }
  }

  /** Returns whether the log is empty now. */
  async #finish(): Promise<boolean> {
    await this.#closeCheckpointer();
    const finished = new Promise<FinishResult | null>((resolve) => {
      this.#onFinished = resolve;
      void this.#exited.then(() => resolve(null));
    });
    this.#writer.postMessage({ finish: true } satisfies ToWriter);
    const result = await finished;
    if (result === null) return false;
    if ('isLogEmpty' in result) return result.isLogEmpty;
    this.#writeQueue.die(new Fault('fatal', result.fault.message));
    return false;
  }

  async #closeCheckpointer(): Promise<void> {
    if (this.#checkpointer === null) return;
    const exited = onceExited(this.#checkpointer);
    this.#checkpointer.postMessage('close');
    await exited;
  }

  /** The read-only connection closes last and leaves the empty log and its index in place: on a full disk the next start
   *  could not create them. */
  async #closeAll(): Promise<void> {
    this.#writer.postMessage({ close: true } satisfies ToWriter);
    await this.#exited;
    this.#reader.close();
  }

  /** The last connection to close would move the log into the database file and sync both, whatever has failed before. So
   *  a read-only connection stays open until the process ends. */
  async #abandon(): Promise<void> {
    await this.#checkpointer?.terminate();
    await this.#writer.terminate();
  }
}

function onceExited(worker: Worker): Promise<void> {
  return new Promise((resolve) => worker.once('exit', () => resolve()));
}
