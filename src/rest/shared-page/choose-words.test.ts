import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseWords } from './choose-words.ts';
import { de } from './words-de.ts';
import { en } from './words-en.ts';
import { es } from './words-es.ts';
import { fr } from './words-fr.ts';

test('the page speaks the language that the browser prefers, else English', () => {
  const cases: [header: string | undefined, language: string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['DE-de', 'de'],
    ['fr', 'fr'],
    ['fr-CA, de;q=0.5', 'fr'],
    ['nl, de;q=0.5', 'de'],
    ['nl,ja', 'en'],
    ['es-MX,es;q=0.9,en;q=0.8', 'es'],
    ['en-US,en;q=0.9,de;q=0.8', 'en'],
    ['de;q=0.3, en;q=0.7', 'en'],
    ['en;q=0.3, de; q=0.7', 'de'],
    ['de;q=0', 'en'],
    ['*', 'en'],
    [';;q=;,,', 'en'],
    ['de;q=1;q=2;level=1', 'de'],
  ];
  for (const [header, language] of cases) assert.equal(chooseWords(header).language, language, `${header}`);
});

test('all languages have the same words, each with the same placeholders', () => {
  const list = (words: object, path = ''): string[] =>
    Object.entries(words).flatMap(([key, value]) => {
      if (key === 'refusals') return [];
      if (typeof value === 'object') return list(value, `${path}${key}.`);
      const text = typeof value === 'function' ? value('<name>') : value;
      return [`${path}${key} ${/\{name\}|<name>/.exec(text)?.[0] ?? ''}`];
    });
  assert.deepEqual(list(de), list(en));
  assert.deepEqual(list(fr), list(en));
  assert.deepEqual(list(es), list(en));
});
