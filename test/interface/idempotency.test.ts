// Idempotency (docs/contract.md §9.2): the same key and the same request have one effect and return the first result again.

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal, type Entry } from './assertions.ts';
import {
  type Answer,
  assertEmptyFolder,
  call,
  download,
  type Headers,
  listFolder,
  makeFolder,
  postFile,
  postFolder,
  readFolder,
  saveFile,
  signIn,
  toSaved,
  untilOthersAreAnswered,
} from './client.ts';
import { filePart, MULTIPART, multipart, textPart } from './multipart.ts';
import { contentHead, openWire } from './wire.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');

test('A repeated save returns the first result, marked as replayed, with the saved file alone', async () => {
  const { folder, at } = await prepare({ ConflictBehavior: 'Rename' });
  await saveFile(main, { FolderId: folder.Id, FileName: 'other' }, 'x');
  for (const bytes of ['small', Buffer.alloc(200_000, 'large')]) {
    const keyed = { ...at, 'Idempotency-Key': randomUUID() };
    const first = toSaved(await postFile(main, keyed, bytes));
    assert.equal(first.answer.headers['idempotency-replayed'], undefined);
    assert.ok(first.Children.length > 1);
    for (let retry = 0; retry < 3; retry++) {
      const again = toSaved(await postFile(main, keyed, bytes));
      assert.equal(again.answer.headers['idempotency-replayed'], 'true');
      assert.deepEqual(again.Children, [first.File]);
      assert.equal(again.Folder.Id, folder.Id);
    }
  }
  assert.equal((await listFolder(main, folder.Id)).length, 3);
});

test('A repeated creation of a folder returns the first result', async () => {
  const folder = await makeFolder(main);
  for (const ConflictBehavior of ['Fail', 'Rename']) {
    const fields = { ParentFolderId: folder.Id, FolderName: ConflictBehavior, ConflictBehavior };
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await postFolder(main, fields, key);
    const again = await postFolder(main, fields, key);
    assert.deepEqual(assertEnvelope(again), assertEnvelope(first));
    assert.equal(again.headers.entryid, first.headers.entryid);
    assert.equal(first.headers['idempotency-replayed'], undefined);
    assert.equal(again.headers['idempotency-replayed'], 'true');
  }
  assert.equal((await listFolder(main, folder.Id)).length, 2);
});

test('A repeated save is a replay under every ConflictBehavior', async () => {
  for (const behavior of [undefined, 'Version', 'Fail', 'Rename', 'Existing']) {
    const { folder, keyed } = await prepare({ ConflictBehavior: behavior });
    const first = toSaved(await postFile(main, keyed, 'bytes'));
    const again = toSaved(await postFile(main, keyed, 'bytes'));
    assert.deepEqual(again.File, first.File);
    assert.equal(again.answer.headers['idempotency-replayed'], 'true');
    assert.deepEqual(await listFolder(main, folder.Id), [first.File]);
  }
});

test('The first result is returned although the file has changed since, and nothing is written', async () => {
  const { folder, at, keyed } = await prepare();
  const first = toSaved(await postFile(main, keyed, 'first'));
  const second = await saveFile(main, at, 'second!');
  const again = toSaved(await postFile(main, keyed, 'first'));
  assert.deepEqual(again.File, first.File);
  assert.deepEqual(await listFolder(main, folder.Id), [second.File]);
  assert.equal((await download(main, first.File.Id)).toString(), 'second!');
});

const BODIES: { title: string; headers: Headers; body: string | Uint8Array }[] = [
  { title: 'a small body', headers: {}, body: 'bytes' },
  { title: 'a small body with its digest', headers: { 'Repr-Digest': toDigest('bytes') }, body: 'bytes' },
  { title: 'a large body', headers: {}, body: Buffer.alloc(200_000, 'large') },
  { title: 'multipart', headers: { 'Content-Type': MULTIPART }, body: multipart([filePart('bytes')]) },
  { title: 'JSON', headers: { 'Content-Type': 'application/json' }, body: '{"filename":"Ynl0ZXM="}' },
  { title: 'an upload that could be resumed', headers: { 'Upload-Complete': '?1' }, body: 'bytes' },
];

