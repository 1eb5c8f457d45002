// `npm run package`: makes the package as it is published. In the repository `exports` names the sources, which Node runs as they
// are; below node_modules it runs no TypeScript, so what is published is compiled, and `exports` names that.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Manifest {
  exports: Record<string, string>;
  private?: boolean;
  scripts?: object;
}

/** Writes the archive into this folder, and gives its path. */
export function packClient(folder: string): string {
  const staging = mkdtempSync(join(tmpdir(), 'cabinet-client-'));
  try {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as Manifest;
    writeFileSync(join(staging, 'package.json'), JSON.stringify(toPublished(manifest), null, 2));
    for (const name of ['README.md', 'LICENSE']) cpSync(join(import.meta.dirname, name), join(staging, name));
    const compiler = join(import.meta.dirname, '../node_modules/.bin/tsc');
    const config = join(import.meta.dirname, 'tsconfig.build.json');
    execFileSync(compiler, ['-p', config, '--outDir', join(staging, 'dist')]);
    const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: staging });
    const [packed] = JSON.parse(printed.toString()) as { filename: string }[];
    return join(folder, packed?.filename ?? '');
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function toPublished({ private: _private, scripts: _scripts, ...manifest }: Manifest): object {
  const exports = Object.entries(manifest.exports).map(([name, source]) => {
    const compiled = source.replace('./src/', './dist/').replace(/\.ts$/, '');
    return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
  });
  return { ...manifest, exports: Object.fromEntries(exports), files: ['dist'] };
}

if (import.meta.main) process.stdout.write(`${packClient(import.meta.dirname)}\n`);
