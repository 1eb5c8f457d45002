// The documentation can be read: sentences and lines are short, words are spelled as in American English or stand in words.txt, and
// none is there twice in a row. Code, tables and what is generated are left out.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = globSync(['README.md', 'docs/*.md', 'docs/api/*.md', 'sdk/README.md', 'examples/README.md'], {
  cwd: root,
});
const mostWords = 40;
const mostCharacters = 100;

/** The machine and the commit of a benchmark. */
const generatedLine = /^(Cost of a save: )?\d{4}-\d\d-\d\d \d\d:\d\d · .*$/gm;

/** The page without what nobody reads as sentences; each thing that goes leaves the lines that it had. */
function toProse(page: string): string {
  const withoutText = (text: string) => text.replaceAll(/[^\n]/g, '');
  return read(page)
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, withoutText)
    .replaceAll(/<!--[\s\S]*?-->/g, withoutText)
    .replaceAll(/^(\||#+ |<|!\[).*$/gm, '')
    .replaceAll(generatedLine, '');
}

/** Links as their text, code as one word. */
function toPlain(prose: string): string {
  return prose.replaceAll(/`[^`]*`/g, 'Code').replaceAll(/\]\([^)]*\)/g, ']');
}

function listSentences(page: string): string[] {
  const paragraphs = toPlain(toProse(page)).split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/);
  return paragraphs.flatMap((paragraph) =>
    paragraph.replaceAll(/\s+/g, ' ').split(/(?<=[.!?][)*"]*) (?=[*_["(]*[\p{Lu}\d])/u),
  );
}

function countWords(sentence: string): number {
  return sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

test(`no sentence of the documentation has more than ${mostWords} words`, () => {
  assert.ok(pages.length > 40);
  const long = pages.flatMap((page) =>
    listSentences(page)
      .filter((sentence) => countWords(sentence) > mostWords)
      .map((sentence) => `${page}: ${sentence}`),
  );
  assert.deepEqual(long, []);
});

test(`no line of the documentation has more than ${mostCharacters} characters`, () => {
  const long = pages.flatMap((page) =>
    toProse(page)
      .split('\n')
      // An address cannot be broken.
      .filter((line) => line.length > mostCharacters && !/\S{80}/.test(line))
      .map((line) => `${page}: ${line}`),
  );
  assert.deepEqual(long, []);
});

test('no word is there twice in a row', () => {
  const twice = pages.flatMap((page) =>
    [...toPlain(toProse(page)).matchAll(/(?<![\p{L}-])(\p{L}+)\s+\1(?![\p{L}'-])/giu)]
      .map(([found]) => found)
      // "that that" and "Code Code" can be right.
      .filter((found) => !/^(Code|that)\b/.test(found))
      .map((found) => `${page}: ${found}`),
  );
  assert.deepEqual(twice, []);
});

interface Speller {
  correct(word: string): boolean;
}

function openSpeller(): Speller {
  const require = createRequire(import.meta.url);
  const create = require('nspell') as (dictionary: { aff: Buffer; dic: Buffer }) => Speller;
  const folder = dirname(require.resolve('dictionary-en'));
  return create({ aff: readFileSync(join(folder, 'index.aff')), dic: readFileSync(join(folder, 'index.dic')) });
}

/** Words in ordinary letters; names of programs such as `HAProxy`, addresses and abbreviations are none. */
function listWords(page: string): string[] {
  const prose = toPlain(
    read(page)
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
      .replaceAll(generatedLine, ''),
  )
    .replaceAll(/<[^>]*>|\S+:\/\/\S+|\S*[_/@]\S*|[\w.-]+\.[a-z]{2,}\b/g, ' ')
    .replaceAll('’', "'");
  return (prose.match(/(?<![\p{L}\p{N}])\p{L}[\p{L}']*(?![\p{L}\p{N}])/gu) ?? [])
    .map((word) => word.replace(/'s?$/, ''))
    .filter((word) => word.length > 2 && /^\p{Lu}?\p{Ll}+$/u.test(word));
}

test('every word of the documentation is in the dictionary, or in test/words.txt, which has no other', () => {
  const speller = openSpeller();
  const allowed = read('test/words.txt').trim().split('\n');
  const words = new Map(pages.flatMap((page) => listWords(page).map((word) => [word, page] as const)));
  const unknown = [...words].filter(([word]) => !speller.correct(word));
  const isAllowed = (word: string) => allowed.includes(word) || allowed.includes(word.toLowerCase());
  assert.deepEqual(
    unknown.filter(([word]) => !isAllowed(word)).map(([word, page]) => `${page}: ${word}`),
    [],
  );
  const used = new Set(unknown.flatMap(([word]) => [word, word.toLowerCase()]));
  assert.deepEqual(
    allowed.filter((word) => !used.has(word)),
    [],
    'nobody uses these words of test/words.txt',
  );
});
