// The SQLite engine as the rest of the process sees it. Writes of the moment are gathered without a timer: while the
// writer commits, the next batches grow here and wait there. Reads run on a read-only connection in this thread.

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault } from '../domain/fault.ts';
import { Refusal } from '../domain/refusal.ts';
import { Syncs } from '../domain/syncs.ts';
import { reads, writes } from './catalog.ts';
import type { Engine, Verb } from './sql.ts';
import type { Checkpointed, CheckpointerData } from './sqlite-checkpointer.ts';
import { Connection } from './sqlite-connection.ts';
import type { Finished, FromWriter, Outcome, ToWriter, WriterData } from './sqlite-writer.ts';
import { pack } from './transport.ts';

const mostItems = 256;
const mostBatches = 4;
const mostBatchBytes = 4 * 1024 * 1024;
const checkpointEveryMs = 250;
/** Above this many pages the writer finishes a checkpoint itself, so that it can begin the log anew. */
const mostLogPages = 16_384;
/** So many free pages are kept for what comes; more are given back to the disk when nobody is writing. */
const keptFreePages = 8192;

interface Waiting {
  name: string;
  input: unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface Batch {
  items: Waiting[];
  sentAt: number;
}

export interface SqliteOptions {
  path: string;
  /** Shared with whatever else of the environment syncs. */
  syncs?: Syncs;
  /** Called once, when the engine can no longer promise anything. */
  onFatal: (fault: Fault) => void;
  /** Called after every commit, however many changes it held. */
  onCommitted?: () => void;
  /** Called for every commit: how many writes it held, and how long the first of them took from here to there and back. */
  onBatch?: (writes: number, seconds: number) => void;
}

export async function openSqlite(options: SqliteOptions): Promise<Engine> {
  const { path, syncs = new Syncs() } = options;
  const writer = new Worker(new URL('./sqlite-writer.ts', import.meta.url), {
    workerData: { path, syncs: syncs.shared } satisfies WriterData,
  });
  const wasClosed = await isReady(writer);
  // The database and its log are new names in the folder; SQLite ignores errors of its own sync of it.
  syncFolder(dirname(path));
  const checkpointer = new Worker(new URL('./sqlite-checkpointer.ts', import.meta.url), {
    workerData: { path, syncs: syncs.shared, isCheckWanted: !wasClosed } satisfies CheckpointerData,
  });
  return new SqliteEngine(options, writer, checkpointer);
}

/** Resolves to whether the catalog was closed in order the last time. */
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

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

class SqliteEngine implements Engine {
  readonly #writer: Worker;
  readonly #checkpointer: Worker;
  readonly #checkpoints: NodeJS.Timeout;
  readonly #exits: [checkpointer: Promise<void>, writer: Promise<void>];
  readonly #reader: Connection;
  readonly #onFatal: (fault: Fault) => void;
  readonly #onCommitted: () => void;
  readonly #onBatch: (writes: number, seconds: number) => void;
  #waiting: Waiting[] = [];
  /** Batches that the writer has: those that it commits, and a few that it can go on with at once. */
  readonly #running: Batch[] = [];
  #isScheduled = false;
  #hasNewPages = false;
  #dead: Fault | null = null;
  #isClosed = false;
  #onIdle: (() => void) | null = null;
  #onFinished: (finished: Finished) => void = () => undefined;

