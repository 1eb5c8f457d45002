// Copy an entry (docs/contract.md §10.5): files and whole trees; the copy is new, complete and independent.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sized } from '../size.ts';
import { assertRefusal, type Entry, must } from './assertions.ts';
import { saveMany } from './batch.ts';
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
import { askCopy, change, copy, listVersions, put, readTree, remove, show, trash } from './life.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const reader = await signIn('Reader');
const stranger = await signIn('Stranger');
const neighbourUser = `app:${neighbour.application.Name}`;
const LARGE = Buffer.alloc(200_000, 'large ');

/** What a copy has in common with what it was made of. */
function toCommon({ Name, Type, ObjectType, ContentType, Size, Properties }: Entry): object {
  return { Name, Type, ObjectType, ContentType, Size, Properties };
}

function toShape(tree: Map<string, Entry>): Map<string, object> {
  return new Map([...tree].map(([path, entry]) => [path, toCommon(entry)]));
}

/** top/{source/{inner/{deep/{file}, large}, file, empty}, target} */
async function makeTree() {
  const top = await makeFolder(main);
  const source = await createFolder(main, top.Id, 'source', { Properties: { a: '1' }, ObjectType: 'x:source' });
  const target = await createFolder(main, top.Id, 'target');
  const inner = await createFolder(main, source.Id, 'inner', { Properties: { é: '2' } });
  const deep = await createFolder(main, inner.Id, 'deep');
  const { File: file } = await saveFile(
    main,
    { FolderId: source.Id, FileName: 'file', 'Content-Type': 'text/x-a' },
    'old',
  );
  await saveFile(main, { FolderId: source.Id, FileName: 'file', 'Content-Type': 'text/x-b' }, 'new!');
  await change(main, file.Id, { Properties: { b: '3' }, ObjectType: 'x:file' });
  await saveFile(main, { FolderId: inner.Id, FileName: 'large' }, LARGE);
  await saveFile(main, { FolderId: deep.Id, FileName: 'fil\u00e9' }, 'deep');
  await saveFile(main, { FolderId: source.Id, FileName: 'empty' }, '');
  await untilLater();
  return { top, source, target, inner, deep, file };
}

test('A copied file is a new entry with the same content, type and properties, and one version', async () => {
  const { top, target, file } = await makeTree();
  const before = await show(main, file.Id);
  const copied = await copy(neighbour, file.Id, { ParentFolderId: target.Id });
  assert.deepEqual(toCommon(copied.Entry), toCommon(before.Entry));
  assert.notEqual(copied.Entry.Id, file.Id);
  assert.equal(copied.Path, `/${top.Name}/target/file`);
  assert.deepEqual([copied.Version, copied.Sha256], [1, before.Sha256]);
  assert.equal(copied.Entry.CreatedBy, neighbourUser);
  assert.ok(copied.Entry.CreatedAt > before.Entry.CreatedAt, 'it was created just now');
  assert.deepEqual(await show(main, copied.Entry.Id), copied);
  assert.equal((await download(main, copied.Entry.Id)).toString(), 'new!');
  assert.deepEqual(
    (await listVersions(main, copied.Entry.Id)).map(({ Version }) => Version),
    [1],
  );
  assert.deepEqual(await show(main, file.Id), before);
  assert.equal((await readFolder(main, target.Id)).Folder.Size, 4);
});

test('A copied tree is complete, with new ids and the same contents', async () => {
  const { top, source, target } = await makeTree();
  const before = await readTree(main, source.Id);
  const { Entry, Path } = await copy(neighbour, source.Id, { ParentFolderId: target.Id });
  assert.equal(Path, `/${top.Name}/target/source`);
  assert.deepEqual(toCommon(Entry), { ...toCommon(source), Size: LARGE.length + 8 });
  const after = await readTree(main, Entry.Id);
  assert.deepEqual(toShape(after), toShape(before));
  assert.deepEqual(await readTree(main, source.Id), before, 'the original is as it was');
  const old = new Set([...before.values()].map(({ Id }) => Id));
  for (const [path, copied] of after) {
    assert.ok(!old.has(copied.Id), `${path} kept its id`);
    assert.equal(copied.CreatedBy, neighbourUser);
    if (copied.Type !== 'file') continue;
    const original = must(before.get(path), path);
    assert.ok((await download(main, copied.Id)).equals(await download(main, original.Id)), path);
    assert.equal((await show(main, copied.Id)).Version, 1);
  }
  const { Folder } = await readFolder(main, top.Id);
  assert.equal(Folder.Size, 2 * (LARGE.length + 8));
});

