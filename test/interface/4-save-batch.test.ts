// Save a batch of files (docs/contract.md §4.6): many files in one body, one result for each, in order.

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal, type Entry } from './assertions.ts';
import { postBatch, type Sent, toOutcomes, toResults } from './batch.ts';
import {
  assertEmptyFolder,
  call,
  createFolder,
  download,
  listFolder,
  makeFolder,
  readFolder,
  saveFile,
  signIn,
} from './client.ts';
import { filePart, MULTIPART, multipart, textPart } from './multipart.ts';
import { contentHead, openWire } from './wire.ts';

const main = await signIn('Main');
const reader = await signIn('Reader');
const stranger = await signIn('Stranger');

async function prepare() {
  const folder = await makeFolder(main);
  return { folder, into: { FolderId: folder.Id }, path: `/${folder.Name}` };
}

test('A batch saves many files and answers in the order in which they were sent', async () => {
  const { folder, into } = await prepare();
  const sent = Array.from({ length: 300 }, (_, n) => ({ name: `${(n * 7919) % 300}.txt`, content: `content ${n}` }));
  sent.push({ name: 'large.bin', content: 'x'.repeat(200_000) }, { name: 'empty', content: '' });
  const results = toResults(await postBatch(main, sent, { headers: into }));
  assert.deepEqual(
    results.map(({ Entry }) => Entry?.Name),
    sent.map(({ name }) => name),
  );
  for (const [index, { content }] of sent.entries()) {
    const { Entry, Sha256, Version } = results[index] ?? {};
    assert.equal(Sha256, createHash('sha256').update(content).digest('hex'));
    assert.equal(Entry?.Size, content.length);
    assert.equal(Version, 1);
  }
  for (const index of [0, 299, 300, 301]) {
    assert.equal((await download(main, results[index]?.Entry?.Id ?? '')).toString(), sent[index]?.content);
  }
  const { Folder } = await readFolder(main, folder.Id);
  assert.equal(
    Folder.Size,
    sent.reduce((sum, { content }) => sum + content.length, 0),
  );
  const listed = await listFolder(main, folder.Id);
  assert.deepEqual(new Set(listed.map(({ Id }) => Id)), new Set(results.map(({ Entry }) => Entry?.Id)));
});

test('The result of a file equals GET /entries', async () => {
  const { folder, into } = await prepare();
  await saveFile(main, { FolderId: folder.Id, FileName: 'old' }, 'old');
  await saveFile(main, { FolderId: folder.Id, FileName: 'kept' }, 'kept');
  const sent = ['new', 'old', 'kept', 'deep'].map((name) => ({ name, content: 'bytes' }));
  const files = [
    {},
    { Properties: { b: '1', a: '2' } },
    { ConflictBehavior: 'Existing' },
    { RelativePath: 'a/b/deep' },
  ];
  for (const result of toResults(await postBatch(main, sent, { files, headers: into }))) {
    const answer = await call(main, `/entries/${result.Entry?.Id}`);
    assert.deepEqual(JSON.parse(answer.body.toString()), result);
  }
});

