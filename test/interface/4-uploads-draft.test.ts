// IETF resumable uploads on `POST /files` (docs/contract.md §4.7 and §4.8).

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assertRefusal } from './assertions.ts';
import {
  type Answer,
  assertEmptyFolder,
  CONTENT,
  call,
  type Headers,
  listFolder,
  makeFolder,
  send,
  signIn,
  toSaved,
} from './client.ts';
import { append, assertSaved, begin, codeOf, head, sha256, toPath } from './uploads.ts';
import { contentHead, openWire } from './wire.ts';

const main = await signIn('Main');
const stranger = await signIn('Stranger');
const bytes = randomBytes(300_000);

function toTarget({ body }: Answer): string {
  return (JSON.parse(body.toString()) as { Error: { Target: string } }).Error.Target;
}

async function prepare() {
  const folder = await makeFolder(main);
  const into = { FolderId: folder.Id, FileName: 'a.bin', 'Content-Type': 'text/x-draft' };
  const inPieces = { ...into, 'Upload-Complete': '?0' };
  return { folder, into, inPieces };
}

test('OPTIONS announces resumable uploads and their limits without credentials', async () => {
  const answer = await send(main.base, `${CONTENT}/files`, { method: 'OPTIONS' });
  assert.equal(answer.status, 204);
  assert.match(String(answer.headers['accept-patch']), /application\/partial-upload/);
  assert.match(String(answer.headers['upload-limit']), /^max-size=\d+, max-age=\d+$/);
  assert.deepEqual(String(answer.headers.allow).split(', ').sort(), ['GET', 'HEAD', 'OPTIONS', 'POST']);
});

test('A file is uploaded in pieces, and the last is answered like a save', async () => {
  const { folder, inPieces } = await prepare();
  const begun = await begin(main, { ...inPieces, 'Upload-Length': '300000' });
  assert.deepEqual([begun.status, begun.headers['upload-complete'], begun.body.length], [201, '?0', 0]);
  assert.match(String(begun.headers['upload-limit']), /max-size=\d+/);
  const path = toPath(begun);
  const first = await append(main, path, { offset: 0, isLast: false }, bytes.subarray(0, 100_000));
  assert.deepEqual(
    [first.status, first.headers['upload-offset'], first.headers['upload-complete']],
    [204, '100000', '?0'],
  );
  await assertEmptyFolder(main, folder);
  const shown = await head(main, path);
  assert.equal(shown.status, 204);
  assert.equal(shown.headers['upload-offset'], '100000');
  assert.equal(shown.headers['upload-complete'], '?0');
  assert.equal(shown.headers['upload-length'], '300000');
  assert.equal(shown.headers['cache-control'], 'no-store');
  assert.match(String(shown.headers['upload-limit']), /max-age=\d+/);
  const last = await append(main, path, { offset: 100_000, isLast: true }, bytes.subarray(100_000));
  assert.deepEqual([last.headers['upload-complete'], last.headers['upload-offset']], ['?1', '300000']);
  const { File } = toSaved(last);
  assert.deepEqual([File.Name, File.Size, File.ContentType], ['a.bin', 300_000, 'text/x-draft']);
  await assertSaved(main, last, bytes);
  const after = await head(main, path);
  assert.deepEqual([after.headers['upload-complete'], after.headers.entryid], ['?1', File.Id]);
  const state = JSON.parse((await call(main, path)).body.toString()) as Record<string, unknown>;
  assert.deepEqual([state.Offset, state.Length, state.Complete, state.EntryId], [300_000, 300_000, true, File.Id]);
});

test('A client that names a draft gets the address of a one-request upload before the response', async () => {
  const { into } = await prepare();
  for (const version of ['5', '6', '7', '8', '9']) {
    using wire = await openWire(main.base);
    const headers = { ...into, FileName: version, 'Upload-Complete': '?1', 'Upload-Draft-Interop-Version': version };
    wire.write(contentHead(main, 'POST', '/files', { ...headers, 'Content-Length': String(bytes.length) }));
    const interim = await wire.answer();
    assert.equal(interim.status, 104);
    assert.equal(interim.headers['upload-draft-interop-version'], version);
    const path = toPath(interim);
    wire.write(bytes);
    const answer = await wire.answer();
    toSaved(answer);
    assert.equal(toPath(answer), path);
    assert.equal(answer.headers['upload-complete'], '?1');
    await assertSaved(main, answer, bytes);
  }
});

