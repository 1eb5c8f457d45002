// What `npm run package` would put into the packages: all that is imported or read at run time, and nothing but what is needed. The
// suite `packages` of the long tests makes, installs and runs them.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { emit, toEmitted } from '../packaging/emit.ts';
import { listCommandLineFiles, listServerFiles, root } from '../packaging/stage.ts';

/** The emitted files, beside the dependencies that are installed here. */
function stage(paths: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-staged-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of [...paths, 'package.json']) emit(root, folder, path);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const packages = [
  { name: 'the service', paths: listServerFiles(), entry: 'src/main.js', program: 'bin/start.js' },
  {
    name: 'the command line',
    paths: [...listCommandLineFiles(), 'bin/user.js'],
    entry: 'src/cli/user/main.js',
    program: 'bin/user.js',
  },
];

for (const { name, paths, entry, program } of packages) {
  const folder = stage(paths);

  test(`the package of ${name} has every file that its files name`, () => {
    const missing = paths.flatMap((path) => {
      if (!/\.[jt]s$/.test(path)) return [];
      const text = readFileSync(join(folder, toEmitted(path)), 'utf8');
      const named = text.matchAll(/(?:\bfrom |\bimport |\bimport\(|new URL\(|import\.meta\.dirname, )'(\.[^']+)'/g);
      return Array.from(named, ([, to = '']) => join(dirname(path), to))
        .filter((target) => !isBeside(target) && !existsSync(join(folder, target)))
        .map((target) => `${path} names ${target}`);
    });
    assert.deepEqual(missing, []);
  });

  test(`the emitted files of ${name} can be imported, and its program answers`, () => {
    const options = { cwd: folder, encoding: 'utf8' } as const;
    execFileSync(process.execPath, ['-e', `await import('./${entry}')`], options);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.equal(execFileSync(process.execPath, [program, '--version'], options), `cabinet ${version}\n`);
  });
}

/** Built, or written as the package is made. */
function isBeside(target: string): boolean {
  return ['package.json', 'dist/console', 'bin/cabinet'].includes(target);
}

test('line numbers of emitted files are those of the sources', () => {
  const folder = stage(['src/main.ts']);
  const lines = (path: string) => readFileSync(path, 'utf8').split('\n');
  const [source, emitted] = [lines(join(root, 'src/main.ts')), lines(join(folder, 'src/main.js'))];
  assert.equal(emitted.length, source.length);
  const isSame = (line: string, index: number) => line === '' || line === source[index];
  assert.ok(emitted.filter(isSame).length > emitted.length / 2);
});

test('the command line for people has no files of the service', () => {
  const rooms = new Set(listCommandLineFiles().map((path) => path.split('/').slice(0, 2).join('/')));
  const needed = ['auth', 'blobs', 'certificates', 'cli', 'config', 'domain', 'runtime'].map((room) => `src/${room}`);
  assert.deepEqual([...rooms].sort(), ['bin/prepare.js', ...needed]);
  const operators = listCommandLineFiles().filter((path) => path.startsWith('src/cli/operator/'));
  assert.deepEqual(operators, []);
});

test('on an older Node the command line for people says which one it needs', () => {
  const folder = stage(['bin/user.js']);
  writeFileSync(join(folder, 'older.cjs'), "Object.defineProperty(process.versions, 'node', { value: '20.19.0' });");
  const words = ['--require', './older.cjs', 'bin/user.js', '--version'];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [1, `cabinet: Node 24 or newer is needed; this is ${process.version}.\n`]);
});

test('the command line for people imports no package but its dependencies', () => {
  const imported = listCommandLineFiles().flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return Array.from(text.matchAll(/^import (?!type )[^;]*?from '([^.'][^']*)';/gm), ([, name = '']) => name);
  });
  const packages = imported.filter((name) => !name.startsWith('node:') && !name.startsWith('@cabinet/client'));
  assert.deepEqual([...new Set(packages)], ['commander']);
});
