// What an environment keeps things in, by configuration: records in SQLite or PostgreSQL, large contents on the disk or in
// S3. Nothing above knows which; `isShared` says whether other nodes use it, too. What speaks to PostgreSQL and to S3 is
// loaded only where it is used.

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keysInFolder } from '../auth/keys.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { type HeldBlobs, toHeldBlobs } from '../blobs/held-blobs.ts';
import { attachLocalBlobs, openLocalBlobs } from '../blobs/local/local.ts';
import { announceCommits, Commits } from '../catalog/commits.ts';
import { type JournalFiles, openJournalFiles } from '../catalog/journal-files.ts';
import { type JournalKeys, openJournalKeys } from '../catalog/journal-keys.ts';
import { FirstPages } from '../catalog/page-cache/first-pages.ts';
import { readChainEnd } from '../catalog/sqlite/chain-end.ts';
import { openSqlite } from '../catalog/sqlite/sqlite.ts';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { Fault } from '../domain/fault.ts';
import { restoringName } from '../maintenance/backup/restore.ts';
import type { Clock } from '../runtime/clock.ts';
import { syncFolder } from '../runtime/durable-file.ts';
import type { FileStore } from '../runtime/file-store.ts';
import { type LineLog, localLines } from '../runtime/line-log.ts';
import { localFiles } from '../runtime/local-file-store.ts';
import { SyncGuard } from '../runtime/sync-guard.ts';
import { openSqliteSearch } from '../search/sqlite/search.ts';
import { observeBlobs } from '../telemetry/observed-blobs.ts';
import { watchFreeSpace } from './free-space.ts';
import { type Opening, type Records, type StorageEvents, toObserved, toPostgresOptions } from './records.ts';

export interface Storage extends Records {
  blobs: HeldBlobs;
  commits: Commits;
  journalFiles: JournalFiles;
  journalKeys: JournalKeys;
  syncGuard: SyncGuard;
  /** Whether other nodes may use it at the same time. */
  isShared: boolean;
  /** Bytes that are free where contents are kept, as of a moment ago. */
  freeBytes(): number;
  close(): Promise<void>;
}

/** Where things are kept. */
export type StorageConfig = Pick<Config, 'dataFolder' | 'catalog' | 'blobs' | 'journalKeysFolder'>;

export function folderOf(config: Pick<Config, 'dataFolder'>, name: EnvironmentName): string {
  return join(config.dataFolder, name);
}