test('Interop version 3 uses Upload-Incomplete', async () => {
  const { into } = await prepare();
  const version = { 'Upload-Draft-Interop-Version': '3' };
  const begun = await begin(main, { ...into, ...version, 'Upload-Incomplete': '?1' }, bytes.subarray(0, 10));
  assert.deepEqual([begun.status, begun.headers['upload-incomplete']], [201, '?1']);
  const path = toPath(begun);
  const shown = await head(main, path, version);
  assert.deepEqual([shown.headers['upload-incomplete'], shown.headers['upload-offset']], ['?1', '10']);
  const headers = { ...version, 'Upload-Offset': '10', 'Upload-Incomplete': '?0' };
  const last = await call(main, path, { method: 'PATCH', headers, body: bytes.subarray(10) });
  assert.equal(last.headers['upload-incomplete'], '?0');
  await assertSaved(main, last, bytes);
});

test('Without valid headers of the draft the request is an ordinary save', async () => {
  const { folder, into } = await prepare();
  for (const headers of [{}, { 'Upload-Complete': 'yes' }, { 'Upload-Incomplete': '?1' }, { 'Upload-Offset': '5' }]) {
    const answer = await begin(main, { ...into, ...headers }, bytes);
    toSaved(answer);
    assert.equal(answer.headers.location, undefined);
    assert.equal(answer.headers['upload-offset'], undefined);
  }
  assert.equal((await listFolder(main, folder.Id)).length, 1);
});

/** Bytes that the service has not read are lost with the connection, so a slow service gets more time to read them. */
async function patiently<Tried extends { offset: number }>(
  wanted: number,
  attempt: (patienceMs: number) => Promise<Tried>,
): Promise<Tried> {
  for (const patienceMs of [20, 300, 1500]) {
    const tried = await attempt(patienceMs);
    if (tried.offset === wanted) return tried;
  }
  return await attempt(6000);
}

async function breakOff(isReset: boolean, patienceMs: number) {
  const { folder, into } = await prepare();
  using wire = await openWire(main.base);
  const headers = { ...into, 'Upload-Complete': '?1', 'Upload-Draft-Interop-Version': '6' };
  wire.write(contentHead(main, 'POST', '/files', { ...headers, 'Content-Length': String(bytes.length) }));
  const path = toPath(await wire.answer());
  wire.write(bytes.subarray(0, 123_456));
  await pause(patienceMs);
  if (isReset) wire.reset();
  else wire.close();
  await pause(Math.min(patienceMs, 100));
  return { folder, path, offset: Number((await head(main, path)).headers['upload-offset']) };
}

test('After a broken connection the received bytes are kept and the upload resumes', async () => {
  for (const isReset of [false, true]) {
    const { folder, path, offset } = await patiently(123_456, (patienceMs) => breakOff(isReset, patienceMs));
    assert.equal(offset, 123_456);
    await assertEmptyFolder(main, folder);
    const last = await append(main, path, { offset, isLast: true }, bytes.subarray(offset));
    await assertSaved(main, last, bytes);
  }
});

test('A newer request replaces the older one', async () => {
  const { older, path, offset } = await patiently(50_000, async (patienceMs) => {
    const { inPieces } = await prepare();
    const path = toPath(await begin(main, { ...inPieces, 'Upload-Length': '300000' }));
    const older = await openWire(main.base);
    const headers = { 'Content-Type': 'application/partial-upload', 'Upload-Offset': '0', 'Upload-Complete': '?1' };
    older.write(contentHead(main, 'PATCH', path, { ...headers, 'Content-Length': '300000' }));
    older.write(bytes.subarray(0, 50_000));
    await pause(patienceMs);
    return { older, path, offset: Number((await head(main, path)).headers['upload-offset']) };
  });
  assert.equal(offset, 50_000);
  const newer = await append(main, path, { offset, isLast: true }, bytes.subarray(offset));
  await assertSaved(main, newer, bytes);
  await assert.rejects(older.answer(), /closed without a whole answer/);
});

test('Concurrent requests with the same bytes make one file', async () => {
  const { folder, inPieces } = await prepare();
  const path = toPath(await begin(main, { ...inPieces, 'Upload-Length': '300000' }));
  const answers = await Promise.allSettled(
    Array.from({ length: 5 }, () => append(main, path, { offset: 0, isLast: true }, bytes)),
  );
  const isGood = (answer: PromiseSettledResult<{ status: number }>) =>
    answer.status === 'rejected' || [200, 400, 409].includes(answer.value.status);
  assert.ok(answers.every(isGood), JSON.stringify(answers.map((one) => one.status)));
  const state = await head(main, path);
  if (state.headers['upload-complete'] === '?0') {
    const offset = Number(state.headers['upload-offset']);
    await append(main, path, { offset, isLast: true }, bytes.subarray(offset));
  }
  const [file, ...others] = await listFolder(main, folder.Id);
  assert.equal(others.length, 0);
  await assertSaved(main, await head(main, path), bytes);
  const shown = JSON.parse((await call(main, `/entries/${file?.Id}`)).body.toString()) as { Version: number };
  assert.equal(shown.Version, 1);
});

