// A file store in a folder of the local disk.

import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeDurably } from './durable-file.ts';
import type { FileStore } from './file-store.ts';

/** The folder is created by the first write. */
export function localFiles(folder: string): FileStore {
  return {
    async list() {
      return await readdir(folder).catch(ignoreMissing);
    },
    async write(name, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(join(folder, name), bytes);
      await syncFolder(dirname(folder));
    },
    async settle() {
      await syncFolder(folder);
      await syncFolder(dirname(folder));
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
