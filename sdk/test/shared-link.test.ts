// Links as visitors without an account use them: by their address alone, against a real service and over lost connections.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '../../test/service/service.ts';
import type { Fetch } from '../src/connect.ts';
import { readFile } from '../src/downloads.ts';
import { saveFile } from '../src/files.ts';
import { createFolder, listChildren } from '../src/folders.ts';
import { openSharedFile, sendShared, sharedFolderPage, sharedPage } from '../src/shared.ts';
import { openSharedLink } from '../src/shared-link.ts';
import { addShare, type NewShare, revokeShare, showShare } from '../src/shares.ts';
import { gather, makeFolder, standOnService } from './ground.ts';
import { type Step, startProxy } from './proxy.ts';

const ground = await standOnService();
const proxy = await startProxy(ground.service.production);
after(() => proxy.close());
const cabinet = ground.connect();
const content = randomBytes(1_200_000);

/** Fails for what only somebody with an account sends. */
const withoutAccount: Fetch = (url, init) => {
  const headers = new Headers(init.headers);
  for (const name of ['Authorization', 'AppKey', 'SpaceId']) assert.equal(headers.get(name), null, name);
  return fetch(url, init);
};

async function share(entry: string, fields: Partial<NewShare> = {}) {
  const { Url, Id } = await addShare(cabinet, { entry, access: 'read', ...fields });
  const address = String(Url).replace(ground.service.production, proxy.url);
  return { id: Id, address, secret: address.split('/').at(-1) ?? '' };
}

/** A folder with two files, and with a folder that has one. */
async function makeTree() {
  const top = await makeFolder(cabinet);
  const inner = await createFolder(cabinet, { parent: top, name: 'inner' });
  const large = await saveFile(cabinet, { folder: top, name: 'large.bin', content });
  await saveFile(cabinet, { folder: top, name: 'a.txt', content: 'a' });
  const note = await saveFile(cabinet, { folder: inner.Id, name: 'größe.txt', content: 'Grüße' });
  const [largeId, noteId] = [large.Id, note.Id];
  return { top, inner: inner.Id, largeId, noteId };
}

const names = (entries: { Name: string }[]) => entries.map(({ Name }) => Name);
const seen = () => proxy.seen.map(({ method, status }) => `${method} ${status}`);

test('a visitor lists and reads what a link leads to, by its address and without an account', async () => {
  const tree = await makeTree();
  const { address } = await share(tree.top, { name: 'Holiday', note: 'Enjoy' });
  const link = openSharedLink(address, { fetch: withoutAccount });
  const { Share, Folder, next } = await link.show();
  assert.deepEqual(
    [Share.Name, Share.Note, Share.Access, Folder?.Id, next],
    ['Holiday', 'Enjoy', 'read', tree.top, null],
  );
  assert.deepEqual(names(await gather(link.list({ pageSize: 1 }))), ['inner', 'a.txt', 'large.bin']);
  assert.deepEqual(names(await gather(link.list({ order: '-name' }))), ['inner', 'large.bin', 'a.txt']);
  assert.deepEqual(names(await gather(link.list({ folder: tree.inner }))), ['größe.txt']);
  assert.equal(await link.readText(tree.noteId), 'Grüße');
  assert.equal(await link.readText(tree.noteId, { start: 2, end: 4 }), 'ü');
  const zip = new Uint8Array(await new Response(await link.openArchive()).arrayBuffer());
  assert.deepEqual([...zip.subarray(0, 2)], [0x50, 0x4b]);
});

test('the address of a page beneath a link, and a link to a file, do too', async () => {
  const tree = await makeTree();
  const { address } = await share(tree.noteId);
  const link = openSharedLink(`${address}/files/${tree.noteId}?x=1`, { fetch: withoutAccount });
  const [file] = await gather(link.list());
  assert.equal(file?.Name, 'größe.txt');
  assert.equal(Buffer.from(await link.readFile(file.Id)).toString(), 'Grüße');
});

test('the password goes with every request', async () => {
  const tree = await makeTree();
  const { address } = await share(tree.top, { password: 'öffne dich' });
  const refused = async (password: string | undefined, code: string) => {
    const link = openSharedLink(address, { password });
    await assert.rejects(link.show(), { code, status: 401 });
    await assert.rejects(link.readText(tree.noteId), { code });
    await assert.rejects(link.openArchive(), { code });
  };
  await refused(undefined, 'SharePasswordMissing');
  await refused('wrong', 'SharePasswordInvalid');
  const link = openSharedLink(address, { password: 'öffne dich', fetch: withoutAccount });
  assert.equal((await link.show()).Share.HasPassword, true);
  assert.equal(await link.readText(tree.noteId), 'Grüße');
  assert.deepEqual(names(await gather(link.list({ folder: tree.inner }))), ['größe.txt']);
  await (await link.openArchive()).cancel();
});

