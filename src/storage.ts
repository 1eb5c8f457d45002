// What an environment keeps things in, by configuration: records in SQLite or PostgreSQL, large contents on the disk or in
// S3. Nothing above knows which; what is shared with other nodes is told by `isShared`.

import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type KeyStore, keysInCatalog, keysInFolder } from './auth/keys.ts';
import type { Blobs } from './blobs/blobs.ts';
import { openLocalBlobs } from './blobs/local.ts';
import { openS3Blobs, removeAll } from './blobs/s3.ts';
import { s3Files } from './blobs/s3-files.ts';
import { type Catalog, toCatalog } from './catalog/catalog.ts';
import { announceCommits, Commits } from './catalog/commits.ts';
import { keepFirstPages } from './catalog/first-pages.ts';
import { type JournalFiles, openJournalFiles } from './catalog/journal-files.ts';
import { localFiles } from './catalog/local-files.ts';
import { openPostgres, removeSchema } from './catalog/postgres.ts';
import type { PostgresOptions } from './catalog/postgres-connection.ts';
import type { Engine } from './catalog/sql.ts';
import { openSqlite } from './catalog/sqlite.ts';
import { syncFolder } from './certificates/durable-file.ts';
import type { Config } from './config.ts';
import { Fault } from './domain/fault.ts';
import type { EnvironmentName } from './environment.ts';
import { openPostgresSearch } from './search/postgres-search.ts';
import { openSearch, type Search } from './search/search.ts';
import type { EnvironmentMetrics, PoolReading } from './telemetry/environment-metrics.ts';
import { observeBlobs } from './telemetry/observed-blobs.ts';
import { observeCatalog } from './telemetry/observed-catalog.ts';
import type { Tracer } from './telemetry/tracer.ts';

const lookAtDiskMs = 1000;

export interface StorageEvents {
  /** It can promise nothing any more. */
  onFatal(fault: Fault): void;
  /** Work in the background failed; it will be tried again. */
  onTrouble(error: unknown): void;
  /** What is counted and traced, where somebody wants to know. */
  observed?: { metrics: EnvironmentMetrics; tracer: Tracer | null };
}

interface Records {
  catalog: Catalog;
  search: Search;
  keyStore: KeyStore;
  isReachable(): boolean;
  /** The connections to the database; null: there are none. */
  pool(): PoolReading | null;
  unlessOthersDo<Result>(work: () => Promise<Result>): Promise<Result | null>;
}

export interface Storage extends Records {
  blobs: Blobs;
  commits: Commits;
  journalFiles: JournalFiles;
  /** Whether other nodes may use it at the same time. */
  isShared: boolean;
  /** Bytes that are free where contents are kept, as of a moment ago. */
  freeBytes(): number;
  close(): Promise<void>;
}

export function folderOf(config: Config, name: EnvironmentName): string {
  return join(config.dataFolder, name);
}

