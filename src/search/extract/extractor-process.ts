// The process that reads documents, one at a time. A worker thread does it, and this thread watches its CPU time and memory. A
// document that takes too much is given up, and the parent kills the process. A thread cannot be terminated safely while it may be
// inside a library: Node aborts the whole process when that happens between creating and initializing a zlib stream.

import { Worker } from 'node:worker_threads';
import type { FromExtractor, ToExtractor } from './extractor-thread.ts';

const heapMib = 256;
/** Memory outside the heap, which `resourceLimits` does not see: streams that unpack to more and more. */
const maxExternalBytes = 384 * 1024 * 1024;
const checkMs = 50;
/** The limit is in CPU time, because on a busy machine a thread waits most of the time. One that uses none is given up after so
 *  many times the limit. */
const waitingFactor = 10;

export interface ToProcess extends ToExtractor {
  timeoutMs: number;
}

export interface FromProcess {
  outcome: FromExtractor;
  /** Whether the process cannot read any more documents. */
  isOver: boolean;
}

const thread = startThread();
process.on('message', async ({ timeoutMs, ...request }: ToProcess) => {
  const read = watch(thread, timeoutMs);
  thread.postMessage(request);
  process.send?.((await read) satisfies FromProcess);
});
// Stopping the service may signal all of its processes. This one ends when its parent is gone.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

function startThread(): Worker {
  return new Worker(new URL('./extractor-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: 32 },
  });
}

/** Waits for the outcome, an error, or a limit. */
function watch(worker: Worker, timeoutMs: number): Promise<FromProcess> {
  return new Promise((resolve) => {
    const settle = (outcome: FromExtractor, isOver: boolean) => {
      clearTimeout(timer);
      clearInterval(checks);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      // A thread that is given up may still emit an error.
      if (isOver) worker.on('error', () => undefined);
      resolve({ outcome, isOver });
    };
    const onMessage = (outcome: FromExtractor) => settle(outcome, false);
    const onError = (error: Error) => settle({ reason: explain(error) }, true);
    const onExit = () => settle({ reason: 'reading it ended the thread' }, true);
    worker.once('message', onMessage).once('error', onError).once('exit', onExit);
    const giveUp = () => settle({ reason: `it took longer than ${timeoutMs / 1000} s` }, true);
    const timer = setTimeout(giveUp, waitingFactor * timeoutMs);
    const used = new ProcessorTime(worker);
    const checks = setInterval(async () => {
      if (await isTooLarge(worker)) settle({ reason: 'it took too much memory' }, true);
      if ((await used.ms()) > timeoutMs) giveUp();
    }, checkMs);
  });
}

/** The CPU time of a thread since this was created. */
class ProcessorTime {
  readonly #worker: Worker;
  #before: number | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  async ms(): Promise<number> {
    const { user, system } = await this.#worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    this.#before ??= user + system;
    return (user + system - this.#before) / 1000;
  }
}

/** V8 answers this itself, also while an endless loop keeps the thread busy. */
async function isTooLarge(worker: Worker): Promise<boolean> {
  try {
    const { external_memory: externalBytes, malloced_memory: mallocedBytes } = await worker.getHeapStatistics();
    return externalBytes + mallocedBytes > maxExternalBytes;
  } catch {
    return false;
  }
}

function explain(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'it took too much memory'
    : `it cannot be read: ${String(error).slice(0, 200)}`;
}
