// What a batch of like requests costs: the time of each, as the client sees it, and the CPU time of the service per request.

import { availableParallelism } from 'node:os';
import type { Children } from './children.ts';
import type { Options } from './options.ts';
import { readCpuMicros, readMachineCpuMicros, readStolenMs, readThreadMicros } from './process-cost.ts';
import { sleep } from './scenario.ts';
import { askIndex, isInStep, type Service } from './service.ts';
import { median } from './table.ts';

/** `cpuMicros` is null away from Linux. */
export type Cost = { ms: number; cpuMicros: number | null };

/** Resolves to how long the request took, in milliseconds. */
export type Request = () => Promise<number>;

export async function measureBatch(pid: number, requests: readonly Request[], inFlight: number): Promise<Cost> {
  const times: number[] = [];
  const waiting = requests.values();
  const before = readThreadMicros(pid);
  const work = async () => {
    for (const request of waiting) times.push(await request());
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const after = readThreadMicros(pid);
  const cpuMicros = before === null || after === null ? null : (after - before) / requests.length;
  return { ms: median(times), cpuMicros };
}

/** Of one core. A service that is being profiled is never quite still. */
const quietShare = 0.2;
const lookEveryMs = 500;

/** Waits until the service has nothing left to do from before: indexing, checkpoints. Then both rest. */
export async function untilQuiet(children: Children, { pid }: Service, options: Options): Promise<void> {
  const until = performance.now() + 1000 * options.waitSeconds;
  while (performance.now() < until && !isInStep(await askIndex(children, options, 'status'))) await sleep(lookEveryMs);
  for (let quiet = 0; quiet < 2 && performance.now() < until; ) {
    const before = readThreadMicros(pid);
    if (before === null) return;
    await sleep(lookEveryMs);
    const spentMicros = (readThreadMicros(pid) ?? before) - before;
    quiet = spentMicros < quietShare * lookEveryMs * 1000 ? quiet + 1 : 0;
  }
  await sleep(1000 * options.restSeconds);
}

/** What the host of the machine takes of its cores, from when this is made. */
export class Taken {
  readonly #startMs = performance.now();
  readonly #stolenMs = sum(readStolenMs());

  percent(): number {
    const elapsedMs = (performance.now() - this.#startMs) * availableParallelism();
    return (100 * (sum(readStolenMs()) - this.#stolenMs)) / elapsedMs;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** What everything else on the machine uses of its cores, from when this is made. */
export class Neighbours {
  readonly #startMs = performance.now();
  readonly #machineMicros = readMachineCpuMicros();
  readonly #ourMicros = readCpuMicros(process.pid);

  /** Null away from Linux. Our own process tree has the service in it. */
  percent(): number | null {
    const [machine, ours] = [readMachineCpuMicros(), readCpuMicros(process.pid)];
    if (machine === null || ours === null || this.#machineMicros === null || this.#ourMicros === null) return null;
    const othersMicros = machine - this.#machineMicros - (ours - this.#ourMicros);
    const elapsedMicros = (performance.now() - this.#startMs) * 1000 * availableParallelism();
    return Math.max(0, (100 * othersMicros) / elapsedMicros);
  }
}
