// The writer: the thread with the only connection that writes. It receives batches of verbs, runs all that wait in one
// transaction and answers after one synced COMMIT. A refused verb fails alone and leaves nothing. After a failed sync it
// commits nothing more, although SQLite itself would continue.

import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type Change, type JournalKey, toKeyChange, toLink } from '../../domain/chain.ts';
import { Fault, type PlainFault } from '../../domain/fault.ts';
import { type PlainRefusal, Refusal } from '../../domain/refusal.ts';
import { systemClock } from '../../runtime/clock.ts';
import { SyncGuard } from '../../runtime/sync-guard.ts';
import { requireWrite } from '../catalog.ts';
import { CommitCounter } from '../page-cache/commit-counter.ts';
import type { PageChange } from '../page-cache/page-change.ts';
import { toChangeOf } from '../page-cache/to-change-of.ts';
import { intoJournal } from '../verbs/journal.ts';
import { Sums } from '../verbs/sums.ts';
import { Connection, checkpoint, type Effects, toFaultKind } from './connection.ts';
import { migrate } from './migrate.ts';
import { writeSums } from './sums.ts';
import { type Batch, type PackedBatch, unpack } from './transport.ts';

export type Outcome = { value: unknown } | { refusal: PlainRefusal } | { fault: PlainFault };

/** What a write of another thread has changed. */
export interface ForeignChange {
  change: PageChange;
}

export interface CommitReport {
  /** JSON: the outcomes of the writes of this sender, and between them what writes of others have changed. */
  outcomes: string;
  /** The number of the last commit that was reported to all threads: this one or an earlier one. */
  number: number;
}

export interface WriterData {
  path: string;
  syncs: SharedArrayBuffer;
  commitCounter: SharedArrayBuffer;
  /** Makes the links of the journal; null: none does. */
  journalKey: JournalKey | null;
}

/** Workers send only batches. `finish` comes before `close`: its answer says whether all is durable, `close` has none. */
export type ToWriter =
  | { batch: PackedBatch }
  | { worker: MessagePort }
  | { checkpoint: true }
  | { giveBack: true }
  | { journalKey: JournalKey }
  | { finish: true }
  | { close: true };
export type FromWriter =
  | { ready: true; wasClosed: boolean }
  | { failed: PlainFault }
  | CommitReport
  | { finished: FinishResult };

/** `isLogEmpty`: everything is in the database file, so that closing it has nothing left to do. */
export type FinishResult = { isLogEmpty: boolean } | { fault: PlainFault };

/** Per commit. More would cost a little less each, but the threads that answer would idle meanwhile. */
const usualWrites = 32;

/** The end of the journal chain, as of the last change of the current transaction. */
interface Head {
  position: number;
  link: string;
}

class Writer {
  /** Whether the catalog was closed cleanly the last time. */
  readonly wasClosed: boolean;
  readonly #connection: Connection;
  readonly #sums = new Sums();
  readonly #effects: Effects;
  readonly #syncs: SyncGuard;
  #head: Head;
  #key: JournalKey | null;
  /** A commit takes batches until it has this many writes: on a slow disk more, so that the sync is the smaller part. */
  enoughWrites = usualWrites;

  constructor({ path, journalKey }: WriterData, syncs: SyncGuard) {
    this.#key = journalKey;
    this.#syncs = syncs;
    this.#connection = new Connection(path, 'writer');
    this.#effects = {
      append: (change) => this.#append(change),
      add: (addition) => {
        this.#connection.hasWritten = true;
        this.#sums.add(addition);
        return [];
      },
      pending: (sum) => this.#sums.pending(sum),
    };
    migrate(this.#connection);
    this.wasClosed = this.#connection.all(`SELECT value FROM meta WHERE name = 'state'`)[0]?.value !== 'open';
    this.#mark('open');
    // Some builds of SQLite fall back to NORMAL at the first write, which does not sync at COMMIT.
    this.#assert('PRAGMA synchronous', 'synchronous', 2);
    this.#assert('PRAGMA journal_mode', 'journal_mode', 'wal');
    const last = this.#connection.all('SELECT position, link FROM journal ORDER BY position DESC LIMIT 1')[0];
    this.#head =
      last === undefined ? { position: 0, link: '' } : { position: last.position as number, link: last.link as string };
    this.#recordKey();
  }

  useKey(key: JournalKey): void {
    this.#key = key;
    this.#recordKey();
  }

