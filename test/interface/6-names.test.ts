// Names (docs/contract.md §6): stored exactly as sent, equal if their NFC forms are equal, and refused by a fixed list.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../any-character.ts';
import { sized } from '../size.ts';
import { assertEnvelope, assertRefusal } from './assertions.ts';
import {
  assertEmptyFolder,
  call,
  createFolder,
  listFolder,
  makeFolder,
  postFile,
  postFolder,
  saveFile,
  signIn,
  toSaved,
} from './client.ts';

const main = await signIn('Main');
const RUNS = sized(25, 60);
const MAX_CODE_POINTS = 255;

const ILLEGAL: { title: string; name: string }[] = [
  { title: 'empty', name: '' },
  { title: 'a dot', name: '.' },
  { title: 'two dots', name: '..' },
  ...['/', 'a/b', '\\', 'a\\b', '../a', 'a/..'].map((name) => ({ title: JSON.stringify(name), name })),
  ...['\0', '\x01', '\t', '\n', '\r', '\x1f', '\x7f', '\x80', '\x85', '\x9f'].map((control) => ({
    title: `with the control character ${JSON.stringify(control)}`,
    name: `a${control}b`,
  })),
  ...'202A 202B 202C 202D 202E 2066 2067 2068 2069'.split(' ').map((hex) => ({
    title: `with U+${hex}`,
    name: `a${String.fromCodePoint(Number.parseInt(hex, 16))}b`,
  })),
  ...[' ', '\u00a0', '\u1680', '\u2003', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000'].flatMap((space) => [
    { title: `led by U+${hexOf(space)}`, name: `${space}a` },
    { title: `trailed by U+${hexOf(space)}`, name: `a${space}` },
    { title: `nothing but U+${hexOf(space)}`, name: space },
  ]),
  { title: 'of 256 letters', name: 'a'.repeat(256) },
  { title: 'of 256 characters outside the basic plane', name: '😀'.repeat(256) },
];

test('Every name on the list is refused with InvalidName, for folders and files', async (t) => {
  const folder = await makeFolder(main);
  for (const { title, name } of ILLEGAL) {
    await t.test(`a name ${title}`, async () => {
      const asFolder = assertRefusal(await postFolder(main, toFields(folder.Id, name)), 400, 'InvalidName');
      assert.equal(asFolder.Target, 'FolderName');
      if (name === '') return;
      const asFile = await postFile(main, { FolderId: folder.Id, FileName: encodeURIComponent(name) }, 'x');
      assert.equal(assertRefusal(asFile, 400, 'InvalidName').Target, 'FileName');
    });
  }
  await assertEmptyFolder(main, folder);
});

test('A lone surrogate is refused with InvalidName', async () => {
  const folder = await makeFolder(main);
  for (const name of ['\ud800', 'a\udfff', '\udc00\ud800', 'x\ud83dx']) {
    assertRefusal(await postFolder(main, toFields(folder.Id, name)), 400, 'InvalidName');
  }
  await assertEmptyFolder(main, folder);
});

test('The error names the character and its position', async () => {
  const folder = await makeFolder(main);
  const messages = new Set<string>();
  for (const name of ['a/bcd', 'ab/cd', 'a\\bcd', 'a\u202ebcd', 'ab\u202ecd', 'a\u2066bcd', 'a\nbcd']) {
    messages.add(assertRefusal(await postFolder(main, toFields(folder.Id, name)), 400, 'InvalidName').Message);
  }
  assert.equal(messages.size, 7, [...messages].join('\n'));
});

const LEGAL = [
  'a',
  '...',
  '.hidden',
  'a.',
  'a b',
  "CON', 'NUL: <x>|?*\"",
  '-root-',
  'a\u3000b',
  'a\u200bb\u200d',
  'ﬀ',
  '\u0301',
  'é',
  '日本語',
  'à',
  'ﷺ',
  '👨‍👩‍👧‍👦',
  '\ufffe\uffff',
  "'; DROP TABLE entries; --",
  '$(x) %s %00 {{x}}',
  '__proto__',
  'a'.repeat(MAX_CODE_POINTS),
  '😀'.repeat(MAX_CODE_POINTS),
];

test('Unusual names that the list does not refuse are kept exactly', async () => {
  for (const name of LEGAL) await assertRoundTrip(name);
});

test('Any legal name comes back exactly as it was sent', async () => {
  await fc.assert(fc.asyncProperty(anyName().filter(isClearlyLegal), assertRoundTrip), { numRuns: RUNS });
});

