// Ids of interrupted uploads, one small file each beside the profiles. The same file (by path, size and time) to the same target resumes
// the same upload. The service removes abandoned uploads after a while, and so does this file.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CommandContext } from './perform.ts';
import type { Upload } from './uploading.ts';

/** Longer than any service keeps an abandoned upload. */
const forgottenMs = 30 * 24 * 60 * 60 * 1000;

export interface Unfinished {
  /** The id of an earlier upload, if there is one. */
  id: string | undefined;
  keep(id: string): void;
  forget(): void;
}

export function findUnfinished(context: CommandContext, upload: Upload): Unfinished {
  const folder = join(dirname(context.personal.profilesPath), 'uploads');
  const path = join(folder, toKey(context, upload));
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

function toKey({ profile }: CommandContext, { file, target, name }: Upload): string {
  const who = [profile.Url, profile.AppKey, profile.User ?? ''];
  const what = [resolve(file.path), file.sizeBytes, file.modifiedMs, target.id, name];
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
