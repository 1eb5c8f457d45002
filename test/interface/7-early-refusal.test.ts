// Order of checks (docs/contract.md §7.2): what headers can decide is decided before the body and before 100 Continue, and
// a client that is still sending receives the response.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal } from './assertions.ts';
import {
  assertEmptyFolder,
  createFolder,
  download,
  type Headers,
  makeFolder,
  saveFile,
  signIn,
  toSaved,
} from './client.ts';
import { trash } from './life.ts';
import { MULTIPART } from './multipart.ts';
import { contentHead, openWire, type Wire } from './wire.ts';

const main = await signIn('Main');
const reader = await signIn('Reader');
const admin = await signIn('Administrator');
const LENGTH = 20 * 1024 * 1024;
const LENGTH_HEADER = { 'Content-Length': String(LENGTH) };
const JSON_TYPE = { 'Content-Type': 'application/json' };

type Case = { code: string; status: number; headers: Headers; caller?: typeof main; path?: string; why?: string };
const CASES: Case[] = [
  { code: 'TokenMissing', status: 401, headers: { Authorization: undefined } },
  { code: 'TokenInvalid', status: 401, headers: { Authorization: 'Bearer x' } },
  { code: 'AppKeyMissing', status: 401, headers: { AppKey: undefined } },
  { code: 'AppKeyUnknown', status: 401, headers: { AppKey: 'x' } },
  { code: 'AppKeyMismatch', status: 401, headers: { AppKey: reader.application.AppKey } },
  { code: 'InsufficientScope', status: 403, headers: {}, caller: reader },
  { code: 'DuplicateHeader', status: 400, headers: { FileName: ['a', 'b'] } },
  { code: 'FolderNotFound', status: 404, headers: { FolderId: 'unknown' } },
  { code: 'InvalidName', status: 400, headers: { FileName: '%2Fetc%2Fpasswd' } },
  { code: 'FileNameMissing', status: 400, headers: { FileName: undefined } },
  { code: 'InvalidField', status: 400, headers: { ConflictBehavior: 'Nonsense' } },
  { code: 'UnsupportedEncoding', status: 400, headers: { 'Content-Encoding': 'gzip' } },
  { code: 'InvalidHeader', status: 400, headers: { 'Content-MD5': '!' }, why: 'for no digest' },
  { code: 'DigestMismatch', status: 400, headers: { 'Content-MD5': 'AAAA' }, why: 'for one too short' },
  { code: 'DigestMismatch', status: 400, headers: { 'Repr-Digest': 'sha-256=:AAAA:' }, why: 'for a file too short' },
  { code: 'InvalidBody', status: 400, headers: { 'Content-Type': 'multipart/form-data' }, why: 'without a boundary' },
  { code: 'FileTooLarge', status: 400, headers: { 'Content-Length': String(6 * 1024 ** 4) } },
  {
    code: 'FileTooLarge',
    status: 400,
    headers: { 'Content-Length': String(6 * 1024 ** 4), 'Content-Type': MULTIPART },
  },
  { code: 'RouteNotFound', status: 404, headers: {}, path: '/nothing' },
  { code: 'TokenMissing', status: 401, headers: { Authorization: undefined }, path: '/folders' },
  { code: 'InsufficientScope', status: 403, headers: {}, caller: reader, path: '/folders' },
  { code: 'InvalidField', status: 400, headers: { ...JSON_TYPE, ConflictBehavior: 'Nonsense' }, path: '/folders' },
  {
    code: 'InvalidField',
    status: 400,
    headers: { ...JSON_TYPE, ConflictBehavior: 'Version' },
    path: '/folders',
    why: 'for folders have no versions',
  },
  { code: 'InvalidBody', status: 400, headers: JSON_TYPE, path: '/folders', why: 'from the declared length' },
  { code: 'SpaceNotFound', status: 404, headers: { ...JSON_TYPE, SpaceId: 'unknown' }, path: '/folders' },
  { code: 'SpaceNotFound', status: 404, headers: { SpaceId: 'unknown' } },
];

