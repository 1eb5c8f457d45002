import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbersIn } from './numbers.ts';

test('a number has the word that its language has for it', () => {
  const counted = (language: string) => [0, 1, 2, 1_000_000].map((n) => numbersIn(language).count(n, 'one', 'many'));
  assert.deepEqual(counted('en'), ['0 many', '1 one', '2 many', '1,000,000 many']);
  assert.deepEqual(counted('de'), ['0 many', '1 one', '2 many', '1.000.000 many']);
  assert.deepEqual(counted('es'), ['0 many', '1 one', '2 many', '1.000.000 many']);
  assert.deepEqual(counted('fr').slice(0, 3), ['0 one', '1 one', '2 many']);
});
