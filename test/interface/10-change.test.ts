// Rename and change an entry (docs/contract.md §10.4). Moves are in 10-move, `If-Match` is in 10-if-match.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal, type Entry } from './assertions.ts';
import { call, createFolder, download, listFolder, makeFolder, saveFile, signIn, untilLater } from './client.ts';
import { askChange, change, listVersions, show, trash } from './life.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const reader = await signIn('Reader');
const stranger = await signIn('Stranger');
const mainUser = `app:${main.application.Name}`;
const neighbourUser = `app:${neighbour.application.Name}`;

/** A folder and a file, side by side. */
async function makePair(): Promise<{ folder: Entry; pair: Entry[]; inner: Entry; file: Entry }> {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'inner', { Properties: { a: '1' } });
  const { File: file } = await saveFile(main, { FolderId: folder.Id, FileName: 'file.txt' }, 'bytes');
  await untilLater();
  return { folder, pair: [inner, file], inner, file };
}

test('A rename changes Name, ModifiedAt and ModifiedBy, and nothing else', async () => {
  const { folder, pair } = await makePair();
  for (const entry of pair) {
    const before = await show(main, entry.Id);
    const { Entry, Path, ETag, ...rest } = await change(neighbour, entry.Id, { Name: `new ${entry.Name}` });
    const { ModifiedAt } = Entry;
    assert.deepEqual(Entry, { ...entry, Name: `new ${entry.Name}`, ModifiedAt, ModifiedBy: neighbourUser });
    assert.ok(ModifiedAt > entry.ModifiedAt, 'ModifiedAt did not move');
    assert.equal(Path, `/${folder.Name}/new ${entry.Name}`);
    assert.notEqual(ETag, before.ETag);
    assert.deepEqual(await show(main, entry.Id), { Entry, Path, ETag, ...rest });
    assert.deepEqual([before.Sha256, before.Version], [rest.Sha256, rest.Version]);
  }
  const names = (await listFolder(main, folder.Id)).map(({ Name }) => Name);
  assert.deepEqual(names, ['new inner', 'new file.txt']);
});

test('After a rename the old name is free and the old path is 404', async () => {
  const { folder, inner } = await makePair();
  await change(main, inner.Id, { Name: 'other' });
  assertRefusal(await call(main, `/folders?path=/${folder.Name}/inner`), 404, 'FolderNotFound');
  const again = await createFolder(main, folder.Id, 'inner');
  assert.notEqual(again.Id, inner.Id);
});

for (const name of [
  'Prüfung 100%.txt',
  'e\u0301',
  '漢字 😀',
  'INNER',
  'x'.repeat(255),
  '😀'.repeat(255),
  'a\'b"c',
  'a.',
]) {
  test(`An entry can be renamed to ${name.slice(0, 20)}, which is kept exactly`, async () => {
    const { folder, pair } = await makePair();
    for (const [index, entry] of pair.entries()) {
      if (index === 1) await change(main, pair[0]?.Id ?? '', { Name: 'out of the way' });
      const { Entry, Path } = await change(main, entry.Id, { Name: name });
      assert.equal(Entry.Name, name);
      assert.equal(Path, `/${folder.Name}/${name}`);
    }
  });
}

test('An entry can be renamed to another spelling of its own name', async () => {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'Gem\u00e4\u00df');
  const { Entry } = await change(main, inner.Id, { Name: 'Gema\u0308\u00df' });
  assert.equal(Entry.Name, 'Gema\u0308\u00df');
  assert.deepEqual(await listFolder(main, folder.Id), [Entry]);
});

for (const name of [
  '',
  '.',
  '..',
  'a/b',
  'a\\b',
  'a\u0000',
  '\u007f',
  ' a',
  'a ',
  '\u202ea',
  'x'.repeat(256),
  '\ud800',
]) {
  test(`A rename to ${JSON.stringify(name.slice(0, 10))} (${name.length}) is 400 InvalidName and changes nothing`, async () => {
    const { pair } = await makePair();
    for (const entry of pair) {
      const before = await show(main, entry.Id);
      assertRefusal(await askChange(main, entry.Id, { Name: name, Properties: { b: '2' } }), 400, 'InvalidName');
      assert.deepEqual(await show(main, entry.Id), before);
    }
  });
}

