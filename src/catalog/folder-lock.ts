// One process per data folder: an exclusive lock on `lock.db`, which the kernel frees when the process dies, however
// it dies. What may run beside that process, but not twice, locks a file of its own.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export class FolderInUse extends Error {
  constructor(folder: string) {
    super(`The data folder ${folder} is in use by another process.`);
    this.name = 'FolderInUse';
  }
}

export interface FolderLock {
  release(): void;
}

export function lockFolder(folder: string, file = 'lock.db'): FolderLock {
  const database = new DatabaseSync(join(folder, file), { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (((cause as { errcode?: number }).errcode ?? 0) === 5) throw new FolderInUse(folder);
    throw cause;
  }
  return { release: () => database.close() };
}
