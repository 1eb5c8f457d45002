// Saves at a steady rate until its input ends: its own process, so that the benchmark delays none of them. One line of JSON in,
// one out. A save that is due waits for a free connection, and that wait counts.

import { createInterface } from 'node:readline';
import { Connection } from './connection.ts';
import type { Job } from './job.ts';
import { readStolenMs } from './process-cost.ts';
import { sleep } from './scenario.ts';

export type SaverJob = { job: Job; perSecond: number };

/** `startedAt`: milliseconds since 1970 at which each save was due; `latencyMs`: how long after it was answered; `stolenMs`: what the
 *  host of the machine took from one of its cores meanwhile, at least. */
export type SaverResult = { failure: string | null; startedAt: number[]; latencyMs: number[]; stolenMs: number[] };

const turnEveryMs = 1;
/** The kernel counts what was stolen in steps of this. */
const lookEveryMs = 10;
const lastAnswerMs = 20_000;

class Saver {
  readonly #perSecond: number;
  readonly #connections: Connection[] = [];
  readonly #free: number[] = [];
  /** When the save on each connection was due. */
  readonly #due: number[] = [];
  readonly #waitedMs: number[] = [];
  readonly #queue: number[] = [];
  readonly #stolen = new Stolen();
  readonly #result: SaverResult = { failure: null, startedAt: [], latencyMs: [], stolenMs: [] };
  #startMs = 0;
  #planned = 0;
  #sent = 0;
  #isStopping = false;

  constructor({ job, perSecond }: SaverJob) {
    this.#perSecond = perSecond;
    for (let index = 0; index < job.connections; index++) {
      this.#connections.push(new Connection(job, (answered) => this.#take(index, answered)));
      this.#free.push(index);
    }
  }

  async start(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.open()));
    this.#startMs = performance.now();
    this.#stolen.look();
    setInterval(() => this.#plan(), turnEveryMs);
    setInterval(() => this.#stolen.look(), lookEveryMs);
  }

  /** However soon: one was answered at least. */
  async stop(): Promise<SaverResult> {
    const until = performance.now() + lastAnswerMs;
    while (this.#result.startedAt.length === 0 && !this.#isStopping && performance.now() < until) await sleep(10);
    this.#isStopping = true;
    while (this.#free.length < this.#connections.length && performance.now() < until) await sleep(10);
    if (this.#free.length < this.#connections.length) this.#result.failure ??= 'a save was not answered';
    return this.#result;
  }

  #plan(): void {
    if (this.#isStopping) return;
    const now = performance.now();
    const due = Math.floor(((now - this.#startMs) * this.#perSecond) / 1000);
    // A turn that comes late is the generator's own delay; only waiting for a connection is the service's.
    for (; this.#planned < due; this.#planned++) this.#queue.push(now);
    this.#sendAll();
  }

  #sendAll(): void {
    while (this.#queue.length > 0) {
      // In turn, so that none is idle for so long that the service closes it.
      const index = this.#free.shift();
      if (index === undefined) return;
      const due = this.#queue.shift() as number;
      this.#due[index] = due;
      this.#waitedMs[index] = performance.now() - due;
      this.#connections[index]?.send(this.#sent++);
    }
  }

  #take(index: number, { latencyMs, failure }: { latencyMs: number; failure: string | null }): void {
    if (failure !== null) {
      this.#result.failure ??= failure;
      this.#isStopping = true;
    } else {
      const due = this.#due[index] ?? 0;
      const tookMs = latencyMs + (this.#waitedMs[index] ?? 0);
      this.#result.startedAt.push(performance.timeOrigin + due);
      this.#result.latencyMs.push(tookMs);
      // Most are over before the kernel counts; what matters are the long ones.
      this.#result.stolenMs.push(tookMs < lookEveryMs ? 0 : this.#stolen.since(due));
    }
    this.#free.push(index);
    if (!this.#isStopping) this.#sendAll();
  }
}

/** What the host took, looked at now and then. */
class Stolen {
  #looks: { at: number; ofCores: number[] }[] = [];

  look(): void {
    this.#looks.push({ at: performance.now(), ofCores: readStolenMs() });
    if (this.#looks.length > 10_000) this.#looks = this.#looks.slice(-5000);
  }

  /** From the core that lost most, since the first look behind that time: rather too little than too much. */
  since(at: number): number {
    const first = this.#looks[this.#looks.findLastIndex((look) => look.at < at) + 1];
    if (first === undefined) return 0;
    return Math.max(0, ...readStolenMs().map((ms, core) => ms - (first.ofCores[core] ?? 0)));
  }
}

const lines = createInterface({ input: process.stdin });
let saver: Saver | null = null;
for await (const line of lines) {
  saver = new Saver(JSON.parse(line) as SaverJob);
  await saver.start();
}
const result = await saver?.stop();
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
