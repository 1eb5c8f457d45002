// One process per data folder: an exclusive lock on `lock.db`, which the kernel releases when the process dies, however
// it dies. `holder.json` beside it names the holder for people; the lock alone decides. Commands that may run beside that
// process, but not twice, lock a file of their own.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivate } from './private-file.ts';

const codeBusy = 5;
const service = 'cabinet serve';
/** Longer than a command takes that runs without a service. */
const patienceMs = 15_000;
const againMs = 50;

export class FolderInUse extends Error {
  /** Whether it will stay so. */
  readonly isByService: boolean;

  constructor(folder: string, holder: Holder | null) {
    const shown = holder === null ? 'another process' : toShown(holder);
    super(`The data folder ${folder} is in use by ${shown}.`);
    this.name = 'FolderInUse';
    this.isByService = holder?.Command === service;
  }
}

interface Holder {
  Process: number;
  Command: string;
  StartedAt: string;
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
    const holder: Holder = { Process: process.pid, Command: command, StartedAt: new Date().toISOString() };
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

/** For the service: an operator command that runs at the moment is waited for, another service is not. */
export async function waitForFolder(folder: string, command = service): Promise<FolderLock> {
  for (const until = performance.now() + patienceMs; ; await sleep(againMs)) {
    try {
      return lockFolder(folder, command);
    } catch (error) {
      if (!(error instanceof FolderInUse) || error.isByService || performance.now() > until) throw error;
    }
  }
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

function readHolder(folder: string): Holder | null {
  try {
    return JSON.parse(readFileSync(holderPath(folder), 'utf8')) as Holder;
  } catch {
    return null;
  }
}

function toShown({ Process, Command, StartedAt }: Holder): string {
  return `process ${Process} (${Command}, started ${StartedAt})`;
}
