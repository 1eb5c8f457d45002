// Connections to PostgreSQL: how they are opened, which server is good enough, and what its errors mean. Statements are
// prepared once on each connection, and sent without waiting for the answers to those before them.

import { createHash } from 'node:crypto';
import pg from 'pg';
import { Fault } from '../../domain/fault.ts';
import type { Row } from '../sql.ts';
import type { Value } from '../statement.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?…` */
  url: string;
  /** Every environment has a schema of its own. */
  schema: string;
  /** How many connections this node may have, for both reading and writing. */
  maxConnections: number;
}

const oldestVersion = 14;
const connectMs = 5000;
/** Locks of a node that is cut off are given back after this long. */
const idleInTransactionMs = 5000;
const statementMs = 15_000;
const lockMs = 10_000;
/** No answer for so long, although the server would have given up by then: the connection is dead, though nobody said so. */
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
      // Every statement was written with an index in mind. A plan that is made while tables are empty, and kept, would
      // read them whole for ever.
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
  // A connection that fails while nobody uses it is replaced; whoever uses one hears of it there.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A server on another machine is spoken to over TLS, and its certificate is verified, unless `sslmode=disable` says
 *  otherwise. */
function toTarget(url: string): { connectionString: string; ssl?: boolean } {
  const target = new URL(url);
  const mode = target.searchParams.get('sslmode');
  if (mode === null && !isLocal(target)) return { connectionString: url, ssl: true };
  // The driver's weaker modes do not verify.
  if (mode !== null && mode !== 'disable') target.searchParams.set('sslmode', 'verify-full');
  return { connectionString: target.href };
}

function isLocal({ hostname, searchParams }: URL): boolean {
  return (
    ['localhost', '127.0.0.1', '[::1]', ''].includes(hostname) || searchParams.get('host')?.startsWith('/') === true
  );
}

const int8 = 20;
const numeric = 1700;

/** Numbers stay below 2^53: sizes, times, counts. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8 || oid === numeric) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}

export interface QueryText {
  sql: string;
  values: readonly Value[];
  isTuples?: boolean | undefined;
}

export interface QueryResult {
  rows: Row[];
  /** How many rows were changed, or found. */
  count: number;
  command: string;
}

const names = new Map<string, string>();

/** The same text has the same name on every connection, so that each prepares it once. */
function toName(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = createHash('sha256').update(sql).digest('base64url').slice(0, 24);
    names.set(sql, name);
  }
  return name;
}

export async function runQuery(client: Client, { sql, values, isTuples }: QueryText): Promise<QueryResult> {
  const { rows, rowCount, command } = await client.query({
    name: toName(sql),
    text: sql,
    values: values as unknown[],
    ...(isTuples === true && { rowMode: 'array' as const }),
  });
  return { rows, count: rowCount ?? 0, command };
}

/** "refuses `fsync=off`/`synchronous_commit=off`": what such a server answers may be lost in a power cut. */
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

/** Someone else wrote the same thing at the same moment: asked again, the verb sees what they wrote. */
export class Conflict extends Error {}

export function isConflict(error: unknown): boolean {
  return error instanceof Conflict || conflicts.has(toCode(error));
}

/** Whether the transaction as a whole is over, not only the statement. */
export function endsTransaction(error: unknown): boolean {
  return [serializationFailure, deadlockDetected].includes(toCode(error)) || isLost(error);
}

/** The connection is gone, or the server is about to go: nothing is known of what was under way. */
export function isLost(error: unknown): boolean {
  const code = toCode(error);
  if (!/^[0-9A-Z]{5}$/.test(code)) return !(error instanceof Conflict) && isOfConnection(error);
  // 08: connection exceptions; 57P: the server is shutting down, crashing or starting; 53300: it has no connection left;
  // 25P03: it took our transaction for abandoned.
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