for (const { title, headers, body } of BODIES) {
  test(`The first result is returned although the folder is gone: ${title}`, async () => {
    const { folder, keyed } = await prepare(headers);
    const first = toSaved(await postFile(main, keyed, body));
    for (const query of ['', '?permanent=true']) {
      assert.equal((await call(main, `/entries/${folder.Id}${query}`, { method: 'DELETE' })).status, 200);
      const again = toSaved(await postFile(main, keyed, body));
      assert.equal(again.answer.headers['idempotency-replayed'], 'true');
      assert.deepEqual(again.File, first.File);
    }
    const other = { ...keyed, FileName: 'other' };
    assertRefusal(await postFile(main, other, body), 400, 'IdempotencyKeyReused');
    const unknown = { ...keyed, 'Idempotency-Key': randomUUID() };
    assertRefusal(await postFile(main, unknown, body), 404, 'FolderNotFound');
    assertRefusal(await postFile(neighbour, keyed, body), 404, 'FolderNotFound');
  });
}

test('A missing folder is answered before the body, if the key is unknown', async () => {
  const { folder, keyed } = await prepare();
  await call(main, `/entries/${folder.Id}`, { method: 'DELETE' });
  using wire = await openWire(main.base);
  const headers = { ...keyed, 'Content-Length': '1000000', Expect: '100-continue' };
  wire.write(contentHead(main, 'POST', '/files', headers));
  assertRefusal(await wire.answer(), 404, 'FolderNotFound');
});

test('The same key with another request is 400 IdempotencyKeyReused', async () => {
  const { folder, keyed } = await prepare();
  const other = await makeFolder(main);
  const { File } = toSaved(await postFile(main, keyed, 'bytes'));
  const requests: [Headers, string | Uint8Array][] = [
    [keyed, 'other'],
    [keyed, Buffer.alloc(200_000)],
    [{ ...keyed, FileName: 'b' }, 'bytes'],
    [{ ...keyed, FolderId: other.Id }, 'bytes'],
    [{ ...keyed, ConflictBehavior: 'Rename' }, 'bytes'],
    [{ ...keyed, Comment: 'another' }, 'bytes'],
    [{ ...keyed, 'Content-Type': MULTIPART }, multipart([filePart('bytes'), textPart('Properties', '{"a":"b"}')])],
  ];
  for (const [headers, body] of requests) {
    assertRefusal(await postFile(main, headers, body), 400, 'IdempotencyKeyReused');
  }
  assert.deepEqual(await listFolder(main, folder.Id), [File]);
  await assertEmptyFolder(main, other);
  const key = { 'Idempotency-Key': randomUUID() };
  const made = assertEnvelope(await postFolder(main, { ParentFolderId: other.Id, FolderName: 'a' }, key)).Folder;
  const renamed = await postFolder(main, { ParentFolderId: other.Id, FolderName: 'b' }, key);
  assertRefusal(renamed, 400, 'IdempotencyKeyReused');
  assert.deepEqual(await listFolder(main, other.Id), [made]);
});

test('A key belongs to the application and to the operation', async () => {
  const { folder, keyed } = await prepare();
  toSaved(await postFile(main, keyed, 'mine'));
  const theirs = await postFile(neighbour, { ...keyed, FileName: 'theirs' }, 'theirs');
  assert.equal(toSaved(theirs).answer.headers['idempotency-replayed'], undefined);
  const fields = { ParentFolderId: folder.Id, FolderName: 'folder' };
  const made = await postFolder(main, fields, { 'Idempotency-Key': keyed['Idempotency-Key'] });
  assert.equal(assertEnvelope(made).Folder.Name, 'folder');
  assert.equal((await listFolder(main, folder.Id)).length, 3);
});

