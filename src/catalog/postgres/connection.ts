// Connections to PostgreSQL: opening them, checking the server, and classifying its errors. Statements are prepared once per
// connection and pipelined: sent without waiting for earlier answers.

import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import pg from 'pg';
import { Fault } from '../../domain/fault.ts';
import { getTypeParser, PreparedQuery, type QueryResult, type QueryText } from './prepared-query.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?…` */
  url: string;
  /** Every environment has its own schema. */
  schema: string;
  /** Connections of this node, for reading and writing. */
  maxConnections: number;
}

const oldestVersion = 14;
const connectMs = 5000;
/** The server releases the locks of a disconnected node after this time. */
const idleInTransactionMs = 5000;
const statementMs = 15_000;
const lockMs = 10_000;
/** The server would have given up by then: without an answer after this time, the connection is dead. */
const answerMs = 20_000;

export type Client = pg.PoolClient;

export function openPool({ url, schema, maxConnections }: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    ...toTarget(url),
    application_name: 'cabinet',
    options: [
      `search_path=${schema}`,
      `statement_timeout=${statementMs}`,
      `lock_timeout=${lockMs}`,
      `idle_in_transaction_session_timeout=${idleInTransactionMs}`,
      // Every statement is written for an index. A plan that is made while tables are empty, and cached, would scan them
      // forever.
      'enable_seqscan=off',
      'plan_cache_mode=force_generic_plan',
      'jit=off',
      'tcp_keepalives_idle=10',
      'tcp_keepalives_interval=5',
      'tcp_keepalives_count=3',
    ]
      .map((setting) => `-c ${setting}`)
      .join(' '),
    max: maxConnections,
    pipeline: true,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    types: { getTypeParser },
  } as pg.PoolConfig);
  // An idle connection that fails is replaced; a connection in use reports the error to its user.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A remote server is reached over TLS, and its certificate is verified, unless `sslmode=disable` is set. */
function toTarget(url: string): { connectionString: string; ssl?: boolean } {
  const target = new URL(url);
  const mode = target.searchParams.get('sslmode');
  if (mode === null && !isLocal(target)) return { connectionString: url, ssl: true };
  // The driver's weaker modes do not verify the certificate.
  if (mode !== null && mode !== 'disable') target.searchParams.set('sslmode', 'verify-full');
  return { connectionString: target.href };
}

function isLocal({ hostname, searchParams }: URL): boolean {
  return (
    ['localhost', '127.0.0.1', '[::1]', ''].includes(hostname) || searchParams.get('host')?.startsWith('/') === true
  );
}

const names = new Map<string, string>();

/** The same text has the same name on every connection, so that each connection prepares it once. */
function toName(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = createHash('sha256').update(sql).digest('base64url').slice(0, 24);
    names.set(sql, name);
  }
  return name;
}

export function runQuery(client: Client, input: QueryText): Promise<QueryResult> {
  sendTogether(client);
  return new Promise((resolve, reject) => {
    client.query(
      new PreparedQuery(toName(input.sql), input, (error, result) =>
        error === null ? resolve(result) : reject(error),
      ),
    );
  });
}

/** What is sent before the event loop goes on is one write: a transaction sends a dozen statements at once. */
function sendTogether(client: Client): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** A server with `fsync=off` or `synchronous_commit=off` can lose committed data in a power cut. */
export async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings
     WHERE name IN ('server_version_num', 'fsync', 'full_page_writes', 'synchronous_commit', 'server_encoding')`,
  );
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const mistakes: string[] = [];
  if (Number(settings.get('server_version_num')) < oldestVersion * 10_000) {
    mistakes.push(`it is older than version ${oldestVersion}`);
  }
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    if (settings.get(name) === 'off') mistakes.push(`${name} is off, so that what it has committed can be lost`);
  }
  if (settings.get('server_encoding') !== 'UTF8') mistakes.push('its database is not encoded in UTF8');
  if (mistakes.length > 0) throw new Fault('fatal', `this PostgreSQL cannot be used: ${mistakes.join('; ')}`);
}

// SQLSTATE codes (postgresql.org/docs/current/errcodes-appendix.html).
const uniqueViolation = '23505';
const foreignKeyViolation = '23503';
const serializationFailure = '40001';
const deadlockDetected = '40P01';
const lockNotAvailable = '55P03';
const queryCanceled = '57014';
const diskFull = '53100';
const conflicts = new Set([uniqueViolation, foreignKeyViolation, serializationFailure, deadlockDetected]);

/** Another node wrote the same thing at the same time. When the verb runs again, it sees what the other wrote. */
export class Conflict extends Error {}

export function isConflict(error: unknown): boolean {
  return error instanceof Conflict || conflicts.has(toCode(error));
}

/** Whether the error ends the whole transaction, not only the statement. */
export function endsTransaction(error: unknown): boolean {
  return [serializationFailure, deadlockDetected].includes(toCode(error)) || isLost(error);
}

/** The connection is lost, or the server is shutting down: the state of the transaction is unknown. */
export function isLost(error: unknown): boolean {
  const code = toCode(error);
  if (!/^[0-9A-Z]{5}$/.test(code)) return !(error instanceof Conflict) && isOfConnection(error);
  // 08: connection exceptions; 57P: the server is shutting down, crashing or starting; 53300: too many connections;
  // 25P03: idle-in-transaction timeout.
  return code.startsWith('08') || code.startsWith('57P') || code === '53300' || code === '25P03';
}

function isOfConnection(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code ?? '') ||
    /connection (terminated|ended)|not queryable|read timeout|timeout exceeded when trying to connect|client was closed/i.test(
      message ?? '',
    )
  );
}

function toCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const code = toCode(error);
  if (code === diskFull) return new Fault('full', 'PostgreSQL has no space left', error);
  if (isLost(error)) return new Fault('unavailable', 'PostgreSQL cannot be reached', error);
  if (code === lockNotAvailable || code === queryCanceled) {
    return new Fault('unavailable', 'PostgreSQL took too long, or others held a lock', error);
  }
  if (/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_)/.test(code)) {
    const hint = 'name the CA that signed it: sslrootcert=FILE in CABINET_CATALOG';
    return new Fault('other', `PostgreSQL's certificate cannot be verified (${code}); ${hint}`, error);
  }
  return new Fault('other', `PostgreSQL: ${(error as Error).message}`, error);
}
