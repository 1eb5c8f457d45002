// Show an entry (docs/contract.md §10.1), and find folders and files by path.

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal } from './assertions.ts';
import { type Answer, call, createFolder, followLinks, makeFolder, saveFile, signIn } from './client.ts';
import { assertShown, show } from './life.ts';

const main = await signIn('Main');
const stranger = await signIn('Stranger');

function byPath(what: 'files' | 'folders', path: string, more = ''): Promise<Answer> {
  return call(main, `/${what}?path=${encodeURIComponent(path)}${more}`);
}

test('An entry is shown with its record, path, ETag and digest', async () => {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'a "quoted" é');
  const { File } = await saveFile(main, { FolderId: inner.Id, FileName: 'b & c.txt' }, 'bytes');
  const shown = await show(main, File.Id);
  assert.deepEqual(Object.keys(shown).sort(), ['ETag', 'Entry', 'Path', 'Sha256', 'Version']);
  assert.deepEqual(shown.Entry, File);
  assert.equal(shown.Path, `/${folder.Name}/a "quoted" é/b & c.txt`);
  assert.equal(shown.Sha256, createHash('sha256').update('bytes').digest('hex'));
  assert.equal(shown.Version, 1);
  const shownFolder = await show(main, inner.Id);
  assert.deepEqual(Object.keys(shownFolder).sort(), ['ETag', 'Entry', 'Path']);
  assert.equal(shownFolder.Path, `/${folder.Name}/a "quoted" é`);
  assert.equal((await show(main, main.application.RootFolderId)).Path, '/');
});

test('The ETag changes with the content and the record, not with the size of a folder', async () => {
  const folder = await makeFolder(main);
  const before = await show(main, folder.Id);
  const at = { FolderId: folder.Id, FileName: 'a.txt' };
  const { File } = await saveFile(main, at, 'one');
  assert.equal((await show(main, folder.Id)).ETag, before.ETag);
  const first = await show(main, File.Id);
  await saveFile(main, at, 'one');
  assert.equal((await show(main, File.Id)).ETag, first.ETag, 'the same bytes change nothing');
  await saveFile(main, at, 'two');
  const second = await show(main, File.Id);
  assert.notEqual(second.ETag, first.ETag);
  assert.equal(second.Version, 2);
  await saveFile(main, { ...at, 'Content-Type': 'text/x-other' }, 'two');
  assert.notEqual((await show(main, File.Id)).ETag, second.ETag);
});

test('GET /folders?path= of a file is 400 NotAFolder, and names the path', async () => {
  const folder = await makeFolder(main);
  await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'one');
  const answer = await call(main, `/folders?path=/${encodeURIComponent(folder.Name)}/a.txt`);
  const { Target, Message } = assertRefusal(answer, 400, 'NotAFolder');
  assert.equal(Target, 'path');
  assert.match(Message, /^This path names a file/);
});

test('Unknown, malformed and foreign ids are 404 with the same bytes', async () => {
  const foreign = await makeFolder(stranger);
  const bodies = [];
  for (const id of [randomUUID(), 'nothing', '%00', foreign.Id]) {
    const answer = await call(main, `/entries/${id}`, {
      headers: { requesttrackingid: '11111111-1111-4111-8111-111111111111' },
    });
    assertRefusal(answer, 404, 'EntryNotFound');
    bodies.push(answer.body.toString());
  }
  assert.equal(new Set(bodies).size, 1);
});

test('A SpaceId that the caller cannot access is 404 on every request', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'x');
  const headers = { SpaceId: randomUUID() };
  for (const path of [`/entries/${File.Id}`, `/files/${File.Id}/content`, `/files/${File.Id}/versions`, '/trash']) {
    assertRefusal(await call(main, path, { headers }), 404, 'SpaceNotFound');
  }
  assertRefusal(await call(main, `/entries/${File.Id}`, { method: 'DELETE', headers }), 404, 'SpaceNotFound');
  assert.equal((await show(main, File.Id)).Entry.Id, File.Id);
});

test('The root can be shown as -root-', async () => {
  const { Entry, Path } = await show(main, '-root-');
  assert.deepEqual([Entry.Id, Path], [main.application.RootFolderId, '/']);
});

test('A folder is listed by path, page by page, and so is the root', async () => {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'inner');
  for (const name of ['1', '2', '3']) await createFolder(main, inner.Id, name);
  const first = await byPath('folders', `/${folder.Name}/inner`, '&limit=2');
  const { Folder, Children } = assertEnvelope(first);
  assert.equal(Folder.Id, inner.Id);
  const rest = (await followLinks(main, first)).flat();
  assert.deepEqual(
    [...Children, ...rest].map(({ Name }) => Name),
    ['1', '2', '3'],
  );
  assert.equal(assertEnvelope(await byPath('folders', '/')).Folder.Id, main.application.RootFolderId);
  assert.equal(assertEnvelope(await byPath('folders', `/${folder.Name}/inner/`)).Folder.Id, inner.Id);
  assertRefusal(await byPath('folders', `/${folder.Name}/inner//`), 404, 'FolderNotFound');
});

test('A file is found by path in either Unicode form of its name', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'Pru\u0308fung 100%.txt' }, 'x');
  for (const name of ['Pru\u0308fung 100%.txt', 'Pr\u00fcfung 100%.txt']) {
    assert.equal(assertShown(await byPath('files', `/${folder.Name}/${name}`)).Entry.Id, File.Id);
  }
});

test('A path that does not exist, or is of the other type, is refused', async () => {
  const folder = await makeFolder(main);
  await createFolder(main, folder.Id, 'folder');
  await saveFile(main, { FolderId: folder.Id, FileName: 'file' }, 'x');
  const base = `/${folder.Name}`;
  const nowhere = [
    '/nothing',
    '//',
    `${base}//folder`,
    `${base}/..`,
    `${base}/.`,
    `${base}/../${folder.Name}`,
    `${base}/FOLDER`,
  ];
  for (const path of [...nowhere, `${base}/file/x`, `${base}/a\\b`, '/\u0000']) {
    assertRefusal(await byPath('folders', path), 404, 'FolderNotFound');
    assertRefusal(await byPath('files', path), 404, 'FileNotFound');
  }
  assertRefusal(await byPath('folders', `${base}/file`), 400, 'NotAFolder');
  assertRefusal(await byPath('files', `${base}/folder`), 404, 'FileNotFound');
  assertRefusal(await byPath('files', `${base}/file/`), 404, 'FileNotFound');
  for (const what of ['files', 'folders']) {
    for (const query of ['', '?path', '?path=', '?path=a', '?Path=/']) {
      assertRefusal(await call(main, `/${what}${query}`), 400, 'InvalidField');
    }
  }
});
