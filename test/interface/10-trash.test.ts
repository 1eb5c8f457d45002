// Trash (docs/contract.md §10.6): `DELETE /entries/{id}`, `GET /trash` and a complete restore. Other restores are in
// 10-restore, permanent deletion in 10-removal.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal, must } from './assertions.ts';
import {
  type Answer,
  call,
  createFolder,
  download,
  listFolder,
  makeFolder,
  postFile,
  postFolder,
  readFolder,
  saveFile,
  signIn,
  untilLater,
} from './client.ts';
import {
  askChange,
  askCopy,
  askPut,
  askRemove,
  askRestore,
  askTrash,
  askVersion,
  assertShown,
  change,
  listAll,
  listPages,
  listTrash,
  listVersions,
  put,
  readTree,
  restore,
  show,
  type Trashed,
  trash,
} from './life.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const reader = await signIn('Reader');
const stranger = await signIn('Stranger');
const neighbourUser = `app:${neighbour.application.Name}`;

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

test('The trash lists each entry with its record, path, time and actor', async () => {
  const { top, tree, beside } = await makeTree();
  const before = Date.now();
  for (const [entry, path] of [
    [beside, '/tree/beside'],
    [tree, '/tree'],
  ] as const) {
    const shown = await show(main, entry.Id);
    const answered = await trash(neighbour, entry.Id);
    assert.deepEqual(answered.Entry.Id, entry.Id);
    const item = must(await findInTrash(entry.Id), 'item in the trash');
    assert.equal(item.Path, `/${top.Name}${path}`);
    assert.equal(item.TrashedBy, neighbourUser);
    assert.ok(Math.abs(Date.parse(item.TrashedAt) - before) < 60_000);
    assert.deepEqual([item.Entry.Name, item.Entry.Size], [shown.Entry.Name, shown.Entry.Size]);
  }
});

test('A tree is trashed as a whole: everything beneath it is 404', async () => {
  const { top, tree, inner, file, beside } = await makeTree();
  await put(main, file.Id, 'second');
  await trash(main, tree.Id);
  assert.deepEqual(
    (await listFolder(main, top.Id)).map(({ Name }) => Name),
    ['other'],
  );
  const tracked = { requesttrackingid: '11111111-1111-4111-8111-111111111111' };
  const json = { 'Content-Type': 'application/json', ...tracked };
  const ways: { code: string; ask(id: string): Promise<Answer>; ids: string[] }[] = [
    {
      code: 'EntryNotFound',
      ask: (id) => call(main, `/entries/${id}`, { headers: tracked }),
      ids: [tree.Id, inner.Id, file.Id, beside.Id],
    },
    {
      code: 'FolderNotFound',
      ask: (id) => call(main, `/folders/${id}`, { headers: tracked }),
      ids: [tree.Id, inner.Id, file.Id],
    },
    {
      code: 'FileNotFound',
      ask: (id) => call(main, `/files/${id}/content`, { headers: tracked }),
      ids: [file.Id, beside.Id, tree.Id],
    },
    {
      code: 'FileNotFound',
      ask: (id) => call(main, `/files/${id}/content?version=1`, { headers: tracked }),
      ids: [file.Id],
    },
    {
      code: 'FileNotFound',
      ask: (id) => call(main, `/files/${id}/versions`, { headers: tracked }),
      ids: [file.Id, beside.Id],
    },
    { code: 'FileNotFound', ask: (id) => askPut(main, id, 'x', tracked), ids: [file.Id, beside.Id] },
    {
      code: 'EntryNotFound',
      ask: (id) => askChange(main, id, { Name: 'x' }, tracked),
      ids: [tree.Id, inner.Id, file.Id],
    },
    {
      code: 'EntryNotFound',
      ask: (id) => askCopy(main, id, { ParentFolderId: top.Id }, tracked),
      ids: [tree.Id, inner.Id, file.Id],
    },
    { code: 'EntryNotFound', ask: (id) => askTrash(main, id, tracked), ids: [tree.Id, inner.Id, file.Id] },
    {
      code: 'FolderNotFound',
      ask: (id) => postFolder(main, { ParentFolderId: id, FolderName: 'x' }, tracked),
      ids: [tree.Id, inner.Id],
    },
    {
      code: 'FolderNotFound',
      ask: (id) => postFile(main, { FolderId: id, FileName: 'x', ...tracked }, 'x'),
      ids: [tree.Id, inner.Id],
    },
    {
      code: 'FolderNotFound',
      ask: (id) => postFile(main, { FolderId: id, FileName: 'large', ...tracked }, Buffer.alloc(100_000)),
      ids: [inner.Id],
    },
    {
      code: 'EntryNotFound',
      ask: (id) => call(main, `/entries/${id}?permanent=true`, { method: 'DELETE', headers: tracked }),
      ids: [inner.Id, file.Id],
    },
    {
      code: 'EntryNotFound',
      ask: (id) => call(main, `/entries/${id}/restore`, { method: 'POST', headers: json, body: '{}' }),
      ids: [inner.Id, file.Id],
    },
  ];
  for (const { code, ask, ids } of ways) {
    const unknown = await ask(randomUUID());
    assertRefusal(unknown, 404, code);
    for (const id of ids) assert.equal((await ask(id)).body.toString(), unknown.body.toString());
  }
  for (const version of ['1', '2']) {
    assertRefusal(await askVersion(main, file.Id, version, 'restore'), 404, 'FileNotFound');
    assertRefusal(await askVersion(main, file.Id, version, 'DELETE'), 404, 'FileNotFound');
    assertRefusal(await askVersion(main, file.Id, version, { Comment: 'x' }), 404, 'FileNotFound');
  }
  assertRefusal(await call(main, `/folders?path=/${top.Name}/tree`), 404, 'FolderNotFound');
  assertRefusal(await call(main, `/files?path=/${top.Name}/tree/inner/file.txt`), 404, 'FileNotFound');
});

