// `cabinet backup`, put together: every environment of a data folder into one folder, and the manifest when all is durable.

import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type EnvironmentName, environmentNames } from '../domain/environment-name.ts';
import { writeSynced } from '../runtime/durable-file.ts';
import { FolderInUse, type FolderLock, lockFile } from '../runtime/folder-lock.ts';
import { folderOf, type Places } from '../server/storage.ts';
import { type Lost, type MadeBackup, tidyBackup } from './backup/backup.ts';
import { type BackedUpFile, CannotBackUp, copyFile, digestFile, writeManifest } from './backup/manifest.ts';
import { backUpEnvironment, type Watched } from './maintenance.ts';

const unfinishedName = 'unfinished';

export interface BackupRequest {
  places: Places;
  directory: string;
  /** Files of the configuration that go with it. */
  configuration: readonly string[];
  /** Keeps the blobs of an environment that is open. */
  hold(name: EnvironmentName): () => Promise<void>;
  watched: Watched;
}

export interface Backup {
  directory: string;
  made: MadeBackup[];
  lost: Lost[];
}

export async function makeBackup(request: BackupRequest): Promise<Backup> {
  const { places, watched } = request;
  requireEmbedded(places);
  const directory = await prepare(request);
  const lock = lockBackup(directory);
  try {
    const snapshot = new Date().toISOString().replaceAll(/[:.]/g, '-');
    await writeSynced(join(directory, unfinishedName), `${snapshot}\n`);
    const made: MadeBackup[] = [];
    for (const name of environmentNames) {
      if (!existsSync(join(folderOf(places, name), 'catalog.db'))) continue;
      const release = request.hold(name);
      try {
        made.push(await backUpEnvironment({ places, name, watched }, { directory, snapshot }));
      } finally {
        await release();
      }
    }
    if (made.length === 0) throw new CannotBackUp(`There is nothing in ${places.dataFolder}.`);
    const Environments = made.map(({ environment }) => environment);
    const Configuration = await copyConfiguration(directory, request.configuration);
    await writeManifest(directory, { Format: 1, MadeAt: new Date().toISOString(), Environments, Configuration });
    for (const environment of Environments) await tidyBackup(directory, environment);
    await rm(join(directory, unfinishedName));
    return { directory, made, lost: made.flatMap(({ lost }) => lost) };
  } finally {
    lock.release();
  }
}

/** "For PostgreSQL + S3 the commands say clearly what to use instead." */
export function requireEmbedded({ catalog }: Places): void {
  if (catalog.kind === 'sqlite') return;
  throw new CannotBackUp(
    'Records are in PostgreSQL: back up the database with its own tools (pg_basebackup and its log, or pg_dump), and keep versions in the S3 bucket. docs/running.md, "Backup of PostgreSQL and S3", says in which order.',
  );
}

async function prepare({ places, directory: asked }: BackupRequest): Promise<string> {
  await mkdir(asked, { recursive: true, mode: 0o700 });
  const [directory, data] = [await realpath(asked), await realpath(places.dataFolder)];
  const isInside = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  if (isInside(directory, data) || isInside(data, directory)) {
    throw new CannotBackUp(`A backup must be outside the data folder ${data}, best on another disk.`);
  }
  const there = await readdir(directory);
  const isOurs = there.length === 0 || there.includes('manifest.json') || there.includes(unfinishedName);
  if (!isOurs) throw new CannotBackUp(`${directory} is not empty and holds no backup. Name an empty folder.`);
  return directory;
}

function lockBackup(directory: string): FolderLock {
  try {
    return lockFile(directory, 'lock.db');
  } catch (error) {
    throw error instanceof FolderInUse ? new CannotBackUp(`Another backup into ${directory} is at work.`) : error;
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
