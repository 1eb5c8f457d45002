// tus uploads at `/uploads` (docs/contract.md §4.7 and §4.9): the core protocol and its extensions.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { assertEmptyFolder, CONTENT, call, identity, listFolder, makeFolder, send, signIn } from './client.ts';
import {
  assertSaved,
  codeOf,
  createTus,
  headTus,
  patchTus,
  sha256,
  TUS,
  TUS_BYTES,
  toMetadata,
  toPath,
} from './uploads.ts';

const main = await signIn('Main');
const stranger = await signIn('Stranger');
const bytes = randomBytes(300_000);

async function prepare() {
  const folder = await makeFolder(main);
  const named = { 'Upload-Metadata': toMetadata({ filename: 'a ü.bin', filetype: 'text/x-tus', folderid: folder.Id }) };
  return { folder, named, headers: { 'Upload-Length': String(bytes.length), ...named } };
}

test('OPTIONS announces the protocol without credentials', async () => {
  for (const path of ['/uploads', '/uploads/nothing']) {
    const answer = await send(main.base, CONTENT + path, { method: 'OPTIONS' });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers['tus-version'], '1.0.0');
    assert.equal(answer.headers['tus-resumable'], '1.0.0');
    assert.match(String(answer.headers['tus-max-size']), /^\d+$/);
    assert.match(String(answer.headers.allow), path === '/uploads' ? /\bPOST\b/ : /\bPATCH\b/);
    const extensions = String(answer.headers['tus-extension']).split(',');
    for (const name of ['creation', 'creation-with-upload', 'termination', 'checksum', 'expiration', 'concatenation']) {
      assert.ok(extensions.includes(name), name);
    }
    assert.match(String(answer.headers['tus-checksum-algorithm']), /\bsha1\b/);
  }
});

test('A file is uploaded in pieces; the last response has its entryid', async () => {
  const { folder, headers } = await prepare();
  const created = await createTus(main, headers);
  assert.equal(created.status, 201);
  assert.equal(created.headers['tus-resumable'], '1.0.0');
  assert.ok(Date.parse(String(created.headers['upload-expires'])) > Date.now());
  const path = toPath(created);
  await assertEmptyFolder(main, folder);
  const first = await patchTus(main, path, 0, bytes.subarray(0, 100_000));
  assert.deepEqual([first.status, first.headers['upload-offset']], [204, '100000']);
  assert.equal(first.headers['tus-resumable'], '1.0.0');
  assert.equal(first.headers.entryid, undefined);
  const shown = await headTus(main, path);
  assert.equal(shown.status, 200);
  assert.equal(shown.headers['upload-offset'], '100000');
  assert.equal(shown.headers['upload-length'], '300000');
  assert.equal(shown.headers['upload-metadata'], headers['Upload-Metadata']);
  assert.equal(shown.headers['cache-control'], 'no-store');
  const last = await patchTus(main, path, 100_000, bytes.subarray(100_000));
  assert.deepEqual([last.status, last.headers['upload-offset']], [204, '300000']);
  const id = await assertSaved(main, last, bytes);
  assert.equal((await headTus(main, path)).headers.entryid, id);
  const [file, ...others] = await listFolder(main, folder.Id);
  assert.deepEqual([file?.Id, file?.Name, file?.ContentType, others.length], [id, 'a ü.bin', 'text/x-tus', 0]);
});

test('The creation may carry all bytes, some or none', async () => {
  const { named, headers } = await prepare();
  const whole = await createTus(main, headers, bytes);
  assert.deepEqual([whole.status, whole.headers['upload-offset']], [201, '300000']);
  await assertSaved(main, whole, bytes);
  const part = await createTus(main, { ...headers, FileName: 'b' }, bytes.subarray(0, 10));
  assert.deepEqual([part.status, part.headers['upload-offset'], part.headers.entryid], [201, '10', undefined]);
  const empty = await createTus(main, { ...named, 'Upload-Length': '0', FileName: 'empty' });
  assert.equal(empty.status, 201);
  await assertSaved(main, empty, Buffer.alloc(0));
});

test('The length can be deferred and set once', async () => {
  const { named } = await prepare();
  const path = toPath(await createTus(main, { ...named, 'Upload-Defer-Length': '1' }));
  await patchTus(main, path, 0, bytes.subarray(0, 10));
  assert.equal((await headTus(main, path)).headers['upload-defer-length'], '1');
  const said = await patchTus(main, path, 10, bytes.subarray(10, 20), { 'Upload-Length': '30' });
  assert.equal(said.status, 204);
  const other = await patchTus(main, path, 20, bytes.subarray(20, 30), { 'Upload-Length': '31' });
  assert.deepEqual([other.status, codeOf(other)], [400, 'UploadLengthMismatch']);
  await assertSaved(main, await patchTus(main, path, 20, bytes.subarray(20, 30)), bytes.subarray(0, 30));
});

