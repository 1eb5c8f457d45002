// Response envelope (docs/contract.md §3): what Folder and Children hold, in which order, and how Link leads to the rest.
// That the envelope has exactly two fields and records have eleven is asserted on every response the suite reads.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnvelope, type Entry, must } from './assertions.ts';
import { saveMany } from './batch.ts';
import {
  createFolder,
  followLinks,
  listFolder,
  makeFolder,
  postFolder,
  readFolder,
  type Saved,
  saveFile,
  signIn,
} from './client.ts';

const main = await signIn('Main');

test('Creating a folder answers the new folder, no children, and its id as entryid', async () => {
  const parent = await makeFolder(main);
  const answer = await postFolder(main, { ParentFolderId: parent.Id, FolderName: 'new' });
  const { Folder, Children } = assertEnvelope(answer);
  assert.equal(Folder.Name, 'new');
  assert.deepEqual(Children, []);
  assert.equal(answer.headers.entryid, Folder.Id);
  assert.equal(answer.headers.link, undefined);
});

test('Saving a file answers the target folder, the saved file first, and its id as entryid', async () => {
  const folder = await makeFolder(main);
  await createFolder(main, folder.Id, 'a');
  await saveFile(main, { FolderId: folder.Id, FileName: 'b' }, 'b');
  const { Folder, Children, File, answer } = await saveFile(main, { FolderId: folder.Id, FileName: 'z' }, 'z');
  assert.equal(Folder.Id, folder.Id);
  assert.deepEqual(toNames(Children), ['z', 'a', 'b']);
  assert.equal(answer.headers.entryid, File.Id);
});

test('After the saved file come folders before files, ordered by the UTF-8 bytes of the NFC form', async () => {
  const folder = await makeFolder(main);
  const names = ['a', 'B', 'b', 'e\u0301z', 'ez', 'f', '10', '9', '\uff5e', '😀', 'Z', '-', '_', 'ß'];
  await Promise.all(names.map((name) => createFolder(main, folder.Id, `folder ${name}`)));
  await Promise.all(names.map((name) => saveFile(main, { FolderId: folder.Id, FileName: name }, name)));
  const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a.normalize()), Buffer.from(b.normalize())));
  const others = [...sorted.map((name) => `folder ${name}`), ...sorted];
  const { Children } = await saveFile(main, { FolderId: folder.Id, FileName: 'f' }, 'again');
  assert.deepEqual(toNames(Children), ['f', ...others.filter((name) => name !== 'f')]);
  assert.deepEqual(toNames((await readFolder(main, folder.Id)).Children), others);
});

test('Prefer: return=minimal on a save answers the saved file alone', async () => {
  const folder = await makeFolder(main);
  await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'a');
  for (const prefer of [
    'return=minimal',
    'respond-async, return=minimal',
    'return="minimal"',
    'Return = minimal',
    'return\t=\t"minimal" ; foo="a, b" ;',
    ' , foo="a \\", return=representation" ,, return=minimal, return=representation',
    ['respond-async', 'return=minimal'],
  ]) {
    const saved = await saveFile(main, { FolderId: folder.Id, FileName: 'b', Prefer: prefer }, String(prefer));
    assert.deepEqual(toNames(saved.Children), ['b']);
    assert.equal(saved.answer.headers['preference-applied'], 'return=minimal');
  }
});

test('Other values of Prefer on a save change nothing', async () => {
  const folder = await makeFolder(main);
  await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'a');
  for (const prefer of [
    'return=representation',
    'return=representation, return=minimal',
    ['return=representation', 'return=minimal'],
    'foo;return=minimal',
    'foo; bar=baz ; return=minimal',
    'foo="return=minimal"',
    'foo="a, return=minimal"',
    'no-return=minimal',
    'return=minimal-ish',
    'return',
    'return="minimal',
    '',
  ]) {
    const whole = await saveFile(main, { FolderId: folder.Id, FileName: 'b', Prefer: prefer }, String(prefer));
    assert.deepEqual(toNames(whole.Children), ['b', 'a'], String(prefer));
    assert.equal(whole.answer.headers['preference-applied'], undefined);
  }
});

test('A folder of exactly 100 entries is answered completely, and one more needs a Link', async () => {
  const folder = await makeFolder(main);
  const names = Array.from({ length: 99 }, (_, index) => `file ${index}`);
  await saveAll(folder, names);
  const hundredth = await saveFile(main, { FolderId: folder.Id, FileName: 'hundredth' }, 'x');
  assert.equal(hundredth.Children.length, 100);
  assert.equal(hundredth.answer.headers.link, undefined);
  const next = await saveFile(main, { FolderId: folder.Id, FileName: 'one more' }, 'x');
  assert.equal(next.Children.length, 100);
  const pages = await followLinks(main, next.answer);
  assert.deepEqual(
    pages.map((page) => page.length),
    [1],
  );
});

test('In a folder of more than 200 entries', async (t) => {
  const folder = await makeFolder(main);
  await Promise.all(['x', 'y', 'z'].map((name) => createFolder(main, folder.Id, name)));
  const files = Array.from({ length: 205 }, (_, index) => `file ${String(index).padStart(3, '0')}`);
  await saveAll(folder, files);
  for (const [place, name] of [
    ['on the first page', 'file 001'],
    ['at the edge of the first page', 'file 096'],
    ['just past the first page', 'file 097'],
    ['on the second page', 'file 150'],
    ['on the last page', 'file 204'],
    ['not there yet', 'file 150a'],
  ] as const) {
    await t.test(`a save of a file ${place} leads to all the others, each once`, async () => {
      const saved = await saveFile(main, { FolderId: folder.Id, FileName: name }, `new bytes ${place}`);
      assert.equal(saved.Children.length, 100);
      await assertWholeAndOrdered(folder, saved);
    });
  }
  await t.test('ConflictBehavior Existing answers the first page and a Link to the rest', async () => {
    const root = main.application.RootFolderId;
    const request = { ParentFolderId: root, FolderName: folder.Name, ConflictBehavior: 'Existing' };
    const answer = await postFolder(main, request);
    const first = assertEnvelope(answer);
    assert.equal(first.Folder.Id, folder.Id);
    assert.equal(first.Children.length, 100);
    const all = [...first.Children, ...(await followLinks(main, answer)).flat()];
    assert.deepEqual(toNames(all), toNames(await listFolder(main, folder.Id)));
  });
});

async function assertWholeAndOrdered(folder: Entry, saved: Saved): Promise<void> {
  const pages = await followLinks(main, saved.answer);
  const [first, ...others] = [...saved.Children, ...pages.flat()];
  const listed = await listFolder(main, folder.Id);
  assert.equal(must(first, 'saved file').Id, saved.File.Id);
  const expected = listed.filter((entry) => entry.Id !== saved.File.Id);
  assert.equal(expected.length, listed.length - 1);
  assert.deepEqual(toNames(others), toNames(expected));
}

async function saveAll(folder: Entry, names: string[]): Promise<void> {
  const files = names.map((name) => ({ name, content: name }));
  await saveMany(main, folder.Id, files);
}

function toNames(entries: Entry[]): string[] {
  return entries.map((entry) => entry.Name);
}
