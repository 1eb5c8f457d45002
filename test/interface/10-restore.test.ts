// Restore from the trash (docs/contract.md §10.6) when the name is taken, or the folder moved, trashed or gone.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal, must } from './assertions.ts';
import {
  call,
  createFolder,
  download,
  listFolder,
  makeDeep,
  makeFolder,
  readFolder,
  saveFile,
  signIn,
  untilLater,
} from './client.ts';
import { askRestore, change, listTrash, readTree, remove, restore, show, type Trashed, trash } from './life.ts';

const main = await signIn('Main');
const stranger = await signIn('Stranger');

/** top/{tree/{inner/{file (5)}, beside (3)}, other} */
async function makeTree() {
  const top = await makeFolder(main);
  const tree = await createFolder(main, top.Id, 'tree', { Properties: { a: '1' } });
  const other = await createFolder(main, top.Id, 'other');
  const inner = await createFolder(main, tree.Id, 'inner');
  const { File: file } = await saveFile(main, { FolderId: inner.Id, FileName: 'file.txt' }, '12345');
  const { File: beside } = await saveFile(main, { FolderId: tree.Id, FileName: 'beside' }, '123');
  return { top, tree, other, inner, file, beside };
}

async function findInTrash(id: string): Promise<Trashed | undefined> {
  return (await listTrash(main)).find(({ Entry }) => Entry.Id === id);
}

async function sizeOf({ Id }: { Id: string }): Promise<number> {
  return (await readFolder(main, Id, '?limit=1')).Folder.Size;
}

test('A name is free once its entry is in the trash, which can hold many entries of one name', async () => {
  const folder = await makeFolder(main);
  const ids: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'same.txt' }, `${round}`);
    ids.push(File.Id);
    await trash(main, File.Id);
  }
  assert.equal(new Set(ids).size, 3);
  for (const [round, id] of ids.entries()) {
    const { Entry } = await restore(main, id, { ConflictBehavior: 'Rename' });
    assert.equal(Entry.Name, round === 0 ? 'same.txt' : `same (${round + 1}).txt`);
    assert.equal((await download(main, id)).toString(), `${round}`);
  }
});

test('Restoring to a taken name is 400 NameAlreadyExists; Rename or another Name resolves it', async () => {
  const { top, tree, beside } = await makeTree();
  await trash(main, beside.Id);
  const { File } = await saveFile(main, { FolderId: tree.Id, FileName: 'beside' }, 'another');
  for (const fields of [undefined, {}, { ConflictBehavior: 'Fail' }]) {
    const answer = await askRestore(main, beside.Id, fields);
    assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [File]);
  }
  for (const ConflictBehavior of ['Version', 'Existing', 'Replace']) {
    assertRefusal(await askRestore(main, beside.Id, { ConflictBehavior }), 400, 'InvalidField');
    assertRefusal(await askRestore(main, beside.Id, undefined, { ConflictBehavior }), 400, 'InvalidField');
  }
  assert.ok(await findInTrash(beside.Id), 'it stays in the trash');
  const { Path } = await restore(main, beside.Id, undefined, { ConflictBehavior: 'Rename' });
  assert.equal(Path, `/${top.Name}/tree/beside (2)`);
  await trash(main, beside.Id);
  const { Entry } = await restore(main, beside.Id, { Name: 'another name' });
  assert.equal(Entry.Name, 'another name');
});

test('An entry restored in place is unchanged; restored elsewhere, ModifiedBy is whoever restored it', async () => {
  const neighbour = await signIn('Neighbour');
  const { tree, other, beside } = await makeTree();
  for (const { Id } of [beside, tree]) {
    const before = await trash(main, Id);
    assert.deepEqual(await restore(neighbour, Id), before);
    assert.deepEqual(await restoreAgain(Id, { Name: before.Entry.Name }), before);
    for (const fields of [{ Name: 'new' }, { ParentFolderId: other.Id }]) {
      const { Entry, ETag } = await show(main, Id);
      const restored = await restoreAgain(Id, fields);
      assert.equal(restored.Entry.ModifiedBy, `app:${neighbour.application.Name}`);
      assert.ok(restored.Entry.ModifiedAt > Entry.ModifiedAt, 'ModifiedAt moves');
      assert.notEqual(restored.ETag, ETag);
      assert.deepEqual(await show(main, Id), restored);
      await change(main, Id, { Properties: { by: `main, after ${Object.keys(fields)}` } });
    }
    await trash(main, Id);
    await createFolder(main, other.Id, 'new');
    const renamed = await restore(neighbour, Id, { ConflictBehavior: 'Rename' });
    assert.deepEqual([renamed.Entry.Name, renamed.Entry.ModifiedBy], ['new (2)', `app:${neighbour.application.Name}`]);
    await remove(main, Id);
    await remove(main, must((await listFolder(main, other.Id))[0], 'the folder in its place').Id);
  }

  async function restoreAgain(id: string, fields: object) {
    await trash(main, id);
    await untilLater();
    return await restore(neighbour, id, fields);
  }
});