export async function openStorage(config: Config, name: EnvironmentName, events: StorageEvents): Promise<Storage> {
  requireRestored(config);
  const folder = folderOf(config, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const syncGuard = new SyncGuard();
  const blobs = toHeldBlobs(await openBlobs(config, name, { ...events, syncGuard }));
  // New names in these folders are durable from here on.
  for (const named of [folder, config.dataFolder, dirname(config.dataFolder)]) await syncFolder(named);
  const commits = new Commits();
  const isShared = config.catalog.kind === 'postgres';
  const open = isShared ? (await import('./shared-storage.ts')).openShared : openEmbedded;
  const opening = async () => {
    const journalKeys = await openKeysOfJournal(config, name);
    return { journalKeys, ...(await open(config, name, { ...events, blobs, commits, syncGuard, journalKeys })) };
  };
  const records = await opening().catch(async (error) => {
    await blobs.close();
    throw error;
  });
  const isOnDisk = config.catalog.kind === 'sqlite' || config.blobs.kind === 'file';
  const disk = isOnDisk
    ? watchFreeSpace(folder, events.clock)
    : { freeBytes: () => Number.MAX_SAFE_INTEGER, stop: () => undefined };
  const storage: Storage = {
    ...records,
    blobs,
    commits,
    syncGuard,
    isShared,
    journalFiles: await openArchivedJournal(config, name),
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

/** A part of a backup must not be taken for all of it. */
function requireRestored({ dataFolder }: Config): void {
  if (!existsSync(join(dataFolder, restoringName))) return;
  throw new Fault(
    'other',
    `A restore into ${dataFolder} was not finished. Run cabinet restore again; or, to begin with an empty folder instead, remove ${restoringName} from it.`,
  );
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

/** Where the archived part of the journal is. */
export async function openArchivedJournal(config: StorageConfig, name: EnvironmentName): Promise<JournalFiles> {
  return openJournalFiles(await openFiles(config, name, 'journal'));
}

/** Where the keys of the journal's chain are: never in the database. */
export async function openKeysOfJournal(config: StorageConfig, name: EnvironmentName): Promise<JournalKeys> {
  const { journalKeysFolder: folder } = config;
  return openJournalKeys(
    folder === null ? await openFiles(config, name, 'journal-keys') : localFiles(join(folder, name)),
  );
}

/** Where signed heads of the journal are appended; null: nowhere. */
export async function openAnchor({ auditAnchor }: Config, clock: Clock): Promise<LineLog | null> {
  if (auditAnchor === null) return null;
  if (auditAnchor.kind === 'file') return localLines(auditAnchor.path);
  const { s3Lines } = await import('../blobs/s3/line-log.ts');
  return s3Lines(auditAnchor, { lockDays: auditAnchor.lockDays, clock });
}

/** With the large contents, where several nodes must reach them. */
async function openFiles(config: StorageConfig, name: EnvironmentName, folder: string): Promise<FileStore> {
  const s3 = config.catalog.kind === 'postgres' ? toS3Options(config, name) : null;
  if (s3 === null) return localFiles(join(folderOf(config, name), folder));
  const { s3Files } = await import('../blobs/s3/file-store.ts');
  return s3Files(s3, `${folder}/`);
}

/** Removes everything that an environment has. It is closed. */
export async function emptyStorage(config: Config, name: EnvironmentName): Promise<void> {
  if (config.catalog.kind === 'postgres') {
    const { removeSchema } = await import('../catalog/postgres/postgres.ts');
    await removeSchema(toPostgresOptions(config.catalog, name));
  }
  const s3 = toS3Options(config, name);
  if (s3 !== null) await (await import('../blobs/s3/s3.ts')).removeAll(s3);
  rmSync(folderOf(config, name), { recursive: true, force: true });
}

export function toS3Options({ blobs }: StorageConfig, name: EnvironmentName) {
  return blobs.kind === 's3' ? { ...blobs, prefix: `${blobs.prefix}${name}/` } : null;
}

/** `isWorker`: in another thread than the one that tidies up. */
export async function openBlobs(
  config: Config,
  name: EnvironmentName,
  events: StorageEvents & { syncGuard: SyncGuard; isWorker?: boolean },
): Promise<Blobs> {
  const s3 = toS3Options(config, name);
  const { onFatal, onBackgroundError, observed, syncGuard, isWorker, clock } = events;
  const folder = folderOf(config, name);
  let opened: Blobs;
  if (s3 === null) opened = await (isWorker ? attachLocalBlobs : openLocalBlobs)({ folder, onFatal, syncGuard });
  else {
    const { openS3Blobs } = await import('../blobs/s3/s3.ts');
    const onNotice = (text: string) => onBackgroundError(new Error(text));
    const options = { ...s3, spoolFolder: folder, threads: config.httpThreads, onNotice };
    opened = await openS3Blobs({ ...options, ...(clock !== undefined && { clock }) });
  }
  return observed === undefined ? opened : observeBlobs(opened, observed.metrics, observed.tracer);
}

export function toCatalogPath(config: Pick<Config, 'dataFolder'>, name: EnvironmentName): string {
  return join(folderOf(config, name), 'catalog.db');
}

async function openEmbedded(config: Config, name: EnvironmentName, opening: Opening): Promise<Records> {
  const { blobs, commits, syncGuard, journalKeys, onFatal, onBackgroundError, observed, clock } = opening;
  const folder = folderOf(config, name);
  const path = toCatalogPath(config, name);
  const search = openSqliteSearch({
    catalogPath: path,
    indexPath: join(folder, 'search.db'),
    reserveBytes: config.reserveBytes,
    extractTimeoutMs: config.searchSeconds * 1000,
    blobs,
    onBackgroundError,
    ...(clock !== undefined && { clock }),
  });
  const journalKey = (await journalKeys.newest()) ?? (await journalKeys.ensure(readChainEnd(path)));
  const engine = await openSqlite({
    path,
    syncGuard,
    journalKey,
    ...(clock !== undefined && { clock }),
    onFatal,
    onChanges: (changes, number) => pages.follow(changes, number),
    onCommitted: () => search.nudge(),
    onBatch: (writes, seconds) => observed?.metrics.countBatch(writes, seconds),
  });
  const pages = new FirstPages(engine.commitCounter, 0);
  return {
    catalog: announceCommits(pages.keep(toObserved(engine, opening)), commits),
    search,
    keyStore: keysInFolder(folder),
    isReachable: () => true,
    pool: () => null,
    async useNewestJournalKey() {
      const key = await journalKeys.newest();
      if (key !== null) engine.useJournalKey(key);
    },
    // Nothing else has these records.
    runExclusive: (work) => work(new AbortController().signal),
    workers: engine,
  };
}
