// A file store in a folder of the local disk. A file that is being written has `.new` behind its name.

import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileStore } from '../domain/file-store.ts';

/** Nothing is made before there is something to write. */
export function localFiles(folder: string): FileStore {
  return {
    async list() {
      return await readdir(folder).catch(ignoreMissing);
    },
    async write(name, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(join(folder, name), bytes);
      for (const named of [folder, dirname(folder)]) await syncFolder(named);
    },
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
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
