// Takes text out of documents in a process of its own. Reading a document may hang, run out of memory or abort the process: only that
// process ends then, and the next document gets a new one. `extractor-process.ts` is the other side, and watches time and memory.

import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import type { FromProcess, ToProcess } from './extractor-process.ts';
import type { FromExtractor, ToExtractor } from './extractor-thread.ts';

export const mostDocumentBytes = 32 * 1024 * 1024;
const extractorProgram = join(import.meta.dirname, 'extractor-process.ts');
/** An idle process is kept for a while, for documents come in heaps. */
const idleMs = 10_000;
/** Signals that whoever stops the service sends to all of its processes: the document is not to blame. */
const stopSignals: ReadonlySet<string | null> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);

/** `null`: it was not read to its end, for reasons that are not in the document. */
export type Extracted = FromExtractor | null;

export class Extractor {
  readonly #timeoutMs: number;
  readonly #program: string;
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;

  /** `program`: for tests, of one that fails. */
  constructor(timeoutMs: number, program = extractorProgram) {
    this.#timeoutMs = timeoutMs;
    this.#program = program;
  }

  /** One at a time. Never rejects: what cannot be read has a reason. */
  async extract(asked: ToExtractor): Promise<Extracted> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const child = this.#child;
    const { outcome, isOver } = await exchange(child, { ...asked, timeoutMs: this.#timeoutMs });
    if (isOver) await this.close();
    else this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    return outcome;
  }

  #start(): ChildProcess {
    const child = startProcess(this.#program);
    child.once('exit', () => {
      if (this.#child === child) this.#child = null;
    });
    return child;
  }

  async close(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const child = this.#child;
    this.#child = null;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref();
    child.kill('SIGKILL');
    await ended;
  }
}

function startProcess(program: string): ChildProcess {
  const compiled = getCompileCacheDir();
  const child = fork(program, {
    // Documents come from anyone: what reads them knows none of our settings.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
    execArgv: [],
    serialization: 'advanced',
    // What libraries have to say about a document is nobody's business.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // One that is being ended may still fail; nobody waits for it then.
  child.on('error', () => undefined);
  // It keeps nobody from ending.
  child.unref();
  child.channel?.unref();
  return child;
}

interface Exchanged {
  outcome: Extracted;
  /** Whether the process is over, or has to be ended. */
  isOver: boolean;
}

/** Hands over one document and waits for what comes first: an outcome, or the end of the process. */
function exchange(child: ChildProcess, asked: ToProcess): Promise<Exchanged> {
  child.ref();
  child.channel?.ref();
  return new Promise((resolve) => {
    const settle = (exchanged: Exchanged) => {
      child.off('message', onMessage).off('error', onError).off('exit', onExit);
      child.unref();
      child.channel?.unref();
      resolve(exchanged);
    };
    const onMessage = (message: unknown) => settle(message as FromProcess);
    // It could not be started, or was gone before it was told of the document.
    const onError = () => settle({ outcome: null, isOver: true });
    const onExit = (_code: number | null, signal: string | null) =>
      settle({ outcome: stopSignals.has(signal) ? null : { reason: 'reading it ended the process' }, isOver: true });
    child.once('message', onMessage).once('error', onError).once('exit', onExit);
    child.send(asked, (error) => {
      if (error !== null) onError();
    });
  });
}
