// List a folder page by page (docs/contract.md §10.2) and download a whole file (docs/contract.md §10.3).

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal, type Entry, UUID } from './assertions.ts';
import {
  call,
  createFolder,
  download,
  followLinks,
  listFolder,
  makeFolder,
  readFolder,
  saveFile,
  signIn,
} from './client.ts';

const main = await signIn('Main');
const FOLDERS = ['b', 'a', 'c'];
const FILES = ['z.txt', 'a.txt', 'm.txt', 'M.txt', 'é.txt'];
const IN_ORDER = ['a', 'b', 'c', 'M.txt', 'a.txt', 'm.txt', 'z.txt', 'é.txt'];

test('A folder is listed as the envelope with its children in order', async () => {
  const folder = await fill();
  const { Folder, Children } = await readFolder(main, folder.Id);
  assert.deepEqual(Folder, { ...folder, Size: FILES.join('').length + 1 });
  assert.deepEqual(toNames(Children), IN_ORDER);
});

test('Pages of every size list everything once and in order, and all but the last are full', async () => {
  const folder = await fill();
  for (const limit of [1, 2, 3, 7, 8, 9, 1000]) {
    const first = await call(main, `/folders/${folder.Id}?limit=${limit}`);
    const pages = [assertEnvelope(first).Children, ...(await followLinks(main, first))];
    assert.deepEqual(toNames(pages.flat()), IN_ORDER);
    for (const page of pages.slice(0, -1)) assert.equal(page.length, limit);
    assert.equal(pages.length, Math.ceil(IN_ORDER.length / limit));
  }
});

test('A page has 100 entries without a limit', async () => {
  const folder = await makeFolder(main);
  const names = Array.from({ length: 101 }, (_, index) => `folder ${index}`);
  await Promise.all(names.map((name) => createFolder(main, folder.Id, name)));
  assert.equal((await readFolder(main, folder.Id)).Children.length, 100);
  assert.equal((await listFolder(main, folder.Id)).length, 101);
});

test('Saves between two pages neither repeat nor hide entries', async () => {
  const folder = await fill();
  const first = await call(main, `/folders/${folder.Id}?limit=4`);
  await createFolder(main, folder.Id, '0 before the page');
  await saveFile(main, { FolderId: folder.Id, FileName: 'zz after the page' }, 'x');
  const rest = (await followLinks(main, first)).flat();
  const expected = IN_ORDER.slice(4).toSpliced(-1, 0, 'zz after the page');
  assert.deepEqual(toNames(rest), expected);
});

test('A limit outside 1 to 1000 and an unknown cursor are 400', async () => {
  const folder = await makeFolder(main);
  for (const limit of ['0', '-1', '1001', 'x', '', '1.5', '1e2', '99999999999999999999', '%00']) {
    assertRefusal(await call(main, `/folders/${folder.Id}?limit=${limit}`), 400, /./);
  }
  for (const cursor of ['x', '-1', 'AAAA', '%ff', '..', "' OR 1=1", 'e30', 'bnVsbA', 'x'.repeat(3000)]) {
    assertRefusal(await call(main, `/folders/${folder.Id}?cursor=${encodeURIComponent(cursor)}`), 400, /./);
  }
});

test('A download has the bytes, their digest, their type and a safe disposition', async () => {
  const folder = await makeFolder(main);
  for (const bytes of ['<script>alert(1)</script>', 'x'.repeat(200_000)]) {
    const at = { FolderId: folder.Id, FileName: `"Prüfung" ${bytes.length}.html`, 'Content-Type': 'text/html' };
    const { File } = await saveFile(main, at, bytes);
    const answer = await call(main, `/files/${File.Id}/content`);
    assert.equal(answer.status, 200);
    assert.equal(answer.body.toString(), bytes);
    assert.equal(answer.headers['content-length'], String(bytes.length));
    assert.match(answer.headers['content-type'] ?? '', /^text\/html\b/);
    const digest = createHash('sha256').update(bytes).digest('base64');
    assert.equal(answer.headers['repr-digest'], `sha-256=:${digest}:`);
    assert.match(String(answer.headers.etag), /^"[^"]+"$/);
    assert.match(String(answer.headers['content-disposition']), /^attachment; .*filename\*=UTF-8''%22Pr%C3%BCfung%22/);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    assert.match(String(answer.headers['content-security-policy']), /sandbox/);
    assert.match(String(answer.headers.requesttrackingid), UUID);
  }
});

test('The disposition has the exact file name, and an ASCII fallback for old clients', async () => {
  const folder = await makeFolder(main);
  const names = [
    '😀 👨‍👩‍👧',
    "it's (1)*!~`",
    '100% %41 %zz',
    'a; filename=b',
    '日本語.txt',
    'e\u0301',
    '{}<>|^[]#&+=,@$',
  ];
  for (const name of names) {
    const { File } = await saveFile(main, { FolderId: folder.Id, FileName: name }, 'x');
    assert.equal(File.Name, name);
    const disposition = String((await call(main, `/files/${File.Id}/content`)).headers['content-disposition']);
    const [, plain, exact] = /^attachment; filename="([ -~]*)"; filename\*=UTF-8''(.*)$/.exec(disposition) ?? [];
    assert.doesNotMatch(plain ?? '"', /["\\%]/, disposition);
    // RFC 8187: attr-char and percent-encoded octets, nothing else.
    assert.match(exact ?? ' ', /^(?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-F]{2})+$/, disposition);
    assert.equal(decodeURIComponent(exact ?? ''), name);
  }
});

test('A folder has no content to download', async () => {
  const folder = await makeFolder(main);
  const answer = await call(main, `/files/${folder.Id}/content`);
  assertRefusal(answer, answer.status, /^(FileNotFound|EntryNotFound|NotAFile)$/);
});

test('A download serves the current version', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a' };
  const { File } = await saveFile(main, at, 'old');
  await saveFile(main, at, 'new');
  assert.equal((await download(main, File.Id)).toString(), 'new');
});

async function fill(): Promise<Entry> {
  const folder = await makeFolder(main);
  for (const name of FOLDERS) await createFolder(main, folder.Id, name);
  for (const name of FILES) await saveFile(main, { FolderId: folder.Id, FileName: name }, name);
  return folder;
}

function toNames(entries: Entry[]): string[] {
  return entries.map((entry) => entry.Name);
}