test('Invalid requests get the statuses of tus and the upload continues', async () => {
  const { headers, named, folder } = await prepare();
  const path = toPath(await createTus(main, headers));
  const offset = await patchTus(main, path, 5, bytes.subarray(0, 10));
  assert.deepEqual(
    [offset.status, codeOf(offset), offset.headers['upload-offset']],
    [409, 'UploadOffsetMismatch', '0'],
  );
  assert.equal(offset.headers['tus-resumable'], '1.0.0');
  const missing = await call(main, path, { method: 'PATCH', headers: TUS_BYTES, body: 'x' });
  assert.equal(missing.status, 400);
  const type = await patchTus(main, path, 0, bytes.subarray(0, 10), { 'Content-Type': 'text/plain' });
  assert.equal(type.status, 415);
  const more = await patchTus(main, path, 0, Buffer.alloc(300_001));
  assert.equal(more.status, 413);
  for (const version of [undefined, '0.2.2']) {
    const answer = await patchTus(main, path, 0, bytes.subarray(0, 10), { 'Tus-Resumable': version });
    assert.deepEqual([answer.status, answer.headers['tus-version']], [412, '1.0.0'], `${version}`);
  }
  for (const wrong of [
    { 'Upload-Length': undefined },
    { 'Upload-Length': '-1' },
    { 'Upload-Length': 'x' },
    { 'Upload-Defer-Length': '1' },
    { 'Upload-Length': undefined, 'Upload-Defer-Length': '2' },
    { 'Upload-Metadata': 'filename ä' },
    { 'Upload-Metadata': 'filename YQ==,filename YQ==' },
    { 'Upload-Metadata': undefined },
    { 'Upload-Concat': 'half' },
  ]) {
    const answer = await createTus(main, { ...headers, ...wrong });
    assert.equal(answer.status, 400, `${JSON.stringify(wrong)}: ${answer.body}`);
    assert.equal(answer.headers['tus-resumable'], '1.0.0');
  }
  for (const length of ['999999999999999', '99999999999999999999']) {
    const huge = await createTus(main, { ...named, 'Upload-Length': length });
    assert.deepEqual([huge.status, codeOf(huge)], [413, 'FileTooLarge']);
  }
  const unknown = await createTus(main, { ...headers, FolderId: 'nothing' });
  assert.equal(unknown.status, 404);
  await assertSaved(main, await patchTus(main, path, 0, bytes), bytes);
  assert.equal((await listFolder(main, folder.Id)).length, 1);
});

test('An upload is 404 for other applications, and errors carry Tus-Resumable', async () => {
  const { headers } = await prepare();
  const path = toPath(await createTus(main, headers));
  assert.equal((await headTus(stranger, path)).status, 404);
  assert.equal((await patchTus(stranger, path, 0, bytes)).status, 404);
  assert.equal((await call(stranger, path, { method: 'DELETE', headers: TUS })).status, 404);
  const without = await send(main.base, CONTENT + path, { method: 'HEAD', headers: TUS });
  assert.deepEqual([without.status, without.headers['tus-resumable']], [401, '1.0.0']);
  assert.equal((await headTus(main, path)).headers['upload-offset'], '0');
});

test('Bytes with a wrong checksum are discarded', async () => {
  const { headers } = await prepare();
  const path = toPath(await createTus(main, headers));
  const wrong = await patchTus(main, path, 0, bytes, { 'Upload-Checksum': `sha1 ${sha256(bytes)}` });
  assert.deepEqual([wrong.status, codeOf(wrong)], [460, 'ChecksumMismatch']);
  assert.equal((await headTus(main, path)).headers['upload-offset'], '0');
  for (const checksum of ['sha3 eHh4', 'sha1', 'sha1 ???']) {
    assert.equal((await patchTus(main, path, 0, bytes, { 'Upload-Checksum': checksum })).status, 400, checksum);
  }
  let offset = 0;
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(bytes.subarray(240_000)));
  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512', 'crc32']) {
    const piece = bytes.subarray(offset, offset + 60_000);
    const digest = algorithm === 'crc32' ? crc : createHash(algorithm).update(piece).digest();
    const checksum = `${algorithm} ${digest.toString('base64')}`;
    const answer = await patchTus(main, path, offset, piece, { 'Upload-Checksum': checksum });
    assert.equal(answer.status, 204, algorithm);
    offset += 60_000;
    if (offset === bytes.length) await assertSaved(main, answer, bytes);
  }
});

test('An upload can be deleted, finished or not', async () => {
  const { headers, folder } = await prepare();
  for (const isFinished of [false, true]) {
    const path = toPath(await createTus(main, headers, isFinished ? bytes : bytes.subarray(0, 10)));
    const removed = await call(main, path, { method: 'DELETE', headers: TUS });
    assert.deepEqual([removed.status, removed.headers['tus-resumable']], [204, '1.0.0']);
    assert.equal((await headTus(main, path)).status, 404);
    assert.equal((await patchTus(main, path, 10, bytes.subarray(10))).status, 404);
    assert.equal((await listFolder(main, folder.Id)).length, isFinished ? 1 : 0);
  }
});

