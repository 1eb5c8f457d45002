// Folders, files and entries as a caller uses them, against a real service.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { saveFiles } from '../src/batch.ts';
import { openFile, readFile, readText } from '../src/downloads.ts';
import { changeEntry, copyEntry, deleteEntry, findFile, showEntry } from '../src/entries.ts';
import { CabinetError, hasCode } from '../src/errors.ts';
import { saveFile, saveVersion } from '../src/files.ts';
import { createFolder, findFolder, listChildren, showFolder } from '../src/folders.ts';
import { gather, makeFolder, standOnService } from './ground.ts';

const ground = await standOnService();

test('a folder is created, found by its path and listed', async () => {
  const cabinet = ground.connect();
  const created = await createFolder(cabinet, { parent: '-root-', name: 'Invoices', properties: { Year: '2026' } });
  assert.equal(created.Properties.Year, '2026');
  const again = await createFolder(cabinet, { name: 'Invoices', conflict: 'Existing' });
  assert.equal(again.Id, created.Id);
  const found = await findFolder(cabinet, '/Invoices');
  assert.equal(found.Folder.Id, created.Id);
  assert.equal(found.next, null);
  const names = (await gather(listChildren(cabinet))).map(({ Name }) => Name);
  assert.ok(names.includes('Invoices'));
});

test('a taken name is an error with its code, its target, and what is in the way', async () => {
  const cabinet = ground.connect();
  const parent = await makeFolder(cabinet);
  const created = await createFolder(cabinet, { parent, name: 'Taken' });
  await assert.rejects(createFolder(cabinet, { parent, name: 'Taken' }), (error) => {
    assert.ok(hasCode(error, 'NameAlreadyExists'));
    assert.ok(error instanceof CabinetError && error instanceof Error);
    assert.equal(error.status, 400);
    assert.equal(error.target, 'FolderName');
    assert.deepEqual(error.conflicts, [created]);
    assert.match(error.trackingId ?? '', /^[0-9a-f-]{36}$/);
    assert.match(error.hint ?? '', /Existing/);
    return true;
  });
});

test('every kind of content arrives as it was', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const bytes = randomBytes(300_000);
  const contents = {
    bytes,
    arrayBuffer: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    blob: new Blob([bytes]),
    stream: new Blob([bytes]).stream(),
    iterable: (async function* () {
      yield bytes.subarray(0, 1000);
      yield bytes.subarray(1000);
    })(),
  };
  for (const [name, content] of Object.entries(contents)) {
    const file = await saveFile(cabinet, { folder, name, content });
    assert.equal(file?.Name, name);
    assert.equal(file.Size, bytes.byteLength);
    assert.deepEqual(Buffer.from(await readFile(cabinet, file.Id)), bytes, name);
  }
});

test('names, comments, properties and types of any script arrive as they were', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const name = 'Überweisung №7 %41 (ж).txt';
  const properties = { Kunde: 'Größe "4711"', 键: '值' };
  const asked = { folder, name, content: 'Grüße', properties, objectType: 'acme:letter', contentType: 'text/plain' };
  const file = await saveFile(cabinet, { ...asked, comment: 'Erste Fassung – gut' });
  assert.equal(file?.Name, name);
  assert.deepEqual(file.Properties, properties);
  assert.equal(file.ObjectType, 'acme:letter');
  assert.equal(file.ContentType, 'text/plain');
  assert.equal(await readText(cabinet, file.Id), 'Grüße');
});

test('a JSON file is a file, with properties or without', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const content = new Blob(['{"filename":"SGVsbG8="}'], { type: 'application/json' });
  for (const properties of [undefined, { A: '1' }]) {
    const saved = await saveFile(cabinet, { folder, name: 'a.json', content, properties });
    assert.equal(await readText(cabinet, saved.Id), '{"filename":"SGVsbG8="}');
    assert.equal(saved.ContentType, 'application/json');
  }
});

test('a stream is saved with properties beside it', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const content = new Blob(['streamed']).stream();
  const saved = await saveFile(cabinet, { folder, name: 's', content, properties: { A: '1' } });
  assert.deepEqual(saved.Properties, { A: '1' });
  assert.equal(await readText(cabinet, saved.Id), 'streamed');
});

test('progress is told, growing, up to the whole', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const content = randomBytes(3_000_000);
  const up: number[] = [];
  const onProgress = (bytes: number, total: number | null) => {
    assert.equal(total, 3_000_000);
    up.push(bytes);
  };
  const saved = await saveFile(cabinet, { folder, name: 'large', content, onProgress });
  const down: number[] = [];
  await readFile(cabinet, saved.Id, { onProgress: (bytes) => down.push(bytes) });
  for (const told of [up, down]) {
    assert.ok(told.length > 3, `told ${told.length} times`);
    assert.deepEqual(
      told,
      told.toSorted((a, b) => a - b),
    );
    assert.equal(told.at(-1), 3_000_000);
  }
});

