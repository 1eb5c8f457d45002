// Files that only their owner can read, for what opens files by itself: SQLite.

import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

const others = 0o077;

/** Creates the file, or takes the rights of others from one of an earlier release. SQLite gives the files beside a database its
 *  mode. A file that exists is never opened: to close it would drop the locks that this process has on it. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  for (const each of [path, `${path}-wal`, `${path}-shm`]) withdraw(each);
}

/** Nothing is done for files of another user, and for those that are not there or vanish at this moment. */
function withdraw(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & others) === 0) return;
  try {
    chmodSync(path, mode & 0o700);
  } catch (error) {
    if (!['EPERM', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
