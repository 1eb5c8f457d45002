// Durable files: the only place of ours that calls fsync (SQLite syncs its own files).
//
// What is durable. When `syncFile` or `syncFileAt` resolves, the bytes and the size of the file survive a power cut; its name does not
// yet. When `syncFolder` resolves, the names in the folder do, as they are now: a file that was created, renamed or removed there. A new folder
// needs a sync of its parent too. `writeDurably` does both: afterwards the new content stands under the name, and a power cut
// at any moment leaves the old content or the new one, whole.
//
// What follows a failure. A failed sync is a fatal fault and is never retried: the kernel may have dropped the pages that it could
// not write and marked them clean, so that a second sync would succeed and mean nothing. Whoever promised something about the file must
// stop promising; threads of an environment inform each other through a `SyncGuard`. Nothing is ignored, neither
// `EINVAL` from a file system that cannot sync folders nor `ENOSPC`, which delayed allocation reports here. All other
// errors (open, write, rename) pass as they are: nothing was promised yet, and the caller may try again.

import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '../domain/fault.ts';

/** `fdatasync`: timestamps may be lost. */
export async function syncFile(file: FileHandle): Promise<void> {
  await file.datasync().catch(toFatal);
}

/** For a file that something else wrote. */
export async function syncFileAt(path: string): Promise<void> {
  await syncAt(path, 'r+');
}

export async function syncFolder(path: string): Promise<void> {
  await syncAt(path, 'r');
}

async function syncAt(path: string, flags: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync().catch(toFatal);
  } finally {
    await file.close();
  }
}

/** Writes a small file that only its owner can read. The bytes are durable, the name is not. */
export async function writeSynced(path: string, bytes: string | Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync().catch(toFatal);
  } finally {
    await file.close();
  }
}

/** Replaces a small file that only its owner can read, as a whole or not at all. A crash may leave a file `<name>.new`. */
export async function writeDurably(path: string, bytes: string | Uint8Array): Promise<void> {
  const unfinished = `${path}.new`;
  // One that a crash left may have another mode.
  await rm(unfinished, { force: true });
  await writeSynced(unfinished, bytes);
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

function toFatal(cause: NodeJS.ErrnoException): never {
  throw new Fault('fatal', `fsync failed: ${cause.message}`, cause);
}