test('Invalid requests are refused and the upload continues', async () => {
  const { inPieces, folder } = await prepare();
  const path = toPath(await begin(main, { ...inPieces, 'Upload-Length': '300000' }));
  const offset = await append(main, path, { offset: 7, isLast: false }, bytes.subarray(0, 10));
  assert.deepEqual(
    [offset.status, codeOf(offset), offset.headers['upload-offset']],
    [409, 'UploadOffsetMismatch', '0'],
  );
  const type = { 'Content-Type': 'text/plain' };
  assert.equal((await append(main, path, { offset: 0, isLast: false, more: type }, bytes)).status, 415);
  for (const missing of ['Upload-Offset', 'Upload-Complete']) {
    const answer = await append(main, path, { offset: 0, isLast: false, more: { [missing]: undefined } }, bytes);
    assert.deepEqual([answer.status, codeOf(answer)], [400, 'InvalidHeader'], missing);
  }
  const other = { 'Upload-Length': '300001' };
  const changed = await append(main, path, { offset: 0, isLast: false, more: other }, bytes.subarray(0, 10));
  assert.deepEqual([changed.status, codeOf(changed)], [400, 'UploadLengthMismatch']);
  const short = await append(main, path, { offset: 0, isLast: true }, bytes.subarray(0, 10));
  assert.deepEqual([short.status, codeOf(short)], [400, 'UploadLengthMismatch']);
  const long = await append(main, path, { offset: 0, isLast: false }, Buffer.alloc(300_001));
  assert.deepEqual([long.status, codeOf(long)], [400, 'UploadLengthMismatch']);
  for (const wrong of [
    { 'Upload-Complete': '?1', 'Upload-Length': '5' },
    { FileName: undefined },
    { FileName: '..' },
    { ConflictBehavior: 'x' },
  ]) {
    const answer = await begin(main, { ...inPieces, ...wrong }, bytes.subarray(0, 4));
    assert.equal(answer.status, 400, `${JSON.stringify(wrong)}: ${answer.body}`);
  }
  const huge = await begin(main, { ...inPieces, 'Upload-Length': '999999999999999' });
  assert.deepEqual([huge.status, codeOf(huge)], [413, 'FileTooLarge']);
  assert.match(String(huge.headers['upload-limit']), /max-size=/);
  const form = { ...inPieces, 'Content-Type': 'multipart/form-data; boundary=x' };
  assert.equal((await begin(main, form)).status, 415);
  assert.equal((await head(main, path)).headers['upload-offset'], '0');
  await assertSaved(main, await append(main, path, { offset: 0, isLast: true }, bytes), bytes);
  assert.equal((await listFolder(main, folder.Id)).length, 1);
});

test('HEAD and DELETE with the state of an upload are refused, and the refusal has the offset', async () => {
  const { inPieces } = await prepare();
  const path = toPath(await begin(main, inPieces, bytes.subarray(0, 10)));
  for (const name of ['Upload-Offset', 'Upload-Length', 'Upload-Complete', 'Upload-Incomplete']) {
    for (const method of ['HEAD', 'GET', 'DELETE']) {
      const value = /complete/.test(name) ? '?1' : '10';
      const answer = await call(main, path, { method, headers: { [name]: value } });
      assert.deepEqual([answer.status, answer.headers['upload-offset']], [400, '10'], `${method} ${name}`);
      if (method !== 'HEAD') assert.deepEqual([codeOf(answer), toTarget(answer)], ['InvalidHeader', name]);
    }
  }
  await assertSaved(main, await append(main, path, { offset: 10, isLast: true }, bytes.subarray(10)), bytes);
});

test('A 400 or 415 to an unfinished upload has its offset, and one to any other has none', async () => {
  const { inPieces } = await prepare();
  const begun = await begin(main, { ...inPieces, 'Upload-Length': '300000' }, bytes.subarray(0, 10));
  const path = toPath(begun);
  const offsetAfter = async (status: number, more: Headers, caller = main) => {
    const answer = await append(caller, path, { offset: 10, isLast: false, more }, bytes.subarray(10, 20));
    assert.equal(answer.status, status, `${JSON.stringify(more)} ${answer.body}`);
    return answer.headers['upload-offset'];
  };
  assert.equal(await offsetAfter(415, { 'Content-Type': 'text/plain' }), '10');
  assert.equal(await offsetAfter(400, { 'Upload-Complete': undefined }), '10');
  assert.equal(await offsetAfter(400, { 'Upload-Offset': 'x' }), '10');
  assert.equal(await offsetAfter(400, { 'Upload-Length': '300001' }), '10');
  assert.equal(await offsetAfter(400, { 'Content-Digest': `sha-256=:${sha256(bytes)}:` }), '10');
  assert.equal(await offsetAfter(415, { 'Content-Type': 'text/plain' }, stranger), undefined);
  await assertSaved(main, await append(main, path, { offset: 10, isLast: true }, bytes.subarray(10)), bytes);
  assert.equal(await offsetAfter(415, { 'Content-Type': 'text/plain' }), undefined);
});

