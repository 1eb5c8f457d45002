// One process per data folder: an exclusive lock on `lock.db`, which the kernel releases when the process dies, however
// it dies. `holder.json` beside it names the holder for people; the lock alone decides. Commands that may run beside that
// process, but not twice, lock a file of their own.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from './private-file.ts';

const codeBusy = 5;

export class FolderInUse extends Error {
  constructor(folder: string, holder: string | null) {
    super(`The data folder ${folder} is in use by ${holder ?? 'another process'}.`);
    this.name = 'FolderInUse';
  }
}

export interface FolderLock {
  release(): void;
}

/** `command`: names the holder in the error message of other processes. */
export function lockFolder(folder: string, command = 'cabinet'): FolderLock {
  const lock = lockFile(folder, 'lock.db');
  const path = holderPath(folder);
  rmSync(path, { force: true });
  try {
    const holder = { Process: process.pid, Command: command, StartedAt: new Date().toISOString() };
    writeFileSync(path, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch {
    // A full disk: then the error message does not name the holder.
  }
  return {
    release() {
      rmSync(path, { force: true });
      lock.release();
    },
  };
}

export function lockFile(folder: string, file: string): FolderLock {
  makePrivate(join(folder, file));
  const database = new DatabaseSync(join(folder, file), { timeout: 0 });
  try {
    // In memory: a journal on the disk would be begun at once, and a full disk would keep the service from starting.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (((cause as { errcode?: number }).errcode ?? 0) === codeBusy) throw new FolderInUse(folder, readHolder(folder));
    throw cause;
  }
  return { release: () => database.close() };
}

function holderPath(folder: string): string {
  return join(folder, 'holder.json');
}

function readHolder(folder: string): string | null {
  try {
    const holder = JSON.parse(readFileSync(holderPath(folder), 'utf8')) as Record<string, string | number>;
    return `process ${holder.Process} (${holder.Command}, started ${holder.StartedAt})`;
  } catch {
    return null;
  }
}
