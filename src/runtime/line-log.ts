// A log of short lines that are only ever appended. The local one is a file that only its owner can read.

import { type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFile, syncFolder } from './durable-file.ts';

export interface LineLog {
  /** Resolves when the line is durable. `name`: sorts it among the others, and is unique, where each line is an object of its own. */
  append(line: string, name: string): Promise<void>;
  read(): Promise<string[]>;
}

export function localLines(path: string): LineLog {
  return {
    async append(line) {
      const file = await open(path, 'a+', 0o600);
      try {
        // A crash may have cut the last line.
        const begin = (await endsInLine(file)) ? '\n' : '';
        await file.writeFile(`${begin}${line}\n`);
        await syncFile(file);
      } finally {
        await file.close();
      }
      await syncFolder(dirname(path));
    },
    async read() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      return text.split('\n').filter((line) => line !== '');
    },
  };
}

async function endsInLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}