for (const { code, status, headers, caller = main, path = '/files', why } of CASES) {
  const what = why === undefined ? code : `${code} ${why}`;
  test(`${what} is answered to POST ${path} before the body and before 100 Continue`, async () => {
    const folder = await makeFolder(main);
    for (const expect of [undefined, '100-continue']) {
      const sent = { FolderId: folder.Id, FileName: 'a', ...LENGTH_HEADER, ...headers, Expect: expect };
      using wire = await open(contentHead(caller, 'POST', path, sent));
      const answer = await wire.answer();
      assertRefusal(answer, status, code);
      assert.equal(answer.headers.connection, 'close');
    }
    await assertEmptyFolder(main, folder);
  });
}

test('NotAFolder is answered before the body', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'a');
  const sent = { FolderId: File.Id, FileName: 'b', ...LENGTH_HEADER, Expect: '100-continue' };
  using wire = await open(contentHead(main, 'POST', '/files', sent));
  assertRefusal(await wire.answer(), 400, 'NotAFolder');
});

test('A taken name is answered before the body, unless the request may be a repeated one', async () => {
  const folder = await makeFolder(main);
  await saveFile(main, { FolderId: folder.Id, FileName: 'taken' }, 'a');
  await createFolder(main, folder.Id, 'a folder');
  const into = { FolderId: folder.Id, ...LENGTH_HEADER, Expect: '100-continue' };
  for (const refused of [
    { FileName: 'taken', ConflictBehavior: 'Fail' },
    { FileName: 'a%20folder', ConflictBehavior: 'Fail' },
    { FileName: 'a%20folder' },
    { FileName: 'a%20folder', 'Content-Type': MULTIPART },
  ]) {
    using wire = await open(contentHead(main, 'POST', '/files', { ...into, ...refused }));
    assertRefusal(await wire.answer(), 400, 'NameAlreadyExists');
  }
  for (const good of [
    { FileName: 'taken' },
    { FileName: 'taken', 'Content-Type': MULTIPART },
    { FileName: 'a%20folder', ...JSON_TYPE, 'Content-Length': '1000' },
    { FileName: 'taken', ConflictBehavior: 'Rename' },
    { FileName: 'free', ConflictBehavior: 'Fail' },
    { FileName: 'taken', ConflictBehavior: 'Fail', 'Idempotency-Key': folder.Id },
  ]) {
    using wire = await open(contentHead(main, 'POST', '/files', { ...into, ...good }));
    assert.equal((await wire.answer()).status, 100);
  }
});

type EarlyCase = [method: string, path: string, headers: Headers, status: number, code: string];

async function assertEarly(caller: typeof main, cases: EarlyCase[]): Promise<void> {
  for (const [method, path, headers, status, code] of cases) {
    for (const expect of [undefined, '100-continue']) {
      const sent = { ...JSON_TYPE, 'Content-Length': '1000', ...headers, Expect: expect };
      using wire = await open(contentHead(caller, method, path, sent));
      assertRefusal(await wire.answer(), status, code);
    }
  }
}