test('a download goes on after a lost connection, is verified and counted once', async () => {
  const tree = await makeTree();
  const { address, id } = await share(tree.top, { maxDownloads: 1 });
  const link = openSharedLink(address);
  proxy.seen.length = 0;
  proxy.plan('cut within');
  const { stream, sizeBytes, sha256 } = await link.openFile(tree.largeId);
  assert.equal(sizeBytes, content.byteLength);
  assert.match(sha256, /^[0-9a-f]{64}$/);
  assert.deepEqual(
    Buffer.from(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer()),
    content,
  );
  assert.deepEqual(seen(), ['GET 200', 'GET 206']);
  assert.equal((await showShare(cabinet, id)).Downloads, 1);
  await assert.rejects(link.readFile(tree.largeId), { code: 'ShareNotFound' });
});

async function makeDrop(fields: Partial<NewShare> = {}) {
  const folder = await makeFolder(cabinet);
  const { id, address } = await share(folder, { access: 'upload', ...fields });
  const uploads = async () => (await showShare(cabinet, id)).Uploads;
  const saved = async () => (await gather(listChildren(cabinet, folder))).map(({ Name, Size }) => `${Name} ${Size}`);
  return { folder, id, address, uploads, saved };
}

test('files of every kind are sent, and taken names are numbered', async () => {
  const { folder, address, saved, uploads } = await makeDrop({ password: 'x' });
  const link = openSharedLink(address, { password: 'x', fetch: withoutAccount });
  assert.deepEqual((await link.show()).Children, undefined);
  assert.deepEqual(await gather(link.list()), []);
  const told: (number | null)[] = [];
  const onProgress = (sent: number, total: number | null) => void told.push(sent, total);
  assert.deepEqual(await link.send({ name: 'größe.bin', content }, { onProgress }), { sizeBytes: content.byteLength });
  assert.deepEqual(told.slice(-2), [content.byteLength, content.byteLength]);
  await link.send({ name: 'größe.bin', content: new Blob(['stream']).stream() });
  await link.send({ name: 'empty', content: '' });
  await link.send({ name: 'typed', content: '<b>', contentType: 'text/html; charset=utf-8' });
  const large = async function* () {
    for (let pieces = 0; pieces < 10; pieces += 1) yield content;
  };
  await link.send({ name: 'large', content: large() });
  assert.deepEqual(
    (await saved()).sort(),
    ['empty 0', 'größe (2).bin 6', 'größe.bin 1200000', 'large 12000000', 'typed 3'].sort(),
  );
  assert.equal(await uploads(), 5);
  const files = await gather(listChildren(cabinet, folder));
  assert.equal(files.find(({ Name }) => Name === 'typed')?.ContentType, 'text/html; charset=utf-8');
  const first = files.find(({ Name }) => Name === 'größe.bin');
  assert.deepEqual(Buffer.from(await readFile(cabinet, String(first?.Id))), content);
});

const cuts: Record<string, Step[]> = {
  'at its beginning': ['cut after', 'cut before'],
  'in the middle': ['pass', 'cut body'],
  'in the middle, again and again': ['pass', 'cut body', 'pass', 'cut body', 'cut before', 'cut after'],
  'when the answer to the last bytes comes': ['pass', 'cut after', 'cut before'],
};

for (const [when, steps] of Object.entries(cuts)) {
  for (const [kind, bytes] of [
    ['file', content],
    ['empty file', Buffer.alloc(0)],
  ] as const) {
    test(`an ${kind} is saved once though the connection is lost ${when}`.replace('an file', 'a file'), async () => {
      const { address, saved, uploads } = await makeDrop();
      proxy.plan(...steps);
      await openSharedLink(address).send({ name: 'a', content: bytes });
      assert.deepEqual(await saved(), [`a ${bytes.byteLength}`]);
      assert.equal(await uploads(), 1);
    });
  }
}

