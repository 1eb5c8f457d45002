// Keeps docs/contract.md and those who cite it together: every cited section exists, and the error codes are those of the code.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { refusalCodes } from '../src/domain/refusal.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const contract = read('docs/contract.md');

const headings = [...contract.matchAll(/^#{2,3} <a id="s([\d.]+)"><\/a>§([\d.]+) \S/gm)];
const sections = headings.map(([, , number = '']) => number);

function listCiting(): { path: string; text: string }[] {
  const patterns = ['{src,test,bench,examples,sdk,console,docs}/**/*.{ts,tsx,md}', '*.md'];
  const exclude = (name: string) => name === 'node_modules' || name === 'dist';
  const paths = globSync(patterns, { cwd: root, exclude }).filter((path) => path !== 'test/contract.test.ts');
  return paths.map((path) => ({ path, text: read(path) })).filter(({ text }) => text.includes('contract.md §'));
}

/** The sections of "docs/contract.md §4.3, §4.4 and §9.2". */
function readCited(text: string): string[] {
  const citations = text.match(/contract\.md (§[\d.]*\d(, | and |–| to )?)+/g) ?? [];
  return citations.flatMap((citation) => citation.match(/(?<=§)[\d.]*\d/g) ?? []);
}

test('Every section of the contract has an anchor of its own number, and numbers are in order', () => {
  assert.ok(sections.length > 40);
  assert.deepEqual(
    headings.map(([, anchor]) => anchor),
    sections,
  );
  assert.equal((contract.match(/^#{2,3} /gm) ?? []).length, sections.length, 'a heading has no number');
  const toKey = (number: string) =>
    number
      .split('.')
      .map((part) => part.padStart(3, '0'))
      .join('.');
  assert.deepEqual(sections.map(toKey), sections.map(toKey).toSorted());
  assert.equal(new Set(sections).size, sections.length);
});

test('Every cited section of the contract exists', () => {
  const citing = listCiting();
  assert.ok(citing.length > 40, `${citing.length} files cite the contract`);
  const wrong = citing.flatMap(({ path, text }) =>
    readCited(text)
      .filter((number) => !sections.includes(number))
      .map((number) => `${path} cites §${number}`),
  );
  assert.deepEqual(wrong, []);
  const own = [...contract.matchAll(/§(\d[\d.]*\d|\d)/g)].map(([, number = '']) => number);
  assert.deepEqual(
    own.filter((number) => !sections.includes(number)),
    [],
  );
});

test('Every test file of the interface cites the contract', () => {
  const silent = globSync('test/interface/*.test.ts', { cwd: root }).filter(
    (path) => !read(path).includes('docs/contract.md §'),
  );
  assert.deepEqual(silent, []);
});

test('No file cites a document that is not in the repository', () => {
  const patterns = ['{src,test,bench,examples,sdk,console,docs}/**/*.{ts,tsx,md}', '*.md'];
  const exclude = (name: string) => name === 'node_modules' || name === 'dist';
  const wrong = globSync(patterns, { cwd: root, exclude }).filter(
    (path) => path !== 'test/contract.test.ts' && /\b(INTERFACE|SECURITY|WRITE-PATH)(-2)?\.md\b/.test(read(path)),
  );
  assert.deepEqual(wrong, []);
});

/** Code and first status of each row of a table of error codes. */
function listCodes(page: string): string[] {
  return [...page.matchAll(/^\| `([A-Z][A-Za-z]+)` \| (\d{3})(?:, \d{3})? \|/gm)].map(
    ([, code, status]) => `${code} ${status}`,
  );
}

test('The contract lists every error code once, with the status of docs/api/errors.md, and no other', () => {
  const listed = listCodes(contract);
  assert.deepEqual(
    listed.map((row) => row.split(' ')[0]),
    [...refusalCodes],
  );
  assert.deepEqual(listed, listCodes(read('docs/api/errors.md')));
});

test('The lines of the contract have at most 100 characters, but for tables', () => {
  const long = contract.split('\n').filter((line) => !line.startsWith('|') && line.length > 100);
  assert.deepEqual(long, []);
});
