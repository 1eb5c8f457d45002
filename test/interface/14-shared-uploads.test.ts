// Sending files by links (docs/contract.md §14.3).

import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertAnswer, assertRefusal, type Entry } from './assertions.ts';
import { type Answer, call, createFolder, listFolder, makeFolder, type Request, saveFile, signIn } from './client.ts';
import { type Event, get, manage } from './managing.ts';
import { filePart, MULTIPART, multipart } from './multipart.ts';
import { changeShare, makeShare, type Share, secretOf, showShare, use } from './shares.ts';

const admin = await signIn('Administrator');
const main = await signIn('Main');
const stranger = await signIn('Stranger');

const tus = { 'Tus-Resumable': '1.0.0' };
const bytesType = { 'Content-Type': 'application/offset+octet-stream' };

async function makeDrop(fields: object = {}): Promise<{ folder: Entry; share: Share; secret: string }> {
  const folder = await makeFolder(main);
  const share = await makeShare(main, folder.Id, { Access: 'upload', ...fields });
  return { folder, share, secret: secretOf(share) };
}

const post = (secret: string, FileName: string | undefined, body: string | Uint8Array, more: Request['headers'] = {}) =>
  use(main, secret, '/files', {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream', FileName, ...more },
    body,
  });
const toSent = (answer: Answer) => {
  assert.equal(answer.status, 200, answer.body.toString());
  return assertAnswer(answer) as { Name: string; Size: number; Sha256: string };
};
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const childrenOf = ({ Id }: Entry) => listFolder(main, Id);

test('A file is sent, and a taken name is numbered', async () => {
  const { folder, share, secret } = await makeDrop();
  await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'was there');
  const answer = await post(secret, 'a.txt', 'sent');
  assert.deepEqual(toSent(answer), { Name: 'a (2).txt', Size: 4, Sha256: sha256('sent') });
  assert.equal(answer.headers.entryid, undefined);
  assert.equal(toSent(await post(secret, 'a.txt', 'sent')).Name, 'a (3).txt');
  assert.equal(toSent(await post(secret, '%C3%A4.txt', 'x')).Name, 'ä.txt');
  const large = randomBytes(300_000);
  assert.deepEqual(toSent(await post(secret, 'large', large)), { Name: 'large', Size: 300_000, Sha256: sha256(large) });
  const saved = (await childrenOf(folder)).filter(({ Name }) => Name !== 'a.txt');
  assert.equal(saved.length, 4);
  for (const { CreatedBy, ModifiedBy } of saved) {
    assert.deepEqual([CreatedBy, ModifiedBy], [`share:${share.Id}`, `share:${share.Id}`]);
  }
  const shown = await showShare(main, share);
  assert.deepEqual([shown.Uploads, shown.Downloads], [4, 0]);
});

test('A file can be sent in the ways of POST /files, without properties', async () => {
  const { folder, secret } = await makeDrop();
  const parts = multipart([filePart('in a part', { fileName: 'part.txt' })]);
  assert.equal(toSent(await post(secret, undefined, parts, { 'Content-Type': MULTIPART })).Name, 'part.txt');
  const json = JSON.stringify({ filename: Buffer.from('in JSON').toString('base64'), Properties: { a: 'b' } });
  assert.equal(toSent(await post(secret, 'json.txt', json, { 'Content-Type': 'application/json' })).Name, 'json.txt');
  for (const { Properties } of await childrenOf(folder)) assert.deepEqual(Properties, {});
  assertRefusal(await post(secret, undefined, 'x'), 400, 'FileNameMissing');
  assertRefusal(await post(secret, 'a%2Fb', 'x'), 400, 'InvalidName');
  const digest = { 'Repr-Digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` };
  assertRefusal(await post(secret, 'digest', 'x', digest), 400, 'DigestMismatch');
  assert.equal((await childrenOf(folder)).length, 2);
});

test('Other folders, other names and conflicts cannot be chosen', async () => {
  const { folder, secret } = await makeDrop();
  const elsewhere = await makeFolder(main);
  const headers = { FolderId: elsewhere.Id, ConflictBehavior: 'Version', SpaceId: randomUUID() };
  await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'first');
  assert.equal(toSent(await post(secret, 'a.txt', 'x', headers)).Name, 'a (2).txt');
  assert.deepEqual(await childrenOf(elsewhere), []);
});

test('A link for uploads shows nothing, and a link for reading takes nothing', async () => {
  const { folder, share, secret } = await makeDrop({ Name: 'Drop it' });
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'secret.txt' }, 'hidden');
  const opened = assertAnswer(await use(main, secret)) as { Share: Share };
  assert.deepEqual(Object.keys(opened), ['Share']);
  assert.deepEqual([opened.Share.Name, opened.Share.Access], ['Drop it', 'upload']);
  for (const path of [`/folders/${folder.Id}`, `/files/${File.Id}/content`, '/archive']) {
    assertRefusal(await use(main, secret, path), 404, 'ShareNotFound');
  }
  const reading = secretOf(await makeShare(main, folder.Id));
  assertRefusal(await post(reading, 'a', 'x'), 403, 'Forbidden');
  const begin = { method: 'POST', headers: { ...tus, 'Upload-Length': '1', FileName: 'a' } };
  assertRefusal(await use(main, reading, '/uploads', begin), 403, 'Forbidden');
  await changeShare(main, share, { Access: 'read' });
  assertRefusal(await post(secret, 'a', 'x'), 403, 'Forbidden');
  assert.equal((await use(main, secret, `/files/${File.Id}/content`)).status, 200);
});

