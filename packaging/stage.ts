// Writes what the packages of the service and of the command line consist of into a folder, in the layout of the repository: paths
// from one file to another stay. The client library is bundled, since it is no package of the registry.

import { cpSync, globSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { emit } from './emit.ts';

export const root = resolve(import.meta.dirname, '..');

interface Manifest {
  version: string;
  description: string;
  license: string;
  engines: Record<string, string>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const { version, description, license, engines, dependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Manifest;
const client = '@cabinet/client';

/** The service, with the built console and the whole command line. */
export function stageServer(folder: string): void {
  for (const path of listServerFiles()) emit(root, folder, path);
  cpSync(join(root, 'dist/console'), join(folder, 'dist/console'), { recursive: true });
  cpSync(join(root, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));
  const { '@cabinet/console': _built, ...others } = dependencies;
  stageManifest(folder, 'server', {
    name: 'cabinet',
    description,
    engines,
    dependencies: others,
    optionalDependencies,
    files: ['bin', 'src', 'dist', 'CHANGELOG.md'],
  });
}

/** The command line for people, on whatever Node they have. */
export function stageCommandLine(folder: string): void {
  for (const path of listCommandLineFiles()) emit(root, folder, path);
  emit(root, folder, 'bin/user.js');
  renameSync(join(folder, 'bin/user.js'), join(folder, 'bin/cabinet'));
  const { commander = '' } = dependencies;
  stageManifest(folder, 'cli', {
    name: '@cabinet/cli',
    description: 'The command line of Cabinet, a content management service: upload, download, sync and share files.',
    // `using` declarations.
    engines: { node: '>=24' },
    dependencies: { commander },
    optionalDependencies: {},
    files: ['bin', 'src'],
  });
}

interface Contents {
  name: string;
  description: string;
  engines: Record<string, string>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  files: string[];
}

function stageManifest(folder: string, own: string, contents: Contents): void {
  const manifest = {
    ...contents,
    dependencies: { ...contents.dependencies, [client]: version },
    version,
    license,
    type: 'module',
    bin: { cabinet: 'bin/cabinet' },
    bundleDependencies: [client],
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(root, 'packaging', own, 'README.md'), join(folder, 'README.md'));
}

/** All of `src` but tests, and what is run of `bin`. */
export function listServerFiles(): string[] {
  const isLeftOut = (path: string) => /(\.test\.ts|-for-tests\.\w+|\.d\.ts)$/.test(path);
  const sources = globSync('src/**/*.*', { cwd: root }).filter((path) => !isLeftOut(path));
  return ['bin/cabinet', 'bin/pinned-node', 'bin/prepare.js', 'bin/start.js', ...sources.sort()];
}

/** What the commands for people import, now or when they run. */
export function listCommandLineFiles(): string[] {
  const paths = new Set(['bin/prepare.js', 'src/cli/user/main.ts']);
  // Iterating a set includes items that are added meanwhile.
  for (const path of paths) for (const imported of listImports(path)) paths.add(imported);
  return [...paths].sort();
}

function listImports(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const found = text.matchAll(/^(?:import|export) (?!type )[^;]*?'(\.[^']+)';|\bimport\('(\.[^']+)'\)/gm);
  return Array.from(found, ([, now, later]) => relative(root, resolve(root, dirname(path), now ?? later ?? '')));
}