test('all pages are walked, in the order that was asked for', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const names = Array.from({ length: 25 }, (_, index) => `f${String(index).padStart(2, '0')}`);
  await Promise.all(names.map((name) => saveFile(cabinet, { folder, name, content: name })));
  const listed = await gather(listChildren(cabinet, folder, { order: '-name', pageSize: 4 }));
  assert.deepEqual(
    listed.map(({ Name }) => Name),
    names.toReversed(),
  );
  const first = await showFolder(cabinet, folder, { limit: 10 });
  const second = await showFolder(cabinet, folder, { limit: 20, cursor: first.next ?? '' });
  assert.deepEqual([first.Children.length, second.Children.length, second.next], [10, 15, null]);
  const last = await showFolder(cabinet, folder, { offset: -5, limit: 5 });
  const before = await showFolder(cabinet, folder, { limit: 5, cursor: last.previous ?? '' });
  assert.deepEqual(
    [...before.Children, ...last.Children].map(({ Name }) => Name),
    names.slice(-10),
  );
  assert.deepEqual([first.previous, last.childCount, last.next], [null, 25, null]);
});

test('the root is walked over pages too', async () => {
  const cabinet = ground.connect();
  const made = new Set<string>();
  for (let i = 0; i < 3; i++) made.add(await makeFolder(cabinet));
  const listed = await gather(listChildren(cabinet, undefined, { pageSize: 1 }));
  assert.ok(made.isSubsetOf(new Set(listed.map(({ Id }) => Id))));
});

test('an entry is shown, changed, copied and deleted', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, {
    folder,
    name: 'a.txt',
    content: 'abc',
    properties: { A: '1', B: '2' },
  });
  const id = saved.Id;
  const shown = await showEntry(cabinet, id);
  assert.equal(shown.Sha256, createHash('sha256').update('abc').digest('hex'));
  assert.equal(shown.Version, 1);
  const changed = await changeEntry(cabinet, {
    id,
    name: 'b.txt',
    properties: { A: null, C: '3' },
    ifMatch: shown.ETag,
  });
  assert.deepEqual(changed.Entry.Properties, { B: '2', C: '3' });
  await assert.rejects(changeEntry(cabinet, { id, name: 'c.txt', ifMatch: shown.ETag }), {
    code: 'PreconditionFailed',
  });
  const copied = await copyEntry(cabinet, { id, parent: folder, name: 'copy.txt' });
  assert.equal((await findFile(cabinet, copied.Path)).Entry.Id, copied.Entry.Id);
  await deleteEntry(cabinet, { id });
  await assert.rejects(showEntry(cabinet, id), { code: 'EntryNotFound', status: 404 });
  await deleteEntry(cabinet, { id: copied.Entry.Id, permanent: true });
  assert.deepEqual(await gather(listChildren(cabinet, folder)), []);
});

test('a version is saved by the id, if the content is still the one that was read', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const { Id: id } = await saveFile(cabinet, { folder, name: 'v', content: 'one' });
  const { etag, stream } = await openFile(cabinet, id);
  await stream.cancel();
  const saved = await saveVersion(cabinet, { id, content: 'two', ifMatch: etag, comment: 'zwei' });
  assert.equal(saved.Version, 2);
  await assert.rejects(saveVersion(cabinet, { id, content: 'three', ifMatch: etag }), { code: 'PreconditionFailed' });
  assert.equal(await readText(cabinet, id, { version: 1 }), 'one');
  const named = { folder, name: 'v', content: 'four' };
  for (const condition of [{ ifMatch: etag }, { ifNoneMatch: '*' }]) {
    await assert.rejects(saveFile(cabinet, { ...named, ...condition }), { code: 'PreconditionFailed' });
  }
  await saveFile(cabinet, { ...named, name: 'new', ifNoneMatch: '*' });
});

test('a part of a file is read, and what is not there is said to be not there', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, { folder, name: 'p', content: '0123456789' });
  const id = saved.Id;
  assert.equal(await readText(cabinet, id, { start: 2, end: 5 }), '234');
  assert.equal(await readText(cabinet, id, { start: 8 }), '89');
  await assert.rejects(readText(cabinet, id, { start: 10 }), { code: 'InvalidField', target: 'start', status: 416 });
  await assert.rejects(readText(cabinet, id, { ifMatch: '"other"' }), { code: 'PreconditionFailed' });
  await assert.rejects(readText(cabinet, 'nothing'), { code: 'FileNotFound' });
});

test('an empty file is a file', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, { folder, name: 'empty', content: '' });
  assert.equal((await readFile(cabinet, saved.Id)).byteLength, 0);
});

test('wrong credentials are told apart from everything else', async () => {
  const cabinet = ground.connect({ token: async () => 'nonsense' });
  await assert.rejects(showFolder(cabinet, '-root-'), { code: 'TokenInvalid', status: 401 });
});

test('many small files are saved at once, each on its own, with the folders on their way', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const results = await saveFiles(cabinet, {
    folder,
    conflict: 'Fail',
    files: [
      { name: 'a.txt', content: 'a', properties: { A: 'ä' } },
      { path: 'deep/er/ß.txt', content: new Blob(['b'], { type: 'text/plain' }), comment: 'Größe' },
      { name: 'a.txt', content: 'again' },
      { name: '', content: 'nameless' },
      { name: 'c.json', content: '{}', contentType: 'application/json' },
    ],
  });
  const told = results.map((result) => (result instanceof CabinetError ? result.code : result.Entry.Name));
  assert.deepEqual(told, ['a.txt', 'ß.txt', 'NameAlreadyExists', 'InvalidName', 'c.json']);
  const [first] = results;
  assert.ok(first !== undefined && !(first instanceof CabinetError));
  assert.deepEqual(first.Entry.Properties, { A: 'ä' });
  assert.equal(await readText(cabinet, first.Entry.Id), 'a');
  const created = await createFolder(cabinet, { parent: folder, path: 'deep/er/still', conflict: 'Existing' });
  assert.equal(created.Name, 'still');
});