test('A tree is restored completely: ids, records, versions, contents and sizes', async () => {
  const { top, tree, file } = await makeTree();
  await put(main, file.Id, 'second');
  await untilLater();
  const before = await readTree(main, top.Id);
  const versions = await listVersions(main, file.Id);
  await trash(main, tree.Id);
  assert.equal(await sizeOf(top), 0);
  const { Entry, Path } = await restore(neighbour, tree.Id);
  assert.equal(Path, `/${top.Name}/tree`);
  assert.equal(Entry.Id, tree.Id);
  assert.equal(await sizeOf(top), 9);
  const after = await readTree(main, top.Id);
  const { ModifiedAt, ModifiedBy } = must(after.get('/tree'), 'tree');
  before.set('/tree', { ...must(before.get('/tree'), 'tree'), ModifiedAt, ModifiedBy });
  assert.deepEqual(after, before);
  assert.deepEqual(await listVersions(main, file.Id), versions);
  assert.equal((await download(main, file.Id)).toString(), 'second');
  assert.equal(await findInTrash(tree.Id), undefined);
  await saveFile(main, { FolderId: tree.Id, FileName: 'and lives on' }, 'x');
  assert.equal(await sizeOf(top), 10);
});

test('Sizes of all folders above follow a trash and a restore', async () => {
  const { top, tree, inner, file } = await makeTree();
  const sizes = () => Promise.all([top, tree, inner].map(sizeOf));
  assert.deepEqual(await sizes(), [8, 8, 5]);
  await trash(main, file.Id);
  assert.deepEqual(await sizes(), [3, 3, 0]);
  await restore(main, file.Id);
  assert.deepEqual(await sizes(), [8, 8, 5]);
  await trash(main, inner.Id);
  assert.equal((await findInTrash(inner.Id))?.Entry.Size, 5);
  assert.deepEqual(await Promise.all([top, tree].map(sizeOf)), [3, 3]);
  await restore(main, inner.Id);
  assert.deepEqual(await sizes(), [8, 8, 5]);
});

test('Trashing twice, restoring twice and unknown ids are 404 EntryNotFound', async () => {
  const { tree, beside } = await makeTree();
  await trash(main, beside.Id);
  assertRefusal(await askTrash(main, beside.Id), 404, 'EntryNotFound');
  await restore(main, beside.Id);
  assertRefusal(await askRestore(main, beside.Id), 404, 'EntryNotFound');
  assertRefusal(await askRestore(main, tree.Id), 404, 'EntryNotFound');
  const foreign = await makeFolder(stranger);
  await trash(stranger, foreign.Id);
  for (const id of [randomUUID(), 'nothing', '-trash-', '-hidden-', foreign.Id]) {
    assertRefusal(await askTrash(main, id), 404, 'EntryNotFound');
    assertRefusal(await askRestore(main, id), 404, 'EntryNotFound');
  }
  assert.ok((await listTrash(stranger)).some(({ Entry }) => Entry.Id === foreign.Id));
});

