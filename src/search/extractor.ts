// Takes text out of documents in a thread of its own, bounded from outside in processor time and memory: a thread that takes too
// long or too much is ended, and the next document gets a new one. Nothing that a document does can do more harm.

import { Worker } from 'node:worker_threads';
import type { FromExtractor, ToExtractor } from './extractor-thread.ts';

export const mostDocumentBytes = 32 * 1024 * 1024;
const heapMib = 256;
/** Memory outside the heap, which `resourceLimits` does not see: streams that unpack to more and more. */
const mostOutsideBytes = 384 * 1024 * 1024;
const lookEveryMs = 50;
/** The limit is of processor time: on a busy machine a thread waits for its turn most of the time. One that
 *  uses none at all is given up after so many times the limit. */
const waitingFactor = 10;
/** An idle thread is kept for a while, for documents come in heaps. */
const idleMs = 10_000;

export class Extractor {
  readonly #timeoutMs: number;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** One at a time. Never rejects: what cannot be read has a reason. */
  async extract(asked: ToExtractor): Promise<FromExtractor> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#worker ??= startThread();
    const worker = this.#worker;
    const watch = new Watch(worker, this.#timeoutMs);
    worker.postMessage(asked, [asked.bytes.buffer]);
    const outcome = await watch.outcome;
    if (watch.isEnded) {
      this.#worker = null;
      await worker.terminate();
    } else this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    return outcome;
  }

  async close(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./extractor-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: 32 },
    // What libraries have to say about a document is nobody's business.
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/** Waits for one outcome; whatever comes first. */
class Watch {
  readonly outcome: Promise<FromExtractor>;
  /** Whether the thread is over, or has to be ended. */
  isEnded = false;

  constructor(worker: Worker, timeoutMs: number) {
    this.outcome = new Promise((resolve) => {
      const settle = (outcome: FromExtractor, isEnded: boolean) => {
        this.isEnded = isEnded;
        clearTimeout(timer);
        clearInterval(looks);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        // A thread that is being ended may still fail; nobody waits for it any more.
        if (isEnded) worker.on('error', () => undefined);
        resolve(outcome);
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
