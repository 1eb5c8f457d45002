// `npm ci` prints no EBADENGINE and no deprecation, whichever supported Node runs it: the lock file says what each package wants.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

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
