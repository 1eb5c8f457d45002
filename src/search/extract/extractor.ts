// Extracts text from documents in a separate process. A document may hang it, exhaust its memory or crash it: then only that process
// ends, and the next document gets a new one. `extractor-process.ts` is the other side, and watches time and memory.

import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import type { FromProcess, ToProcess } from './extractor-process.ts';
import type { FromExtractor, ToExtractor } from './extractor-thread.ts';

export const maxDocumentBytes = 32 * 1024 * 1024;
const extractorProgram = join(import.meta.dirname, 'extractor-process.ts');
/** An idle process is kept for a while, because documents often come in bulk. */
const idleMs = 10_000;
/** Signals sent to all processes when the service is stopped: the document is not at fault. */
const stopSignals: ReadonlySet<string | null> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);

/** Null when extracting was interrupted for reasons outside the document. */
type ExtractResult = FromExtractor | null;

export class Extractor {
  readonly #timeoutMs: number;
  readonly #program: string;
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;

  /** `program` is for tests. */
  constructor(timeoutMs: number, program = extractorProgram) {
    this.#timeoutMs = timeoutMs;
    this.#program = program;
  }

  /** One at a time. Never rejects: a document that cannot be read has a reason. */
  async extract(request: ToExtractor): Promise<ExtractResult> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const child = this.#child;
    const { outcome, isOver } = await exchange(child, { ...request, timeoutMs: this.#timeoutMs });
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
    // Documents are untrusted: the process gets none of our settings.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
    execArgv: [],
    serialization: 'advanced',
    // Messages of libraries about a document are of no use.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // A process that is being killed may still emit an error.
  child.on('error', () => undefined);
  // It does not keep this process alive.
  child.unref();
  child.channel?.unref();
  return child;
}

interface ProcessReply {
  outcome: ExtractResult;
  /** Whether the process has ended or must be ended. */
  isOver: boolean;
}

/** Sends one document and waits for its outcome or the end of the process. */
function exchange(child: ChildProcess, request: ToProcess): Promise<ProcessReply> {
  child.ref();
  child.channel?.ref();
  return new Promise((resolve) => {
    const settle = (reply: ProcessReply) => {
      child.off('message', onMessage).off('error', onError).off('exit', onExit);
      child.unref();
      child.channel?.unref();
      resolve(reply);
    };
    const onMessage = (message: unknown) => settle(message as FromProcess);
    // The process could not be started, or ended before it got the document.
    const onError = () => settle({ outcome: null, isOver: true });
    const onExit = (_code: number | null, signal: string | null) =>
      settle({ outcome: stopSignals.has(signal) ? null : { reason: 'reading it ended the process' }, isOver: true });
    child.once('message', onMessage).once('error', onError).once('exit', onExit);
    child.send(request, (error) => {
      if (error !== null) onError();
    });
  });
}