test('an upload that was interrupted goes on later, where it was', async () => {
  const { address, folder, saved } = await makeDrop();
  const long = randomBytes(5_000_000);
  const interrupt = async () => {
    const controller = new AbortController();
    let id = '';
    const onUpload = (begun: string) => {
      id = begun;
    };
    const onProgress = (bytes: number) => bytes > 2_000_000 && controller.abort(new Error('Ctrl-C'));
    const options = { signal: controller.signal, onUpload, onProgress };
    await assert.rejects(openSharedLink(direct).send({ name: 'a', content: long }, options), /Ctrl-C/);
    return id;
  };
  const direct = address.replace(proxy.url, ground.service.production);
  const resume = await interrupt();
  const told: number[] = [];
  const onProgress = (bytes: number) => void told.push(bytes);
  proxy.seen.length = 0;
  await openSharedLink(address).send({ name: 'a', content: long }, { resume, onProgress });
  assert.ok(
    seen().every((line) => !line.startsWith('POST')),
    `${seen()}`,
  );
  assert.deepEqual(await saved(), ['a 5000000']);
  const [file] = await gather(listChildren(cabinet, folder));
  assert.deepEqual(Buffer.from(await readFile(cabinet, String(file?.Id))), long);
  const again = await openSharedLink(address).send({ name: 'a', content: long }, { resume });
  assert.deepEqual([again.sizeBytes, await saved()], [5_000_000, ['a 5000000']]);
  await openSharedLink(address).send({ name: 'b', content: 'anew' }, { resume: 'f'.repeat(32) });
  assert.deepEqual(await saved(), ['a 5000000', 'b 4']);
});

test('an upload that nobody knows of is removed when it is given up', async () => {
  const { address, saved } = await makeDrop();
  const controller = new AbortController();
  const onProgress = (bytes: number) => bytes > 2_000_000 && controller.abort(new Error('never mind'));
  proxy.seen.length = 0;
  const sending = openSharedLink(address).send(
    { name: 'a', content: randomBytes(5_000_000) },
    { signal: controller.signal, onProgress },
  );
  await assert.rejects(sending, /never mind/);
  await eventually('it is removed', () => seen().includes('DELETE 204'), 30_000);
  assert.deepEqual(await saved(), []);
});

test('what a link does not allow is refused: reading by one for uploads, sending by one for reading, and both once it is revoked', async () => {
  const tree = await makeTree();
  const reading = await share(tree.top);
  const drop = await makeDrop();
  await assert.rejects(openSharedLink(reading.address).send({ name: 'a', content: 'a' }), { code: 'Forbidden' });
  await assert.rejects(openSharedLink(drop.address).openArchive(), { code: 'ShareNotFound' });
  await assert.rejects(gather(openSharedLink(drop.address).list({ folder: drop.folder })), { code: 'ShareNotFound' });
  await revokeShare(cabinet, reading.id);
  await revokeShare(cabinet, drop.id);
  await assert.rejects(openSharedLink(reading.address).show(), { code: 'ShareNotFound', status: 404 });
  await assert.rejects(openSharedLink(drop.address).send({ name: 'a', content: 'a' }), { code: 'ShareNotFound' });
  assert.deepEqual(await drop.saved(), []);
});

test('what is no address of a link is refused before anything is sent, and is not repeated in the message', () => {
  for (const address of [
    '',
    'abc',
    'ftp://a/s/b',
    'https://cabinet.example/files',
    'https://cabinet.example/secret-words',
  ]) {
    assert.throws(
      () => openSharedLink(address),
      (error) => error instanceof TypeError && /looks like/.test(error.message) && !error.message.includes('secret'),
    );
  }
});

test('under a path, a link is opened there', async () => {
  const asked: string[] = [];
  const link = openSharedLink('https://a.example/docs/s/x/s/AbC-_1/folders/7', {
    fetch: async (url) => {
      asked.push(url);
      return Response.json({ Share: {} });
    },
  });
  await link.show();
  assert.deepEqual(asked, ['https://a.example/docs/s/x/v1/contentmanagement/shared/AbC-_1']);
});

test('the functions that take a connection send nothing of it, whoever it is for', async () => {
  const tree = await makeTree();
  const { secret } = await share(tree.top);
  const stranger = ground.connect({
    fetch: withoutAccount,
    token: () => assert.fail('a token was fetched'),
    spaceId: 'x',
  });
  const page = await sharedPage(stranger, { secret }, { order: '-name' });
  assert.deepEqual(names(page.Children ?? []), ['inner', 'large.bin', 'a.txt']);
  assert.deepEqual(names((await sharedFolderPage(stranger, { secret, id: tree.inner })).Children), ['größe.txt']);
  assert.equal(await new Response(await openSharedFile(stranger, { secret, id: tree.noteId })).text(), 'Grüße');
  const drop = await share(tree.inner, { access: 'upload' });
  assert.equal((await sendShared(stranger, { secret: drop.secret, name: 'b', content: 'b' })).Size, 1);
});