test('A link for uploads needs its password, and ends like every link', async () => {
  const { folder, share, secret } = await makeDrop({ Password: 'x y' });
  assertRefusal(await post(secret, 'a', 'x'), 401, 'SharePasswordMissing');
  assertRefusal(await post(secret, 'a', 'x', { SharePassword: 'no' }), 401, 'SharePasswordInvalid');
  assert.equal(toSent(await post(secret, 'a', 'x', { SharePassword: 'x%20y' })).Name, 'a');
  await manage(main, 'DELETE', `/shares/${share.Id}`);
  assertRefusal(await post(secret, 'b', 'x', { SharePassword: 'x%20y' }), 404, 'ShareNotFound');
  assert.equal((await childrenOf(folder)).length, 1);
});

test('An upload is begun, goes on and ends by tus', async () => {
  const { folder, share, secret } = await makeDrop();
  await saveFile(main, { FolderId: folder.Id, FileName: 'big.bin' }, 'was there');
  const bytes = randomBytes(150_000);
  const metadata = `filename ${Buffer.from('big.bin').toString('base64')},folderid ${Buffer.from(main.application.RootFolderId).toString('base64')}`;
  const begun = await use(main, secret, '/uploads', {
    method: 'POST',
    headers: { ...tus, 'Upload-Length': String(bytes.length), 'Upload-Metadata': metadata },
  });
  assert.equal(begun.status, 201, begun.body.toString());
  const path = String(begun.headers.location).replace(/^.*(?=\/uploads\/)/, '');
  assert.match(path, /^\/uploads\/[0-9a-f]+$/);
  const patch = (offset: number, end: number) =>
    use(main, secret, path, {
      method: 'PATCH',
      headers: { ...tus, ...bytesType, 'Upload-Offset': String(offset) },
      body: bytes.subarray(offset, end),
    });
  assert.equal((await patch(0, 100_000)).status, 204);
  const head = await use(main, secret, path, { method: 'HEAD', headers: tus });
  assert.deepEqual([head.status, head.headers['upload-offset']], [200, '100000']);
  assertRefusal({ ...(await patch(5, 10)), status: 400 }, 400, 'UploadOffsetMismatch');
  const last = await patch(100_000, bytes.length);
  assert.deepEqual([last.status, last.headers['upload-offset'], last.headers.entryid], [204, '150000', undefined]);
  const sent = (await childrenOf(folder)).find((entry) => entry.Name === 'big (2).bin') as Entry;
  assert.deepEqual([sent.Size, sent.CreatedBy], [150_000, `share:${share.Id}`]);
  const stored = (await call(main, `/files/${sent.Id}/content`)).body;
  assert.equal(sha256(stored), sha256(bytes));
  assert.equal((await showShare(main, share)).Uploads, 1);
});

test('Uploads belong to their link, in one request too, and can be given up', async () => {
  const { folder, share, secret } = await makeDrop();
  const other = await makeDrop();
  const begin = (body: string, length: number) =>
    use(main, secret, '/uploads', {
      method: 'POST',
      headers: { ...tus, ...bytesType, 'Upload-Length': String(length), FileName: 'once.txt' },
      body,
    });
  const whole = await begin('whole', 5);
  assert.deepEqual([whole.status, whole.headers.entryid], [201, undefined]);
  assert.equal((await childrenOf(folder))[0]?.Name, 'once.txt');
  assert.equal((await showShare(main, share)).Uploads, 1);
  const part = await begin('wh', 5);
  const path = String(part.headers.location).replace(/^.*(?=\/uploads\/)/, '');
  const ask = (which: string, method: string) => use(main, which, path, { method, headers: tus });
  assertRefusal(await ask(other.secret, 'DELETE'), 404, 'UploadNotFound');
  assertRefusal(await call(main, path, { headers: tus }), 404, 'UploadNotFound');
  assert.equal((await ask(secret, 'GET')).status, 200);
  assert.equal((await ask(secret, 'DELETE')).status, 204);
  assertRefusal(await ask(secret, 'GET'), 404, 'UploadNotFound');
  const concat = {
    method: 'POST',
    headers: { ...tus, 'Upload-Length': '1', FileName: 'a', 'Upload-Concat': 'partial' },
  };
  assertRefusal(await use(main, secret, '/uploads', concat), 400, 'InvalidHeader');
});

test('What was sent counts for the space, and is in the feed and the audit log', async () => {
  const folder = await createFolder(admin, admin.application.RootFolderId, randomUUID());
  const share = await makeShare(admin, folder.Id, { Access: 'upload' });
  const usedBytes = async () => (await get<{ Space: { Bytes: number } }>(admin, '/usage')).Space.Bytes;
  const before = await usedBytes();
  assert.equal((await post(secretOf(share), 'counted', 'x'.repeat(1234))).status, 200);
  assert.ok((await usedBytes()) >= before + 1234);
  const [saved] = await listFolder(admin, folder.Id);
  const { Events } = await get<{ Events: Event[] }>(admin, `/audit?entry=${saved?.Id}`);
  assert.deepEqual(
    Events.map(({ Action, By }) => [Action, By]),
    [
      ['share.uploaded', `share:${share.Id}`],
      ['file.created', `share:${share.Id}`],
    ],
  );
  assert.equal(Events[0]?.Details.Share, share.Id);
  assertRefusal(await call(stranger, `/files/${saved?.Id}/content`), 404, 'FileNotFound');
});
