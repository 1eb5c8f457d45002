// `npm run package`: makes the packages of a release in dist/packages, with their checksums. `cabinet` is the service with the built
// console, `@cabinet/cli` the command line for people without the service, `@cabinet/client` the client library.

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packClient, stageClient } from '../sdk/pack.ts';
import { npmPack } from './npm-pack.ts';
import { root, stageCommandLine, stageServer } from './stage.ts';

/** Returns the paths of the archives. */
export function packAll(folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, [join(root, 'console/build.ts'), '--if-needed'], { stdio: 'inherit' });
  const archives = [packClient(folder), pack(stageServer, folder), pack(stageCommandLine, folder)];
  const sums = archives.map((path) => `${hash('sha256', readFileSync(path))}  ${basename(path)}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return archives;
}

function pack(stage: (staging: string) => void, folder: string): string {
  const staging = mkdtempSync(join(tmpdir(), 'cabinet-package-'));
  try {
    stage(staging);
    stageClient(join(staging, 'node_modules/@cabinet/client'));
    return npmPack(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

if (import.meta.main) process.stdout.write(`${packAll(join(root, 'dist/packages')).join('\n')}\n`);