test('Partial uploads are concatenated into one file, once', async () => {
  const { named, folder } = await prepare();
  const pieces = [bytes.subarray(0, 120_000), bytes.subarray(120_000, 120_001), bytes.subarray(120_001)];
  const paths = await Promise.all(
    pieces.map(async (piece) => {
      const length = { 'Upload-Length': String(piece.length), 'Upload-Concat': 'partial' };
      const path = toPath(await createTus(main, length));
      assert.equal((await headTus(main, path)).headers['upload-concat'], 'partial');
      const sent = await patchTus(main, path, 0, piece);
      assert.deepEqual([sent.status, sent.headers.entryid], [204, undefined]);
      return path;
    }),
  );
  await assertEmptyFolder(main, folder);
  const early = toPath(await createTus(main, { 'Upload-Length': '5', 'Upload-Concat': 'partial' }));
  const concat = (some: string[]) => `final;${some.map((path) => `${CONTENT}${path}`).join(' ')}`;
  assert.equal((await createTus(main, { ...named, 'Upload-Concat': concat([...paths, early]) })).status, 400);
  const withLength = { ...named, 'Upload-Concat': concat(paths), 'Upload-Length': '300000' };
  assert.equal((await createTus(main, withLength)).status, 400);
  assert.equal((await createTus(main, { ...named, 'Upload-Concat': 'final;/uploads/nothing' })).status, 404);
  const final = await createTus(main, { ...named, 'Upload-Concat': concat(paths) });
  assert.equal(final.status, 201);
  const id = await assertSaved(main, final, bytes);
  const shown = await headTus(main, toPath(final));
  assert.deepEqual(
    [shown.headers['upload-offset'], shown.headers['upload-length'], shown.headers.entryid],
    ['300000', '300000', id],
  );
  assert.equal(shown.headers['upload-concat'], concat(paths));
  assert.equal((await patchTus(main, toPath(final), 300_000, Buffer.from('x'))).status, 403);
  // A client that lost the response repeats the request and gets the same final upload.
  const again = await createTus(main, { ...named, 'Upload-Concat': concat(paths) });
  assert.deepEqual([again.status, toPath(again), again.headers.entryid], [201, toPath(final), id]);
  assert.equal((await listFolder(main, folder.Id)).length, 1);
});

test('PATCH may be sent as POST with X-HTTP-Method-Override', async () => {
  const { headers } = await prepare();
  const path = toPath(await createTus(main, headers));
  const disguised = { ...TUS_BYTES, 'X-HTTP-Method-Override': 'PATCH', 'Upload-Offset': '0' };
  const headersSent = { ...(identity(main) as Record<string, string>), ...disguised };
  const answer = await fetch(main.base + CONTENT + path, { method: 'POST', headers: headersSent, body: bytes });
  assert.equal(answer.status, 204);
  await assertSaved(main, await headTus(main, path), bytes);
});

test('An empty append at the end succeeds, and more bytes are refused', async () => {
  const { headers } = await prepare();
  const created = await createTus(main, headers, bytes);
  const path = toPath(created);
  const nothing = await patchTus(main, path, 300_000, Buffer.alloc(0));
  assert.deepEqual([nothing.status, nothing.headers.entryid], [204, created.headers.entryid]);
  assert.equal((await patchTus(main, path, 300_000, Buffer.from('x'))).status, 413);
  assert.equal((await patchTus(main, path, 0, bytes)).status, 409);
});

test('The file follows the rules of any save', async () => {
  const { headers, folder } = await prepare();
  await createTus(main, headers, bytes);
  const taken = await createTus(main, { ...headers, ConflictBehavior: 'Fail' }, bytes.subarray(0, 10));
  const refused = await patchTus(main, toPath(taken), 10, bytes.subarray(10));
  assert.deepEqual([refused.status, codeOf(refused)], [400, 'NameAlreadyExists']);
  assert.equal((await headTus(main, toPath(taken))).status, 404, 'nobody may take it for finished');
  const renamed = await createTus(main, { ...headers, ConflictBehavior: 'Rename' }, bytes);
  assert.equal(renamed.status, 201);
  const digest = { 'Repr-Digest': `sha-256=:${sha256(bytes.subarray(1))}:` };
  const differing = await createTus(main, { ...headers, FileName: 'c', ...digest }, bytes);
  assert.deepEqual([differing.status, codeOf(differing)], [400, 'DigestMismatch']);
  const invalid = await createTus(main, { ...headers, FileName: '..' });
  assert.deepEqual([invalid.status, codeOf(invalid)], [400, 'InvalidName']);
  const names = (await listFolder(main, folder.Id)).map(({ Name }) => Name);
  assert.deepEqual(names.sort(), ['a ü (2).bin', 'a ü.bin']);
});
