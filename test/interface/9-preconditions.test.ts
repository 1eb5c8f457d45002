// Preconditions of writes (docs/contract.md §9.3): If-Match, If-None-Match and If-Unmodified-Since by RFC 9110, section 13. For
// If-Match alone see also 10-if-match, 10-trash and 10-versions.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal, type Entry } from './assertions.ts';
import {
  type Answer,
  call,
  createFolder,
  type Headers,
  makeFolder,
  postFile,
  postFolder,
  saveFile,
  signIn,
} from './client.ts';
import {
  askChange,
  askCopy,
  askPut,
  askRemove,
  askRestore,
  askTrash,
  assertShown,
  listVersions,
  show,
  trash,
} from './life.ts';

const main = await signIn('Main');
const json = { 'Content-Type': 'application/json' };
const LONG_AGO = 'Sun, 06 Nov 1994 08:49:37 GMT';
const FUTURE = 'Fri, 01 Jan 2100 00:00:00 GMT';

async function makeFile(): Promise<{ folder: Entry; file: Entry }> {
  const folder = await makeFolder(main);
  const { File: file } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'one');
  return { folder, file };
}

async function contentTag(id: string): Promise<string> {
  return String((await call(main, `/files/${id}/content`)).headers.etag);
}

const refused: Headers[] = [
  { 'If-Match': '"x"' },
  { 'If-None-Match': '*' },
  { 'If-Unmodified-Since': LONG_AGO },
  { 'If-Unmodified-Since': LONG_AGO, 'If-None-Match': '"x"' },
  { 'If-Match': '*', 'If-None-Match': '*' },
  { 'If-None-Match': 'unquoted' },
];

const met: Headers[] = [
  { 'If-Match': '*', 'If-Unmodified-Since': LONG_AGO },
  { 'If-None-Match': '"x", W/"y"' },
  { 'If-Unmodified-Since': FUTURE },
  { 'If-Unmodified-Since': '1994-11-06T08:49:37Z' },
];

/** Every write of an existing entry. */
function toWrites({ Id }: Entry): ((headers: Headers) => Promise<Answer>)[] {
  const version = `/files/${Id}/versions/1`;
  return [
    (headers) => askPut(main, Id, `text ${randomUUID()}`, headers),
    (headers) => askChange(main, Id, { Properties: { changed: randomUUID() } }, headers),
    (headers) => askCopy(main, Id, { ParentFolderId: '-root-', Name: randomUUID() }, headers),
    (headers) => call(main, `${version}/restore`, { method: 'POST', headers }),
    (headers) => call(main, version, { method: 'PATCH', headers: { ...json, ...headers }, body: '{"Comment":"c"}' }),
  ];
}

test('A write whose precondition fails is 400 PreconditionFailed, and nothing changes', async () => {
  const { file } = await makeFile();
  const writes = toWrites(file);
  await askPut(main, file.Id, 'two');
  const before = await show(main, file.Id);
  const remove = (headers: Headers) => call(main, `/files/${file.Id}/versions/1`, { method: 'DELETE', headers });
  const deletions = [
    (headers: Headers) => askTrash(main, file.Id, headers),
    (headers: Headers) => askRemove(main, file.Id, headers),
  ];
  for (const write of [...writes, ...deletions, remove]) {
    for (const headers of refused) assertRefusal(await write(headers), 400, 'PreconditionFailed');
  }
  assert.deepEqual(await show(main, file.Id), before);
  assert.equal((await listVersions(main, file.Id)).length, 2);
});

test('A write whose precondition is met succeeds', async () => {
  for (const headers of met) {
    const { file } = await makeFile();
    for (const write of toWrites(file)) {
      const answer = await write(headers);
      assert.equal(answer.status, 200, `${JSON.stringify(headers)}: ${answer.body}`);
    }
    assertShown(await askTrash(main, file.Id, headers));
    assertShown(await askRestore(main, file.Id, undefined, headers));
    assertShown(await askRemove(main, file.Id, headers));
  }
});

test('If-None-Match with the current ETag fails, also as a weak tag', async () => {
  const { file } = await makeFile();
  const etag = await contentTag(file.Id);
  const { ETag } = await show(main, file.Id);
  for (const weak of ['', 'W/']) {
    const header = (tag: string) => ({ 'If-None-Match': `"x", ${weak}${tag}` });
    assertRefusal(await askPut(main, file.Id, 'two', header(etag)), 400, 'PreconditionFailed');
    assertRefusal(await askChange(main, file.Id, { Name: 'b' }, header(ETag)), 400, 'PreconditionFailed');
    assertRefusal(await askTrash(main, file.Id, header(ETag)), 400, 'PreconditionFailed');
  }
});

test('If-Unmodified-Since takes the Last-Modified of the content', async () => {
  const { file } = await makeFile();
  const { headers } = await call(main, `/files/${file.Id}/content`);
  const since = { 'If-Unmodified-Since': String(headers['last-modified']) };
  assert.equal((await askPut(main, file.Id, 'two', since)).status, 200);
});

test('The hint of a failed If-Match quotes the current ETag', async () => {
  const { file } = await makeFile();
  const stale = { 'If-Match': '"x"' };
  const ofContent = assertRefusal(await askPut(main, file.Id, 'two', stale), 400, 'PreconditionFailed');
  assert.ok(String(ofContent.Hint).includes(await contentTag(file.Id)));
  const ofEntry = assertRefusal(await askChange(main, file.Id, {}, stale), 400, 'PreconditionFailed');
  assert.ok(String(ofEntry.Hint).includes((await show(main, file.Id)).ETag));
});

