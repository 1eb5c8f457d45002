// The load generator: its own process, which takes one job on standard input, keeps one request outstanding on each connection,
// and prints one result. It stops at the first wrong answer. It is light, because it shares two cores with the server.

import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { type Answered, Connection } from './connection.ts';
import type { Job, JobResult, Measurement } from './job.ts';
import { readCpuMicros, readDiskBytes, readMachineCpuMicros, readPeakRssBytes, resetPeakRss } from './process-cost.ts';
import { sleep } from './scenario.ts';
import { difference, quantile } from './table.ts';

const answerTimeoutMs = 20_000;

type Edge = {
  atMs: number;
  serverCpuMicros: number | null;
  serverDiskBytes: number | null;
  generatorCpuMicros: number;
  machineCpuMicros: number | null;
};

class Load {
  #job: Job;
  #connections: Connection[] = [];
  #latencies = new Float64Array(1 << 16);
  #sent = 0;
  #answered = 0;
  #outstanding = 0;
  #counted = 0;
  #isCounting = false;
  #isStopping = false;
  #failure: string | null = null;
  #settle: () => void = () => {};

  constructor(job: Job) {
    this.#job = job;
  }

  async run(): Promise<JobResult> {
    const { limit } = this.#job;
    const settled = new Promise<void>((resolve) => {
      this.#settle = resolve;
    });
    for (let index = 0; index < this.#job.connections; index++) {
      const connection = new Connection(this.#job, (answered) => this.#take(connection, answered));
      this.#connections.push(connection);
    }
    await Promise.all(this.#connections.map((connection) => connection.open()));
    for (const connection of this.#connections) this.#send(connection);
    let measured: Measurement | null = null;
    if ('seconds' in limit) {
      await Promise.race([sleep(limit.warmupSeconds * 1000), settled]);
      const start = this.#startCounting();
      await Promise.race([sleep(limit.seconds * 1000), settled]);
      await this.#waitForFirst();
      measured = this.#stopCounting(start);
    }
    await Promise.race([settled, this.#watchSilence()]);
    for (const connection of this.#connections) connection.close();
    return { answered: this.#answered, measured, failure: this.#failure };
  }

  #send(connection: Connection): void {
    const { limit } = this.#job;
    const isSpent = 'requests' in limit && this.#sent >= limit.requests;
    if (this.#isStopping || isSpent) {
      if (this.#outstanding === 0) this.#settle();
      return;
    }
    this.#outstanding++;
    connection.send(this.#sent++);
  }

  #take(connection: Connection, answered: Answered): void {
    this.#outstanding--;
    if (answered.failure !== null) {
      this.#failure ??= answered.failure;
      this.#isStopping = true;
      this.#settle();
      return;
    }
    this.#answered++;
    if (this.#isCounting) this.#count(answered.latencyMs);
    this.#send(connection);
  }

  #count(latencyMs: number): void {
    if (this.#counted === this.#latencies.length) {
      const larger = new Float64Array(2 * this.#latencies.length);
      larger.set(this.#latencies);
      this.#latencies = larger;
    }
    this.#latencies[this.#counted++] = latencyMs;
  }

  #startCounting(): Edge {
    for (const pid of this.#job.serverPids) resetPeakRss(pid);
    const edge = this.#readEdge();
    this.#isCounting = true;
    return edge;
  }

  /** A short time can pass without an answer. */
  async #waitForFirst(): Promise<void> {
    const until = performance.now() + answerTimeoutMs;
    while (this.#counted === 0 && this.#failure === null && performance.now() < until) await sleep(10);
  }

  #stopCounting(start: Edge): Measurement | null {
    this.#isCounting = false;
    this.#isStopping = true;
    const end = this.#readEdge();
    const sorted = this.#latencies.subarray(0, this.#counted).sort();
    if (this.#counted === 0) return null;
    return {
      requests: this.#counted,
      seconds: (end.atMs - start.atMs) / 1000,
      p50Ms: quantile(sorted, 0.5),
      p95Ms: quantile(sorted, 0.95),
      p99Ms: quantile(sorted, 0.99),
      serverCpuMicros: difference(end.serverCpuMicros, start.serverCpuMicros),
      serverPeakRssBytes: sum(this.#job.serverPids, readPeakRssBytes),
      serverDiskBytes: difference(end.serverDiskBytes, start.serverDiskBytes),
      generatorCpuMicros: end.generatorCpuMicros - start.generatorCpuMicros,
      neighboursShare: toNeighboursShare(start, end),
    };
  }

  #readEdge(): Edge {
    const serverCpuMicros = sum(this.#job.serverPids, readCpuMicros);
    const serverDiskBytes = sum(this.#job.serverPids, readDiskBytes);
    const { user, system } = process.cpuUsage();
    const machineCpuMicros = readMachineCpuMicros();
    const generatorCpuMicros = user + system;
    return { atMs: performance.now(), serverCpuMicros, serverDiskBytes, generatorCpuMicros, machineCpuMicros };
  }

  /** Ends the wait when no answer has come for a while; a slow server that still answers is only slow. */
  async #watchSilence(): Promise<void> {
    for (let seen = -1; seen !== this.#answered; ) {
      seen = this.#answered;
      await sleep(answerTimeoutMs);
    }
    this.#failure ??= `no answer for ${answerTimeoutMs / 1000} s with ${this.#outstanding} requests outstanding`;
  }
}

function toNeighboursShare(start: Edge, end: Edge): number | null {
  const machineMicros = difference(end.machineCpuMicros, start.machineCpuMicros);
  const serverMicros = difference(end.serverCpuMicros, start.serverCpuMicros);
  if (machineMicros === null || serverMicros === null) return null;
  const ours = serverMicros + end.generatorCpuMicros - start.generatorCpuMicros;
  return Math.max(0, (machineMicros - ours) / ((end.atMs - start.atMs) * 1000 * availableParallelism()));
}

/** Null if one of them is not known. */
function sum(pids: readonly number[], read: (pid: number) => number | null): number | null {
  return pids.map(read).reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

async function runJob(job: Job): Promise<JobResult> {
  try {
    return await new Load(job).run();
  } catch (error) {
    return { answered: 0, measured: null, failure: (error as Error).message };
  }
}

const result = await runJob(JSON.parse(await text(process.stdin)) as Job);
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