test('Errors in the path and failed preconditions are answered before the body', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'a');
  const stale = { 'If-Match': '"x"' };
  const longAgo = 'Sun, 06 Nov 1994 08:49:37 GMT';
  const into = { FolderId: folder.Id, FileName: 'a' };
  await assertEarly(main, [
    ['PUT', `/files/${File.Id}/content`, stale, 400, 'PreconditionFailed'],
    ['PUT', '/files/unknown/content', {}, 404, 'FileNotFound'],
    ['PATCH', `/entries/${File.Id}`, stale, 400, 'PreconditionFailed'],
    ['PUT', `/files/${File.Id}/content`, { 'If-None-Match': '*' }, 400, 'PreconditionFailed'],
    ['PUT', `/files/${File.Id}/content`, { 'If-Unmodified-Since': longAgo }, 400, 'PreconditionFailed'],
    ['PATCH', `/entries/${File.Id}`, { 'If-None-Match': '*' }, 400, 'PreconditionFailed'],
    ['PATCH', `/files/${File.Id}/versions/1`, stale, 400, 'PreconditionFailed'],
    ['POST', `/entries/${File.Id}/copy`, stale, 400, 'PreconditionFailed'],
    ['POST', '/files', { ...into, 'If-None-Match': '*', 'Content-Type': 'text/plain' }, 400, 'PreconditionFailed'],
    ['POST', '/files', { ...into, ...stale, ConflictBehavior: 'Rename' }, 400, 'PreconditionFailed'],
    ['PATCH', '/entries/unknown', {}, 404, 'EntryNotFound'],
    ['POST', '/entries/unknown/copy', {}, 404, 'EntryNotFound'],
    ['POST', '/entries/unknown/restore', {}, 404, 'EntryNotFound'],
    ['POST', `/entries/${File.Id}/restore`, {}, 404, 'EntryNotFound'],
    ['POST', '/files/unknown/link', {}, 404, 'FileNotFound'],
    ['PATCH', '/files/unknown/versions/1', {}, 404, 'FileNotFound'],
    ['PATCH', `/files/${folder.Id}/versions/1`, {}, 404, 'FileNotFound'],
    ['PATCH', `/files/${File.Id}/versions/2`, {}, 404, 'VersionNotFound'],
  ]);
  assert.equal((await download(main, File.Id)).toString(), 'a');
});

test('An invalid ConflictBehavior is refused before the body', async () => {
  const folder = await makeFolder(main);
  const trashed = await makeFolder(main);
  await trash(main, trashed.Id);
  for (const ConflictBehavior of ['Nonsense', 'Version', '']) {
    await assertEarly(main, [
      ['PATCH', `/entries/${folder.Id}`, { ConflictBehavior }, 400, 'InvalidField'],
      ['POST', `/entries/${folder.Id}/copy`, { ConflictBehavior }, 400, 'InvalidField'],
      ['POST', `/entries/${trashed.Id}/restore`, { ConflictBehavior }, 400, 'InvalidField'],
    ]);
  }
});

test('Unknown applications, people and spaces in the path are answered before the body', async () => {
  const appKey = `ak_${'0'.repeat(32)}`;
  await assertEarly(admin, [
    ['POST', '/spaces', {}, 403, 'Forbidden'],
    ['PATCH', '/spaces/unknown', {}, 404, 'SpaceNotFound'],
    ['PATCH', `/applications/${appKey}`, {}, 404, 'ApplicationNotFound'],
    ['POST', `/applications/${appKey}/rotate`, {}, 404, 'ApplicationNotFound'],
    ['POST', `/applications/${appKey}/certificates`, {}, 404, 'ApplicationNotFound'],
    ['PATCH', '/users/app:x', {}, 400, 'InvalidField'],
  ]);
});

test('A client that sends its whole large body anyway receives the error, every time', async () => {
  const body = Buffer.alloc(LENGTH);
  for (let round = 0; round < 10; round++) {
    using wire = await open(contentHead(main, 'POST', '/files', { ...LENGTH_HEADER, Authorization: 'Bearer x' }));
    await wire.writeBeforeReading(body);
    assertRefusal(await wire.answer(), 401, 'TokenInvalid');
  }
});

test('Expect: 100-continue is answered with 100 Continue once the headers are valid', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a', 'Content-Length': '5', Expect: '100-continue' };
  using wire = await open(contentHead(main, 'POST', '/files', at));
  assert.equal((await wire.answer()).status, 100);
  wire.write('bytes');
  const { File } = toSaved(await wire.answer());
  assert.equal((await download(main, File.Id)).toString(), 'bytes');
  const json = JSON.stringify({ ParentFolderId: folder.Id, FolderName: 'b' });
  const headers = { ...JSON_TYPE, 'Content-Length': String(json.length), Expect: '100-continue' };
  wire.write(contentHead(main, 'POST', '/folders', headers));
  assert.equal((await wire.answer()).status, 100);
  wire.write(json);
  assertEnvelope(await wire.answer());
});

async function open(head: string): Promise<Wire> {
  const wire = await openWire(main.base);
  wire.write(head);
  return wire;
}