test('Restoring from the trash compares the ETag that the entry had', async () => {
  const { file } = await makeFile();
  const { ETag } = await trash(main, file.Id);
  for (const headers of refused) {
    assertRefusal(await askRestore(main, file.Id, undefined, headers), 400, 'PreconditionFailed');
  }
  assertShown(await askRestore(main, file.Id, undefined, { 'If-Match': ETag }));
});

test('POST /files compares with the content that has the name', async () => {
  const { folder, file } = await makeFile();
  const into = (FileName: string, headers: Headers) => ({ FolderId: folder.Id, FileName, ...headers });
  const current = { 'If-Match': await contentTag(file.Id) };
  for (const more of [{}, { ConflictBehavior: 'Rename' }, { ConflictBehavior: 'Existing' }] as Headers[]) {
    for (const headers of refused) {
      assertRefusal(await postFile(main, into('a.txt', { ...headers, ...more }), 'two'), 400, 'PreconditionFailed');
    }
  }
  const missing = await postFile(main, into('b.txt', { 'If-Match': '*' }), 'b');
  assertRefusal(missing, 400, 'PreconditionFailed');
  assertEnvelope(await postFile(main, into('b.txt', { 'If-None-Match': '*' }), 'b'));
  assertEnvelope(await postFile(main, into('c.txt', { 'If-Unmodified-Since': LONG_AGO }), 'c'));
  assertEnvelope(await postFile(main, into('a.txt', current), 'two'));
  assertRefusal(await postFile(main, into('a.txt', current), 'three'), 400, 'PreconditionFailed');
  const form = new FormData();
  form.set('filename', new Blob(['form']), 'a.txt');
  const sent = new Response(form);
  const type = { 'Content-Type': String(sent.headers.get('content-type')), FolderId: folder.Id, 'If-None-Match': '*' };
  const inForm = await call(main, '/files', {
    method: 'POST',
    headers: type,
    body: Buffer.from(await sent.arrayBuffer()),
  });
  assertRefusal(inForm, 400, 'PreconditionFailed');
});

test('Of 20 concurrent saves with If-None-Match: * exactly one succeeds', async () => {
  const folder = await makeFolder(main);
  const headers = { FolderId: folder.Id, FileName: 'new', 'If-None-Match': '*' };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => postFile(main, headers, `text ${index}`)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 400, 'PreconditionFailed');
});

test('POST /folders compares with the entry that has the name', async () => {
  const parent = await makeFolder(main);
  const inner = await createFolder(main, parent.Id, 'inner');
  const ask = (FolderName: string, headers: Headers) =>
    postFolder(main, { ParentFolderId: parent.Id, FolderName, ConflictBehavior: 'Existing' }, headers);
  assertRefusal(await ask('inner', { 'If-None-Match': '*' }), 400, 'PreconditionFailed');
  assertRefusal(await ask('new', { 'If-Match': '*' }), 400, 'PreconditionFailed');
  assertEnvelope(await ask('inner', { 'If-Match': (await show(main, inner.Id)).ETag }));
  assertEnvelope(await ask('new', { 'If-None-Match': '*' }));
});

test('A resumable upload is held to the preconditions that it began with', async () => {
  const folder = await makeFolder(main);
  const save = { FolderId: folder.Id, FileName: 'new', 'If-None-Match': '*' };
  const starts: Headers[] = [
    { ...save, 'Upload-Complete': '?0' },
    { ...save, 'Tus-Resumable': '1.0.0', 'Upload-Length': '3' },
  ];
  const begun: string[] = [];
  for (const headers of starts) {
    const path = headers['Upload-Length'] === undefined ? '/files' : '/uploads';
    const answer = await call(main, path, { method: 'POST', headers });
    assert.equal(answer.status, 201, answer.body.toString());
    begun.push(String(answer.headers.location).replace(/^.*\/uploads\//, '/uploads/'));
  }
  await saveFile(main, { FolderId: folder.Id, FileName: 'new' }, 'first');
  const ends: Headers[] = [
    { 'Upload-Complete': '?1', 'Upload-Offset': '0', 'Content-Type': 'application/partial-upload' },
    { 'Tus-Resumable': '1.0.0', 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
  ];
  for (const [index, path] of begun.entries()) {
    const answer = await call(main, path, { method: 'PATCH', headers: ends[index] ?? {}, body: 'two' });
    assertRefusal(answer, 400, 'PreconditionFailed');
  }
  for (const headers of starts) {
    const path = headers['Upload-Length'] === undefined ? '/files' : '/uploads';
    assertRefusal(await call(main, path, { method: 'POST', headers }), 400, 'PreconditionFailed');
  }
});

test('A repeated request with the same key and precondition gets the first result', async () => {
  const folder = await makeFolder(main);
  const headers = { FolderId: folder.Id, FileName: 'new', 'If-None-Match': '*', 'Idempotency-Key': randomUUID() };
  assertEnvelope(await postFile(main, headers, 'one'));
  const again = await postFile(main, headers, 'one');
  assert.equal(again.headers['idempotency-replayed'], 'true', again.body.toString());
  const { 'If-None-Match': _, ...other } = headers;
  assertRefusal(await postFile(main, other, 'one'), 400, 'IdempotencyKeyReused');
});
