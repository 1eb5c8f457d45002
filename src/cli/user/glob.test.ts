// Patterns in remote paths.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPattern, toLiteral, toNamePattern } from './glob.ts';

const cases: [pattern: string, name: string, doesMatch: boolean][] = [
  ['*.pdf', 'a.pdf', true],
  ['*.pdf', 'a.pdf.txt', false],
  ['*', '.hidden', false],
  ['.*', '.hidden', true],
  ['?', 'ä', true],
  ['?', '😀', true],
  ['?', 'ab', false],
  ['[ab]*', 'b1', true],
  ['[!ab]*', 'b1', false],
  ['[a-c]', 'b', true],
  ['\\*', '*', true],
  ['\\*', 'x', false],
  ['a.b', 'axb', false],
  ['(x)+', '(x)+', true],
  ['[', '[', true],
  ['caf\u00e9*', 'caf\u00e9s', true],
];

for (const [pattern, name, doesMatch] of cases) {
  test(`${pattern} ${doesMatch ? 'finds' : 'does not find'} ${name}`, () => {
    assert.equal(toNamePattern(pattern).test(name), doesMatch);
  });
}

test('a name with a backslash before each character is no pattern and finds itself alone', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      const plain = name.normalize('NFC');
      const taken = Array.from(plain, (character) => `\\${character}`).join('');
      assert.equal(isPattern(taken), false);
      assert.equal(toLiteral(taken), plain);
      assert.ok(toNamePattern(taken).test(plain));
      assert.ok(!toNamePattern(taken).test(`${plain}x`));
    }),
  );
});

test('no pattern is so odd that it cannot be read', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'*?[]!^-\\a.(){}|&~/') }), (pattern) => {
      toNamePattern(pattern).test('aaaa');
    }),
  );
});