  /** At once, so that the rows of before are covered by the key from now on, and not only at the next change. */
  #recordKey(): void {
    if (toKeyChange(this.#head, this.#key, 0) === null || this.#syncs.haveFailed) return;
    const head = this.#head;
    try {
      this.#connection.all('BEGIN IMMEDIATE');
      this.#changeKey();
      this.#connection.exec('COMMIT');
    } catch (error) {
      this.#head = head;
      // A full disk must not prevent reading; the next change records the key.
      if (toFaultKind(error) !== 'full') throw error;
      this.#rollBack();
    }
  }

  #changeKey(): void {
    const change = toKeyChange(this.#head, this.#key, systemClock.now());
    if (change !== null) this.#appendRow(change);
  }

  #mark(state: 'open' | 'closed'): void {
    const sql = `INSERT INTO meta (name, value) VALUES ('state', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
    try {
      this.#connection.all(sql, [state]);
    } catch (error) {
      // A full disk must not prevent reading.
      if (toFaultKind(error) !== 'full') throw error;
    }
  }

  #assert(pragma: string, column: string, expected: number | string): void {
    const actual = this.#connection.all(pragma)[0]?.[column];
    if (actual !== expected) throw new Fault('fatal', `${pragma} is ${actual}, not ${expected}`);
  }

  commit(batch: Batch): Outcome[] {
    const head = this.#head;
    const beganAt = performance.now();
    try {
      this.#syncs.check();
      this.#connection.all('BEGIN IMMEDIATE');
      let outcomes = this.#runAll(batch);
      if (outcomes === null) {
        this.#connection.all('ROLLBACK');
        this.#sums.forget();
        this.#head = head;
        this.#connection.all('BEGIN IMMEDIATE');
        outcomes = batch.map((item) => this.#runApart(item));
      }
      writeSums(this.#connection, this.#sums);
      this.#syncs.check();
      const ranAt = performance.now();
      this.#connection.all('COMMIT');
      this.#measure(batch.length, ranAt - beganAt, performance.now() - ranAt);
      // The checkpointer's sync may have failed at the same time.
      this.#syncs.check();
      return outcomes;
    } catch (error) {
      this.#head = head;
      this.#sums.forget();
      const fault = toPlainFault(error);
      if (fault.kind === 'fatal') this.#syncs.fail();
      else this.#rollBack();
      return batch.map(() => ({ fault }));
    }
  }

  #measure(writes: number, ranMs: number, committedMs: number): void {
    this.enoughWrites = Math.max(usualWrites, Math.ceil((writes * committedMs) / ranMs));
  }

  /** The usual path: verbs read before they write, so that a refused verb has changed nothing. Null if a verb failed after
   *  it had written: then the batch starts over with a savepoint around each verb, for which SQLite copies every page
   *  that it touches. */
  #runAll(batch: Batch): Outcome[] | null {
    const outcomes: Outcome[] = [];
    for (const item of batch) {
      this.#connection.hasWritten = false;
      const outcome = this.#runOne(item);
      if (!('value' in outcome) && this.#connection.hasWritten) return null;
      outcomes.push(outcome);
    }
    return outcomes;
  }

  #runApart(item: Batch[number]): Outcome {
    const head = this.#head;
    this.#connection.all('SAVEPOINT item');
    const outcome = this.#runOne(item);
    if ('value' in outcome) writeSums(this.#connection, this.#sums);
    else {
      this.#head = head;
      this.#sums.forget();
      this.#connection.all('ROLLBACK TO item');
    }
    this.#connection.all('RELEASE item');
    return outcome;
  }

  #runOne([name, input]: Batch[number]): Outcome {
    try {
      const verb = requireWrite(name);
      if (!verb.readsPendingSums) writeSums(this.#connection, this.#sums);
      const value = this.#connection.run(verb(input), this.#effects);
      // JSON would drop undefined, and with it the outcome.
      return { value: value ?? null };
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error.toPlain() };
      // A full or failing disk may have ended the whole transaction: then the batch fails, not the item.
      if (toFaultKind(error) !== 'other') throw error;
      return { fault: toPlainFault(error) };
    }
  }

  #append(change: Change): number {
    this.#changeKey();
    return this.#appendRow(change);
  }

  #appendRow(change: Change): number {
    const position = this.#head.position + 1;
    const link = toLink(this.#head.link, position, change, this.#key);
    const { at, space, by, action, entry, request, details } = change;
    this.#connection.insert(intoJournal, [position, at, space, by, action, entry, request, details, link]);
    this.#head = { position, link };
    return position;
  }

  #rollBack(): void {
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // SQLite had already ended the transaction.
    }
  }

  checkpoint(): void {
    if (!this.#syncs.haveFailed) checkpoint(this.#connection, 'PASSIVE');
  }

  /** A few free pages at a time, because the writer is blocked meanwhile. */
  giveBack(): void {
    if (this.#syncs.haveFailed) return;
    try {
      this.#connection.all('PRAGMA incremental_vacuum(256)');
    } catch (error) {
      if (toFaultKind(error) === 'fatal') throw error;
      // On a full disk, try again later.
    }
  }

  finish(): FinishResult {
    try {
      this.#syncs.check();
      this.#mark('closed');
      return { isLogEmpty: checkpoint(this.#connection, 'TRUNCATE') === 0 };
    } catch (error) {
      this.#syncs.fail();
      return { fault: toPlainFault(error) };
    }
  }

  close(): void {
    this.#connection.close();
  }
}

function toPlainFault(error: unknown): PlainFault {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: toFaultKind(error), message };
}

function serve(data: WriterData): void {
  const { syncs: shared, commitCounter: sharedCounter } = data;
  const post = (message: FromWriter) => parentPort?.postMessage(message);
  const syncs = new SyncGuard(shared);
  const commitCounter = new CommitCounter(sharedCounter);
  let writer: Writer;
  try {
    writer = new Writer(data, syncs);
  } catch (error) {
    post({ failed: toPlainFault(error) });
    return;
  }
  const own = parentPort as MessagePort;
  const senders = [own];
  const handle = (message: ToWriter) => {
    if ('worker' in message) take(message.worker);
    else if ('finish' in message) post({ finished: writer.finish() });
    else if ('close' in message) {
      writer.close();
      for (const sender of senders) sender.close();
    } else if ('journalKey' in message) failingAll(syncs, () => writer.useKey(message.journalKey));
    else if ('checkpoint' in message) failingAll(syncs, () => writer.checkpoint());
    else if ('giveBack' in message) failingAll(syncs, () => writer.giveBack());
  };
  const take = (sender: MessagePort) => {
    if (sender !== own) {
      senders.push(sender);
      // From here on it receives every report.
      sender.postMessage({ outcomes: '[]', number: commitCounter.last } satisfies FromWriter);
    }
    sender.on('message', (message: ToWriter) => {
      if (!('batch' in message)) return handle(message);
      const { taken, others } = takeWaiting({ sender, items: unpack(message.batch) }, senders, writer.enoughWrites);
      sendReports(taken, writer.commit(taken.flatMap(({ items }) => items)), senders, commitCounter);
      others.forEach(handle);
    });
    sender.once('close', () => senders.splice(senders.indexOf(sender), 1));
  };
  take(own);
  post({ ready: true, wasClosed: writer.wasClosed });
}

type Other = Exclude<ToWriter, { batch: PackedBatch }>;

interface SenderBatch {
  sender: MessagePort;
  items: Batch;
}

/** Batches that arrived during the last sync share a transaction, and so its sync and the pages that they touch. `others`
 *  are the remaining messages. */
function takeWaiting(
  first: SenderBatch,
  senders: readonly MessagePort[],
  enoughWrites: number,
): { taken: SenderBatch[]; others: Other[] } {
  const taken = [first];
  const others: Other[] = [];
  // First one batch of each sender: nobody waits forever behind a sender that always has more.
  for (const sender of senders) if (sender !== first.sender) takeNext(sender, taken, others);
  for (const sender of senders) while (countWrites(taken) < enoughWrites && takeNext(sender, taken, others));
  return { taken, others };
}

/** Reports to each sender the outcomes of its writes and, if pages are cached, what the others have changed. */
function sendReports(
  taken: readonly SenderBatch[],
  outcomes: readonly Outcome[],
  senders: readonly MessagePort[],
  commitCounter: CommitCounter,
): void {
  const written = taken.flatMap(({ sender, items }) => items.map(([name]) => ({ sender, name })));
  const isForAll = senders.length > 1 && commitCounter.isWatched;
  const changes = written.map(({ name }, index) => (isForAll ? toChange(name, outcomes[index] as Outcome) : null));
  const number = changes.some((change) => change !== null) ? commitCounter.next() : commitCounter.last;
  for (const sender of senders) {
    const report: (Outcome | ForeignChange)[] = [];
    for (const [index, { sender: by }] of written.entries()) {
      const change = changes[index] ?? null;
      if (by === sender) report.push(outcomes[index] as Outcome);
      else if (change !== null) report.push({ change });
    }
    if (report.length > 0) sender.postMessage({ outcomes: JSON.stringify(report), number } satisfies FromWriter);
  }
}

function toChange(name: string, outcome: Outcome): PageChange | null {
  return 'value' in outcome ? toChangeOf(name, outcome.value) : null;
}

/** Whether there was another batch. */
function takeNext(sender: MessagePort, taken: SenderBatch[], others: Other[]): boolean {
  const next = receiveMessageOnPort(sender)?.message as ToWriter | undefined;
  if (next === undefined) return false;
  if ('batch' in next) taken.push({ sender, items: unpack(next.batch) });
  else others.push(next);
  return 'batch' in next;
}

function countWrites(taken: readonly SenderBatch[]): number {
  return taken.reduce((sum, { items }) => sum + items.length, 0);
}

/** The thread ends with the error. Before that, the others learn that nothing may be synced any more. */
function failingAll(syncs: SyncGuard, work: () => void): void {
  try {
    work();
  } catch (error) {
    syncs.fail();
    throw error;
  }
}

serve(workerData as WriterData);
