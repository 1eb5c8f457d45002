// `bin/cabinet` in the process of the test: the same arguments, output and exit code, without the time that loading everything takes.
// One command at a time owns the output, the variables and the current folder. Commands that are killed, interrupted, traced, given
// input, shown on a terminal or run beside another command need a process: `cabinet` of `service.ts`.

import { Writable } from 'node:stream';
import { run } from '../../src/cli/main.ts';
import { hashPasswordsCheaply } from '../../src/operations/passwords-for-tests.ts';
import { type Environment, type Ran, readJson, toVariables } from './service.ts';

export interface Surroundings {
  variables: NodeJS.ProcessEnv;
  cwd?: string;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

hashPasswordsCheaply();

let last: Promise<unknown> = Promise.resolve();

export function runHere(words: readonly string[], surroundings: Surroundings): Promise<Ran> {
  const running = last.then(() => runAlone(words, surroundings));
  last = running.catch(() => undefined);
  return running;
}

async function runAlone(words: readonly string[], { variables, cwd }: Surroundings): Promise<Ran> {
  const [stdout, stderr] = [new Kept(), new Kept()];
  const before = { env: process.env, cwd: process.cwd(), exitCode: process.exitCode };
  const giveBack = [replace('stdout', stdout), replace('stderr', stderr)];
  const listeners = signals.map((signal) => [signal, process.listeners(signal)] as const);
  process.env = variables;
  process.exitCode = 0;
  if (cwd !== undefined) process.chdir(cwd);
  try {
    await run(words);
    return { code: Number(process.exitCode), stdout: stdout.text, stderr: stderr.text };
  } finally {
    if (cwd !== undefined) process.chdir(before.cwd);
    process.exitCode = before.exitCode;
    process.env = before.env;
    // What it would have done when it was interrupted ends with its process.
    for (const [signal, kept] of listeners) {
      for (const listener of process.listeners(signal)) {
        if (!kept.includes(listener)) process.removeListener(signal, listener);
      }
    }
    for (const restore of giveBack) restore();
  }
}

/** Returns what undoes it. Who has the stream already, as the reporter of the tests has, keeps it. */
function replace(name: 'stdout' | 'stderr', stream: Writable): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor;
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => stream });
  return () => Object.defineProperty(process, name, before);
}

class Kept extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** As that of `service.ts`. */
export function cabinet(dataFolder: string, words: string[], environment: Environment = {}): Promise<Ran> {
  return runHere(words, { variables: toVariables(dataFolder, environment) });
}

/** As that of `service.ts`. */
export async function cabinetJson<Result>(
  dataFolder: string,
  words: string[],
  environment: Environment = {},
): Promise<Result> {
  return readJson(words, await cabinet(dataFolder, [...words, '--json'], environment));
}
