// A file store in a folder of the local disk. A file that is being written has `.new` behind its name. A failed sync is
// fatal: it is not tried again.

import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import type { FileStore } from './file-store.ts';

/** Nothing is made before there is something to write. */
export function localFiles(folder: string): FileStore {
  const settle = async () => {
    for (const named of [folder, dirname(folder)]) await syncFolder(named);
  };
  return {
    async list() {
      return await readdir(folder).catch(ignoreMissing);
    },
    async write(name, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(join(folder, name), bytes);
      await settle();
    },
    settle,
    async read(name) {
      return await readFile(join(folder, name));
    },
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const unfinished = `${path}.new`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync().catch(toSyncFault);
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync().catch(toSyncFault);
  } finally {
    await folder.close();
  }
}

function toSyncFault(cause: unknown): never {
  throw new Fault('fatal', 'a sync failed', cause);
}
