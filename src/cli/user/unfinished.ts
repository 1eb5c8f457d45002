// Uploads that were broken off: their ids, kept beside the profiles until they are whole, one small file each. The same file (by path,
// size and time) to the same place goes on with the same upload; the service forgets one that nobody goes on with, and so do we.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Running } from './perform.ts';
import type { Upload } from './uploading.ts';

/** Longer than any service keeps an upload that nobody goes on with. */
const forgottenMs = 30 * 24 * 60 * 60 * 1000;

export interface Unfinished {
  /** Of an upload that was begun before; undefined: there is none. */
  id: string | undefined;
  keep(id: string): void;
  forget(): void;
}

export function findUnfinished(running: Running, upload: Upload): Unfinished {
  const folder = join(dirname(running.personal.profilesPath), 'uploads');
  const path = join(folder, toKey(running, upload));
  return {
    id: read(path),
    keep(id) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      sweep(folder);
      writeFileSync(path, id, { mode: 0o600 });
    },
    forget: () => rmSync(path, { force: true }),
  };
}

function toKey({ profile }: Running, { file, place, name }: Upload): string {
  const who = [profile.Url, profile.AppKey, profile.User ?? ''];
  const what = [resolve(file.path), file.sizeBytes, file.modifiedMs, place.id, name];
  return createHash('sha256')
    .update(JSON.stringify([...who, ...what]))
    .digest('hex')
    .slice(0, 32);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - modifiedMs > forgottenMs) rmSync(path, { force: true });
  }
}
