// One environment, production or test: a data folder of its own with its catalog, its blobs and its keys.

import { mkdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Keys, openKeys } from './auth/keys.ts';
import { openLocalBlobs } from './blobs/local.ts';
import { toCatalog } from './catalog/catalog.ts';
import { keepFirstPages } from './catalog/first-pages.ts';
import { openSqlite } from './catalog/sqlite.ts';
import { syncFolder } from './certificates/durable-file.ts';
import type { Config } from './config.ts';
import type { Fault } from './domain/fault.ts';
import { type Cabinet, UploadMemory } from './operations/cabinet.ts';
import { SignInLimits } from './operations/sign-in.ts';

export const environmentNames = ['production', 'test'] as const;
export type EnvironmentName = (typeof environmentNames)[number];

const lookAtDiskMs = 1000;

export interface Environment {
  name: EnvironmentName;
  cabinet: Cabinet;
  keys: Keys;
  close(): Promise<void>;
}

export function folderOf(config: Config, name: EnvironmentName): string {
  return join(config.dataFolder, name);
}

export async function openEnvironment(
  config: Config,
  name: EnvironmentName,
  onFatal: (fault: Fault) => void,
): Promise<Environment> {
  const folder = folderOf(config, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'catalog.db');
  const keys = await openKeys(folder);
  const blobs = await openLocalBlobs({ folder, onFatal });
  // New names in these folders are durable from here on.
  for (const named of [folder, config.dataFolder, dirname(config.dataFolder)]) await syncFolder(named);
  const catalog = keepFirstPages(toCatalog(await openSqlite({ path, onFatal })));
  const disk = watchDisk(folder);
  const cabinet: Cabinet = {
    catalog,
    blobs,
    limits: { inlineBytes: config.inlineBytes, fileBytes: config.maxFileBytes, reserveBytes: config.reserveBytes },
    names: config.names,
    freeBytes: disk.freeBytes,
    pendingBlobs: new Set(),
    uploadMemory: new UploadMemory(),
    signInLimits: new SignInLimits(),
  };
  return {
    name,
    cabinet,
    keys,
    async close() {
      disk.stop();
      await catalog.close();
      await blobs.close();
    },
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
