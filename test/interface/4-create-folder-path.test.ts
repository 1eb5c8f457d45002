// Create a folder by path (docs/contract.md §4.2): missing folders on the path are created in one step or not at all.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal, type Entry } from './assertions.ts';
import { call, createFolder, listFolder, makeFolder, postFolder, readFolder, saveFile, signIn } from './client.ts';
import { readChanges, readToEnd } from './follower.ts';

const main = await signIn('Main');
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

type Fields = Record<string, string>;
const json = (fields: Fields): string => JSON.stringify(fields);
const form = (fields: Fields): string => new URLSearchParams(fields).toString();
const payload = (fields: Fields): string => JSON.stringify({ requestPayload: fields });

const BODIES: [title: string, type: string | undefined, write: (fields: Fields) => string][] = [
  ['JSON', JSON_TYPE, json],
  ['JSON with requestPayload', JSON_TYPE, payload],
  ['a form', FORM, form],
  ['a form with requestPayload', FORM, (fields) => form({ requestPayload: json(fields) })],
  ['JSON under the content type of a form', FORM, json],
  ['JSON without a content type', undefined, json],
  ['a form without a content type', undefined, form],
];

async function make(parent: Entry, RelativePath: string, more: object = {}) {
  return await postFolder(main, { ParentFolderId: parent.Id, RelativePath, ...more });
}

async function pathOf({ Id }: Entry): Promise<string> {
  return (JSON.parse((await call(main, `/entries/${Id}`)).body.toString()) as { Path: string }).Path;
}

for (const [title, type, write] of BODIES) {
  test(`The folders of a path are created from ${title}`, async () => {
    const parent = await makeFolder(main);
    const body = write({ ParentFolderId: parent.Id, RelativePath: 'Ä & b/c = d/e+f' });
    const answer = await call(main, '/folders', { method: 'POST', headers: { 'Content-Type': type }, body });
    const { Folder, Children } = assertEnvelope(answer);
    assert.equal(answer.headers.entryid, Folder.Id);
    assert.deepEqual(Children, []);
    assert.equal(await pathOf(Folder), `/${parent.Name}/Ä & b/c = d/e+f`);
  });
}

test('Existing folders of a path are used, and the last is answered with its children', async () => {
  const parent = await makeFolder(main);
  const { Folder: first } = assertEnvelope(await make(parent, 'a/b/c'));
  const { Folder: beside } = assertEnvelope(await make(parent, 'a/b/d'));
  const saved = await saveFile(main, { FolderId: first.Id, FileName: 'x' }, '12345');
  const again = assertEnvelope(await make(parent, 'a/b/c'));
  assert.deepEqual(again, { Folder: { ...first, Size: 5 }, Children: [saved.File] });
  assert.notEqual(beside.Id, first.Id);
  const [a] = await listFolder(main, parent.Id);
  assert.equal(a?.Size, 5);
  const [b] = await listFolder(main, a?.Id ?? '');
  const names = (await listFolder(main, b?.Id ?? '')).map(({ Name }) => Name);
  assert.deepEqual(names, ['c', 'd']);
});

test('ConflictBehavior applies to the last name of the path', async () => {
  const parent = await makeFolder(main);
  const { Folder } = assertEnvelope(await make(parent, 'a/b'));
  const refused = assertRefusal(await make(parent, 'a/b', { ConflictBehavior: 'Fail' }), 400, 'NameAlreadyExists');
  assert.deepEqual(refused.Conflicts, [Folder]);
  assert.equal(refused.Target, 'RelativePath');
  const renamed = assertEnvelope(await make(parent, 'a/b', { ConflictBehavior: 'Rename' }));
  assert.equal(renamed.Folder.Name, 'b (2)');
  assert.deepEqual((await listFolder(main, parent.Id)).length, 1);
  assertRefusal(await make(parent, 'a/b', { ConflictBehavior: 'Version' }), 400, 'InvalidField');
});

test('Properties and ObjectType apply to the last folder', async () => {
  const parent = await makeFolder(main);
  const more = { Properties: { k: 'v' }, ObjectType: 'my:type' };
  const { Folder } = assertEnvelope(await make(parent, 'a/b', more));
  assert.deepEqual([Folder.Properties, Folder.ObjectType], [{ k: 'v' }, 'my:type']);
  const [a] = await listFolder(main, parent.Id);
  assert.deepEqual([a?.Properties, a?.ObjectType], [{}, 'cmis:folder']);
});