test('Changes of a copy do not affect the original, nor the other way round', async () => {
  const { target, source, file } = await makeTree();
  const { Entry } = await copy(main, source.Id, { ParentFolderId: target.Id });
  const copied = must((await readTree(main, Entry.Id)).get('/file'), 'copy of the file');
  const original = await show(main, file.Id);
  await put(main, copied.Id, 'written into the copy');
  await change(main, copied.Id, { Name: 'renamed', Properties: { b: null } });
  assert.deepEqual(await show(main, file.Id), original);
  assert.equal((await download(main, file.Id)).toString(), 'new!');
  await remove(main, source.Id);
  assert.equal((await download(main, copied.Id)).toString(), 'written into the copy');
  const large = must((await readTree(main, Entry.Id)).get('/inner/large'), 'large file');
  assert.ok((await download(main, large.Id)).equals(LARGE), 'the bytes are shared, not borrowed');
});

test('A tree of many folders is copied completely', async () => {
  const top = await makeFolder(main);
  const side = sized(12, 24);
  const source = await createFolder(main, top.Id, 'source');
  const folders = await Promise.all(
    Array.from({ length: side }, (_, index) => createFolder(main, source.Id, `folder ${index}`)),
  );
  await Promise.all(
    folders.map(({ Id }, place) => {
      const numbers = Array.from({ length: side }, (_, index) => index * side + place);
      const files = numbers.map((number) => ({ name: `file ${number}`, content: `content ${number}` }));
      return saveMany(main, Id, files);
    }),
  );
  const before = await readTree(main, source.Id);
  assert.equal(before.size, side * (side + 1));
  const { Entry } = await copy(main, source.Id, { ParentFolderId: top.Id, Name: 'copy' });
  const after = await readTree(main, Entry.Id);
  assert.deepEqual(toShape(after), toShape(before));
  assert.equal(new Set([...before.values(), ...after.values()].map(({ Id }) => Id)).size, 2 * before.size);
  const { Folder, Children } = await readFolder(main, top.Id);
  assert.deepEqual(
    Children.map(({ Size }) => Size * 2),
    [Folder.Size, Folder.Size],
  );
  const last = must(after.get(`/folder ${side - 1}/file ${side * side - 1}`), 'last file');
  assert.equal((await download(main, last.Id)).toString(), `content ${side * side - 1}`);
});

test('A copy can get a name, which follows the rules for names', async () => {
  const { top, source, file } = await makeTree();
  for (const { Id } of [source, file]) {
    const { Entry, Path } = await copy(main, Id, { ParentFolderId: top.Id, Name: `Kopie e\u0301 ${Id}` });
    assert.equal(Entry.Name, `Kopie e\u0301 ${Id}`);
    assert.equal(Path, `/${top.Name}/Kopie e\u0301 ${Id}`);
    for (const Name of ['', '..', 'a/b', ' a', 'x'.repeat(256), '\u0000']) {
      assertRefusal(await askCopy(main, Id, { ParentFolderId: top.Id, Name }), 400, 'InvalidName');
    }
  }
  assert.equal((await listFolder(main, top.Id)).length, 4);
});

test('A taken name is 400 NameAlreadyExists and nothing is copied; Rename finds a free one', async () => {
  const { top, source, file } = await makeTree();
  const taken = (await listFolder(main, top.Id)).find(({ Name }) => Name === 'source');
  const answer = await askCopy(main, source.Id, { ParentFolderId: top.Id });
  assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [taken]);
  for (const behavior of ['Fail', 'Rename']) {
    for (const [index, headers] of [{}, { ConflictBehavior: behavior }].entries()) {
      const fields = { ParentFolderId: source.Id, ...(index === 0 && { ConflictBehavior: behavior }) };
      const answer = await askCopy(main, file.Id, fields, headers);
      if (behavior === 'Fail') assertRefusal(answer, 400, 'NameAlreadyExists');
      else assert.equal(answer.status, 200, answer.body.toString());
    }
  }
  const names = (await listFolder(main, source.Id)).map(({ Name }) => Name);
  assert.deepEqual(names, ['inner', 'empty', 'file', 'file (2)', 'file (3)']);
  const { Entry } = await copy(main, source.Id, { ParentFolderId: top.Id }, { ConflictBehavior: 'Rename' });
  assert.equal(Entry.Name, 'source (2)');
  for (const behavior of ['Version', 'Existing', 'Replace']) {
    const answer = await askCopy(main, file.Id, { ParentFolderId: top.Id }, { ConflictBehavior: behavior });
    assertRefusal(answer, 400, 'InvalidField');
  }
});

