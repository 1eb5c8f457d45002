// A job of the runner: a test file, or a program that is a test. It runs in a process group of its own, so that everything it has
// started ends with it.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FileReport } from './reporter.ts';

export const root = join(import.meta.dirname, '../..');
const reporter = join(import.meta.dirname, 'reporter.ts');
const resolveSources = join(root, 'bin/resolve-sources.cjs');
const untrackedPromises = join(import.meta.dirname, 'untracked-promises.js');
/** Runs a command and writes what the system knows of its processor time, and of that of everything it has waited for, to a file. */
const measured =
  'file=$1; shift; "$@"; code=$?; read -r stat < /proc/$$/stat && printf %s "$stat" > "$file"; exit $code';
/** Clock ticks per second; the same on every Linux that Node runs on. */
const ticksPerSecond = 100;
const maxOutputBytes = 4 * 1024 * 1024;
/** Many times what the longest job takes: one that is not done by then hangs. */
const patienceMs = 60 * 60_000;

export interface Job {
  suite: string;
  name: string;
  command: string[];
  environment?: NodeJS.ProcessEnv | undefined;
  /** Whether it reports what it has counted; a program that is a test does not. */
  isTestFile: boolean;
}

export interface Outcome {
  job: Job;
  isPassed: boolean;
  seconds: number;
  /** Null where the job does not report. */
  report: FileReport | null;
  /** Of its processes; null where the system does not say. */
  processorSeconds: number | null;
  output: string;
  /** How it ended, where it did not pass. */
  ending: string;
}

export function toTestFile(suite: string, path: string): Job {
  return { suite, name: path, command: toTestCommand([path]), isTestFile: true };
}

/** Also for one file: hooks of a file that `node --test` runs by itself do not wait for each other. */
export function toTestCommand(paths: readonly string[]): string[] {
  return [process.execPath, '--test-force-exit', join(import.meta.dirname, 'files.js'), ...paths];
}

const running = new Set<ChildProcess>();

export async function runJob(job: Job, scratch: string): Promise<Outcome> {
  const startedAt = performance.now();
  const reportPath = join(scratch, `report-${randomUUID()}`);
  const statPath = join(scratch, `stat-${randomUUID()}`);
  const command = job.isTestFile ? withReporter(job.command, reportPath) : job.command;
  const child = spawn('/bin/sh', ['-c', measured, 'sh', statPath, ...command], {
    cwd: root,
    env: { ...process.env, ...job.environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const patience = setTimeout(() => endGroup(child), patienceMs);
  const output = collect(child);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(patience);
  running.delete(child);
  const report = job.isTestFile ? readReport(reportPath) : null;
  const processorSeconds = toProcessorSeconds(readOnce(statPath));
  const isEmpty = job.isTestFile && (report === null || report.tests === 0);
  const ending = code === 0 ? (isEmpty ? 'no test ran' : '') : (signal ?? `exit code ${code}`);
  const seconds = (performance.now() - startedAt) / 1000;
  return { job, isPassed: ending === '', seconds, report, processorSeconds, output: output(), ending };
}

/** What it needs could not be started. */
export function toUnstarted(job: Job, error: unknown): Outcome {
  const output = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    job,
    isPassed: false,
    seconds: 0,
    report: null,
    processorSeconds: null,
    output,
    ending: 'its fixture did not start',
  };
}

function withReporter([program = '', ...words]: string[], destination: string): string[] {
  return [
    program,
    ...['--require', resolveSources],
    `--import=${untrackedPromises}`,
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`],
    ...words,
  ];
}

function readReport(path: string): FileReport | null {
  const text = readOnce(path);
  return text === '' ? null : (JSON.parse(text) as FileReport);
}

function readOnce(path: string): string {
  if (!existsSync(path)) return '';
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  return text;
}

/** Of a process and of everything that it has started and waited for, from its `/proc/PID/stat`. */
function toProcessorSeconds(stat: string): number | null {
  const fields = stat.split(') ')[1]?.split(' ') ?? [];
  // User and system time, then those of the children.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return stat === '' ? null : ticks / ticksPerSecond;
}

/** Of the runner and of everything that it has waited for. */
export function readProcessorSeconds(): number {
  const own = existsSync('/proc/self/stat') ? toProcessorSeconds(readFileSync('/proc/self/stat', 'utf8')) : null;
  return own ?? (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
}

/** The end of what it writes, if that is too much to keep. */
function collect({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = `${text}${chunk}`.slice(-maxOutputBytes);
    });
  }
  return () => text;
}

function endGroup({ pid }: { pid?: number | undefined }): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Whoever stops the runner stops everything that it has started. */
export function endAll(): void {
  for (const child of running) endGroup(child);
}
