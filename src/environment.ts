// One environment, production or test: a data folder of its own with its catalog, its blobs and its keys.

import { mkdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Keys, openKeys } from './auth/keys.ts';
import { openLocalBlobs } from './blobs/local.ts';
import { toCatalog } from './catalog/catalog.ts';
import { announceCommits, Commits } from './catalog/commits.ts';
import { keepFirstPages } from './catalog/first-pages.ts';
import { openJournalFiles } from './catalog/journal-files.ts';
import { openSqlite } from './catalog/sqlite.ts';
import { syncFolder } from './certificates/durable-file.ts';
import type { Config } from './config.ts';
import type { Fault } from './domain/fault.ts';
import { type Cabinet, type Limits, UploadMemory } from './operations/cabinet.ts';
import { Purger } from './operations/purger.ts';
import { Quotas } from './operations/quotas.ts';
import { SignInLimits } from './operations/sign-in.ts';
import { openSearch } from './search/search.ts';

export const environmentNames = ['production', 'test'] as const;
export type EnvironmentName = (typeof environmentNames)[number];

const lookAtDiskMs = 1000;

export interface Environment {
  name: EnvironmentName;
  cabinet: Cabinet;
  keys: Keys;
  close(): Promise<void>;
}

export interface EnvironmentEvents {
  /** It can promise nothing any more. */
  onFatal(fault: Fault): void;
  /** Work in the background failed; it will be tried again. */
  onTrouble(error: unknown): void;
}

export function folderOf(config: Config, name: EnvironmentName): string {
  return join(config.dataFolder, name);
}

export async function openEnvironment(
  config: Config,
  name: EnvironmentName,
  { onFatal, onTrouble }: EnvironmentEvents,
): Promise<Environment> {
  const folder = folderOf(config, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'catalog.db');
  const keys = await openKeys(folder);
  const blobs = await openLocalBlobs({ folder, onFatal });
  // New names in these folders are durable from here on.
  for (const named of [folder, config.dataFolder, dirname(config.dataFolder)]) await syncFolder(named);
  const commits = new Commits();
  const search = openSearch({
    catalogPath: path,
    indexPath: join(folder, 'search.db'),
    reserveBytes: config.reserveBytes,
    extractTimeoutMs: config.searchSeconds * 1000,
    blobs,
    onTrouble,
  });
  const engine = await openSqlite({ path, onFatal, onCommitted: () => search.nudge() });
  const catalog = announceCommits(keepFirstPages(toCatalog(engine)), commits);
  // Only one process has this folder: whoever was copying is gone.
  await catalog.abandonCopies({ before: Date.now() }).catch(onTrouble);
  const purger = new Purger(catalog, blobs, onTrouble);
  const disk = watchDisk(folder);
  const cabinet: Cabinet = {
    catalog,
    blobs,
    limits: toLimits(config),
    names: config.names,
    freeBytes: disk.freeBytes,
    pendingBlobs: new Set(),
    uploadMemory: new UploadMemory(),
    signInLimits: new SignInLimits(),
    purger,
    commits,
    search,
    quotas: new Quotas(catalog),
    journalFiles: openJournalFiles(folder),
    isReadAudited: config.isReadAudited,
    hasMutualTls: name === 'production',
  };
  await cabinet.quotas.load();
  return {
    name,
    cabinet,
    keys,
    async close() {
      disk.stop();
      await search.close();
      await purger.stop();
      await catalog.close();
      await blobs.close();
    },
  };
}

const dayMs = 24 * 60 * 60 * 1000;

function toLimits(config: Config): Limits {
  const { inlineBytes, maxFileBytes, reserveBytes, versionsKept, versionDays, trashDays, journalDays } = config;
  return {
    inlineBytes,
    fileBytes: maxFileBytes,
    reserveBytes,
    keptVersions: versionsKept,
    versionMs: versionDays === null ? null : versionDays * dayMs,
    trashMs: trashDays === null ? null : trashDays * dayMs,
    journalMs: journalDays === null ? null : journalDays * dayMs,
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