  constructor({ path, onFatal, onCommitted, onBatch }: SqliteOptions, writer: Worker, checkpointer: Worker) {
    this.#onFatal = onFatal;
    this.#onCommitted = onCommitted ?? (() => undefined);
    this.#onBatch = onBatch ?? (() => undefined);
    this.#writer = writer;
    this.#writer.on('message', (message: FromWriter) => {
      if ('outcomes' in message) this.#settle(JSON.parse(message.outcomes) as Outcome[]);
      else if ('finished' in message) this.#onFinished(message.finished);
    });
    this.#writer.on('error', (error) => this.#die(new Fault('fatal', 'the writer stopped', error)));
    this.#reader = new Connection(path, 'reader');
    this.#checkpointer = checkpointer;
    this.#checkpointer.on('error', (error) => this.#die(new Fault('fatal', 'a checkpoint failed', error)));
    this.#checkpointer.on('message', ({ logPages, freePages }: Checkpointed) => {
      if (logPages > mostLogPages) this.#writer.postMessage({ checkpoint: true } satisfies ToWriter);
      else if (freePages > keptFreePages && this.#running.length === 0) this.#giveBack();
    });
    this.#exits = [onceExited(checkpointer), onceExited(writer)];
    this.#checkpoints = setInterval(() => this.#checkpoint(), checkpointEveryMs);
    this.#checkpoints.unref();
  }

  read<Input, Result>(name: string, input: Input): Promise<Result> {
    const verb = reads[name as keyof typeof reads] as unknown as (input: Input) => Verb<Result>;
    try {
      return Promise.resolve(this.#reader.read(verb(input)));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  write<Input, Result>(name: string, input: Input): Promise<Result> {
    if (this.#dead !== null) return Promise.reject(this.#dead);
    if (this.#isClosed) return Promise.reject(new Fault('other', 'the catalog is closed'));
    if (!(name in writes)) return Promise.reject(new Error(`there is no verb ${name}`));
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ name, input, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running.length >= mostBatches || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#dead !== null || this.#waiting.length === 0) return;
    const items = this.#waiting.splice(0, countForBatch(this.#waiting));
    this.#running.push({ items, sentAt: performance.now() });
    const batch = pack(items.map(({ name, input }) => [name, input]));
    this.#writer.postMessage({ batch } satisfies ToWriter, [batch.bytes.buffer]);
    this.#schedule();
  }

  /** Of one commit, which may have held several batches. */
  #settle(outcomes: Outcome[]): void {
    if (this.#dead !== null) return;
    const { sentAt } = this.#running[0] as Batch;
    const settled: Waiting[] = [];
    while (settled.length < outcomes.length) settled.push(...(this.#running.shift() as Batch).items);
    this.#hasNewPages = true;
    for (const [index, outcome] of outcomes.entries()) {
      const { resolve, reject } = settled[index] as Waiting;
      if ('value' in outcome) resolve(outcome.value);
      else if ('refusal' in outcome) reject(Refusal.from(outcome.refusal));
      else reject(this.#toFault(outcome.fault));
    }
    this.#onCommitted();
    this.#onBatch(settled.length, (performance.now() - sentAt) / 1000);
    this.#schedule();
    if (this.#running.length === 0 && this.#waiting.length === 0) this.#onIdle?.();
  }

  #toFault({ kind, message }: { kind: Fault['kind']; message: string }): Fault {
    const fault = new Fault(kind, message);
    if (kind === 'fatal') this.#die(fault);
    return fault;
  }

  #die(fault: Fault): void {
    if (this.#dead !== null) return;
    this.#dead = fault;
    for (const { reject } of [...this.#running.flatMap(({ items }) => items), ...this.#waiting]) reject(fault);
    this.#running.length = 0;
    this.#waiting = [];
    this.#onIdle?.();
    this.#onFatal(fault);
  }

  #giveBack(): void {
    if (this.#dead !== null) return;
    this.#writer.postMessage({ giveBack: true } satisfies ToWriter);
    // There may be more: looked at again after the next checkpoint.
    this.#hasNewPages = true;
  }

  #checkpoint(): void {
    if (!this.#hasNewPages) return;
    this.#hasNewPages = false;
    this.#checkpointer.postMessage('checkpoint');
  }

  /** Everything that was asked is committed first, and moved into the database file. That this failed is told as at any
   *  other time. */
  async close(): Promise<void> {
    clearInterval(this.#checkpoints);
    if (this.#running.length > 0 || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#isClosed = true;
    let isLogEmpty = false;
    try {
      if (this.#dead === null) isLogEmpty = await this.#finish();
    } finally {
      await (isLogEmpty ? this.#closeAll() : this.#abandon());
    }
  }

  /** Whether the log is empty now. */
  async #finish(): Promise<boolean> {
    this.#checkpointer.postMessage('close');
    await this.#exits[0];
    const finished = new Promise<Finished | null>((resolve) => {
      this.#onFinished = resolve;
      void this.#exits[1].then(() => resolve(null));
    });
    this.#writer.postMessage({ finish: true } satisfies ToWriter);
    const told = await finished;
    if (told === null) return false;
    if ('isLogEmpty' in told) return told.isLogEmpty;
    this.#die(new Fault('fatal', told.fault.message));
    return false;
  }

  /** Who can only read is the last to close it, and leaves the empty log and its index where they are: a start on a full
   *  disk could not make them anew. */
  async #closeAll(): Promise<void> {
    this.#writer.postMessage({ close: true } satisfies ToWriter);
    await this.#exits[1];
    this.#reader.close();
  }

  /** The last connection to be closed would move the log into the database file, and sync both, whatever has failed before.
   *  So one stays open that can only read, until the process ends. */
  async #abandon(): Promise<void> {
    await this.#checkpointer.terminate();
    await this.#writer.terminate();
  }
}

function onceExited(worker: Worker): Promise<void> {
  return new Promise((resolve) => worker.once('exit', () => resolve()));
}

/** As many as fit the caps, and at least one. */
function countForBatch(waiting: readonly Waiting[]): number {
  let bytes = 0;
  for (const [index, { input }] of waiting.entries()) {
    if (index >= mostItems || bytes > mostBatchBytes) return index;
    bytes += (input as { content?: { bytes?: Uint8Array | null } }).content?.bytes?.byteLength ?? 0;
  }
  return waiting.length;
}