test('Any illegal name is refused with InvalidName and writes nothing', async () => {
  const folder = await makeFolder(main);
  const illegal = fc.tuple(anyName(), fc.constantFrom(...ILLEGAL), anyName()).map(([before, { name }, after]) => {
    const inside = `${before}${name}${after}`;
    return isLegal(inside) ? name : inside;
  });
  const property = fc.asyncProperty(illegal, async (name) => {
    assertRefusal(await postFolder(main, toFields(folder.Id, name)), 400, 'InvalidName');
    if (name === '') return;
    const answer = await postFile(main, { FolderId: folder.Id, FileName: encodeURIComponent(name) }, 'x');
    assertRefusal(answer, 400, 'InvalidName');
  });
  await fc.assert(property, { numRuns: RUNS });
  await assertEmptyFolder(main, folder);
});

test('Two names are the same when their NFC forms are equal', async () => {
  for (const [first, second] of [
    ['é', 'e\u0301'],
    ['e\u0301', 'é'],
    ['Å', '\u212b'],
    ['가', '\u1100\u1161'],
    ['q\u0307\u0323', 'q\u0323\u0307'],
  ] as const) {
    const parent = await makeFolder(main);
    const folder = await createFolder(main, parent.Id, first);
    const again = await postFolder(main, toFields(parent.Id, second));
    assert.deepEqual(assertRefusal(again, 400, 'NameAlreadyExists').Conflicts, [folder]);
    const { File } = await saveFile(main, { FolderId: folder.Id, FileName: first }, '1');
    const version = await saveFile(main, { FolderId: folder.Id, FileName: second }, '22');
    assert.equal(version.File.Id, File.Id);
    assert.equal((await listFolder(main, folder.Id)).length, 1);
  }
});

test('Names that differ in case or only look alike are different names', async () => {
  const folder = await makeFolder(main);
  const names = ['a', 'A', 'ß', 'ss', 'ﬁ', 'fi', '①', '1', 'а'];
  for (const name of names) await createFolder(main, folder.Id, name);
  const stored = (await listFolder(main, folder.Id)).map((entry) => entry.Name);
  assert.deepEqual(new Set(stored), new Set(names));
});

async function assertRoundTrip(name: string): Promise<void> {
  const parent = await makeFolder(main);
  const folder = assertEnvelope(await postFolder(main, toFields(parent.Id, name))).Folder;
  assert.equal(folder.Name, name);
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', ConflictBehavior: 'Existing' };
  const body = new URLSearchParams(toFields(parent.Id, name)).toString();
  const again = await call(main, '/folders', { method: 'POST', headers: form, body });
  assert.deepEqual(assertEnvelope(again).Folder, folder);
  const raw = Buffer.from(name.replaceAll('%', '%25')).toString('latin1');
  for (const header of [encodeURIComponent(name), `UTF-8''${encodeURIComponent(name)}`, raw]) {
    const { File } = toSaved(await postFile(main, { FolderId: folder.Id, FileName: header }, header));
    assert.equal(File.Name, name);
  }
  assert.deepEqual(
    (await listFolder(main, folder.Id)).map((entry) => entry.Name),
    [name],
  );
}

/** Mostly text as people write it, some of it with the characters that the rules are about. */
function anyName(): fc.Arbitrary<string> {
  const special = fc.constantFrom(...' ./\\%"\'+:;=&?#é', '\u0301', '\u200b', '\ufeff', '\u00a0', '😀');
  const unit = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 3 }),
    fc.string({ unit: anyCharacter, maxLength: 2 }),
    special,
  );
  return fc.array(unit, { minLength: 1, maxLength: 40 }).map((units) => units.join(''));
}

/** The list of docs/contract.md §6, written a second time. */
function isLegal(name: string): boolean {
  return !(
    name === '' ||
    name === '.' ||
    name === '..' ||
    !name.isWellFormed() ||
    /[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name) ||
    /^\p{White_Space}|\p{White_Space}$/u.test(name) ||
    [...name].length > MAX_CODE_POINTS
  );
}

/** Unicode does not call U+FEFF white space, JavaScript does: docs/contract.md §6 leaves it open at the ends of a name. */
function isClearlyLegal(name: string): boolean {
  return isLegal(name) && !/^\ufeff|\ufeff$/.test(name);
}

function toFields(parentId: string, name: string): { ParentFolderId: string; FolderName: string } {
  return { ParentFolderId: parentId, FolderName: name };
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}