test('A taken name, of either type and in any spelling, is 400 NameAlreadyExists with the record', async () => {
  const { pair, folder } = await makePair();
  const other = await createFolder(main, folder.Id, 'tak\u00e9n');
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'taken.txt' }, 'x');
  for (const entry of pair) {
    for (const [name, taken] of [
      ['tak\u00e9n', other],
      ['take\u0301n', other],
      ['taken.txt', File],
    ] as const) {
      for (const headers of [{}, { ConflictBehavior: 'Fail' }]) {
        const answer = await askChange(main, entry.Id, { Name: name }, headers);
        assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [taken]);
      }
      assertRefusal(
        await askChange(main, entry.Id, { Name: name, ConflictBehavior: 'Fail' }),
        400,
        'NameAlreadyExists',
      );
    }
  }
  assert.equal((await listFolder(main, folder.Id)).length, 4);
});

test('ConflictBehavior Rename finds a free name, as header or field', async () => {
  const { inner, file, folder } = await makePair();
  await saveFile(main, { FolderId: folder.Id, FileName: 'taken.txt' }, 'x');
  const first = await change(main, file.Id, { Name: 'taken.txt' }, { ConflictBehavior: 'Rename' });
  assert.equal(first.Entry.Name, 'taken (2).txt');
  const second = await change(main, inner.Id, { Name: 'taken.txt', ConflictBehavior: 'Rename' });
  assert.match(second.Entry.Name, /^taken( \(3\)\.txt|\.txt \(2\))$/);
  const free = await change(main, file.Id, { Name: 'free', ConflictBehavior: 'Rename' });
  assert.equal(free.Entry.Name, 'free');
});

test('An entry does not conflict with its own name under any ConflictBehavior', async () => {
  const { pair } = await makePair();
  for (const entry of pair) {
    const before = await show(main, entry.Id);
    for (const ConflictBehavior of ['Fail', 'Rename']) {
      assert.deepEqual(await change(main, entry.Id, { Name: entry.Name, ConflictBehavior }), before);
    }
  }
});

test('Version, Existing and unknown values of ConflictBehavior are 400 InvalidField', async () => {
  const { pair } = await makePair();
  for (const { Id } of pair) {
    for (const behavior of ['Version', 'Existing', 'Overwrite', 'fail', 'Fail,Rename']) {
      assertRefusal(await askChange(main, Id, { Name: 'x' }, { ConflictBehavior: behavior }), 400, 'InvalidField');
      assertRefusal(await askChange(main, Id, { Name: 'x', ConflictBehavior: behavior }), 400, 'InvalidField');
    }
    assertRefusal(await askChange(main, Id, { Name: 'x', ConflictBehavior: 1 }), 400, 'InvalidField');
  }
});

test('Properties are merged: keys are set, null removes a key, the others stay', async () => {
  const { pair } = await makePair();
  for (const { Id } of pair) {
    await change(main, Id, { Properties: { a: '1', b: '2', 'ключ 🔑': 'x\ny', __proto__x: '' } });
    const { Entry } = await change(neighbour, Id, { Properties: { b: 'new', a: null, c: '3', unknown: null } });
    const expected = { b: 'new', c: '3', 'ключ 🔑': 'x\ny', __proto__x: '' };
    assert.deepEqual(Entry.Properties, expected);
    assert.equal(Entry.ModifiedBy, neighbourUser);
    const all = Object.fromEntries(Object.keys(expected).map((key) => [key, null]));
    assert.deepEqual((await change(main, Id, { Properties: all })).Entry.Properties, {});
  }
});

test('Reserved keys are refused, as at creation', async () => {
  const { inner } = await makePair();
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    const body = `{"Properties":{"${key}":"x"}}`;
    const headers = { 'Content-Type': 'application/json' };
    assertRefusal(await call(main, `/entries/${inner.Id}`, { method: 'PATCH', headers, body }), 400, 'InvalidField');
  }
});

test('The limits on Properties apply to the result of the merge', async () => {
  const { pair } = await makePair();
  const keys = (from: number, to: number, value: string | null) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`key ${from + index}`, value]));
  for (const { Id } of pair) {
    await change(main, Id, { Properties: { a: null, ...keys(0, 99, 'v') } });
    const full = await change(main, Id, { Properties: keys(99, 100, 'v') });
    assertRefusal(await askChange(main, Id, { Properties: keys(100, 101, 'v') }), 400, 'InvalidField');
    assertRefusal(await askChange(main, Id, { Properties: { 'key 0': 'v'.repeat(4097) } }), 400, 'InvalidField');
    assertRefusal(await askChange(main, Id, { Properties: { ['k'.repeat(129)]: 'v' } }), 400, 'InvalidField');
    assertRefusal(await askChange(main, Id, { Properties: keys(0, 17, 'v'.repeat(4096)) }), 400, 'InvalidField');
    assert.deepEqual(await show(main, Id), full);
    await change(main, Id, { Properties: { ...keys(0, 1, null), ...keys(100, 101, 'v') } });
    assert.equal(Object.keys((await show(main, Id)).Entry.Properties).length, 100);
  }
});

