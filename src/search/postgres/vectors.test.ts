import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../query.ts';
import { toWords } from '../words.ts';
import { toLookup, toVectors } from './vectors.ts';

const described = { space: 7, entry: 5000, name: 'name', properties: '' };

/** The words of a vector by their places. */
function read(vector: string): Map<number, string> {
  const placed = new Map<number, string>();
  for (const [, lexeme = '', places = ''] of vector.matchAll(/'([^']*)':([\d,]+)/g)) {
    const numbers = places.split(',').map(Number);
    assert.ok(numbers.length <= 256, `${lexeme} has ${numbers.length} places`);
    for (const place of numbers) placed.set(place, lexeme);
  }
  assert.ok(Math.max(0, ...placed.keys()) < 16_384);
  return placed;
}

function listRuns(vector: string, length: number): Set<string> {
  const placed = read(vector);
  const runs = [...placed.keys()].map((first) => {
    return Array.from({ length }, (_, index) => placed.get(first + index) ?? '').join(' ');
  });
  return new Set(runs);
}

const texts: Record<string, string> = {
  'a word that comes again and again': 'the cat sat on the mat '.repeat(2000),
  'one word only': 'x '.repeat(2000),
  'many short words': Array.from({ length: 40_000 }, (_, index) => ((index * 7919) % 1000).toString(36)).join(' '),
  'many different words': Array.from({ length: 40_000 }, (_, index) => `different${index}`).join(' '),
  'a language without spaces': '我们的世界是美丽的'.repeat(2000),
};

for (const [what, text] of Object.entries(texts)) {
  test(`words that follow each other do so in a piece of a long text: ${what}`, () => {
    const { words, pieces } = toVectors({ ...described, text });
    assert.ok(pieces.length > 1);
    const all = toWords(text);
    const lexemes = new Set([...words.matchAll(/'([^']*)'/g)].map(([, lexeme]) => lexeme));
    assert.ok(all.every((word) => lexemes.has(word)));
    const runs = new Set(pieces.flatMap((piece) => [...listRuns(piece, 64)]));
    for (let at = 0; at + 64 <= all.length; at += 1) assert.ok(runs.has(all.slice(at, at + 64).join(' ')), `at ${at}`);
  });
}

test('a short document is one vector, in which name, properties and text do not follow each other', () => {
  const { names, words, pieces } = toVectors({ ...described, properties: 'key: value', text: 'some text' });
  assert.deepEqual(pieces, []);
  assert.ok(names.endsWith(` 'name':1`));
  assert.ok(words.endsWith(` 'name':1 'key':3 'value':4 'some':6 'text':7`));
});

test('marks name the blocks of the entry, and no word looks like one', () => {
  const { names } = toVectors({ ...described, text: '' });
  assert.ok(names.startsWith(`'/7/0/4' '/7/1/0' '/7/2/0' '/7/3/0' `));
  assert.equal(toLookup(parseQuery('/7/0/4'))?.words, `'7' & '0' & '4'`);
});

test('a lookup has all words, and phrases in runs that fit a piece', () => {
  const lookup = toLookup(parseQuery(`"two words" inv* it's two`));
  assert.equal(lookup?.words, `'two' & 'words' & 'inv':* & 'it' & 's'`);
  assert.deepEqual(lookup?.phrases, [`'two' <-> 'words'`, `'it' <-> 's'`]);
  const long = toLookup(parseQuery(`"${Array.from({ length: 100 }, (_, index) => index).join(' ')}"`));
  assert.deepEqual(
    long?.phrases.map((phrase) => phrase.split(' <-> ').length),
    [64, 36],
  );
  assert.equal(toLookup({ terms: [], expression: '', part: null }), null);
});

test('a long word is cut in documents and in queries alike', () => {
  const word = '한'.repeat(490);
  const { words } = toVectors({ ...described, text: word });
  const lexeme = toLookup(parseQuery(word))?.words ?? '';
  assert.ok(Buffer.byteLength(lexeme) <= 2046 + 2);
  assert.ok(words.includes(`${lexeme}:`));
});
