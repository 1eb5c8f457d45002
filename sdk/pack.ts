// `npm run package`: makes the package as it is published. In the repository `exports` names the sources, which Node runs as they
// are; below node_modules it runs no TypeScript, so what is published is compiled, and `exports` names that. The packages of the
// service and of the command line have it inside.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmPack } from '../packaging/npm-pack.ts';

interface Manifest {
  exports: Record<string, string>;
  private?: boolean;
  scripts?: object;
}

/** Writes the archive into this folder, and returns its path. */
export function packClient(folder: string): string {
  const staging = mkdtempSync(join(tmpdir(), 'cabinet-client-'));
  try {
    stageClient(staging);
    return npmPack(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Writes all that the package has into this folder. */
export function stageClient(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as Manifest;
  writeFileSync(join(folder, 'package.json'), JSON.stringify(toPublished(manifest), null, 2));
  for (const name of ['README.md', 'LICENSE']) cpSync(join(import.meta.dirname, name), join(folder, name));
  const compiler = join(import.meta.dirname, '../node_modules/.bin/tsc');
  const config = join(import.meta.dirname, 'tsconfig.build.json');
  execFileSync(compiler, ['-p', config, '--outDir', join(folder, 'dist')]);
}

function toPublished({ private: _private, scripts: _scripts, ...manifest }: Manifest): object {
  const exports = Object.entries(manifest.exports).map(([name, source]) => {
    const compiled = source.replace('./src/', './dist/').replace(/\.ts$/, '');
    return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
  });
  return { ...manifest, exports: Object.fromEntries(exports), files: ['dist'] };
}

if (import.meta.main) process.stdout.write(`${packClient(import.meta.dirname)}\n`);