test('Keys that are removed do not count towards the 100 that an entry may have', async () => {
  const { pair } = await makePair();
  const keys = (from: number, to: number, value: string | null) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`key ${from + index}`, value]));
  for (const { Id } of pair) {
    await change(main, Id, { Properties: { a: null, ...keys(0, 60, 'v') } });
    const { Entry } = await change(main, Id, { Properties: { ...keys(0, 60, null), ...keys(60, 120, 'v') } });
    assert.deepEqual(Entry.Properties, keys(60, 120, 'v'));
    const replaced = await change(main, Id, { Properties: { ...keys(60, 120, null), ...keys(200, 300, 'v') } });
    assert.deepEqual(replaced.Entry.Properties, keys(200, 300, 'v'));
    const both = { ...keys(200, 300, null), ...keys(300, 401, 'v') };
    assertRefusal(await askChange(main, Id, { Properties: both }), 400, 'InvalidField');
    assertRefusal(await askChange(main, Id, { Properties: keys(0, 1001, null) }), 400, 'InvalidField');
    assert.deepEqual((await change(main, Id, { Properties: keys(0, 1000, null) })).Entry.Properties, {});
  }
});

test('ObjectType can be changed alone, and is limited to its characters', async () => {
  const { pair } = await makePair();
  for (const entry of pair) {
    const { Entry } = await change(main, entry.Id, { ObjectType: 'acme:case.v-1' });
    assert.deepEqual(Entry, { ...entry, ObjectType: 'acme:case.v-1', ModifiedAt: Entry.ModifiedAt });
    for (const ObjectType of ['', 'a b', 'é', 'x'.repeat(129), 'a\n']) {
      assertRefusal(await askChange(main, entry.Id, { ObjectType }), 400, 'InvalidField');
    }
    assert.deepEqual((await show(main, entry.Id)).Entry, Entry);
  }
});

test('A no-op update keeps ETag and ModifiedAt', async () => {
  const { folder, pair } = await makePair();
  for (const entry of pair) {
    await change(main, entry.Id, { Properties: { a: '1' }, ObjectType: 'x:y' });
    const before = await show(main, entry.Id);
    await untilLater();
    for (const fields of [
      {},
      { Name: entry.Name },
      { ParentFolderId: folder.Id },
      { Properties: {} },
      { Properties: { a: '1' } },
      { Properties: { unknown: null } },
      { ObjectType: 'x:y' },
      { Unknown: 'is ignored', Size: 9, Id: randomUUID() },
      { Name: entry.Name, ParentFolderId: folder.Id, Properties: { a: '1', b: null }, ObjectType: 'x:y' },
    ]) {
      assert.deepEqual(await change(neighbour, entry.Id, fields), before, JSON.stringify(fields));
    }
    assert.deepEqual(await show(main, entry.Id), before);
  }
});

test('All fields can change in one step', async () => {
  const { folder, pair } = await makePair();
  const target = await createFolder(main, folder.Id, 'target');
  for (const entry of pair) {
    const fields = { Name: `${entry.Name}!`, ParentFolderId: target.Id, Properties: { z: '26' }, ObjectType: 'x:z' };
    const { Entry, Path } = await change(main, entry.Id, fields);
    const Properties = { ...entry.Properties, z: '26' };
    const { ModifiedAt } = Entry;
    assert.deepEqual(Entry, { ...entry, Name: fields.Name, Properties, ObjectType: 'x:z', ModifiedAt });
    assert.equal(Path, `/${folder.Name}/target/${entry.Name}!`);
  }
  assert.deepEqual(
    (await listFolder(main, folder.Id)).map(({ Id }) => Id),
    [target.Id],
  );
});

test('A change adds no version and keeps the content and its ETag', async () => {
  const { file } = await makePair();
  const before = await call(main, `/files/${file.Id}/content`);
  await change(main, file.Id, { Name: 'other.pdf', Properties: { a: '1' }, ObjectType: 'x:y' });
  const after = await call(main, `/files/${file.Id}/content`);
  assert.equal(after.headers.etag, before.headers.etag);
  assert.equal((await download(main, file.Id)).toString(), 'bytes');
  assert.equal((await show(main, file.Id)).Version, 1);
  assert.equal((await listVersions(main, file.Id)).length, 1);
  assert.equal((await show(main, file.Id)).Entry.ContentType, file.ContentType, 'a rename is no conversion');
});