test('If-Match on DELETE compares the ETag of the entry', async () => {
  const { inner, file } = await makeTree();
  const { ETag } = await show(main, file.Id);
  const changed = await change(main, file.Id, { Name: 'changed' });
  const another = await show(main, inner.Id);
  for (const header of [ETag, another.ETag, '"x"', `W/${changed.ETag}`]) {
    assertRefusal(await askTrash(main, file.Id, { 'If-Match': header }), 400, 'PreconditionFailed');
    const forGood = { method: 'DELETE', headers: { 'If-Match': header } };
    assertRefusal(await call(main, `/entries/${file.Id}?permanent=true`, forGood), 400, 'PreconditionFailed');
  }
  assert.deepEqual(await show(main, file.Id), changed);
  await trash(main, file.Id, { 'If-Match': `"x", ${changed.ETag}` });
  await restore(main, file.Id);
  await trash(main, file.Id, { 'If-Match': '*' });
});

test('An entry in the trash keeps its ETag, which If-Match on a permanent deletion compares', async () => {
  const { tree, file } = await makeTree();
  for (const { Id } of [file, tree]) {
    const { ETag } = await show(main, Id);
    assert.equal((await trash(main, Id)).ETag, ETag);
    assertRefusal(await askRemove(main, Id, { 'If-Match': '"x"' }), 400, 'PreconditionFailed');
    assert.equal((await restore(main, Id)).ETag, ETag);
    await trash(main, Id);
    const removed = assertShown(await askRemove(main, Id, { 'If-Match': ETag }));
    assert.equal(removed.ETag, ETag);
  }
});

test('The root cannot be deleted: 403 Forbidden', async () => {
  const root = main.application.RootFolderId;
  for (const query of ['', '?permanent=true']) {
    for (const id of [root, '-root-']) {
      assertRefusal(await call(main, `/entries/${id}${query}`, { method: 'DELETE' }), 403, 'Forbidden');
    }
  }
  assert.equal((await show(main, root)).Path, '/');
});

test('Of 20 concurrent deletions of one entry one succeeds, and so of 20 restores', async () => {
  const { top, tree } = await makeTree();
  const deleted = await Promise.all(Array.from({ length: 20 }, () => askTrash(main, tree.Id)));
  assert.equal(deleted.filter(({ status }) => status === 200).length, 1);
  for (const answer of deleted) if (answer.status !== 200) assertRefusal(answer, 404, 'EntryNotFound');
  const restored = await Promise.all(Array.from({ length: 20 }, () => askRestore(main, tree.Id)));
  assert.equal(restored.filter(({ status }) => status === 200).length, 1);
  for (const answer of restored) if (answer.status !== 200) assertRefusal(answer, 404, 'EntryNotFound');
  assert.equal(await sizeOf(top), 8);
});

test('The trash is paged, newest first, each entry once', async () => {
  const folder = await makeFolder(stranger);
  const ids: string[] = [];
  for (let index = 0; index < 7; index += 1) {
    const { Id } = await createFolder(stranger, folder.Id, `${index}`);
    ids.unshift(Id);
    await trash(stranger, Id);
  }
  const mine = (items: Trashed[]): string[] => items.map(({ Entry }) => Entry.Id).filter((id) => ids.includes(id));
  assert.deepEqual(mine(await listAll<Trashed>(stranger, '/trash', 'Entries')), ids);
  for (const limit of [1, 2, 3, 1000]) {
    const pages = await listPages<Trashed>(stranger, `/trash?limit=${limit}`, 'Entries');
    assert.deepEqual(mine(pages.flat()), ids);
    for (const page of pages) assert.ok(page.length <= limit);
    assert.equal(new Set(pages.flat().map(({ Entry }) => Entry.Id)).size, pages.flat().length);
  }
});

test('An invalid limit or cursor of the trash is 400', async () => {
  for (const limit of ['0', '1001', 'abc', '']) {
    assertRefusal(await call(main, `/trash?limit=${limit}`), 400, 'InvalidField');
  }
  const { top } = await makeTree();
  const listed = await call(main, `/folders/${top.Id}?limit=1`);
  const foreign = must(/cursor=([^&>]+)/.exec(String(listed.headers.link))?.[1], 'cursor');
  for (const cursor of ['x', 'AAAA', '', foreign]) {
    assertRefusal(await call(main, `/trash?cursor=${cursor}`), 400, 'InvalidCursor');
  }
});

test('The trash of one space is not visible in another, and content.read is sufficient', async () => {
  const { tree } = await makeTree();
  await trash(main, tree.Id);
  assert.ok(!(await listTrash(stranger)).some(({ Entry }) => Entry.Id === tree.Id));
  assert.ok((await listTrash(reader)).some(({ Entry }) => Entry.Id === tree.Id));
  assertRefusal(await askTrash(reader, tree.Id), 403, 'InsufficientScope');
  assertRefusal(await askRestore(reader, tree.Id), 403, 'InsufficientScope');
  assertRefusal(await askRestore(stranger, tree.Id), 404, 'EntryNotFound');
});
