// `cabinet backup`, put together: every environment of a data folder into one folder, and the manifest when all is durable.

import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type EnvironmentName, environmentNames } from '../domain/environment-name.ts';
import { writeSynced } from '../runtime/durable-file.ts';
import { FolderInUse, type FolderLock, lockFile } from '../runtime/folder-lock.ts';
import { folderOf, type StorageConfig } from '../server/storage.ts';
import { type EnvironmentBackup, type LostBlob, tidyBackup } from './backup/backup.ts';
import { requireNoLinks } from './backup/backup-files.ts';
import { type BackedUpFile, BackupError, copyFile, digestFile, writeManifest } from './backup/manifest.ts';
import { fingerprintOf, openFolderKey, openSigningKey, toSigner } from './backup/signature.ts';
import { backUpEnvironment, type Observer } from './maintenance.ts';

const unfinishedName = 'unfinished';

interface BackupRequest {
  storage: StorageConfig;
  directory: string;
  /** Files of the configuration that go with it. */
  configuration: readonly string[];
  /** The private key that signs the manifest; null: the one of the data folder. */
  keyFile: string | null;
  /** Keeps the blobs of an environment that is open. */
  hold(name: EnvironmentName): () => Promise<void>;
  observer: Observer;
}

export interface Backup {
  directory: string;
  made: EnvironmentBackup[];
  lost: LostBlob[];
  /** The fingerprint of the key that signed it. */
  signedBy: string;
}

export async function makeBackup(request: BackupRequest): Promise<Backup> {
  const { storage, observer } = request;
  requireEmbedded(storage);
  const { keyFile } = request;
  // First, so that a wrong key is known before hours of copying.
  const key = await (keyFile === null ? openFolderKey(storage.dataFolder) : openSigningKey(keyFile));
  const directory = await prepare(request);
  const lock = lockBackup(directory);
  try {
    const snapshot = new Date().toISOString().replaceAll(/[:.]/g, '-');
    await writeSynced(join(directory, unfinishedName), `${snapshot}\n`);
    const made: EnvironmentBackup[] = [];
    for (const name of environmentNames) {
      if (!existsSync(join(folderOf(storage, name), 'catalog.db'))) continue;
      const release = request.hold(name);
      try {
        made.push(await backUpEnvironment({ storage, name, observer }, { directory, snapshot }));
      } finally {
        await release();
      }
    }
    if (made.length === 0) throw new BackupError(`There is nothing in ${storage.dataFolder}.`);
    const Environments = made.map(({ environment }) => environment);
    const Configuration = await copyConfiguration(directory, request.configuration);
    const manifest = { Format: 1, MadeAt: new Date().toISOString(), Environments, Configuration };
    await writeManifest(directory, manifest, toSigner(key));
    for (const environment of Environments) await tidyBackup(directory, environment);
    await rm(join(directory, unfinishedName));
    return { directory, made, lost: made.flatMap(({ lost }) => lost), signedBy: fingerprintOf(key) };
  } finally {
    lock.release();
  }
}

/** "For PostgreSQL + S3 the commands say clearly what to use instead." */
export function requireEmbedded({ catalog }: StorageConfig): void {
  if (catalog.kind === 'sqlite') return;
  throw new BackupError(
    'Records are in PostgreSQL: back up the database with its own tools (pg_basebackup and its log, or pg_dump), and keep versions in the S3 bucket. docs/backup.md, "PostgreSQL and S3", says in which order.',
  );
}

async function prepare({ storage, directory: path }: BackupRequest): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const [directory, data] = [await realpath(path), await realpath(storage.dataFolder)];
  const isInside = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  if (isInside(directory, data) || isInside(data, directory)) {
    throw new BackupError(`A backup must be outside the data folder ${data}, best on another disk.`);
  }
  const there = await readdir(directory);
  const isOurs = there.length === 0 || there.includes('manifest.json') || there.includes(unfinishedName);
  if (!isOurs) throw new BackupError(`${directory} is not empty and holds no backup. Name an empty folder.`);
  await requireNoLinks(directory);
  return directory;
}

function lockBackup(directory: string): FolderLock {
  try {
    return lockFile(directory, 'lock.db');
  } catch (error) {
    throw error instanceof FolderInUse ? new BackupError(`Another backup into ${directory} is running.`) : error;
  }
}

async function copyConfiguration(directory: string, paths: readonly string[]): Promise<BackedUpFile[]> {
  const folder = join(directory, 'configuration');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files: BackedUpFile[] = [];
  for (const path of paths) {
    const copy = join(folder, basename(path));
    if ((await copyFile(resolve(path), copy)) === null) continue;
    files.push({ Path: `configuration/${basename(path)}`, To: null, ...(await digestFile(copy)) });
  }
  return files;
}
