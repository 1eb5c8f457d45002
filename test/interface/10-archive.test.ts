// Download a folder as ZIP (docs/contract.md §10.10).

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { type ReadZip, readZip } from '../../src/archive/zip-reader-for-tests.ts';
import { sized } from '../size.ts';
import { assertRefusal, type Entry } from './assertions.ts';
import { saveMany } from './batch.ts';
import { type Caller, CONTENT, call, createFolder, identity, makeFolder, saveFile, signIn } from './client.ts';
import { request } from './http.ts';

const main = await signIn('Main');
/** Over several MiB, none of them alike, and not a round number. */
const LARGE = Buffer.alloc(3 * 1024 * 1024 + 777);
for (let at = 0; at < LARGE.length - 4; at += 4) LARGE.writeUInt32LE((at * 2654435761) >>> 0, at);

type Unpacked = { zip: ReadZip; bytes: Map<string, Buffer> };

async function unpack(chunks: AsyncIterable<Buffer>): Promise<Unpacked> {
  const pieces = new Map<string, Buffer[]>();
  const zip = await readZip(chunks, ({ name }, piece) => {
    pieces.set(name, [...(pieces.get(name) ?? []), Buffer.from(piece)]);
  });
  return { zip, bytes: new Map([...pieces].map(([name, some]) => [name, Buffer.concat(some)])) };
}

async function archive(caller: Caller, id: string): Promise<Unpacked> {
  const answer = await call(caller, `/folders/${id}/archive`);
  assert.equal(answer.status, 200, answer.body.toString('latin1').slice(0, 300));
  async function* whole() {
    yield answer.body;
  }
  return await unpack(whole());
}

function namesOf({ zip }: Unpacked): string[] {
  return zip.entries.map(({ name }) => name);
}

function save(folder: Entry, name: string, bytes: string | Buffer) {
  return saveFile(main, { FolderId: folder.Id, FileName: name }, bytes);
}

test('The archive contains the tree: folders before their children, empty folders, every byte of every file', async () => {
  const top = await makeFolder(main);
  const deep = await createFolder(main, (await createFolder(main, top.Id, 'Zoë')).Id, 'deep');
  await createFolder(main, top.Id, 'empty');
  await save(top, 'a.txt', 'hello');
  await save(top, 'nothing', '');
  await save(deep, 'large.bin', LARGE);
  await save(deep, '日本 😀.txt', 'x');
  const unpacked = await archive(main, top.Id);
  const expected = ['Zoë/', 'Zoë/deep/', 'Zoë/deep/large.bin', 'Zoë/deep/日本 😀.txt', 'empty/', 'a.txt', 'nothing'];
  assert.deepEqual(namesOf(unpacked), expected);
  assert.equal(unpacked.bytes.get('a.txt')?.toString(), 'hello');
  assert.equal(unpacked.bytes.get('nothing'), undefined);
  assert.ok(unpacked.bytes.get('Zoë/deep/large.bin')?.equals(LARGE));
});

test('Each file has the time of its content, each folder its own time', async () => {
  const top = await makeFolder(main);
  const inner = await createFolder(main, top.Id, 'inner');
  const { File } = await save(inner, 'a', 'a');
  const [folder, file] = (await archive(main, top.Id)).zip.entries;
  assert.equal(folder?.modifiedAt, Math.floor(Date.parse(inner.ModifiedAt) / 1000));
  assert.equal(file?.modifiedAt, Math.floor(Date.parse(File.ModifiedAt) / 1000));
});

test('The archive is chunked, without a length, as an attachment with the name of the folder', async () => {
  const top = await createFolder(main, (await makeFolder(main)).Id, 'Büro "1"');
  await save(top, 'a', 'a');
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, body } = await call(main, `/folders/${top.Id}/archive`, { method });
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/zip');
    assert.equal(headers['content-length'], undefined);
    const name = `attachment; filename="B_ro _1_.zip"; filename*=UTF-8''B%C3%BCro%20%221%22.zip`;
    assert.equal(headers['content-disposition'], name);
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(body.length > 0, method === 'GET');
  }
});

test('Names in the archive are exactly as sent, also those that Unicode has two forms for', async () => {
  const top = await makeFolder(main);
  for (const name of ['e\u0301.txt', 'a%20b', 'C:', '~', '-rf', 'CON']) await save(top, name, name);
  assert.deepEqual(
    namesOf(await archive(main, top.Id)).sort(),
    ['e\u0301.txt', 'a%20b', 'C:', '~', '-rf', 'CON'].sort(),
  );
});

