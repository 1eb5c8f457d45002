// The free space of the disk under a data folder, read every second: a save asks for it and must not wait.

import { statfsSync } from 'node:fs';
import { systemClock } from '../runtime/clock.ts';

const readEveryMs = 1000;

export interface FreeSpace {
  freeBytes(): number;
  stop(): void;
}

export function watchFreeSpace(folder: string, clock = systemClock): FreeSpace {
  let freeBytes = readFreeBytes(folder);
  const timer = clock.every(readEveryMs, () => {
    freeBytes = readFreeBytes(folder);
  });
  return { freeBytes: () => freeBytes, stop: () => timer.cancel() };
}

/** None, where the folder cannot be read: nothing more can be written there either. */
function readFreeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
