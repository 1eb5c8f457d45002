// Starts a PostgreSQL server for tests: its data is in a temporary folder, it listens on loopback. It ends with the process
// that started it. What it says goes to a file in its folder, so that it never waits for a reader.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from '../free-ports.ts';
import {
  findPrograms,
  findServerUser,
  makeServerFolder,
  type PostgresPrograms,
  type ServerUser,
} from './postgres-programs.ts';

export interface Postgres {
  url: string;
  port: number;
  /** Makes another empty database on the same server, and returns its address. */
  newDatabase(): Promise<string>;
  /** The process of the server; its others are its children. */
  pid(): number;
  /** How much it has written to its log so far. */
  walBytes(): Promise<number>;
  /** Ends it at once, as a crash would; `start` recovers its data. */
  halt(): Promise<void>;
  start(): Promise<void>;
  /** Ends it, and removes its data. */
  stop(): Promise<void>;
}

const password = 'cabinet';
const startPatienceMs = 120_000;
/** Nothing but loopback: no socket files in /tmp. */
const basics = { max_connections: '200', listen_addresses: '127.0.0.1', unix_socket_directories: '' };

export async function startPostgres(settings: Record<string, string> = {}): Promise<Postgres> {
  const user = findServerUser();
  const folder = makeServerFolder(user);
  const programs = await prepare(folder, user).catch((error) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const port = await findFreePort();
  const server = new Server({ folder, port, program: programs.postgres, user, settings: { ...basics, ...settings } });
  await server.start();
  const urlOf = (database: string) => `postgres://cabinet:${password}@127.0.0.1:${port}/${database}`;
  const newDatabase = async () => {
    const name = `cabinet_${randomBytes(6).toString('hex')}`;
    await ask(urlOf('postgres'), `CREATE DATABASE ${name}`);
    return urlOf(name);
  };
  return {
    url: await newDatabase(),
    port,
    newDatabase,
    pid: () => server.pid(),
    walBytes: async () =>
      Number((await ask(urlOf('postgres'), `SELECT pg_current_wal_lsn() - '0/0' AS bytes`))[0]?.bytes),
    start: () => server.start(),
    halt: () => server.end('SIGQUIT'),
    stop: () => server.remove(),
  };
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // The query fails if the server ends meanwhile.
  client.on('error', () => undefined);
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows;
}

async function prepare(folder: string, user: ServerUser): Promise<PostgresPrograms> {
  const programs = await findPrograms(folder, user);
  initialise(folder, programs, user);
  return programs;
}

/** Makes the data folder, with a superuser `cabinet`. */
function initialise(folder: string, { initdb }: PostgresPrograms, user: ServerUser): void {
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const path of [data, passwordFile]) chownSync(path, user.uid, user.gid);
  }
  const words = ['--auth=scram-sha-256', '--username=cabinet', '--encoding=UTF8', '--locale=C.UTF-8'];
  const { status, error, stderr } = spawnSync(
    initdb,
    [`--pgdata=${data}`, `--pwfile=${passwordFile}`, '--lc-messages=C', ...words],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
}

interface ServerOptions {
  folder: string;
  port: number;
  program: string;
  user: ServerUser;
  settings: Record<string, string>;
}

class Server {
  readonly #options: ServerOptions;
  #process: ChildProcess | null = null;

  constructor(options: ServerOptions) {
    this.#options = options;
    running.add(this);
  }

  pid(): number {
    if (this.#process?.pid === undefined) throw new Error('PostgreSQL is not running');
    return this.#process.pid;
  }

  async start(): Promise<void> {
    const { folder, port, program, user, settings } = this.#options;
    const log = openSync(join(folder, 'log'), 'w');
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const started = spawn(program, ['-D', join(folder, 'data'), '-p', String(port), ...words], {
      ...user,
      cwd: folder,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#process = started;
    await waitUntilReady(started, this.#options);
  }

  async end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const ending = this.#process;
    if (ending === null || hasEnded(ending)) return;
    const exited = once(ending, 'exit');
    ending.kill(signal);
    await exited;
  }

  async remove(): Promise<void> {
    await this.end('SIGINT');
    this.#forget();
  }

  /** For when the process ends and no promise is waited for any more. */
  abandon(): void {
    if (this.#process !== null && !hasEnded(this.#process)) {
      this.#process.kill('SIGQUIT');
      const lock = join(this.#options.folder, 'data', 'postmaster.pid');
      for (let waits = 0; existsSync(lock) && waits < 500; waits += 1) Atomics.wait(sleeper, 0, 0, 20);
    }
    this.#forget();
  }

  #forget(): void {
    running.delete(this);
    rmSync(this.#options.folder, { recursive: true, force: true });
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function waitUntilReady(started: ChildProcess, { folder, port }: ServerOptions): Promise<void> {
  const fail = (what: string) =>
    new Error(`PostgreSQL ${what}: ${readFileSync(join(folder, 'log'), 'utf8').slice(-2000)}`);
  let failure: Error | null = null;
  started.once('error', (error) => {
    failure = error;
  });
  for (const until = Date.now() + startPatienceMs; ; await pause(50)) {
    if (failure !== null) throw failure;
    if (hasEnded(started)) throw fail('ended before it was ready');
    const isReady = await ask(`postgres://cabinet:${password}@127.0.0.1:${port}/postgres`, 'SELECT 1').then(
      () => true,
      () => false,
    );
    if (isReady) return;
    if (Date.now() > until) throw fail('was not ready in time');
  }
}

/** Servers that are there when the process ends, whatever ends it, are taken along. */
const running = new Set<Server>();

process.on('exit', () => {
  for (const server of running) server.abandon();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const server of running) server.abandon();
    // Where nobody else listens for it, it ends the process, as it would have without us.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  });
}
