// docs/contract.md §6, by example and against a slow oracle that follows the section word by word.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/any-character.ts';
import { checkName, decodeNameHeader, toNameKey, toNaturalKey, toRenamed } from './name.ts';
import type { Refusal } from './refusal.ts';

const illegalNames: Array<[name: string, message: RegExp]> = [
  ['', /empty/],
  ['.', /"\."/],
  ['..', /"\.\."/],
  ['a/b', /^A name cannot contain "\/" \(position 2\)\.$/],
  ['a\\b', /cannot contain "\\" \(position 2\)/],
  ['😀/b', /cannot contain "\/" \(position 2\)/],
  ['\0', /cannot contain the character U\+0000 at position 1/],
  ['ab\x1f', /U\+001F at position 3/],
  ['a\x7fb', /U\+007F at position 2/],
  ['a\x85b', /U\+0085 at position 2/],
  ['a\x9fb', /U\+009F at position 2/],
  ['a\ud800b', /U\+D800 at position 2/],
  ['a\udc00', /U\+DC00 at position 2/],
  ['\ude00\ud83d', /U\+DE00 at position 1/],
  ['exe.\u202egpj', /U\+202E at position 5/],
  ['a\u202a', /U\+202A/],
  ['a\u2066b', /U\+2066/],
  ['a\u2069b', /U\+2069/],
  [' a', /begins with white space, U\+0020 at position 1/],
  ['a ', /ends with white space, U\+0020 at position 2/],
  ['\ufeffa', /begins with white space, U\+FEFF at position 1/],
  ['\u3000a', /U\+3000/],
  ['a\u00a0', /U\+00A0 at position 2/],
  ['a\u2028', /U\+2028 at position 2/],
  ['a'.repeat(256), /256 characters/],
  ['😀'.repeat(256), /256 characters/],
];

const legalNames = [
  'a',
  '...',
  '.profile',
  'a b',
  'a.',
  'CON',
  'a:b',
  '*',
  '\u200da',
  'é',
  'e\u0301',
  '日本語.pdf',
  '😀',
  '100%',
  "UTF-8''",
];

test('an illegal name is refused, saying which character and where', () => {
  for (const [name, message] of illegalNames) {
    assert.throws(() => checkName(name, 'FolderName', 'any'), refusal(message, 'FolderName'), JSON.stringify(name));
  }
});

test('any other name is returned as it is', () => {
  for (const name of [...legalNames, 'a'.repeat(255), '😀'.repeat(255)]) {
    assert.equal(checkName(name, 'Name', 'any'), name);
  }
});

test('portable names exclude what Windows refuses', () => {
  const devices = [
    'con',
    'CON.txt',
    'Prn',
    'AUX.tar.gz',
    'nul .txt',
    'COM1',
    'com9.x',
    'LPT1',
    'lpt¹',
    'COM².log',
    'LPT³',
  ];
  for (const name of devices) {
    assert.throws(() => checkName(name, 'Name', 'portable'), refusal(/device name/, 'Name'), name);
  }
  for (const character of '<>:"|?*') {
    const expected = refusal(new RegExp(`contain "[${character}]" \\(position 2\\)`), 'Name');
    assert.throws(() => checkName(`a${character}b`, 'Name', 'portable'), expected);
  }
  assert.throws(() => checkName('a.', 'Name', 'portable'), refusal(/dot, U\+002E at position 2/, 'Name'));
  assert.throws(() => checkName('a/b', 'Name', 'portable'), refusal(/cannot contain "\/" \(position 2\)/, 'Name'));
  for (const name of ['CONSOLE', 'COM0', 'COM10', 'COM', 'a.CON', 'nul-1', 'x (2).pdf']) {
    assert.equal(checkName(name, 'Name', 'portable'), name);
  }
});

test('checkName agrees with the section read word by word', () => {
  fc.assert(
    fc.property(anyString(), (name) => {
      assert.equal(isAccepted(name, 'any'), isLegalByTheBook(name));
    }),
    { numRuns: 1500 },
  );
});

