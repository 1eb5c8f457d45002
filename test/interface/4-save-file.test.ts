// Save a file (docs/contract.md §4.3): its folder, its name, and that it is saved whole or not at all. The ways to send
// the bytes are in 4-save-file-bodies, name conflicts in 4-save-file-conflicts.

import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import {
  assertEmptyFolder,
  call,
  download,
  type Headers,
  listFolder,
  makeFolder,
  postFile,
  saveFile,
  signIn,
  toSaved,
  untilOthersAreAnswered,
} from './client.ts';
import { BOUNDARY, filePart, MULTIPART, multipart } from './multipart.ts';
import { contentHead, openWire, toChunk } from './wire.ts';

const main = await signIn('Main');
const root = main.application.RootFolderId;

test('FolderId absent, empty or -root- means the root folder', async () => {
  for (const at of [{}, { FolderId: '' }, { FolderId: '-root-' }]) {
    const FileName = `interface-test-${randomUUID()}`;
    const { Folder, File } = toSaved(await postFile(main, { ...at, FileName, Prefer: 'return=minimal' }, 'x'));
    assert.equal(Folder.Id, root);
    const again = await postFile(main, { FolderId: root, FileName, ConflictBehavior: 'Fail' }, 'y');
    assert.deepEqual(assertRefusal(again, 400, 'NameAlreadyExists').Conflicts, [File]);
  }
});

test("A FolderId that is a file's id is 400 NotAFolder", async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'a');
  assertRefusal(await postFile(main, { FolderId: File.Id, FileName: 'b' }, 'b'), 400, 'NotAFolder');
});

const NAMES: { title: string; header: string; stored: string }[] = [
  { title: 'plain', header: 'report.pdf', stored: 'report.pdf' },
  { title: 'percent-encoded UTF-8', header: 'Pr%C3%BCfung%20%F0%9F%93%81.pdf', stored: 'Prüfung 📁.pdf' },
  { title: 'percent-encoded in lower case', header: 'a%c3%bcb', stored: 'aüb' },
  { title: 'RFC 8187', header: "UTF-8''Pr%C3%BCfung%20%28a%29.pdf", stored: 'Prüfung (a).pdf' },
  { title: 'RFC 8187 in lower case', header: "utf-8''%e2%82%ac", stored: '€' },
  { title: 'raw UTF-8', header: toLatin1('Prüfung 📁.pdf'), stored: 'Prüfung 📁.pdf' },
  { title: 'raw UTF-8 and percent-encoded', header: toLatin1('ü%20%C3%BC'), stored: 'ü ü' },
  { title: 'a % without two hex digits', header: '100%', stored: '100%' },
  { title: 'a % before other characters', header: '50%zz 5%2 %', stored: '50%zz 5%2 %' },
  { title: 'an encoded %', header: '100%25', stored: '100%' },
  { title: 'a plus sign', header: 'a+b', stored: 'a+b' },
  { title: 'decomposed letters', header: 'e%CC%81', stored: 'e\u0301' },
];

for (const { title, header, stored } of NAMES) {
  test(`FileName is accepted as ${title}`, async () => {
    const folder = await makeFolder(main);
    const { File } = toSaved(await postFile(main, { FolderId: folder.Id, FileName: header }, 'x'));
    assert.equal(File.Name, stored);
  });
}

test('A FileName whose bytes are not UTF-8 is 400 InvalidName', async () => {
  const folder = await makeFolder(main);
  for (const name of ['a\xff', 'a\xc3', 'caf\xe9.txt', 'a%FF', '%C3', "UTF-8''%E2%82", '%ED%A0%80', '%C0%AF']) {
    assertRefusal(await postFile(main, { FolderId: folder.Id, FileName: name }, 'x'), 400, 'InvalidName');
  }
  await assertEmptyFolder(main, folder);
});

test("The part's own file name is used when the header is absent, and the header wins", async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, 'Content-Type': MULTIPART };
  const body = multipart([filePart('x', { fileName: 'Prüfung.txt' })]);
  assert.equal(toSaved(await postFile(main, at, body)).File.Name, 'Prüfung.txt');
  assert.equal(toSaved(await postFile(main, { ...at, FileName: 'header.txt' }, body)).File.Name, 'header.txt');
});

