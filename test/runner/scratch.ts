// Where a run keeps everything that it writes. In memory, if there is plenty: what a disk does with a sync is no test's subject (the
// crash suite cuts the power by the calls that were made, wherever they went), and waiting for it takes a third of a run's time. The
// long run is on the disk.

import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** What is in use at one time is far less. */
const roomBytes = 4 * 1024 ** 3;
/** Room for it, and for everything that runs. */
const availableBytes = 8 * 1024 ** 3;

export function makeScratch({ isLong }: { isLong: boolean }): string {
  const scratch = mkdtempSync(join(!isLong && hasMemory() ? memory : tmpdir(), 'cabinet-tests-'));
  // PostgreSQL runs as another user, who looks for its own folder in it.
  chmodSync(scratch, 0o711);
  return scratch;
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    const [, kib] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
    return bavail * bsize >= roomBytes && Number(kib) * 1024 >= availableBytes;
  } catch {
    return false;
  }
}