test('a legal name with any illegal character in it is refused', () => {
  const illegal = fc.oneof(
    fc.constantFrom('/', '\\', '\x7f'),
    fc.integer({ min: 0, max: 0x1f }).map((code) => String.fromCharCode(code)),
    fc.integer({ min: 0x80, max: 0x9f }).map((code) => String.fromCharCode(code)),
    fc.integer({ min: 0x202a, max: 0x202e }).map((code) => String.fromCharCode(code)),
    fc.integer({ min: 0x2066, max: 0x2069 }).map((code) => String.fromCharCode(code)),
  );
  fc.assert(
    fc.property(legalName(), fc.nat(), illegal, (name, at, character) => {
      const index = at % (name.length + 1);
      assert.equal(isAccepted(name.slice(0, index) + character + name.slice(index), 'any'), false);
    }),
  );
});

test('two spellings of one name have the same key, and case matters', () => {
  assert.equal(toNameKey('e\u0301'), toNameKey('é'));
  assert.notEqual(toNameKey('A'), toNameKey('a'));
});

test('a number goes before the last extension of a file, and at the end of a folder', () => {
  assert.equal(toRenamed('a.pdf', 2, 'file'), 'a (2).pdf');
  assert.equal(toRenamed('a.tar.gz', 10, 'file'), 'a.tar (10).gz');
  assert.equal(toRenamed('.profile', 2, 'file'), '.profile (2)');
  assert.equal(toRenamed('README', 3, 'file'), 'README (3)');
  assert.equal(toRenamed('v1.2', 2, 'folder'), 'v1.2 (2)');
  assert.equal(toRenamed(`${'😀'.repeat(251)}.pdf`, 2, 'file'), `${'😀'.repeat(247)} (2).pdf`);
  assert.equal(toRenamed(`${'a'.repeat(247)} (2).pdf`, 2, 'file'), `${'a'.repeat(246)} (2).pdf`);
  assert.equal(toRenamed(`x (2).${'e'.repeat(249)}`, 2, 'file'), `x (2).${'e'.repeat(245)} (2)`);
});

test('a renamed name is legal, as portable as before, and another name', () => {
  const kind = fc.constantFrom('file' as const, 'folder' as const);
  fc.assert(
    fc.property(legalName(), fc.integer({ min: 2, max: 99_999 }), kind, (name, n, which) => {
      const renamed = toRenamed(name, n, which);
      assert.equal(checkName(renamed, 'Name', isAccepted(name, 'portable') ? 'portable' : 'any'), renamed);
      assert.notEqual(toNameKey(renamed), toNameKey(name));
      assert.notEqual(toRenamed(renamed, n, which), renamed);
    }),
    { numRuns: 2000 },
  );
});

test('a name header is decoded from each of its three forms', () => {
  const cases: Array<[raw: string, name: string]> = [
    ['a b.txt', 'a b.txt'],
    ['caf%C3%A9.txt', 'café.txt'],
    ['caf\xc3\xa9.txt', 'café.txt'],
    ["UTF-8''caf%c3%a9.txt", 'café.txt'],
    ["utf-8'de-CH'na%20ja.txt", 'na ja.txt'],
    ["ISO-8859-1''a", "ISO-8859-1''a"],
    ['100%', '100%'],
    ['100%.txt', '100%.txt'],
    ['%4', '%4'],
    ['%zz%41', '%zzA'],
    ['%2541', '%41'],
    ['a+b', 'a+b'],
    ['%EF%BB%BFa', '\ufeffa'],
    ['', ''],
  ];
  for (const [raw, name] of cases) assert.equal(decodeNameHeader(raw), name, raw);
});

test('a name header that is not UTF-8 is refused', () => {
  for (const raw of ['%FF', 'caf\xe9', '%C3', "UTF-8''%E9", '%ED%A0%80', '%C0%AF']) {
    assert.throws(() => decodeNameHeader(raw), refusal(/UTF-8/, 'FileName'), raw);
  }
});

