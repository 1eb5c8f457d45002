// Writes a small file so that it is there as a whole or not at all, after a power cut too; readable by the owner only.

import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function writeDurably(path: string, text: string): Promise<void> {
  const unfinished = `${path}.new`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    // The mode counts only where the file is new, and a crash may have left one.
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

/** Makes durable which names stand in a folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
