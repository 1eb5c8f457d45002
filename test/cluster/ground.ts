// What nodes stand on: one PostgreSQL and one S3 for all test files of a run. `run.ts` starts them and tells the files of them in
// the variable CLUSTER_GROUND; a file that is run by itself starts its own. Every installation on them is an empty one: a
// database and a prefix of its own.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Postgres, startPostgres } from './postgres.ts';
import type { Swift } from './swift.ts';

/** The place of the two, as text that fits into a variable. */
export interface Ground {
  postgres: string;
  s3: Pick<Swift, 'endpoint' | 'region' | 'accessKey' | 'secretKey' | 'bucket'> | null;
}

export interface Stores {
  CABINET_CATALOG: string;
  CABINET_BLOBS: string;
  /** Without S3 they have no other folder in common. */
  CABINET_JOURNAL_KEYS: string;
}

export interface OwnGround extends Ground {
  server: Postgres;
  swift: Swift | null;
  stop(): Promise<void>;
}

/** A file that the run tells of them does not load what starts them: the client of S3 takes its time. */
export async function startGround(): Promise<OwnGround> {
  // One after the other: each looks for free ports.
  const server = await startPostgres();
  const { startSwift } = await import('./swift.ts');
  const swift = await startSwift();
  return {
    server,
    swift,
    postgres: server.url,
    s3: swift,
    stop: async () => void (await Promise.all([server.stop(), swift?.stop()])),
  };
}

export async function findGround(): Promise<Ground & { stop(): Promise<void> }> {
  const text = process.env.CLUSTER_GROUND;
  if (text === undefined) return await startGround();
  return { ...(JSON.parse(text) as Ground), stop: async () => undefined };
}

export interface Databases {
  /** An empty one; resolves to its address. */
  make(): Promise<string>;
  stop(): Promise<void>;
}

/** For tests that need no S3, which is not started for them alone. */
export async function findDatabases(): Promise<Databases> {
  if (process.env.CLUSTER_GROUND === undefined) {
    const postgres = await startPostgres();
    return { make: () => postgres.newDatabase(), stop: () => postgres.stop() };
  }
  const ground = await findGround();
  return { make: async () => (await newStores(ground)).CABINET_CATALOG, stop: () => ground.stop() };
}

export function toText({ postgres, s3 }: Ground): string {
  if (s3 === null) return JSON.stringify({ postgres, s3 });
  const { endpoint, region, accessKey, secretKey, bucket } = s3;
  return JSON.stringify({ postgres, s3: { endpoint, region, accessKey, secretKey, bucket } });
}

/** Without S3 each node keeps large contents for itself: tests that read them elsewhere are left out. */
export async function newStores({ postgres, s3 }: Ground): Promise<Stores> {
  const name = `cabinet_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client(postgres);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`).finally(() => client.end());
  const catalog = new URL(postgres);
  catalog.pathname = `/${name}`;
  const keys = join(tmpdir(), `${name}-journal-keys`);
  process.once('exit', () => rmSync(keys, { recursive: true, force: true }));
  const blobs = s3 === null ? 'file:' : toBlobs(s3, name);
  return { CABINET_CATALOG: catalog.href, CABINET_BLOBS: blobs, CABINET_JOURNAL_KEYS: keys };
}

export function toBlobs(s3: NonNullable<Ground['s3']>, prefix: string): string {
  const { endpoint, region, accessKey, secretKey, bucket } = s3;
  const key = `${encodeURIComponent(accessKey)}:${encodeURIComponent(secretKey)}`;
  return `s3://${key}@${bucket}/${prefix}?${new URLSearchParams({ endpoint, region, pathStyle: 'yes' })}`;
}