test('any legal name survives each form of the header', () => {
  fc.assert(
    fc.property(legalName(), (name) => {
      const encoded = percentEncode(name);
      assert.equal(decodeNameHeader(encoded), name);
      assert.equal(decodeNameHeader(`UTF-8''${encoded}`), name);
      assert.equal(decodeNameHeader(`utf-8'en'${encoded}`), name);
      const unambiguous = name.replaceAll('%', '%25').replaceAll("'", '%27');
      assert.equal(decodeNameHeader(Buffer.from(unambiguous).toString('latin1')), name);
    }),
    { numRuns: 1000 },
  );
});

function refusal(message: RegExp, target: string): (error: Refusal) => boolean {
  return (error) => {
    assert.equal(error.code, 'InvalidName');
    assert.match(error.message, message);
    assert.equal(error.details.target, target);
    return true;
  };
}

function isAccepted(name: string, rules: 'any' | 'portable'): boolean {
  try {
    return checkName(name, 'Name', rules) === name;
  } catch {
    return false;
  }
}

function isLegalByTheBook(name: string): boolean {
  const codes = Array.from(name, (character) => character.codePointAt(0) ?? 0);
  const isIllegal = (code: number): boolean =>
    '/\\'.includes(String.fromCodePoint(code)) ||
    code <= 0x1f ||
    (code >= 0x7f && code <= 0x9f) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069);
  // String.trim takes away exactly White_Space and U+FEFF, but for U+0085, which is a control character.
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    name.trim() === name &&
    codes.length <= 255 &&
    !codes.some(isIllegal)
  );
}

/** Mostly short, of characters that the rules speak of, as code units: surrogates come alone and in pairs. */
function anyString(): fc.Arbitrary<string> {
  const special = fc.constantFrom(
    '/',
    '\\',
    '.',
    ' ',
    '\t',
    '\x85',
    '\u00a0',
    '\ufeff',
    '\ud83d',
    '\ude00',
    '\u202e',
    '\u2066',
    'a',
  );
  const unit = fc.oneof(
    special,
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  );
  return fc.oneof(
    fc.array(unit, { maxLength: 6 }).map((units) => units.join('')),
    fc.string({ unit: anyCharacter, minLength: 253, maxLength: 257 }),
    fc.string({ unit: 'grapheme-ascii', minLength: 253, maxLength: 257 }),
  );
}

test('the natural order counts digits as numbers, and neither case nor accents', () => {
  const expected = [
    '2',
    '10',
    'ahre',
    'Ähre',
    'ähre 2',
    'Ahre 10',
    'file',
    'File1',
    'file01',
    'file2',
    'FILE10',
    'Straße',
    'strasse 2',
  ];
  const before = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const key = (name: string) => [toNaturalKey(toNameKey(name)), toNameKey(name)] as const;
  const sorted = expected.toReversed().sort((a, b) => before(key(a)[0], key(b)[0]) || before(key(a)[1], key(b)[1]));
  assert.deepEqual(sorted, expected);
  assert.equal(toNaturalKey('0'), toNaturalKey('000'));
  assert.notEqual(toNaturalKey('1'.repeat(254)), toNaturalKey('1'.repeat(255)));
});

function legalName(): fc.Arbitrary<string> {
  const character = fc.oneof(
    fc.constantFrom('.', ' ', '%', "'", '(', '2', ')', '😀', 'e\u0301', 'é', 'a'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  );
  const text = (minLength: number, maxLength: number) =>
    fc
      .array(character, { minLength, maxLength })
      .map((characters) => Array.from(characters.join('')).slice(0, 255).join(''));
  const numbered = fc
    .tuple(fc.integer({ min: 1, max: 252 }), fc.constantFrom('', '.pdf', `.${'x'.repeat(247)}`))
    .map(([length, extension]) => `${'a'.repeat(length)} (2)${extension}`);
  return fc.oneof(text(1, 12), text(245, 255), numbered).filter(isLegalByTheBook);
}

function percentEncode(name: string): string {
  return Array.from(Buffer.from(name), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