export async function openStorage(config: Config, name: EnvironmentName, events: StorageEvents): Promise<Storage> {
  const folder = folderOf(config, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const blobs = await openBlobs(config, name, events);
  // New names in these folders are durable from here on.
  for (const named of [folder, config.dataFolder, dirname(config.dataFolder)]) await syncFolder(named);
  const commits = new Commits();
  const isShared = config.catalog.kind === 'postgres';
  const open = isShared ? openShared : openEmbedded;
  const records = await open(config, name, { ...events, blobs, commits }).catch(async (error) => {
    await blobs.close();
    throw error;
  });
  const isOnDisk = config.catalog.kind === 'sqlite' || config.blobs.kind === 'file';
  const disk = isOnDisk ? watchDisk(folder) : { freeBytes: () => Number.MAX_SAFE_INTEGER, stop: () => undefined };
  const storage: Storage = {
    ...records,
    blobs,
    commits,
    isShared,
    journalFiles: openSealedJournal(config, name),
    freeBytes: disk.freeBytes,
    async close() {
      disk.stop();
      await records.search.close();
      await records.catalog.close();
      await blobs.close();
    },
  };
  return await requireFinished(storage).catch(async (error) => {
    await storage.close();
    throw error;
  });
}

/** A part of the records must not be taken for all of them. */
async function requireFinished(storage: Storage): Promise<Storage> {
  const begun = await storage.catalog.findSetting({ name: 'migration' });
  if (begun === null) return storage;
  const { from } = JSON.parse(begun) as { from: string };
  throw new Fault(
    'other',
    `This storage is the target of a migration from ${from} that is not finished. Run cabinet migrate again, to its end.`,
  );
}

/** Where the sealed part of the journal is: with the large contents, where several nodes must reach it. */
export function openSealedJournal(config: Config, name: EnvironmentName): JournalFiles {
  const s3 = config.catalog.kind === 'postgres' ? toS3Options(config, name) : null;
  return openJournalFiles(s3 === null ? localFiles(join(folderOf(config, name), 'journal')) : s3Files(s3, 'journal/'));
}

/** Removes everything that an environment has. It is closed. */
export async function emptyStorage(config: Config, name: EnvironmentName): Promise<void> {
  if (config.catalog.kind === 'postgres') await removeSchema(toPostgresOptions(config.catalog, name));
  const s3 = toS3Options(config, name);
  if (s3 !== null) await removeAll(s3);
  rmSync(folderOf(config, name), { recursive: true, force: true });
}

type PostgresConfig = Extract<Config['catalog'], { kind: 'postgres' }>;

export function toPostgresOptions(
  { url, schema, mostConnections }: PostgresConfig,
  name: EnvironmentName,
): PostgresOptions {
  return { url, schema: `${schema}_${name}`, mostConnections };
}

export function toS3Options({ blobs }: Config, name: EnvironmentName) {
  return blobs.kind === 's3' ? { ...blobs, prefix: `${blobs.prefix}${name}/` } : null;
}

async function openBlobs(config: Config, name: EnvironmentName, events: StorageEvents): Promise<Blobs> {
  const s3 = toS3Options(config, name);
  const { onFatal, observed } = events;
  const opened =
    s3 === null ? await openLocalBlobs({ folder: folderOf(config, name), onFatal }) : await openS3Blobs(s3);
  return observed === undefined ? opened : observeBlobs(opened, observed.metrics, observed.tracer);
}

function toObserved(engine: Engine, { observed }: StorageEvents): Catalog {
  const catalog = toCatalog(engine);
  return observed === undefined ? catalog : observeCatalog(catalog, observed.metrics, observed.tracer);
}

interface Opening extends StorageEvents {
  blobs: Blobs;
  commits: Commits;
}

async function openEmbedded(config: Config, name: EnvironmentName, opening: Opening): Promise<Records> {
  const { blobs, commits, onFatal, onTrouble, observed } = opening;
  const folder = folderOf(config, name);
  const path = join(folder, 'catalog.db');
  const search = openSearch({
    catalogPath: path,
    indexPath: join(folder, 'search.db'),
    reserveBytes: config.reserveBytes,
    extractTimeoutMs: config.searchSeconds * 1000,
    blobs,
    onTrouble,
  });
  const engine = await openSqlite({
    path,
    onFatal,
    onCommitted: () => search.nudge(),
    onBatch: (writes, seconds) => observed?.metrics.countBatch(writes, seconds),
  });
  return {
    catalog: announceCommits(keepFirstPages(toObserved(engine, opening)), commits),
    search,
    keyStore: keysInFolder(folder),
    isReachable: () => true,
    pool: () => null,
    unlessOthersDo: (work) => work(),
  };
}

async function openShared(config: Config, name: EnvironmentName, opening: Opening): Promise<Records> {
  const { blobs, commits, onTrouble, observed } = opening;
  const options = toPostgresOptions(config.catalog as PostgresConfig, name);
  const sealed = new Set<() => void>();
  const onSealed = (spaces: readonly number[]) => {
    for (const space of spaces) commits.announce(space);
    for (const hear of sealed) hear();
  };
  const engine = await openPostgres(options, {
    onSealed,
    onTrouble,
    onBatch: (writes, seconds) => observed?.metrics.countBatch(writes, seconds),
  });
  const search = openPostgresSearch({
    pool: engine.pool,
    options,
    blobs,
    extractTimeoutMs: config.searchSeconds * 1000,
    onTrouble,
  });
  sealed.add(() => search.nudge());
  const catalog = announceCommits(toObserved(engine, opening), commits);
  return {
    catalog,
    search,
    keyStore: keysInCatalog(catalog),
    isReachable: () => engine.isReachable(),
    pool() {
      const { totalCount: total, idleCount: idle, waitingCount: waiting } = engine.pool;
      return { total, idle, waiting };
    },
    unlessOthersDo: (work) => engine.unlessOthersDo('sweep', work),
  };
}

function watchDisk(folder: string): { freeBytes(): number; stop(): void } {
  const look = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  let freeBytes = look();
  const timer = setInterval(() => {
    freeBytes = look();
  }, lookAtDiskMs);
  timer.unref();
  return { freeBytes: () => freeBytes, stop: () => clearInterval(timer) };
}
