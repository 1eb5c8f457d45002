// Download a selection as ZIP (docs/contract.md §18.1).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readZip } from '../../src/archive/zip-reader-for-tests.ts';
import { assertRefusal } from './assertions.ts';
import { type Caller, call, createFolder, makeFolder, saveFile, signIn } from './client.ts';

const main = await signIn('Main');

function post(caller: Caller, body: unknown) {
  const headers = { 'content-type': 'application/json' };
  return call(caller, '/archive', { method: 'POST', headers, body: JSON.stringify(body) });
}

/** The names in the archive, and the text of each file. */
async function unpack(body: Buffer): Promise<[name: string, text: string][]> {
  const texts = new Map<string, string>();
  async function* whole() {
    yield body;
  }
  const zip = await readZip(whole(), ({ name }, piece) => {
    texts.set(name, (texts.get(name) ?? '') + piece.toString());
  });
  return zip.entries.map(({ name }) => [name, texts.get(name) ?? '']);
}

async function archive(caller: Caller, ids: readonly string[]) {
  const answer = await post(caller, { EntryIds: ids });
  assert.equal(answer.status, 200, answer.body.toString('latin1').slice(0, 300));
  return await unpack(answer.body);
}

async function save(folder: string, name: string, text: string): Promise<string> {
  return (await saveFile(main, { FolderId: folder, FileName: name }, text)).File.Id;
}

test('Files and whole folders come in the order of the request, each once', async () => {
  const top = await makeFolder(main);
  const other = await makeFolder(main);
  const inner = await createFolder(main, other.Id, 'inner');
  await createFolder(main, inner.Id, 'empty');
  await save(inner.Id, 'b.txt', 'b');
  const a = await save(top.Id, 'a.txt', 'a');
  assert.deepEqual(await archive(main, [inner.Id, a, inner.Id]), [
    ['inner/', ''],
    ['inner/empty/', ''],
    ['inner/b.txt', 'b'],
    ['a.txt', 'a'],
  ]);
});

test('Equal names are numbered, also those that differ in case alone', async () => {
  const folders = await Promise.all(Array.from({ length: 4 }, () => makeFolder(main)));
  const names = ['a.txt', 'A.TXT', 'a (2).txt', 'a.txt'];
  const ids: string[] = [];
  for (const [index, { Id }] of folders.entries()) ids.push(await save(Id, names[index] ?? '', `${index}`));
  assert.deepEqual(await archive(main, ids), [
    ['a.txt', '0'],
    ['A (2).TXT', '1'],
    ['a (2) (2).txt', '2'],
    ['a (3).txt', '3'],
  ]);
  const twice = await createFolder(main, (await makeFolder(main)).Id, 'x.y');
  const again = await createFolder(main, (await makeFolder(main)).Id, 'x.y');
  assert.deepEqual(await archive(main, [twice.Id, again.Id]), [
    ['x.y/', ''],
    ['x.y (2)/', ''],
  ]);
});

test('The archive is an attachment, named after its only entry', async () => {
  const top = await createFolder(main, (await makeFolder(main)).Id, 'Büro');
  const file = await save(top.Id, 'a', 'a');
  const one = await post(main, { EntryIds: [top.Id] });
  assert.equal(one.headers['content-type'], 'application/zip');
  assert.equal(one.headers['content-disposition'], `attachment; filename="B_ro.zip"; filename*=UTF-8''B%C3%BCro.zip`);
  const two = await post(main, { EntryIds: [top.Id, file] });
  assert.match(two.headers['content-disposition'] ?? '', /filename="Selection\.zip"/);
});

test('content.read is sufficient; unknown entries, entries of other spaces and of the trash refuse the request', async () => {
  const top = await makeFolder(main);
  const [a, b] = [await save(top.Id, 'a', 'a'), await save(top.Id, 'b', 'b')];
  assert.deepEqual(await archive(await signIn('Reader'), [a]), [['a', 'a']]);
  assertRefusal(await post(await signIn('Stranger'), { EntryIds: [a] }), 404, 'EntryNotFound');
  assertRefusal(await post(main, { EntryIds: [a, 'unknown'] }), 404, 'EntryNotFound');
  await call(main, `/entries/${b}`, { method: 'DELETE' });
  assertRefusal(await post(main, { EntryIds: [a, b] }), 404, 'EntryNotFound');
});

test('One to 5,000 ids can be sent', async () => {
  const many = Array.from({ length: 5001 }, () => 'unknown');
  for (const body of [{}, { EntryIds: [] }, { EntryIds: 'a' }, { EntryIds: [1] }, { EntryIds: many }]) {
    assertRefusal(await post(main, body), 400, 'InvalidField');
  }
  assertRefusal(await post(main, { EntryIds: many.slice(1) }), 404, 'EntryNotFound');
});