test('One failing file of a batch does not affect the others', async () => {
  const { folder, into, path } = await prepare();
  await createFolder(main, folder.Id, 'taken');
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'file' }, 'first');
  const cases: [Sent, unknown, string][] = [
    [{ name: 'good', content: 'x' }, {}, `${path}/good`],
    [{ name: '..', content: 'x' }, {}, 'InvalidName'],
    [{ name: 'taken', content: 'x' }, {}, 'NameAlreadyExists'],
    [{ content: 'x' }, {}, 'FileNameMissing'],
    [{ name: 'a', content: 'x' }, { Sha256: '0'.repeat(64) }, 'DigestMismatch'],
    [{ name: 'a', content: 'y'.repeat(100_000) }, { Sha256: '0'.repeat(64) }, 'DigestMismatch'],
    [{ name: 'a', content: 'x' }, { Sha256: 'short' }, 'InvalidField'],
    [{ name: 'a', content: 'x' }, { Properties: { a: 1 } }, 'InvalidField'],
    [{ name: 'a', content: 'x' }, { ConflictBehavior: 'Nonsense' }, 'InvalidField'],
    [{ name: 'a', content: 'x' }, { ContentType: 'nonsense' }, 'InvalidField'],
    [{ name: 'a', content: 'x' }, { Comment: 'a\0b' }, 'InvalidField'],
    [{ name: 'a', content: 'x' }, { FileName: 'a', RelativePath: 'a' }, 'InvalidField'],
    [{ name: 'a', content: 'x' }, [], 'InvalidField'],
    [{ name: 'a', content: 'x' }, 5, 'InvalidField'],
    [{ name: 'a', content: 'x' }, null, 'InvalidField'],
    [{ name: 'a', content: 'x' }, { FolderId: randomUUID() }, 'FolderNotFound'],
    [{ name: 'a', content: 'x' }, { FolderId: File.Id }, 'NotAFolder'],
    [{ name: 'a', content: 'x' }, { RelativePath: 'file/a' }, 'NameAlreadyExists'],
    [{ name: 'a', content: 'x' }, { RelativePath: '/a' }, 'InvalidName'],
    [{ name: 'a', content: 'x' }, { RelativePath: `${'d/'.repeat(100)}a` }, 'TooDeep'],
    [{ name: 'file', content: 'x' }, { ConflictBehavior: 'Fail' }, 'NameAlreadyExists'],
    [{ name: 'better', content: 'x' }, { Unknown: 'is ignored' }, `${path}/better`],
  ];
  const files = cases.map(([, fields]) => fields);
  const sent = cases.map(([file]) => file);
  const outcomes = toOutcomes(await postBatch(main, sent, { files, headers: into }));
  assert.deepEqual(
    outcomes,
    cases.map(([, , expected]) => expected),
  );
  const names = (await listFolder(main, folder.Id)).map(({ Name }) => Name);
  assert.deepEqual(names, ['taken', 'better', 'file', 'good']);
});

test('Fields apply to their file, and headers are defaults for the others', async () => {
  const { folder, into, path } = await prepare();
  const other = await makeFolder(main);
  await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'first');
  const files = [
    {
      FileName: 'named.txt',
      ContentType: 'text/x-own',
      ObjectType: 'my:type',
      Properties: { k: 'v' },
      Comment: 'mine',
    },
    { FolderId: other.Id },
    { ConflictBehavior: 'Version' },
    {},
  ];
  const sent = [
    { name: 'a.txt', content: '1' },
    { name: 'b.txt', content: '2', type: 'text/markdown' },
    { name: 'a.txt', content: '3' },
    { name: 'a.txt', content: '4' },
  ];
  const headers = { ...into, ConflictBehavior: 'Rename', Comment: 'ours' };
  const [named, elsewhere, over, renamed] = toResults(await postBatch(main, sent, { files, headers }));
  assert.equal(named?.Path, `${path}/named.txt`);
  assert.equal(named?.Entry?.ContentType, 'text/x-own');
  assert.equal(named?.Entry?.ObjectType, 'my:type');
  assert.deepEqual(named?.Entry?.Properties, { k: 'v' });
  assert.equal(elsewhere?.Path, `/${other.Name}/b.txt`);
  assert.equal(elsewhere?.Entry?.ContentType, 'text/markdown');
  assert.equal(over?.Version, 2);
  assert.equal(renamed?.Entry?.Name, 'a (2).txt');
  const comments = [named, renamed].map(async (result) => {
    const answer = await call(main, `/files/${result?.Entry?.Id}/versions`);
    return (JSON.parse(answer.body.toString()) as { Versions: { Comment: string }[] }).Versions[0]?.Comment;
  });
  assert.deepEqual(await Promise.all(comments), ['mine', 'ours']);
});

