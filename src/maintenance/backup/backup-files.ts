// The files of a backup as they are on the disk. Symbolic links are never followed, and nothing is read that the manifest does
// not name: SQLite, for one, would read a log that somebody put beside the catalog.

import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { environmentNames } from '../../domain/environment-name.ts';
import { BackupError, type Manifest } from './manifest.ts';

/** What looking at a backup of an earlier release leaves if it is interrupted. */
export const upgradedNames = ['catalog.db.upgraded', 'catalog.db.upgraded-wal', 'catalog.db.upgraded-shm'];

/** Refuses a backup with something that a backup cannot have: links, devices, unknown files beside the catalog. */
export async function requireOwnFiles(directory: string, { Environments, Configuration }: Manifest): Promise<void> {
  for (const { Name, Snapshot, Files } of Environments) {
    const upgraded = upgradedNames.map((name) => `${Name}/${Snapshot}/${name}`);
    const known = new Set([...Files.map(({ Path }) => Path), ...upgraded]);
    for await (const path of walk(directory, Name)) {
      // Elsewhere an interrupted backup leaves files, which are not read.
      const isRead = path.startsWith(`${Name}/${Snapshot}/`);
      if (isRead && !known.has(path)) throw foreign(path, 'the manifest does not name it');
    }
  }
  if (Configuration.length > 0) for await (const _ of walk(directory, 'configuration'));
}

/** Refuses to write into a folder where links would lead elsewhere. */
export async function requireNoLinks(directory: string): Promise<void> {
  for (const name of [...environmentNames, 'configuration']) for await (const _ of walk(directory, name));
}

/** All files below a folder, none of them a link. */
async function* walk(directory: string, name: string): AsyncGenerator<string> {
  const top = await lstat(join(directory, name)).catch(() => null);
  if (top === null) return;
  if (!top.isDirectory()) throw foreign(name, 'it is a link or a special file');
  const folders = [join(directory, name)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true });
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) yield relative(directory, path);
      else throw foreign(relative(directory, path), 'it is a link or a special file');
    }
  }
}

function foreign(path: string, problem: string): BackupError {
  return new BackupError(
    `${path} does not belong to a backup: ${problem}. Somebody changed this folder: do not restore it.`,
  );
}