test('An entry is restored to its folder wherever that is now', async () => {
  const { top, tree, other, beside } = await makeTree();
  await trash(main, beside.Id);
  await change(main, tree.Id, { Name: 'moved', ParentFolderId: other.Id });
  const { Path } = await restore(main, beside.Id);
  assert.equal(Path, `/${top.Name}/other/moved/beside`);
  assert.equal(await sizeOf(other), 8);
});

test('An entry whose folder is trashed or gone is restored only to a named folder', async () => {
  const { top, tree, other, inner, file, beside } = await makeTree();
  await trash(main, file.Id);
  await trash(main, beside.Id);
  await trash(main, tree.Id);
  for (const id of [file.Id, beside.Id]) {
    const error = assertRefusal(await askRestore(main, id), 404, 'FolderNotFound');
    assert.equal(error.Target, 'ParentFolderId');
    assertRefusal(await askRestore(main, id, { ParentFolderId: tree.Id }), 404, 'FolderNotFound');
    assertRefusal(await askRestore(main, id, { ParentFolderId: inner.Id }), 404, 'FolderNotFound');
  }
  const { Path } = await restore(main, file.Id, { ParentFolderId: other.Id });
  assert.equal(Path, `/${top.Name}/other/file.txt`);
  await remove(main, tree.Id);
  assertRefusal(await askRestore(main, beside.Id), 404, 'FolderNotFound');
  const restored = await restore(main, beside.Id, { ParentFolderId: other.Id, Name: 'renamed' });
  assert.equal(restored.Path, `/${top.Name}/other/renamed`);
  assert.equal(await sizeOf(top), 8);
});

test('Nested trashed entries can be restored in either order', async () => {
  const { top, tree, inner, file } = await makeTree();
  await trash(main, file.Id);
  await trash(main, inner.Id);
  await trash(main, tree.Id);
  assert.equal((await findInTrash(tree.Id))?.Entry.Size, 3);
  assert.equal((await findInTrash(inner.Id))?.Entry.Size, 0);
  await restore(main, tree.Id);
  await restore(main, inner.Id);
  await restore(main, file.Id);
  assert.deepEqual([...(await readTree(main, top.Id)).keys()].sort(), [
    '/other',
    '/tree',
    '/tree/beside',
    '/tree/inner',
    '/tree/inner/file.txt',
  ]);
  assert.equal(await sizeOf(top), 8);
  await trash(main, file.Id);
  await trash(main, tree.Id);
  assertRefusal(await askRestore(main, file.Id), 404, 'FolderNotFound');
  await restore(main, tree.Id);
  await restore(main, file.Id);
  assert.equal(await sizeOf(inner), 5);
});

test('Restoring into a file, an unknown or foreign folder, or with invalid fields is refused', async () => {
  const { tree, beside, file } = await makeTree();
  const foreign = await makeFolder(stranger);
  await trash(main, beside.Id);
  assertRefusal(await askRestore(main, beside.Id, { ParentFolderId: file.Id }), 400, 'NotAFolder');
  for (const ParentFolderId of [randomUUID(), 'x', '-trash-', foreign.Id]) {
    assertRefusal(await askRestore(main, beside.Id, { ParentFolderId }), 404, 'FolderNotFound');
  }
  for (const fields of [{ ParentFolderId: 1 }, { Name: 1 }, { Name: null }, { ConflictBehavior: 1 }]) {
    assertRefusal(await askRestore(main, beside.Id, fields), 400, 'InvalidField');
  }
  for (const Name of ['', '..', 'a/b']) assertRefusal(await askRestore(main, beside.Id, { Name }), 400, 'InvalidName');
  for (const body of ['{', '[]', 'null']) {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await call(main, `/entries/${beside.Id}/restore`, { method: 'POST', headers, body });
    assertRefusal(answer, 400, 'InvalidBody');
  }
  await trash(main, tree.Id);
  assertRefusal(await askRestore(main, tree.Id, { ParentFolderId: tree.Id }), 404, 'FolderNotFound');
});

test('A tree cannot be restored to where it would be too deep', async () => {
  const { tree } = await makeTree();
  await trash(main, tree.Id);
  const bottom = await makeDeep(main, (await makeFolder(main)).Id, 98);
  assertRefusal(await askRestore(main, tree.Id, { ParentFolderId: bottom.Id }), 400, 'TooDeep');
  assert.ok(await findInTrash(tree.Id));
});