test('An upload that receives more bytes than its length is removed', async () => {
  const { inPieces } = await prepare();
  const path = toPath(await begin(main, { ...inPieces, 'Upload-Length': '10' }));
  using wire = await openWire(main.base);
  const headers = { 'Content-Type': 'application/partial-upload', 'Upload-Offset': '0', 'Upload-Complete': '?1' };
  wire.write(contentHead(main, 'PATCH', path, { ...headers, 'Transfer-Encoding': 'chunked' }));
  wire.write('b\r\nhello world\r\n0\r\n\r\n');
  assertRefusal(await wire.answer(), 400, 'UploadLengthMismatch');
  assert.equal((await head(main, path)).status, 404);
});

test('An upload without a length is complete at its last request', async () => {
  const { inPieces } = await prepare();
  const path = toPath(await begin(main, inPieces, bytes.subarray(0, 10)));
  assert.equal((await head(main, path)).headers['upload-length'], undefined);
  await append(main, path, { offset: 10, isLast: false }, bytes.subarray(10, 20));
  const last = await append(main, path, { offset: 20, isLast: true }, Buffer.alloc(0));
  await assertSaved(main, last, bytes.subarray(0, 20));
});

test('A complete upload takes no more bytes, and its file stays', async () => {
  const { inPieces } = await prepare();
  const path = toPath(await begin(main, inPieces, bytes));
  const last = await append(main, path, { offset: bytes.length, isLast: true }, Buffer.alloc(0));
  await assertSaved(main, last, bytes);
  for (const body of [Buffer.alloc(0), Buffer.from('x')]) {
    const answer = await append(main, path, { offset: bytes.length, isLast: true }, body);
    assert.deepEqual([answer.status, codeOf(answer)], [400, 'UploadFinished']);
  }
  assert.equal((await call(main, path, { method: 'DELETE' })).status, 204);
  assert.equal((await head(main, path)).status, 404);
  await assertSaved(main, last, bytes);
});

test('An upload is 404 for other applications', async () => {
  const { inPieces } = await prepare();
  const path = toPath(await begin(main, inPieces));
  assert.equal((await head(stranger, path)).status, 404);
  assertRefusal(await append(stranger, path, { offset: 0, isLast: true }, bytes), 404, 'UploadNotFound');
  assertRefusal(await call(stranger, path, { method: 'DELETE' }), 404, 'UploadNotFound');
  assert.equal((await head(main, path)).status, 204);
});

test('Digests are compared with each piece and with the whole file', async () => {
  const { inPieces, folder } = await prepare();
  const path = toPath(await begin(main, inPieces));
  const more = { 'Content-Digest': `sha-256=:${sha256(bytes)}:` };
  const wrong = await append(main, path, { offset: 0, isLast: false, more }, bytes.subarray(1));
  assert.deepEqual([wrong.status, codeOf(wrong)], [400, 'DigestMismatch']);
  assert.equal((await head(main, path)).headers['upload-offset'], '0');
  await assertSaved(main, await append(main, path, { offset: 0, isLast: true, more }, bytes), bytes);
  const other = { ...inPieces, FileName: 'b', 'Repr-Digest': `sha-256=:${sha256(bytes)}:` };
  const second = toPath(await begin(main, other));
  const refused = await append(main, second, { offset: 0, isLast: true }, bytes.subarray(1));
  assert.deepEqual(
    [refused.status, codeOf(refused), refused.headers['upload-complete']],
    [400, 'DigestMismatch', '?1'],
  );
  assert.equal((await head(main, second)).status, 404);
  assert.equal((await listFolder(main, folder.Id)).length, 1);
});

test('An idempotency key of an upload returns the first result', async () => {
  const { inPieces, folder } = await prepare();
  const key = { 'Idempotency-Key': randomUUID() };
  const save = async () => {
    const path = toPath(await begin(main, { ...inPieces, ...key }));
    return await append(main, path, { offset: 0, isLast: true }, bytes);
  };
  const first = toSaved(await save());
  const second = await save();
  assert.equal(second.headers['idempotency-replayed'], 'true');
  assert.equal(second.headers.entryid, first.File.Id);
  assert.equal((await listFolder(main, folder.Id)).length, 1);
});