test('RelativePath creates missing folders once and uses existing ones', async () => {
  const { folder, into, path } = await prepare();
  const there = await createFolder(main, folder.Id, 'a');
  const paths = ['a/1', 'a/b/2', 'a/b/3', 'c/d/e/4', 'c/5', '6', 'cafe\u0301/7', 'caf\u00e9/8'];
  const sent = paths.map((name) => ({ name: 'unused', content: name }));
  const files = paths.map((RelativePath) => ({ RelativePath }));
  const answer = await postBatch(main, sent, { files, headers: into });
  const outcomes = toOutcomes(answer).map((outcome) => outcome?.normalize('NFC'));
  assert.deepEqual(
    outcomes,
    paths.map((name) => `${path}/${name}`.normalize('NFC')),
  );
  const top = await listFolder(main, folder.Id);
  const sizeOf = (...contents: string[]) => Buffer.byteLength(contents.join(''));
  assert.deepEqual(
    top.map(({ Name, Size }) => [Name.normalize('NFC'), Size]),
    [
      ['a', sizeOf('a/1', 'a/b/2', 'a/b/3')],
      ['c', sizeOf('c/d/e/4', 'c/5')],
      ['caf\u00e9', sizeOf('cafe\u0301/7', 'caf\u00e9/8')],
      ['6', 1],
    ],
  );
  assert.equal(top[0]?.Id, there.Id);
  assert.deepEqual(toOutcomes(await postBatch(main, sent, { files, headers: into })), toOutcomes(answer));
});

test('Two files of one name in a batch are saved in their order', async () => {
  const { into } = await prepare();
  const sent = Array.from({ length: 20 }, (_, n) => ({ name: 'same', content: `version ${n + 1}` }));
  const results = toResults(await postBatch(main, sent, { headers: into }));
  assert.deepEqual(
    results.map(({ Version }) => Version),
    sent.map((_, index) => index + 1),
  );
  assert.equal((await download(main, results[0]?.Entry?.Id ?? '')).toString(), 'version 20');
});

test('A repeated batch with its key retries only what failed', async () => {
  const { folder, into } = await prepare();
  const blocker = await createFolder(main, folder.Id, 'b');
  const headers = { ...into, 'Idempotency-Key': randomUUID(), ConflictBehavior: 'Rename' };
  const files = [{}, { ConflictBehavior: 'Fail' }, {}];
  const sent = ['a', 'b', 'c'].map((name) => ({ name, content: name.repeat(name === 'c' ? 100_000 : 1) }));
  const first = await postBatch(main, sent, { files, headers });
  assert.equal(first.headers['idempotency-replayed'], undefined);
  assert.equal(toResults(first)[1]?.Error?.Code, 'NameAlreadyExists');
  const second = await postBatch(main, sent, { files, headers });
  assert.equal(second.headers['idempotency-replayed'], 'true');
  assert.deepEqual(toResults(second)[0], toResults(first)[0]);
  assert.deepEqual(toResults(second)[2], toResults(first)[2]);
  assert.equal(toResults(second)[1]?.Error?.Code, 'NameAlreadyExists');
  assert.equal((await call(main, `/entries/${blocker.Id}`, { method: 'DELETE' })).status, 200);
  const third = await postBatch(main, sent, { files, headers });
  assert.deepEqual(
    toResults(third).map(({ Entry }) => Entry?.Name),
    ['a', 'b', 'c'],
  );
  assert.equal((await listFolder(main, folder.Id)).length, 3);
});

test('A repeated batch returns the first results although its folder was deleted since', async () => {
  const { folder, into } = await prepare();
  const headers = { ...into, 'Idempotency-Key': randomUUID() };
  const sent = ['a', '..', 'c'].map((name) => ({ name, content: name }));
  const files = [{ RelativePath: 'd/e' }, {}, { FolderId: folder.Id }];
  const first = toResults(await postBatch(main, sent, { files, headers }));
  assert.equal((await call(main, `/entries/${folder.Id}`, { method: 'DELETE' })).status, 200);
  const again = await postBatch(main, sent, { files, headers });
  assert.equal(again.headers['idempotency-replayed'], 'true');
  const [a, refused, c] = toResults(again);
  assert.deepEqual([a, refused?.Error?.Code, c], [first[0], 'InvalidName', first[2]]);
  const unknown = { ...headers, 'Idempotency-Key': randomUUID() };
  assertRefusal(await postBatch(main, sent, { headers: unknown }), 404, 'FolderNotFound');
  assertRefusal(await postBatch(main, sent, { headers }), 400, 'IdempotencyKeyReused');
});