test('No name anywhere is 400 FileNameMissing', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id };
  const json = JSON.stringify({ filename: 'eA==' });
  assertRefusal(await postFile(main, at, 'x'), 400, 'FileNameMissing');
  assertRefusal(await postFile(main, { ...at, 'Content-Type': 'application/json' }, json), 400, 'FileNameMissing');
  const multi = { ...at, 'Content-Type': MULTIPART };
  assertRefusal(await postFile(main, multi, multipart([filePart('x')])), 400, 'FileNameMissing');
  await assertEmptyFolder(main, folder);
});

test('Files of every size come back byte for byte', async () => {
  const folder = await makeFolder(main);
  for (const size of [0, 1, 65_535, 65_536, 65_537, 1_048_576, 5_000_001]) {
    const bytes = randomBytes(size);
    const at = { FolderId: folder.Id, FileName: `${size}` };
    const { File } = await saveFile(main, at, bytes);
    assert.equal(File.Size, size);
    assert.ok((await download(main, File.Id)).equals(bytes), `${size} bytes differ`);
    const part = { FolderId: folder.Id, FileName: `part ${size}`, 'Content-Type': MULTIPART };
    const asPart = toSaved(await postFile(main, part, multipart([filePart(bytes)]))).File;
    assert.equal(asPart.Size, size);
    assert.ok((await download(main, asPart.Id)).equals(bytes), `${size} bytes differ in a part`);
  }
});

test('Content-Encoding identity is accepted, any other is 400 UnsupportedEncoding', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a' };
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'nonsense']) {
    assertRefusal(await postFile(main, { ...at, 'Content-Encoding': encoding }, 'x'), 400, 'UnsupportedEncoding');
  }
  await assertEmptyFolder(main, folder);
  toSaved(await postFile(main, { ...at, 'Content-Encoding': 'identity' }, 'x'));
});

