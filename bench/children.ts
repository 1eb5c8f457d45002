// The processes and the temporary folder of a run: every process is ended by its own handle and the folder is removed, also when
// the run fails or is interrupted.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const readyTimeoutMs = 60_000;
const endTimeoutMs = 10_000;
const logTailChars = 2000;

export type Command = { program: string; args: string[]; env?: NodeJS.ProcessEnv; input?: string };

export class Children {
  #running = new Set<ChildProcess>();
  #folder: string;
  #logs = 0;

  constructor(parentFolder: string) {
    this.#folder = mkdtempSync(join(parentFolder, 'cabinet-bench-'));
    process.once('exit', () => this.closeNow());
  }

  get folder(): string {
    return this.#folder;
  }

  /** Starts a server and waits for the one JSON line that says it is ready. */
  async serve(command: Command): Promise<{ pid: number; ready: unknown }> {
    const { child, stdout, readLog } = this.#spawn(command);
    const lines = createInterface({ input: stdout });
    const ready = await new Promise<string>((resolve, reject) => {
      const fail = (what: string) => reject(new Error(`${describe(command)} ${what}\n${readLog()}`));
      const timer = setTimeout(() => fail(`was not ready after ${readyTimeoutMs / 1000} s`), readyTimeoutMs);
      child.once('error', (error) => {
        clearTimeout(timer);
        fail(error.message);
      });
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        fail(`ended with ${code ?? signal} before it was ready`);
      });
      lines.once('line', (line) => {
        clearTimeout(timer);
        resolve(line);
      });
    });
    return { pid: child.pid ?? 0, ready: parseJson(ready, command) };
  }

  /** Starts a server that says nothing when it is ready: it takes connections then. */
  async listen(command: Command, port: number): Promise<number> {
    const { child, stdout, readLog } = this.#spawn(command);
    stdout.resume();
    let ended: number | string | null = null;
    child.once('exit', (code, signal) => {
      ended = code ?? signal;
    });
    child.once('error', (error) => {
      ended = error.message;
    });
    const until = performance.now() + readyTimeoutMs;
    while (!(await takesConnections(port))) {
      if (ended !== null) throw new Error(`${describe(command)} ended with ${ended} before it was ready\n${readLog()}`);
      if (performance.now() > until) throw new Error(`${describe(command)} was not ready in time\n${readLog()}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return child.pid ?? 0;
  }

  /** Runs a command to its end and returns the JSON that it printed. */
  async run(command: Command): Promise<unknown> {
    const { child, stdout, readLog } = this.#spawn(command);
    const ended = new Promise<number | string | null>((resolve) => {
      child.once('exit', (code, signal) => resolve(code ?? signal));
      child.once('error', (error) => resolve(error.message));
    });
    const printed = await text(stdout);
    const code = await ended;
    if (code !== 0) throw new Error(`${describe(command)} ended with ${code}\n${printed}${readLog()}`);
    return parseJson(printed, command);
  }

  /** Starts a command that runs until it is ended, and then prints JSON. */
  begin(command: Command & { input: string }): { end(): Promise<unknown> } {
    const { input, ...rest } = command;
    const { child, stdin, stdout, readLog } = this.#spawn(rest);
    const printed = text(stdout);
    const ended = new Promise<number | string | null>((resolve) => {
      child.once('exit', (code, signal) => resolve(code ?? signal));
      child.once('error', (error) => resolve(error.message));
    });
    stdin.write(`${input}\n`);
    return {
      async end() {
        stdin.end();
        const code = await ended;
        if (code !== 0) throw new Error(`${describe(command)} ended with ${code}\n${await printed}${readLog()}`);
        return parseJson(await printed, command);
      },
    };
  }

  /** Lets some of the processes end by themselves. */
  async end(pids: readonly number[]): Promise<void> {
    const ended = [...this.#running].filter(({ pid }) => pid !== undefined && pids.includes(pid));
    await Promise.all(ended.map(endGently));
  }

  /** Lets every process end by itself, then not. */
  async close(): Promise<void> {
    await Promise.all([...this.#running].map(endGently));
    this.closeNow();
  }

  /** For the process's own exit, where nothing can be awaited. */
  closeNow(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  // Standard error goes straight to a file: reading it here would take time from what is measured.
  #spawn(command: Command) {
    const logFile = join(this.#folder, `stderr-${this.#logs++}.log`);
    const log = openSync(logFile, 'w');
    const child = spawn(command.program, command.args, {
      stdio: ['pipe', 'pipe', log],
      ...(command.env === undefined ? {} : { env: command.env }),
    });
    closeSync(log);
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    child.once('error', () => this.#running.delete(child));
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error('spawned without pipes');
    stdin.on('error', () => {});
    if (command.input !== undefined) stdin.end(command.input);
    return { child, stdin, stdout, readLog: () => readFileSync(logFile, 'utf8').slice(-logTailChars) };
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function endGently(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, endTimeoutMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

function parseJson(printed: string, command: Command): unknown {
  try {
    return JSON.parse(printed);
  } catch {
    throw new Error(`${describe(command)} printed something else than JSON: ${printed.slice(0, logTailChars)}`);
  }
}

function describe(command: Command): string {
  return [command.program, ...command.args].join(' ');
}