test('Only successes are remembered', async () => {
  const { folder, keyed } = await prepare({ ConflictBehavior: 'Fail' });
  await saveFile(main, { FolderId: folder.Id, FileName: 'taken' }, 'x');
  const refusals: [Headers, string][] = [
    [{ ...keyed, FileName: 'taken' }, 'NameAlreadyExists'],
    [{ ...keyed, FileName: '..' }, 'InvalidName'],
    [{ ...keyed, 'Content-MD5': 'AAAAAAAAAAAAAAAAAAAAAA==' }, 'DigestMismatch'],
  ];
  for (const [headers, code] of refusals) assertRefusal(await postFile(main, headers, 'bytes'), 400, code);
  const { answer } = toSaved(await postFile(main, keyed, 'bytes'));
  assert.equal(answer.headers['idempotency-replayed'], undefined);
  assert.equal((await listFolder(main, folder.Id)).length, 2);
});

test('Concurrent requests with one key make one file, and all get it', async () => {
  const { folder, keyed } = await prepare({ ConflictBehavior: 'Rename' });
  for (const bytes of ['twin', Buffer.alloc(150_000, 'twin')]) {
    const key = { ...keyed, 'Idempotency-Key': randomUUID(), FileName: `${bytes.length}` };
    const answers = await Promise.all(Array.from({ length: 20 }, () => postFile(main, key, bytes)));
    assertOneEffect(answers, toSaved);
  }
  assert.equal((await listFolder(main, folder.Id)).length, 2);
  assert.equal((await readFolder(main, folder.Id)).Folder.Size, 150_004);
});

test('Concurrent requests with one key make one folder, and all get it', async () => {
  const folder = await makeFolder(main);
  const fields = { ParentFolderId: folder.Id, FolderName: 'twin', ConflictBehavior: 'Rename' };
  const key = { 'Idempotency-Key': randomUUID() };
  const answers = await Promise.all(Array.from({ length: 20 }, () => postFolder(main, fields, key)));
  assertOneEffect(answers, (answer) => ({ File: assertEnvelope(answer).Folder }));
  assert.equal((await listFolder(main, folder.Id)).length, 1);
});

for (const ending of ['finishes', 'is cut off'] as const) {
  test(`A twin of an upload that ${ending} later makes one file`, async () => {
    const { folder, keyed } = await prepare({ ConflictBehavior: 'Rename' });
    using wire = await openWire(main.base);
    wire.write(`${contentHead(main, 'POST', '/files', { ...keyed, 'Content-Length': '5' })}by`);
    await untilOthersAreAnswered(main);
    const twin = postFile(main, keyed, 'bytes');
    await untilOthersAreAnswered(main);
    if (ending === 'finishes') {
      wire.write('tes');
      assertOneEffect([await wire.answer(), await twin], toSaved);
    } else {
      wire.reset();
      assert.equal(toSaved(await twin).answer.headers['idempotency-replayed'], undefined);
    }
    assert.equal((await listFolder(main, folder.Id)).length, 1);
  });
}

test('Requests without a key are independent', async () => {
  const { folder, at } = await prepare({ ConflictBehavior: 'Rename' });
  await saveFile(main, at, 'x');
  await saveFile(main, at, 'x');
  assert.equal((await listFolder(main, folder.Id)).length, 2);
});

/** One answer is the first result, the others are replays of it. */
function assertOneEffect(answers: Answer[], read: (answer: Answer) => { File: Entry }): void {
  const entries = answers.map((answer) => read(answer).File);
  for (const entry of entries) assert.deepEqual(entry, entries[0]);
  const replayed = answers.filter((answer) => answer.headers['idempotency-replayed'] === 'true');
  assert.equal(replayed.length, answers.length - 1);
}

function toDigest(text: string): string {
  return `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
}

async function prepare(more: Headers = {}) {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a.bin', 'Content-Type': 'application/octet-stream', ...more };
  return { folder, at, keyed: { ...at, 'Idempotency-Key': randomUUID() } };
}
