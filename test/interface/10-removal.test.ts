// Delete permanently (docs/contract.md §10.6): `DELETE /entries/{id}?permanent=true` and `DELETE /trash`.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sized } from '../size.ts';
import { assertRefusal, must } from './assertions.ts';
import { call, createFolder, download, listFolder, makeFolder, readFolder, saveFile, signIn } from './client.ts';
import { askRemove, askRestore, copy, emptyTrash, listTrash, remove, restore, show, trash } from './life.ts';

const main = await signIn('Main');
const reader = await signIn('Reader');
// Nobody else empties the trash of this space, or expects to find something in it after this.
const tester = await signIn('Tester');

async function makeTree(caller = main) {
  const top = await makeFolder(caller);
  const tree = await createFolder(caller, top.Id, 'tree');
  const inner = await createFolder(caller, tree.Id, 'inner');
  const { File: file } = await saveFile(caller, { FolderId: inner.Id, FileName: 'file' }, '12345');
  const { File: beside } = await saveFile(caller, { FolderId: top.Id, FileName: 'beside' }, '123');
  return { top, tree, inner, file, beside };
}

async function isInTrash(id: string): Promise<boolean> {
  return (await listTrash(main)).some(({ Entry }) => Entry.Id === id);
}

test('A permanently deleted tree is not in the trash and cannot be restored', async () => {
  const { top, tree, inner, file } = await makeTree();
  const shown = await show(main, tree.Id);
  const removed = await remove(main, tree.Id);
  assert.deepEqual([removed.Entry.Id, removed.Entry.Name, removed.Path], [tree.Id, 'tree', shown.Path]);
  for (const { Id } of [tree, inner, file]) {
    assertRefusal(await call(main, `/entries/${Id}`), 404, 'EntryNotFound');
    assertRefusal(await askRestore(main, Id), 404, 'EntryNotFound');
    assertRefusal(await askRemove(main, Id), 404, 'EntryNotFound');
    assert.ok(!(await isInTrash(Id)));
  }
  assertRefusal(await call(main, `/files/${file.Id}/content`), 404, 'FileNotFound');
  const { Folder, Children } = await readFolder(main, top.Id);
  assert.deepEqual([Folder.Size, Children.map(({ Name }) => Name)], [3, ['beside']]);
  const again = await createFolder(main, top.Id, 'tree');
  assert.notEqual(again.Id, tree.Id);
});

test('An entry in the trash can be deleted permanently', async () => {
  const { tree, file, inner } = await makeTree();
  await trash(main, file.Id);
  await trash(main, tree.Id);
  assertRefusal(await askRemove(main, inner.Id), 404, 'EntryNotFound');
  await remove(main, file.Id);
  assert.ok(!(await isInTrash(file.Id)));
  assertRefusal(await askRestore(main, file.Id), 404, 'EntryNotFound');
  await restore(main, tree.Id);
  assert.deepEqual(await listFolder(main, inner.Id), []);
});

test('An entry that was trashed before its folder was deleted stays in the trash', async () => {
  const { top, tree, file } = await makeTree();
  await trash(main, file.Id);
  await remove(main, tree.Id);
  assert.ok(await isInTrash(file.Id));
  const { Path } = await restore(main, file.Id, { ParentFolderId: top.Id });
  assert.equal(Path, `/${top.Name}/file`);
  assert.equal((await download(main, file.Id)).toString(), '12345');
});

test('Bytes that other files share survive a deletion', async () => {
  const { top, file, tree } = await makeTree();
  const bytes = Buffer.alloc(150_000, randomUUID());
  const { File } = await saveFile(main, { FolderId: tree.Id, FileName: 'large' }, bytes);
  const copied = await copy(main, File.Id, { ParentFolderId: top.Id });
  const { File: twin } = await saveFile(main, { FolderId: top.Id, FileName: 'twin' }, bytes);
  await remove(main, File.Id);
  await remove(main, tree.Id);
  for (const id of [copied.Entry.Id, twin.Id]) assert.ok((await download(main, id)).equals(bytes));
  assertRefusal(await call(main, `/files/${file.Id}/content`), 404, 'FileNotFound');
});

test('permanent is true or false, and false moves to the trash', async () => {
  const { file, beside } = await makeTree();
  for (const value of ['', 'yes', '1', 'TRUE', 'true,false']) {
    const answer = await call(main, `/entries/${file.Id}?permanent=${value}`, { method: 'DELETE' });
    assertRefusal(answer, 400, 'InvalidField');
  }
  assert.equal((await call(main, `/entries/${file.Id}?permanent=false`, { method: 'DELETE' })).status, 200);
  assert.ok(await isInTrash(file.Id));
  assertRefusal(
    await call(reader, `/entries/${beside.Id}?permanent=true`, { method: 'DELETE' }),
    403,
    'InsufficientScope',
  );
});

test('Of 20 concurrent deletions of one entry exactly one succeeds', async () => {
  const { top, tree } = await makeTree();
  const answers = await Promise.all(Array.from({ length: 20 }, () => askRemove(main, tree.Id)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 404, 'EntryNotFound');
  assert.equal((await readFolder(main, top.Id)).Folder.Size, 3);
});

test('Emptying the trash removes everything in it, and nothing else', async () => {
  await emptyTrash(tester);
  const { top, tree, file, inner, beside } = await makeTree(tester);
  await trash(tester, file.Id);
  await trash(tester, tree.Id);
  assert.equal((await listTrash(tester)).length, 2);
  assert.equal(await emptyTrash(tester), 2);
  assert.deepEqual(await listTrash(tester), []);
  for (const { Id } of [file, tree, inner]) assertRefusal(await askRestore(tester, Id), 404, 'EntryNotFound');
  assert.deepEqual(
    (await listFolder(tester, top.Id)).map(({ Id }) => Id),
    [beside.Id],
  );
  assert.equal(await emptyTrash(tester), 0);
});

test('A trash of many trees is emptied in one request', async () => {
  await emptyTrash(tester);
  const top = await makeFolder(tester);
  const pattern = await makeFolder(tester);
  // More than one transaction takes.
  const many = sized(110, 300);
  await saveFile(tester, { FolderId: pattern.Id, FileName: 'file' }, 'x');
  await Promise.all(
    Array.from({ length: many }, async (_, index) => {
      const { Entry } = await copy(tester, pattern.Id, { ParentFolderId: top.Id, Name: `${index}` });
      await trash(tester, Entry.Id);
    }),
  );
  const [first] = await listTrash(tester);
  assert.equal(await emptyTrash(tester), many);
  assert.deepEqual(await listTrash(tester), []);
  assertRefusal(await askRestore(tester, must(first, 'item').Entry.Id), 404, 'EntryNotFound');
  assert.equal((await readFolder(tester, top.Id)).Folder.Size, 0);
});

test('content.read is not sufficient to empty the trash', async () => {
  assertRefusal(await call(reader, '/trash', { method: 'DELETE' }), 403, 'InsufficientScope');
});
