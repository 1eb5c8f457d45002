// Whether a promise can rest on the disk under the data folder: not on a network or memory file system, whose locks and syncs
// are not to be relied on, and not on one that says it has synced sooner than any disk can.

import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { Fault } from '../domain/fault.ts';

/** `f_type` of statfs(2), on Linux. Elsewhere numbers mean other things, and nothing is refused. */
const unreliable = new Map([
  [0x6969, 'NFS, a network file system'],
  [0x517b, 'SMB, a network file system'],
  [0xff534d42, 'CIFS, a network file system'],
  [0xfe534d42, 'SMB, a network file system'],
  [0x01021997, '9p, a shared file system'],
  [0x00c36400, 'Ceph, a network file system'],
  [0x5346414f, 'AFS, a network file system'],
  [0x0bd00bd0, 'Lustre, a network file system'],
  [0x786f4256, 'a folder shared by VirtualBox'],
  [0x01021994, 'tmpfs, which is memory'],
  [0x858458f6, 'ramfs, which is memory'],
]);

const probes = 5;
/** Even disks whose cache survives a power cut take longer, for the file system has work to do too. */
const plausibleMicroseconds = 15;

/** Refuses a folder that a catalog must not be in, and warns of syncs that cannot be true. */
export function checkDisk(
  { dataFolder, catalog, isAnyDiskAllowed }: Config,
  warn: (details: object, message: string) => void,
): void {
  if (catalog.kind !== 'sqlite') return;
  const problem = findDiskProblem(dataFolder);
  if (problem !== null && !isAnyDiskAllowed) {
    throw new Fault(
      'other',
      `The data folder ${dataFolder} is on ${problem}: what is saved there may be lost. Use a local disk, or set CABINET_ALLOW_ANY_DISK=yes.`,
    );
  }
  const microseconds = measureSync(dataFolder);
  if (isImplausible(microseconds)) {
    warn({ dataFolder, microseconds }, 'syncs are faster than a disk can be: a power cut may lose what was answered');
  }
}

/** What is wrong with keeping a catalog there; null: nothing that can be seen. */
export function findDiskProblem(folder: string): string | null {
  if (process.platform !== 'linux') return null;
  return nameUnreliable(statfsSync(folder).type);
}

export function nameUnreliable(type: number): string | null {
  return unreliable.get(type >>> 0) ?? null;
}

/** How long a sync of a small write takes, in microseconds; null: it cannot be tried, for the disk is full. */
export function measureSync(folder: string): number | null {
  const path = join(folder, 'sync.probe');
  let file: number | null = null;
  try {
    file = openSync(path, 'w', 0o600);
    const taken: number[] = [];
    for (let count = 0; count < probes; count += 1) {
      writeSync(file, Buffer.alloc(4096, count), 0, 4096, count * 4096);
      const begun = performance.now();
      fdatasyncSync(file);
      taken.push((performance.now() - begun) * 1000);
    }
    return taken.toSorted((a, b) => a - b)[probes >> 1] ?? null;
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  } finally {
    if (file !== null) closeSync(file);
    rmSync(path, { force: true });
  }
}

export function isImplausible(microseconds: number | null): boolean {
  return microseconds !== null && microseconds < plausibleMicroseconds;
}