test('A repeated batch creates folders only for what failed', async () => {
  const { folder, into, path } = await prepare();
  const blocker = await saveFile(main, { FolderId: folder.Id, FileName: 'c' }, 'x');
  const headers = { ...into, 'Idempotency-Key': randomUUID() };
  const files = [{ RelativePath: 'a/b.txt' }, { RelativePath: 'c/d.txt' }, { RelativePath: 'a/large' }];
  const sent = ['1', '2', '3'.repeat(100_000)].map((content) => ({ content }));
  const first = toResults(await postBatch(main, sent, { files, headers }));
  assert.equal(first[1]?.Error?.Code, 'NameAlreadyExists');
  const made = (await listFolder(main, folder.Id)).filter(({ Name }) => Name === 'a');
  for (const { Id } of [...made, blocker.File]) {
    assert.equal((await call(main, `/entries/${Id}`, { method: 'DELETE' })).status, 200);
  }
  const again = toResults(await postBatch(main, sent, { files, headers }));
  assert.deepEqual([again[0], again[2]], [first[0], first[2]]);
  assert.equal(again[1]?.Path, `${path}/c/d.txt`);
  const names = (await listFolder(main, folder.Id)).map(({ Name }) => Name);
  assert.deepEqual(names, ['c']);
});

test('The key of another batch is 400 IdempotencyKeyReused, whatever differs, and nothing is saved', async () => {
  const { folder, into } = await prepare();
  const headers = { ...into, 'Idempotency-Key': randomUUID() };
  const sent = [{ name: 'a', content: 'a' }];
  toResults(await postBatch(main, sent, { headers }));
  const others: [Sent[], object][] = [
    [[{ name: 'a', content: 'b' }], {}],
    [[{ name: 'b', content: 'a' }], {}],
    [[...sent, { name: 'b', content: 'b' }], {}],
    [sent, { files: [{ Properties: { a: 'b' } }] }],
  ];
  for (const [files, more] of others) {
    assertRefusal(await postBatch(main, files, { headers, ...more }), 400, 'IdempotencyKeyReused');
  }
  assert.equal((await listFolder(main, folder.Id)).length, 1);
  assert.equal(toResults(await postBatch(main, sent, { headers })).length, 1);
});

test('Concurrent twins of one batch have one effect', async () => {
  const { folder, into } = await prepare();
  const headers = { ...into, 'Idempotency-Key': randomUUID(), ConflictBehavior: 'Rename' };
  const sent = Array.from({ length: 30 }, (_, n) => ({ name: `n${n}`, content: `${n}` }));
  const answers = await Promise.all(Array.from({ length: 4 }, () => postBatch(main, sent, { headers })));
  for (const answer of answers) assert.deepEqual(toResults(answer), toResults(answers[0] as typeof answer));
  assert.equal((await listFolder(main, folder.Id)).length, 30);
});

test('A malformed body refuses the whole batch, and nothing is saved', async () => {
  const { folder, into } = await prepare();
  const file = filePart('x', { fileName: 'a' });
  const many = Array.from({ length: 1001 }, (_, n) => filePart('x', { fileName: `${n}` }));
  const cases: [string, string, Buffer | string][] = [
    ['AttachmentMissing', MULTIPART, multipart([textPart('Files', '[]')])],
    ['InvalidBody', MULTIPART, multipart([file]).subarray(0, -10)],
    ['InvalidBody', MULTIPART, multipart([textPart('Files', 'no JSON'), file])],
    ['InvalidBody', MULTIPART, multipart([textPart('Files', '{}'), file])],
    ['InvalidBody', MULTIPART, multipart([textPart('Files', '[{},{}]'), file])],
    ['InvalidBody', MULTIPART, multipart([textPart('Files', '[{}]'), file, textPart('Files', '[{}]')])],
    ['InvalidBody', 'application/json', '{"filename":"eA=="}'],
    ['InvalidBody', 'text/plain', 'x'],
    ['InvalidBody', 'multipart/form-data', multipart([file])],
    ['BatchTooLarge', MULTIPART, multipart(many)],
    ['BatchTooLarge', MULTIPART, multipart([textPart('Files', `["${'x'.repeat(5_000_000)}"]`), file])],
  ];
  for (const [code, type, body] of cases) {
    const request = { method: 'POST', headers: { ...into, 'Content-Type': type }, body };
    assertRefusal(await call(main, '/files/batch', request), 400, code);
  }
  const wrong = { 'Content-Digest': `sha-256=:${'A'.repeat(43)}=:`, ...into };
  assertRefusal(await postBatch(main, [{ name: 'a', content: 'x' }], { headers: wrong }), 400, 'DigestMismatch');
  await assertEmptyFolder(main, folder);
});

