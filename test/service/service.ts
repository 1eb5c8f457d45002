// Starts the real service in its own process, on its own folder, and controls it as an operator would.

import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type Caller, fetchToken } from '../interface/client.ts';
import { addApplication } from './operator.ts';

export type { Registered } from './operator.ts';

export const cabinetProgram = join(import.meta.dirname, '../../bin/cabinet');
const movableProgram = join(import.meta.dirname, 'serve-with-clock.ts');
const resolveSources = join(import.meta.dirname, '../../bin/resolve-sources.cjs');
const readyTimeoutMs = 60_000;

export interface Environment {
  [name: `CABINET_${string}`]: string;
}

export function makeDataFolder(): string {
  return join(mkdtempSync(join(tmpdir(), 'cabinet-service-')), 'data');
}

export function removeDataFolder(dataFolder: string): void {
  rmSync(join(dataFolder, '..'), { recursive: true, force: true });
}

export function toVariables(dataFolder: string, environment: Environment = {}): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CABINET_DATA: dataFolder,
    CABINET_PORT: '0',
    CABINET_TEST_PORT: 'off',
    CABINET_MTLS_PORT: 'off',
    CABINET_LOG_LEVEL: 'error',
    // Where the system's temporary folder is memory, tests run there all the same.
    CABINET_ALLOW_ANY_DISK: 'yes',
    ...environment,
  };
}

export interface Started {
  production: string;
  test: string | null;
  mutualTls: string | null;
  process: ChildProcess;
  /** Everything that it wrote to standard error so far. */
  errors(): string;
  /** Resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface StartedWithClock extends Started {
  /** Moves its clock; resolves when what became due has run. */
  advance(ms: number): Promise<void>;
}

interface Ready {
  Production: string;
  Test: string | null;
  MutualTls: string | null;
  Error?: { Message: string };
}

export interface StartOptions {
  environment?: Environment;
  /** A program that runs the service, with its arguments: strace, for one. */
  under?: string[];
  /** How long a start may take. */
  readyWithinMs?: number;
  /** Whether `advance` moves its clock. It then has one HTTP thread: others have the system's clock. */
  hasClock?: boolean;
}

/** Whoever ends before its services, by a failure or by Ctrl-C, leaves none behind. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** For the summary of a run. */
function countStart(word: string): void {
  const path = process.env.TEST_STARTS;
  if (path !== undefined) appendFileSync(path, `${word}\n`);
}

export async function startService(
  dataFolder: string,
  options: StartOptions & { hasClock: true },
): Promise<StartedWithClock>;
export async function startService(dataFolder: string, options?: StartOptions): Promise<Started>;
export async function startService(dataFolder: string, options: StartOptions = {}): Promise<StartedWithClock> {
  countStart('serve');
  const serving = options.hasClock
    ? [process.execPath, '--require', resolveSources, movableProgram]
    : [cabinetProgram, 'serve', '--json'];
  const [program, ...words] = [...(options.under ?? []), ...serving];
  const threads = options.hasClock ? { CABINET_HTTP_THREADS: '1' } : {};
  const child = spawn(program as string, words, {
    env: toVariables(dataFolder, { ...threads, ...options.environment }),
    stdio: ['ignore', 'pipe', 'pipe', ...(options.hasClock ? (['ipc'] as const) : [])],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  running.add(child);
  child.once('exit', () => running.delete(child));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const readyWithinMs = options.readyWithinMs ?? readyTimeoutMs;
  const signal = AbortSignal.timeout(readyWithinMs);
  const lines = createInterface({ input: child.stdout });
  const ready = Promise.race([once(lines, 'line', { signal }), once(child, 'exit', { signal })]);
  const [line] = await ready.catch((cause) => {
    child.kill('SIGKILL');
    throw new Error(`the service is not ready after ${readyWithinMs} ms: ${errors}`, { cause });
  });
  if (typeof line !== 'string') throw new Error(`the service stopped before it was ready: ${errors}`);
  const { Production, Test, MutualTls, Error: problem } = JSON.parse(line) as Ready;
  if (problem !== undefined) throw new Error(problem.Message);
  return {
    production: Production,
    test: Test,
    mutualTls: MutualTls,
    process: child,
    errors: () => errors,
    async advance(ms) {
      child.send(ms);
      await once(child, 'message');
    },
    async stop(how = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill(how);
        await exited;
      }
      return child.exitCode;
    },
  };
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export async function cabinet(dataFolder: string, words: string[], environment: Environment = {}): Promise<Ran> {
  countStart('command');
  try {
    const variables = toVariables(dataFolder, environment);
    return { code: 0, ...(await promisify(execFile)(cabinetProgram, words, { env: variables })) };
  } catch (error) {
    const { code, stdout, stderr } = error as Ran;
    return { code, stdout, stderr };
  }
}

/** Runs a command with `--json`, which must print exactly one JSON object. */
export async function cabinetJson<Result>(
  dataFolder: string,
  words: string[],
  environment: Environment = {},
): Promise<Result> {
  return readJson(words, await cabinet(dataFolder, [...words, '--json'], environment));
}

export function readJson<Result>(words: readonly string[], { stdout, stderr, code }: Ran): Result {
  assert.equal(code, 0, `cabinet ${words.join(' ')}: ${stdout}${stderr}`);
  assert.equal(stdout.trimEnd().split('\n').length, 1);
  return JSON.parse(stdout) as Result;
}

export async function addCaller(dataFolder: string, base: string, name: string): Promise<Caller> {
  const registered = await addApplication(dataFolder, name);
  const application = { Name: name, ...registered };
  return { base, application, token: await fetchToken(base, application) };
}

/** Names of files that are being written or were left behind half written. */
export function listIncoming(dataFolder: string, environment = 'production'): string[] {
  return readdirSync(join(dataFolder, environment, 'incoming'));
}

export function countDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export function readMemoryBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** Waits until something holds. Where a look takes long, because the machine is slow, the time is too short to judge by: so many looks are had. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let looksLeft = timeoutMs / 40;
  while (!(await holds())) {
    looksLeft -= 1;
    assert.ok(Date.now() < deadline || looksLeft > 0, `${what} within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