const PART_HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="filename"\r\n\r\n`;
const CUT_BODIES: { title: string; headers: Headers; sent: string }[] = [
  { title: 'a raw body', headers: { 'Content-Length': '100000' }, sent: 'x'.repeat(70_000) },
  { title: 'a small raw body', headers: { 'Content-Length': '1000' }, sent: 'x'.repeat(999) },
  { title: 'a chunked body', headers: { 'Transfer-Encoding': 'chunked' }, sent: `${toChunk('whole')}` },
  { title: 'a chunk', headers: { 'Transfer-Encoding': 'chunked' }, sent: 'ff\r\nhalf' },
  {
    title: 'a multipart body',
    headers: { 'Content-Type': MULTIPART, 'Content-Length': '1000' },
    sent: `${PART_HEAD}half`,
  },
  {
    title: 'a multipart body after the closing delimiter',
    headers: { 'Content-Type': MULTIPART, 'Content-Length': '1000' },
    sent: `${PART_HEAD}whole\r\n--${BOUNDARY}--\r\n`,
  },
  {
    title: 'a JSON body',
    headers: { 'Content-Type': 'application/json', 'Content-Length': '100' },
    sent: '{"filename":"eHh4eHh4',
  },
];

for (const { title, headers, sent } of CUT_BODIES) {
  test(`An incomplete upload leaves nothing when ${title} is cut off`, async () => {
    const folder = await makeFolder(main);
    for (const cut of ['end', 'close', 'reset'] as const) {
      using wire = await openWire(main.base);
      wire.write(contentHead(main, 'POST', '/files', { FolderId: folder.Id, FileName: cut, ...headers }) + sent);
      await untilOthersAreAnswered(main);
      wire[cut]();
      if (cut === 'end') await assertNotSaved(wire.answer());
    }
    await untilOthersAreAnswered(main);
    await assertEmptyFolder(main, folder);
  });
}

test('A file is not visible before all of it has arrived', async () => {
  const folder = await makeFolder(main);
  using wire = await openWire(main.base);
  const at = { FolderId: folder.Id, FileName: 'slow', 'Content-Length': '200000' };
  wire.write(contentHead(main, 'POST', '/files', at) + 'x'.repeat(199_999));
  await untilOthersAreAnswered(main);
  await assertEmptyFolder(main, folder);
  wire.write('y');
  const { File } = toSaved(await wire.answer());
  assert.deepEqual(await listFolder(main, folder.Id), [File]);
  assert.equal(File.Size, 200_000);
});

const BYTES = Buffer.from('the file itself');
const OTHER = Buffer.from('other bytes');
const sha256 = (bytes: Uint8Array): string => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('base64');

test('Repr-Digest is compared with the file, Content-Digest and Content-MD5 with the body', async () => {
  const folder = await makeFolder(main);
  const body = multipart([filePart(BYTES)]);
  const right: Headers[] = [
    { 'Repr-Digest': sha256(BYTES) },
    { 'Content-Digest': sha256(body) },
    { 'Content-MD5': md5(body) },
    { 'Repr-Digest': sha256(BYTES), 'Content-Digest': sha256(body), 'Content-MD5': md5(body) },
  ];
  const wrong: Headers[] = [
    { 'Repr-Digest': sha256(body) },
    { 'Content-Digest': sha256(BYTES) },
    { 'Content-MD5': md5(BYTES) },
    { 'Repr-Digest': sha256(BYTES), 'Content-Digest': sha256(BYTES) },
  ];
  const at = { FolderId: folder.Id, FileName: 'a', 'Content-Type': MULTIPART };
  for (const digest of wrong) assertRefusal(await postFile(main, { ...at, ...digest }, body), 400, 'DigestMismatch');
  await assertEmptyFolder(main, folder);
  for (const digest of right) toSaved(await postFile(main, { ...at, ...digest }, body));
});

test('Digests are checked for raw, large and base64 bodies', async () => {
  const folder = await makeFolder(main);
  const large = Buffer.alloc(300_000, 'large');
  const json = Buffer.from(JSON.stringify({ filename: BYTES.toString('base64') }));
  const cases: { type: string; body: Buffer; file: Buffer }[] = [
    { type: 'text/plain', body: BYTES, file: BYTES },
    { type: 'text/plain', body: large, file: large },
    { type: 'application/json', body: json, file: BYTES },
  ];
  for (const { type, body, file } of cases) {
    const at = { FolderId: folder.Id, FileName: `${type.replace('/', ' ')} ${body.length}`, 'Content-Type': type };
    for (const wrong of [
      { 'Repr-Digest': sha256(OTHER) },
      { 'Content-Digest': sha256(OTHER) },
      { 'Content-MD5': md5(OTHER) },
    ]) {
      assertRefusal(await postFile(main, { ...at, ...wrong }, body), 400, 'DigestMismatch');
    }
    assert.equal(
      (await listFolder(main, folder.Id)).some((entry) => entry.Name === at.FileName),
      false,
    );
    toSaved(await postFile(main, { ...at, 'Repr-Digest': sha256(file), 'Content-Digest': sha256(body) }, body));
  }
});

test('A digest field may be sent on several lines', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a' };
  for (const name of ['Content-Digest', 'Repr-Digest']) {
    const other = 'sha-512=:AAAA:';
    for (const lines of [
      [other, sha256(BYTES)],
      [sha256(BYTES), other],
      [sha256(BYTES), sha256(BYTES)],
      // Of a key that comes twice the last counts (RFC 8941).
      [sha256(OTHER), sha256(BYTES)],
      ['sha-256=:AAAA:', sha256(BYTES)],
    ]) {
      toSaved(await postFile(main, { ...at, [name]: lines }, BYTES));
    }
    for (const lines of [
      [other, sha256(OTHER)],
      [sha256(OTHER), other],
      [sha256(BYTES), sha256(OTHER)],
    ]) {
      assertRefusal(await postFile(main, { ...at, [name]: lines }, BYTES), 400, 'DigestMismatch');
    }
  }
});

test('A wrong digest leaves an existing file as it was', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a' };
  const { File } = await saveFile(main, at, 'first');
  const answer = await postFile(main, { ...at, 'Repr-Digest': sha256(BYTES) }, 'second');
  assertRefusal(answer, 400, 'DigestMismatch');
  assert.deepEqual(await listFolder(main, folder.Id), [File]);
  assert.equal((await download(main, File.Id)).toString(), 'first');
});

test('A query string changes nothing', async () => {
  const folder = await makeFolder(main);
  const headers = { FolderId: folder.Id, FileName: 'a' };
  toSaved(await call(main, '/files?FolderId=other&x=1', { method: 'POST', headers, body: 'x' }));
});

async function assertNotSaved(answer: Promise<{ status: number }>): Promise<void> {
  const status = await answer.then((whole) => whole.status).catch(() => 0);
  assert.notEqual(status, 200, 'half a file was answered with 200');
}

function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