test('A body without a length is refused once it is too large, and leaves nothing', async () => {
  const { folder, into } = await prepare();
  using wire = await openWire(main.base);
  const headers = { ...into, 'Content-Type': MULTIPART, 'Transfer-Encoding': 'chunked' };
  wire.write(contentHead(main, 'POST', '/files/batch', headers));
  const part = multipart([filePart('x'.repeat(1_000_000), { fileName: 'a' })]).subarray(0, -25);
  const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
  assert.ok((await wire.writeUntilAnswered(chunk, 200_000_000)) > 32_000_000);
  assertRefusal(await wire.answer(), 400, 'BatchTooLarge');
  await assertEmptyFolder(main, folder);
});

test('Errors in headers are answered before the body and before 100 Continue', async () => {
  const { folder, into } = await prepare();
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'a');
  const good = { ...into, 'Content-Type': MULTIPART, 'Content-Length': '1000000', Expect: '100-continue' };
  const cases: [string, number, Record<string, string | undefined>, typeof main][] = [
    ['TokenMissing', 401, { Authorization: undefined }, main],
    ['InsufficientScope', 403, {}, reader],
    ['FolderNotFound', 404, {}, stranger],
    ['FolderNotFound', 404, { FolderId: 'x' }, main],
    ['NotAFolder', 400, { FolderId: File.Id }, main],
    ['InvalidField', 400, { ConflictBehavior: 'x' }, main],
    ['InvalidHeader', 400, { 'Idempotency-Key': 'a b' }, main],
    ['InvalidBody', 400, { 'Content-Type': 'application/json' }, main],
    ['UnsupportedEncoding', 400, { 'Content-Encoding': 'gzip' }, main],
    ['BatchTooLarge', 400, { 'Content-Length': String(40 * 1024 * 1024) }, main],
  ];
  for (const [code, status, headers, caller] of cases) {
    using wire = await openWire(caller.base);
    wire.write(contentHead(caller, 'POST', '/files/batch', { ...good, ...headers }));
    assertRefusal(await wire.answer(), status, code);
  }
});

test('An incomplete batch saves nothing', async () => {
  const { folder, into } = await prepare();
  const body = multipart(['a', 'b', 'c'].map((name) => filePart(name.repeat(100_000), { fileName: name })));
  for (const bytes of [100, 150_000, 250_000, body.length - 1]) {
    for (const end of ['end', 'reset'] as const) {
      using wire = await openWire(main.base);
      const headers = { ...into, 'Content-Type': MULTIPART, 'Content-Length': String(body.length) };
      wire.write(contentHead(main, 'POST', '/files/batch', headers));
      wire.write(body.subarray(0, bytes));
      wire[end]();
    }
  }
  await assertEmptyFolder(main, folder);
});

test('Foreign, unknown, malformed and trashed folders give the same error for a file', async () => {
  const { folder, into } = await prepare();
  const foreign = await makeFolder(stranger);
  const trashed: Entry = await createFolder(main, folder.Id, 'trashed');
  await call(main, `/entries/${trashed.Id}`, { method: 'DELETE' });
  const ids = [foreign.Id, randomUUID(), 'x', '\0', trashed.Id];
  const sent = ids.map((_, n) => ({ name: `${n}`, content: 'x' }));
  for (const more of [{}, { RelativePath: 'a/b' }]) {
    const files = ids.map((FolderId) => ({ FolderId, ...more }));
    const [first, ...others] = toResults(await postBatch(main, sent, { files, headers: into }));
    assert.equal(first?.Error?.Code, 'FolderNotFound');
    assert.equal(first?.Error?.Target, 'FolderId');
    for (const other of others) assert.deepEqual(other, first);
  }
});

test('A FolderId that names a file is 400 NotAFolder, also with a path', async () => {
  const { folder, into } = await prepare();
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'file' }, 'x');
  const files = [{ FolderId: File.Id }, { FolderId: File.Id, RelativePath: 'a/b' }];
  const sent = files.map((_, n) => ({ name: `${n}`, content: 'x' }));
  for (const result of toResults(await postBatch(main, sent, { files, headers: into }))) {
    assert.deepEqual([result.Error?.Code, result.Error?.Target], ['NotAFolder', 'FolderId']);
  }
});