test('Unknown, malformed, trashed and foreign ids are 404 with the same bytes', async () => {
  const { file } = await makePair();
  await trash(main, file.Id);
  const foreign = await makeFolder(stranger);
  const bodies = new Set<string>();
  for (const id of [randomUUID(), 'nothing', '%00', '-trash-', '-hidden-', file.Id, foreign.Id]) {
    const headers = { requesttrackingid: '11111111-1111-4111-8111-111111111111' };
    const answer = await askChange(main, id, { Name: 'x' }, headers);
    assertRefusal(answer, 404, 'EntryNotFound');
    bodies.add(answer.body.toString());
  }
  assert.equal(bodies.size, 1);
  assert.equal((await show(stranger, foreign.Id)).Entry.Name, foreign.Name);
});

const BODIES: { body: string; code: string | RegExp }[] = [
  { body: '', code: 'InvalidBody' },
  { body: '{', code: 'InvalidBody' },
  { body: '[]', code: 'InvalidBody' },
  { body: 'null', code: 'InvalidBody' },
  { body: '"Name"', code: 'InvalidBody' },
  { body: '{"Name":"x"', code: 'InvalidBody' },
  { body: `{"Unknown":${'['.repeat(17)}${']'.repeat(17)}}`, code: 'InvalidBody' },
  { body: '{"Name":1}', code: 'InvalidField' },
  { body: '{"Name":null}', code: 'InvalidField' },
  { body: '{"Name":["x"]}', code: 'InvalidField' },
  { body: '{"ParentFolderId":7}', code: 'InvalidField' },
  { body: '{"ParentFolderId":null}', code: 'InvalidField' },
  { body: '{"Properties":[]}', code: 'InvalidField' },
  { body: '{"Properties":null}', code: 'InvalidField' },
  { body: '{"Properties":"x"}', code: 'InvalidField' },
  { body: '{"Properties":{"a":1}}', code: 'InvalidField' },
  { body: '{"Properties":{"a":{}}}', code: 'InvalidField' },
  { body: '{"Properties":{"a":["x"]}}', code: 'InvalidField' },
  { body: '{"ObjectType":false}', code: 'InvalidField' },
  { body: '{"ObjectType":null}', code: 'InvalidField' },
  { body: 'Name=x', code: 'InvalidBody' },
];

for (const { body, code } of BODIES) {
  test(`The body ${body.slice(0, 40) || '(empty)'} is 400 ${code} and changes nothing`, async () => {
    const { pair } = await makePair();
    for (const entry of pair) {
      const before = await show(main, entry.Id);
      const headers = { 'Content-Type': 'application/json' };
      assertRefusal(await call(main, `/entries/${entry.Id}`, { method: 'PATCH', headers, body }), 400, code);
      assert.deepEqual(await show(main, entry.Id), before);
    }
  });
}

test('A body of more than 1 MiB is 400 InvalidBody', async () => {
  const { file } = await makePair();
  assertRefusal(await askChange(main, file.Id, { Unknown: 'x'.repeat(1024 * 1024) }), 400, 'InvalidBody');
});

test('Renaming or moving the root is 403 Forbidden; it can get properties', async () => {
  const root = stranger.application.RootFolderId;
  const folder = await makeFolder(stranger);
  for (const fields of [{ Name: 'x' }, { ParentFolderId: folder.Id }, { Name: 'x', Properties: { a: '1' } }]) {
    for (const id of [root, '-root-']) assertRefusal(await askChange(stranger, id, fields), 403, 'Forbidden');
  }
  const { Entry, Path } = await change(stranger, root, { Properties: { changed: 'root' } });
  assert.deepEqual([Entry.Properties, Path], [{ changed: 'root' }, '/']);
  await change(stranger, root, { Properties: { changed: null } });
});

test('JSON is accepted under every JSON type and under the default type of curl', async () => {
  const { file } = await makePair();
  for (const type of [
    'application/merge-patch+json',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-8',
  ]) {
    const headers = { 'Content-Type': type };
    const body = JSON.stringify({ Properties: { type } });
    const answer = await call(main, `/entries/${file.Id}`, { method: 'PATCH', headers, body });
    assert.equal(answer.status, 200, answer.body.toString());
    assert.equal((await show(main, file.Id)).Entry.Properties.type, type);
  }
  for (const type of ['text/plain', 'multipart/form-data', 'application/jsonp']) {
    const headers = { 'Content-Type': type };
    assertRefusal(
      await call(main, `/entries/${file.Id}`, { method: 'PATCH', headers, body: '{}' }),
      400,
      'InvalidBody',
    );
  }
});

test('content.read is not sufficient to change an entry', async () => {
  const { file } = await makePair();
  assertRefusal(await askChange(reader, file.Id, { Name: 'x' }), 403, 'InsufficientScope');
  assert.deepEqual((await show(main, file.Id)).Entry.ModifiedBy, mainUser);
});
