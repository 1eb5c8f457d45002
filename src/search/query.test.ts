import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../domain/refusal.ts';
import { parseQuery } from './query.ts';
import { toTokens } from './words.ts';

const database = new DatabaseSync(':memory:');
database.exec(`CREATE VIRTUAL TABLE words USING fts5 (
  text, content = '', tokenize = "ascii")`);
// A range, as in the index: `rowid = ?` beside MATCH finds other rows in SQLite 3.53.
const match = database.prepare('SELECT rowid FROM words WHERE words MATCH ?1 AND rowid >= ?2 AND rowid <= ?2');
let documents = 0;

function isFound(text: string, q: string): boolean {
  documents += 1;
  database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)').run(documents, toTokens(text.normalize('NFC')));
  return match.all(parseQuery(q).expression, documents).length > 0;
}

function isRefused(q: string | null): boolean {
  try {
    parseQuery(q);
    return false;
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, 'InvalidField');
    assert.equal(error.details.target, 'q');
    return true;
  }
}

test('all words must occur, in any order, case and accents ignored', () => {
  assert.ok(isFound('The Invoice of the café', 'CAFE invoice'));
  assert.ok(isFound('Prüfung', 'pru\u0308fung'));
  assert.ok(!isFound('The invoice', 'invoice café'));
});

test('prefixes and phrases match', () => {
  assert.ok(isFound('two invoices', 'inv*'));
  assert.ok(!isFound('two invoices', 'voices*'));
  assert.ok(isFound('the annual report, 2026', '"annual report 2026"'));
  assert.ok(!isFound('the report, annual', '"annual report"'));
  assert.ok(isFound('the annual reports', '"annual rep"*'));
});

test('the syntax of FTS5 is plain text', () => {
  for (const q of [
    'a OR b',
    'NOT a',
    'NEAR(a b)',
    'name:a',
    'a AND',
    '-a',
    '^abc',
    '{name}:a',
    '(abc',
    'a+b',
    "o'clock",
    'AND',
  ]) {
    assert.equal(isFound('something else altogether', q), false, q);
  }
  assert.ok(isFound('either or not', 'either OR not'));
  assert.ok(isFound('see foo-bar.txt', 'foo-bar.txt'));
});

test('languages without spaces are found by any characters', () => {
  assert.ok(isFound('東京タワーは高い', '京タワ'));
  assert.ok(!isFound('東京タワーは高い', '京東'));
  assert.ok(isFound('हिन्दी में लिखा', 'हिन्दी'));
  assert.ok(isFound('한국어 문서', '한국어'.normalize('NFD')));
});

test('invalid queries are refused', () => {
  for (const q of [
    null,
    '',
    '  ',
    '"',
    'a "b',
    'a" b"',
    '"a"b',
    '!?',
    '***',
    '"" ""',
    'a*',
    'in*',
    '\ud800',
    'a\0b',
    'x'.repeat(501),
  ]) {
    assert.ok(isRefused(q), JSON.stringify(q));
  }
  assert.ok(isRefused(Array.from({ length: 21 }, (_, index) => `w${index}`).join(' ')));
});

test('any input is either refused or a valid FTS5 expression', () => {
  const typed = fc.array(
    fc.oneof(
      fc.constantFrom(
        '"',
        '*',
        ' ',
        '(',
        ')',
        ':',
        'AND',
        'OR',
        'NOT',
        'NEAR',
        '{',
        '}',
        '+',
        '-',
        '^',
        "'",
        ';',
        '--',
        '\\',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(typed, (pieces) => {
      const q = pieces.join('');
      if (isRefused(q)) return;
      match.all(parseQuery(q).expression, 0);
    }),
    { numRuns: 3000 },
  );
});

test('a document is found by each of its own words', () => {
  const word = fc.stringMatching(/^[\p{L}\p{N}]{1,12}$/u).filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), fc.nat(), (words, chosen) => {
      const picked = words[chosen % words.length] as string;
      assert.ok(isFound(words.join(', '), picked), picked);
    }),
    { numRuns: 1000 },
  );
});
