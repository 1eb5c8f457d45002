// Saves at a steady rate until its input ends: a process of its own, so that what else the benchmark does delays none of them. One
// line of JSON in, one out. A save whose turn has come waits for a free connection, and that waiting counts.

import { createInterface } from 'node:readline';
import { Connection } from './connection.ts';
import type { Job } from './job.ts';

export type SaverJob = { job: Job; perSecond: number };

/** `startedAt`: milliseconds since 1970 at which each save was due; `latencyMs`: how long after it was answered. */
export type SaverResult = { failure: string | null; startedAt: number[]; latencyMs: number[] };

const turnEveryMs = 1;
const lastAnswerMs = 20_000;

class Saver {
  readonly #perSecond: number;
  readonly #connections: Connection[] = [];
  readonly #free: number[] = [];
  /** When the save on each connection was due. */
  readonly #due: number[] = [];
  readonly #waitedMs: number[] = [];
  readonly #queue: number[] = [];
  readonly #result: SaverResult = { failure: null, startedAt: [], latencyMs: [] };
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
    setInterval(() => this.#plan(), turnEveryMs);
  }

  async stop(): Promise<SaverResult> {
    this.#isStopping = true;
    const until = performance.now() + lastAnswerMs;
    while (this.#free.length < this.#connections.length && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
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
      this.#result.startedAt.push(performance.timeOrigin + (this.#due[index] ?? 0));
      this.#result.latencyMs.push(latencyMs + (this.#waitedMs[index] ?? 0));
    }
    this.#free.push(index);
    if (!this.#isStopping) this.#sendAll();
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