test('The archive contains current versions, and nothing that is in the trash', async () => {
  const top = await makeFolder(main);
  const inner = await createFolder(main, top.Id, 'inner');
  await save(inner, 'lost', 'lost');
  await save(top, 'a', 'old');
  await save(top, 'a', 'new');
  const { File } = await save(top, 'b', 'b');
  for (const { Id } of [inner, File]) await call(main, `/entries/${Id}`, { method: 'DELETE' });
  const unpacked = await archive(main, top.Id);
  assert.deepEqual(namesOf(unpacked), ['a']);
  assert.equal(unpacked.bytes.get('a')?.toString(), 'new');
});

test('A folder of many pages is archived completely', async () => {
  const top = await makeFolder(main);
  const inner = await createFolder(main, top.Id, 'inner');
  const names = Array.from({ length: sized(230, 450) }, (_, index) => `${index}`.padStart(4, '0'));
  const files = names.map((name) => ({ name, content: name }));
  await saveMany(main, inner.Id, files);
  const unpacked = await archive(main, top.Id);
  assert.deepEqual(namesOf(unpacked), ['inner/', ...names.map((name) => `inner/${name}`)]);
  for (const name of names) assert.equal(unpacked.bytes.get(`inner/${name}`)?.toString(), name);
});

test('An empty folder gives an empty archive', async () => {
  assert.deepEqual(namesOf(await archive(main, (await makeFolder(main)).Id)), []);
});

test('-root- archives the root, and content.read is sufficient', async () => {
  const tester = await signIn('Tester');
  const { File } = await saveFile(tester, { FolderId: '-root-', FileName: 'in the root' }, 'root');
  assert.ok(namesOf(await archive(tester, '-root-')).includes(File.Name));
  const top = await makeFolder(main);
  await save(top, 'a', 'a');
  assert.deepEqual(namesOf(await archive(await signIn('Reader'), top.Id)), ['a']);
});

test('Files, unknown ids and folders of other spaces are refused', async () => {
  const top = await makeFolder(main);
  const { File } = await save(top, 'a', 'a');
  for (const method of ['GET', 'HEAD']) {
    assert.equal((await call(main, `/folders/${File.Id}/archive`, { method })).status, 400);
    assert.equal((await call(main, '/folders/unknown/archive', { method })).status, 404);
  }
  assertRefusal(await call(main, `/folders/${File.Id}/archive`), 400, 'NotAFolder');
  assertRefusal(await call(main, '/folders/unknown/archive'), 404, 'FolderNotFound');
  assertRefusal(await call(await signIn('Stranger'), `/folders/${top.Id}/archive`), 404, 'FolderNotFound');
  await call(main, `/entries/${top.Id}`, { method: 'DELETE' });
  assertRefusal(await call(main, `/folders/${top.Id}/archive`), 404, 'FolderNotFound');
  assertRefusal(await call(main, `/folders/${top.Id}/archive`, { method: 'POST' }), 404, 'MethodNotAllowed');
});

/** The response, before any of its body is read. */
async function open(id: string): Promise<IncomingMessage> {
  const outgoing = request(`${main.base}${CONTENT}/folders/${id}/archive`, {
    headers: identity(main) as Record<string, string>,
  }).end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return incoming;
}

test('Entries deleted during the download are left out, and files have the content of the moment they are read', async () => {
  const top = await makeFolder(main);
  // More than buffers on the way can hold, so that the sender must wait.
  await save(top, 'a', Buffer.concat(Array.from({ length: 12 }, () => LARGE)));
  const gone = await save(top, 'b', 'b');
  await save(top, 'c', 'old');
  await save(top, 'd', LARGE);
  const incoming = await open(top.Id);
  await call(main, `/entries/${gone.File.Id}?permanent=true`, { method: 'DELETE' });
  await save(top, 'c', 'new');
  await save(top, 'e', 'later');
  const unpacked = await unpack(incoming as AsyncIterable<Buffer>);
  assert.deepEqual(namesOf(unpacked).slice(0, 3), ['a', 'c', 'd']);
  assert.equal(unpacked.bytes.get('c')?.toString(), 'new');
  assert.ok(unpacked.bytes.get('d')?.equals(LARGE));
});

test('A client that disconnects in the middle does not affect others', async () => {
  const top = await makeFolder(main);
  await save(top, 'a', Buffer.concat(Array.from({ length: 12 }, () => LARGE)));
  await save(top, 'b', 'b');
  // Far more than are allowed at the same time.
  for (let index = 0; index < sized(20, 60); index += 1) {
    const incoming = await open(top.Id);
    assert.equal(incoming.statusCode, 200);
    incoming.destroy();
    await once(incoming, 'close');
  }
  assert.deepEqual(namesOf(await archive(main, top.Id)), ['a', 'b']);
});
