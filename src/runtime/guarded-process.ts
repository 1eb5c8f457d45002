// A process that does one piece of untrusted work at a time. Whatever the work does to it, hang, crash or use up memory, only that
// process ends, and the next piece gets a new one. The program answers each message with one message.

import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';

export interface GuardedProcessOptions {
  program: string;
  /** Omitted: the program watches its own time and memory. */
  limits?: {
    timeoutMs: number /** Of the whole process; checked where the system tells it. */;
    maxMemoryBytes: number;
  };
}

/** An idle process is kept for a while, because such work often comes in bulk. */
const idleMs = 10_000;
const checkMs = 100;
const pageBytes = 4096;

/** Signals sent to all processes when the service is stopped: the work is not at fault. */
const stopSignals: ReadonlySet<string | null> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);

/** `limit`: the work took too much of something; `crash`: it ended the process; `stopped`: it could not be done, or was interrupted,
 *  for reasons outside of it. */
export type GuardedReply<Reply> = { reply: Reply } | { reply: null; ended: 'limit' | 'crash' | 'stopped' };

export class GuardedProcess<Request, Reply> {
  readonly #options: GuardedProcessOptions;
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;

  constructor(options: GuardedProcessOptions) {
    this.#options = options;
  }

  /** One at a time. Never rejects. */
  async run(request: Request): Promise<GuardedReply<Reply>> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const result = await exchange<Request, Reply>(this.#child, request, this.#options);
    if (result.reply === null) await this.close();
    else this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    return result;
  }

  #start(): ChildProcess {
    const child = startProcess(this.#options.program);
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
    // The work is untrusted: the process gets none of our settings.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
    execArgv: [],
    serialization: 'advanced',
    // Messages of libraries about a document are of no use.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // A process that is being killed may still emit an error.
  child.on('error', () => undefined);
  if (child.pid !== undefined) yieldProcessor(child.pid);
  // It does not keep this process alive.
  child.unref();
  child.channel?.unref();
  return child;
}

/** Requests come first. */
function yieldProcessor(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}

function exchange<Request, Reply>(
  child: ChildProcess,
  request: Request,
  { limits }: GuardedProcessOptions,
): Promise<GuardedReply<Reply>> {
  child.ref();
  child.channel?.ref();
  return new Promise((resolve) => {
    const settle = (reply: GuardedReply<Reply>) => {
      stopWatching();
      child.off('message', onMessage).off('error', onError).off('exit', onExit);
      child.unref();
      child.channel?.unref();
      resolve(reply);
    };
    const onMessage = (message: unknown) => settle({ reply: message as Reply });
    // The process could not be started, or ended before it got the work.
    const onError = () => settle({ reply: null, ended: 'stopped' });
    const onExit = (_code: number | null, signal: string | null) =>
      settle({ reply: null, ended: stopSignals.has(signal) ? 'stopped' : 'crash' });
    const stopWatching = watch(child, limits, () => settle({ reply: null, ended: 'limit' }));
    child.once('message', onMessage).once('error', onError).once('exit', onExit);
    child.send(request as object, (error) => {
      if (error !== null) onError();
    });
  });
}

/** Returns how to stop. */
function watch({ pid }: ChildProcess, limits: GuardedProcessOptions['limits'], onLimit: () => void): () => void {
  if (limits === undefined) return () => undefined;
  const timer = setTimeout(onLimit, limits.timeoutMs);
  const checks = setInterval(() => {
    if (readResidentBytes(pid) > limits.maxMemoryBytes) onLimit();
  }, checkMs);
  return () => {
    clearTimeout(timer);
    clearInterval(checks);
  };
}

/** 0 where the system does not tell. */
function readResidentBytes(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes;
  } catch {
    return 0;
  }
}