test('A folder copied into itself is copied once, as it was before', async () => {
  const { source, inner, deep } = await makeTree();
  for (const target of [source, deep]) {
    const before = await readTree(main, source.Id);
    const answer = await askCopy(main, source.Id, { ParentFolderId: target.Id, Name: 'within' });
    if (answer.status !== 200) {
      assertRefusal(answer, 400, 'InvalidMove');
      assert.deepEqual(await readTree(main, source.Id), before);
      continue;
    }
    const { Entry } = JSON.parse(answer.body.toString()) as { Entry: Entry };
    assert.deepEqual(toShape(await readTree(main, Entry.Id)), toShape(before));
  }
  assert.equal((await show(main, inner.Id)).Entry.Name, 'inner');
});

test('Copying into a file is 400 NotAFolder; into an unknown, trashed or foreign folder it is 404 with the same bytes', async () => {
  const { target, source, file } = await makeTree();
  assertRefusal(await askCopy(main, source.Id, { ParentFolderId: file.Id }), 400, 'NotAFolder');
  const foreign = await makeFolder(stranger);
  const beneath = await createFolder(main, target.Id, 'beneath');
  await trash(main, target.Id);
  const bodies = new Set<string>();
  for (const ParentFolderId of [randomUUID(), 'x', '-trash-', '-hidden-', target.Id, beneath.Id, foreign.Id]) {
    const tracked = { requesttrackingid: '11111111-1111-4111-8111-111111111111' };
    const answer = await askCopy(main, file.Id, { ParentFolderId }, tracked);
    assertRefusal(answer, 404, 'FolderNotFound');
    bodies.add(answer.body.toString());
  }
  assert.equal(bodies.size, 1);
  assert.deepEqual(await listFolder(stranger, foreign.Id), []);
});

test('Copying an unknown, trashed or foreign entry is 404 with the same bytes', async () => {
  const { target, source, inner } = await makeTree();
  await trash(main, source.Id);
  const foreign = await makeFolder(stranger);
  const bodies = new Set<string>();
  for (const id of [randomUUID(), 'nothing', '-trash-', '-hidden-', source.Id, inner.Id, foreign.Id]) {
    const tracked = { requesttrackingid: '11111111-1111-4111-8111-111111111111' };
    const answer = await askCopy(main, id, { ParentFolderId: target.Id }, tracked);
    assertRefusal(answer, 404, 'EntryNotFound');
    bodies.add(answer.body.toString());
  }
  assert.equal(bodies.size, 1);
  assert.deepEqual(await listFolder(main, target.Id), []);
});

test('Trashed children are not copied', async () => {
  const { target, source, inner } = await makeTree();
  await trash(main, inner.Id);
  const { Entry } = await copy(main, source.Id, { ParentFolderId: target.Id });
  assert.deepEqual([...(await readTree(main, Entry.Id)).keys()], ['/empty', '/file']);
  assert.equal(Entry.Size, 4);
});

test('Invalid bodies are 400 and nothing is copied', async () => {
  const { top, target, file } = await makeTree();
  const before = await readTree(main, top.Id);
  const bodies = ['', '{', '[]', 'null', '"x"'];
  const fields = [
    { ParentFolderId: 1 },
    { ParentFolderId: null },
    { ParentFolderId: target.Id, Name: 1 },
    { ParentFolderId: target.Id, ConflictBehavior: {} },
  ];
  const headers = { 'Content-Type': 'application/json' };
  for (const body of bodies) {
    assertRefusal(await call(main, `/entries/${file.Id}/copy`, { method: 'POST', headers, body }), 400, 'InvalidBody');
  }
  for (const one of fields) assertRefusal(await askCopy(main, file.Id, one), 400, 'InvalidField');
  assert.deepEqual(await readTree(main, top.Id), before);
});

test('A copy deeper than 100 levels is 400 TooDeep and leaves nothing', async () => {
  const { source } = await makeTree();
  const top = await makeFolder(main);
  const bottom = await makeDeep(main, top.Id, 97);
  assertRefusal(await askCopy(main, source.Id, { ParentFolderId: bottom.Id }), 400, 'TooDeep');
  assert.deepEqual(await listFolder(main, bottom.Id), []);
  assert.equal((await readFolder(main, top.Id)).Folder.Size, 0);
});

test('Of 10 concurrent copies to one name exactly one succeeds, and sizes are exact', async () => {
  const { target, source } = await makeTree();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => askCopy(main, source.Id, { ParentFolderId: target.Id })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 400, 'NameAlreadyExists');
  const { Folder, Children } = await readFolder(main, target.Id);
  assert.equal(Children.length, 1);
  assert.equal(Folder.Size, LARGE.length + 8);
});

test('content.read is not sufficient to copy', async () => {
  const { target, file } = await makeTree();
  assertRefusal(await askCopy(reader, file.Id, { ParentFolderId: target.Id }), 403, 'InsufficientScope');
  assert.deepEqual(await listFolder(main, target.Id), []);
});