test('A file on the path is 400 NameAlreadyExists, and nothing is created', async () => {
  const parent = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: parent.Id, FileName: 'file' }, 'x');
  const there = await readFolder(main, parent.Id);
  for (const path of ['file/b/c', 'file/b', 'file']) {
    const refused = assertRefusal(await make(parent, path), 400, 'NameAlreadyExists');
    assert.deepEqual(refused.Conflicts, [File]);
    assert.match(refused.Message, /"file"/);
    assert.equal(refused.Target, 'RelativePath');
  }
  assert.deepEqual(await readFolder(main, parent.Id), there);
});

test('Each name of a path follows the rules for names, and the error says which one does not', async () => {
  const parent = await makeFolder(main);
  for (const path of [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    'a/../b',
    './a',
    'a/b\\c',
    'a/ b',
    `a/${'n'.repeat(256)}`,
    'a/\u0000',
  ]) {
    const refused = assertRefusal(await make(parent, path), 400, 'InvalidName');
    assert.equal(refused.Target, 'RelativePath');
    assert.match(refused.Message, /^Name \d+ of \d+ in RelativePath/);
  }
  assert.deepEqual(await listFolder(main, parent.Id), []);
});

test('A path can reach level 100; a deeper one is 400 TooDeep and creates nothing', async () => {
  const parent = await makeFolder(main);
  const names = (count: number) => Array.from({ length: count }, (_, n) => `l${n}`).join('/');
  for (const count of [100, 101, 102, 5000]) assertRefusal(await make(parent, names(count)), 400, 'TooDeep');
  assert.deepEqual(await listFolder(main, parent.Id), []);
  const { Folder } = assertEnvelope(await make(parent, names(99)));
  assertRefusal(await make(Folder, 'one more'), 400, 'TooDeep');
  await saveFile(main, { FolderId: Folder.Id, FileName: 'deep' }, '1234567');
  assert.equal((await readFolder(main, parent.Id)).Folder.Size, 7);
});

test('Exactly one of FolderName and RelativePath must be sent', async () => {
  const parent = await makeFolder(main);
  const both = assertRefusal(await make(parent, 'a/b', { FolderName: 'c' }), 400, 'InvalidField');
  assert.match(`${both.Message} ${both.Hint}`, /FolderName.*RelativePath/);
  const none = assertRefusal(await postFolder(main, { ParentFolderId: parent.Id }), 400, 'FolderNameMissing');
  assert.match(none.Hint ?? '', /RelativePath/);
  assertRefusal(await postFolder(main, { ParentFolderId: parent.Id, RelativePath: 7 }), 400, 'InvalidField');
  assert.deepEqual(await listFolder(main, parent.Id), []);
});

test('A repeated path with its key returns the first result; concurrent ones without a key create each folder once', async () => {
  const parent = await makeFolder(main);
  const key = { 'Idempotency-Key': randomUUID() };
  const fields = { ParentFolderId: parent.Id, RelativePath: 'a/b', ConflictBehavior: 'Rename' };
  const first = await postFolder(main, fields, key);
  const again = await postFolder(main, fields, key);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.deepEqual(assertEnvelope(again), assertEnvelope(first));
  const other = { ...fields, RelativePath: 'a/c' };
  assertRefusal(await postFolder(main, other, key), 400, 'IdempotencyKeyReused');
  const twins = await Promise.all(Array.from({ length: 8 }, () => make(parent, 'x/y/z')));
  assert.equal(new Set(twins.map((answer) => assertEnvelope(answer).Folder.Id)).size, 1);
  assert.deepEqual(
    (await listFolder(main, parent.Id)).map(({ Name }) => Name),
    ['a', 'x'],
  );
});

test('The changes feed lists every created folder, from the top down', async () => {
  const parent = await makeFolder(main);
  const { Cursor } = await readChanges(main, 'from=now');
  await createFolder(main, parent.Id, 'before');
  const { Folder } = assertEnvelope(await make(parent, 'a/b/c'));
  const { Changes } = await readToEnd(main, `cursor=${encodeURIComponent(Cursor)}`);
  const ours = [Changes.find(({ EntryId }) => EntryId === Folder.Id)];
  while (ours[0]?.ParentFolderId !== parent.Id && ours[0] !== undefined) {
    const { ParentFolderId } = ours[0];
    ours.unshift(Changes.find(({ EntryId }) => EntryId === ParentFolderId));
  }
  assert.deepEqual(
    ours.map((change) => [change?.Action, change?.Entry?.Name]),
    ['a', 'b', 'c'].map((name) => ['folder.created', name]),
  );
  const places = ours.map((change) => Changes.findIndex(({ EntryId }) => EntryId === change?.EntryId));
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
});
