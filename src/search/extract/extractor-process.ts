// The process that reads documents, one at a time: a thread does it, and this one watches the thread's processor time and memory. What
// takes too much is given up, and whoever started the process ends it. A thread cannot be ended safely while it may be inside of a
// library: Node aborts the whole process when that happens between making and initializing a zlib stream.

import { Worker } from 'node:worker_threads';
import type { FromExtractor, ToExtractor } from './extractor-thread.ts';

const heapMib = 256;
/** Memory outside the heap, which `resourceLimits` does not see: streams that unpack to more and more. */
const mostOutsideBytes = 384 * 1024 * 1024;
const lookEveryMs = 50;
/** The limit is of processor time: on a busy machine a thread waits for its turn most of the time. One that
 *  uses none at all is given up after so many times the limit. */
const waitingFactor = 10;

export interface ToProcess extends ToExtractor {
  timeoutMs: number;
}

export interface FromProcess {
  outcome: FromExtractor;
  /** Whether the process can read no more. */
  isOver: boolean;
}

const thread = startThread();
process.on('message', async ({ timeoutMs, ...asked }: ToProcess) => {
  const read = watch(thread, timeoutMs);
  thread.postMessage(asked);
  process.send?.((await read) satisfies FromProcess);
});
// Whoever stops the service may signal all of its processes. This one ends when nobody listens to it any more.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

function startThread(): Worker {
  return new Worker(new URL('./extractor-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: 32 },
  });
}

/** Waits for one outcome; whatever comes first. */
function watch(worker: Worker, timeoutMs: number): Promise<FromProcess> {
  return new Promise((resolve) => {
    const settle = (outcome: FromExtractor, isOver: boolean) => {
      clearTimeout(timer);
      clearInterval(looks);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      // A thread that is given up may still fail; nobody waits for it any more.
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
    const looks = setInterval(async () => {
      if (await isTooLarge(worker)) settle({ reason: 'it took too much memory' }, true);
      if ((await used.ms()) > timeoutMs) giveUp();
    }, lookEveryMs);
  });
}

/** What a thread has used of the processor since this was made. */
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

/** Answered by the engine itself, also while a loop without end keeps the thread busy. */
async function isTooLarge(worker: Worker): Promise<boolean> {
  try {
    const { external_memory: outsideBytes, malloced_memory: mallocedBytes } = await worker.getHeapStatistics();
    return outsideBytes + mallocedBytes > mostOutsideBytes;
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
