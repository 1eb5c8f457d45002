// The package as it is published, installed into an empty project, and a Node other than the pinned one to run it.

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { packClient } from '../pack.ts';

export const root = join(import.meta.dirname, '../..');

const npmOptions = ['--no-audit', '--no-fund', '--loglevel=error'];

export interface Ran {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, while the service in this process goes on. */
export function run(program: string, words: string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, words, { ...options, timeout: 120_000 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code ?? -1), stdout, stderr: error?.message ?? stderr });
    });
  });
}

/** A folder that is gone after the tests. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-client-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty project with nothing but the client installed. */
export function makeProject(): string {
  const folder = makeFolder();
  const archive = packClient(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  execFileSync('npm', ['install', '--offline', archive, ...npmOptions], { cwd: folder });
  return folder;
}

/** A Node that is not the one which this project pins, if there is one, of version 20 or later. */
export function findOtherNode(): string | null {
  for (const path of ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node']) {
    const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    const [, major = '0'] = /^v(\d+)\./.exec(stdout ?? '') ?? [];
    if (status === 0 && Number(major) >= 20 && stdout.trim() !== process.version) return path;
  }
  return null;
}
