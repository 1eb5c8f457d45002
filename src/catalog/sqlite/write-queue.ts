// The writes of one thread on their way to the writer. Writes are batched without a timer: while the writer commits, the
// next batches fill here and wait there. Only patient writes have one: where others are frequent, they wait for the next.

import { Fault } from '../../domain/fault.ts';
import { Refusal } from '../../domain/refusal.ts';
import { registry } from '../catalog.ts';
import type { PageChange } from '../page-cache/page-change.ts';
import { toChangeOf } from '../page-cache/to-change-of.ts';
import { type PackedBatch, pack } from './transport.ts';
import type { CommitReport, ForeignChange, Outcome } from './writer.ts';

// Several small batches: while the writer commits one, the answers of the previous one are sent and the next one fills.
const maxItems = 32;
const maxBatches = 4;
const maxBatchBytes = 4 * 1024 * 1024;
/** How long a patient write waits at most, and how lately another write must have come. */
const patienceMs = 5;
const busyMs = 50;

interface WaitingWrite {
  name: string;
  input: unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface Batch {
  items: WaitingWrite[];
  sentAt: number;
}

export interface WriteQueueEvents {
  /** Called once, when the writer can no longer guarantee durability. */
  onFatal: (fault: Fault) => void;
  /** Called after every commit with writes of this thread. */
  onCommitted?: () => void;
  /** Called for every such commit: the number of writes of this thread, and the duration of the first one in seconds. */
  onBatch?: (writes: number, seconds: number) => void;
  /** Called for every commit that the writer reports, before those who wait for it: what it changes of cached pages. */
  onChanges?: (changes: PageChange[], number: number) => void;
}

export class WriteQueue {
  readonly #post: (batch: PackedBatch) => void;
  readonly #events: WriteQueueEvents;
  readonly #now: () => number;
  #waiting: WaitingWrite[] = [];
  #patient: WaitingWrite[] = [];
  #patience: NodeJS.Timeout | undefined;
  #lastHurriedAt = Number.NEGATIVE_INFINITY;
  /** Batches that the writer has: those that it commits, and a few to continue with at once. */
  readonly #running: Batch[] = [];
  #isScheduled = false;
  #dead: Fault | null = null;
  #onIdle: (() => void) | null = null;
  #isClosed = false;

  constructor(post: (batch: PackedBatch) => void, events: WriteQueueEvents, now = () => performance.now()) {
    this.#post = post;
    this.#events = events;
    this.#now = now;
  }

  get isDead(): boolean {
    return this.#dead !== null;
  }

  get #isIdle(): boolean {
    return this.#running.length + this.#waiting.length + this.#patient.length === 0;
  }

  get isAtRest(): boolean {
    return this.#running.length === 0;
  }

  write<Input, Result>(name: string, input: Input): Promise<Result> {
    if (this.#dead !== null) return Promise.reject(this.#dead);
    if (this.#isClosed) return Promise.reject(new Fault('other', 'the catalog is closed'));
    const verb = registry.get(name);
    if (verb?.kind !== 'write') return Promise.reject(new Error(`there is no verb ${name}`));
    return new Promise<Result>((resolve, reject) => {
      const item = { name, input, resolve: resolve as (value: unknown) => void, reject };
      if (verb.isPatient && this.#isAnotherLikely()) this.#hold(item);
      else this.#push(item, !verb.isPatient);
    });
  }

  /** Not where a batch is about to be sent: it takes what comes. */
  #isAnotherLikely(): boolean {
    return !this.#isScheduled && this.#now() - this.#lastHurriedAt < busyMs;
  }

  #push(item: WaitingWrite, isHurried: boolean): void {
    if (isHurried) this.#lastHurriedAt = this.#now();
    this.#waiting.push(item);
    this.#release();
  }

  #hold(item: WaitingWrite): void {
    this.#patient.push(item);
    this.#patience ??= setTimeout(() => this.#release(), patienceMs);
  }

  #release(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#waiting.push(...this.#patient.splice(0));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running.length >= maxBatches || this.#waiting.length === 0) return;
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
    this.#post(pack(items.map(({ name, input }) => [name, input])));
    this.#schedule();
  }

  /** Handles the report of one commit, which may cover several batches of this thread and writes of others. */
  settle({ outcomes, number }: CommitReport): void {
    if (this.#dead !== null) return;
    const report = JSON.parse(outcomes) as (Outcome | ForeignChange)[];
    const own = report.filter((one): one is Outcome => !('change' in one));
    const sentAt = this.#running[0]?.sentAt ?? 0;
    const settled: WaitingWrite[] = [];
    while (settled.length < own.length) settled.push(...(this.#running.shift() as Batch).items);
    this.#events.onChanges?.(toChanges(report, settled), number);
    if (own.length === 0) return;
    for (const [index, outcome] of own.entries()) {
      const { resolve, reject } = settled[index] as WaitingWrite;
      if ('value' in outcome) resolve(outcome.value);
      else if ('refusal' in outcome) reject(Refusal.from(outcome.refusal));
      else reject(this.#toFault(outcome.fault));
    }
    this.#events.onCommitted?.();
    this.#events.onBatch?.(settled.length, (performance.now() - sentAt) / 1000);
    this.#schedule();
    if (this.#isIdle) this.#onIdle?.();
  }

  #toFault({ kind, message }: { kind: Fault['kind']; message: string }): Fault {
    const fault = new Fault(kind, message);
    if (kind === 'fatal') this.die(fault);
    return fault;
  }

  /** Rejects everything that waits, and everything from now on. */
  die(fault: Fault): void {
    if (this.#dead !== null) return;
    this.#dead = fault;
    clearTimeout(this.#patience);
    const lost = [...this.#running.flatMap(({ items }) => items), ...this.#waiting, ...this.#patient];
    for (const { reject } of lost) reject(fault);
    this.#running.length = 0;
    this.#waiting = [];
    this.#patient = [];
    this.#onIdle?.();
    this.#events.onFatal(fault);
  }

  /** Commits everything that was submitted before; later writes are rejected. */
  async close(): Promise<void> {
    this.#release();
    if (!this.#isIdle) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#isClosed = true;
  }
}

/** As many as fit into the limits, and at least one. */
function countForBatch(waiting: readonly WaitingWrite[]): number {
  let bytes = 0;
  for (const [index, { input }] of waiting.entries()) {
    if (index >= maxItems || bytes > maxBatchBytes) return index;
    bytes += (input as { content?: { bytes?: Uint8Array | null } }).content?.bytes?.byteLength ?? 0;
  }
  return waiting.length;
}

/** In the order of the commit. */
function toChanges(report: readonly (Outcome | ForeignChange)[], settled: readonly WaitingWrite[]): PageChange[] {
  const changes: PageChange[] = [];
  let at = 0;
  for (const one of report) {
    if ('change' in one) changes.push(one.change);
    else {
      const { name } = settled[at] as WaitingWrite;
      const change = 'value' in one ? toChangeOf(name, one.value) : null;
      if (change !== null) changes.push(change);
      at += 1;
    }
  }
  return changes;
}
