// Versions (docs/contract.md §10.7): list, read, restore, delete, comment; and `PUT` of a new one (docs/contract.md §4.5).

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal, type Entry, must } from './assertions.ts';
import { call, makeFolder, postFile, readFolder, saveFile, signIn, untilLater } from './client.ts';
import { askPut, askVersion, change, listPages, listVersions, put, readNext, show, type Version } from './life.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const reader = await signIn('Reader');
const stranger = await signIn('Stranger');
const neighbourUser = `app:${neighbour.application.Name}`;
const LARGE = 'large '.repeat(30_000);

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A file whose versions hold these texts, the first as version 1. */
async function makeFile(...texts: string[]): Promise<{ folder: Entry; file: Entry }> {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'file.txt', 'Content-Type': 'text/plain' };
  let file: Entry | undefined;
  for (const text of texts) file = (await saveFile(main, at, text)).File;
  return { folder, file: must(file, 'file') };
}

async function read(id: string, version?: number): Promise<string> {
  const answer = await call(main, `/files/${id}/content${version === undefined ? '' : `?version=${version}`}`);
  assert.equal(answer.status, 200, answer.body.toString());
  return answer.body.toString();
}

function toNumbers(versions: Version[]): number[] {
  return versions.map(({ Version }) => Version);
}

test('Versions are listed newest first, each with its size, type, digest, time and actor', async () => {
  const { file, folder } = await makeFile('one', LARGE);
  await untilLater();
  const at = { FolderId: folder.Id, FileName: 'file.txt', 'Content-Type': 'text/markdown' };
  const { File } = await saveFile(neighbour, at, 'three');
  const versions = await listVersions(main, file.Id);
  assert.deepEqual(toNumbers(versions), [3, 2, 1]);
  assert.deepEqual(
    versions.map(({ Size }) => Size),
    [5, LARGE.length, 3],
  );
  assert.deepEqual(
    versions.map(({ Sha256 }) => Sha256),
    [digest('three'), digest(LARGE), digest('one')],
  );
  assert.deepEqual(
    versions.map(({ ContentType }) => ContentType),
    ['text/markdown', 'text/plain', 'text/plain'],
  );
  assert.deepEqual(
    versions.map(({ CreatedBy }) => CreatedBy),
    [neighbourUser, file.CreatedBy, file.CreatedBy],
  );
  assert.equal(versions[0]?.CreatedAt, File.ModifiedAt);
  assert.equal(versions[2]?.CreatedAt, file.CreatedAt);
  for (const [index, text] of ['one', LARGE, 'three'].entries()) assert.equal(await read(file.Id, index + 1), text);
});

test('Versions are paged, and an invalid limit or cursor is 400', async () => {
  const texts = ['1', '2', '3', '4', '5', '6', '7'];
  const { file } = await makeFile(...texts);
  const { file: other } = await makeFile(...texts);
  for (const limit of [1, 2, 3, 7, 8, 1000]) {
    const pages = await listPages<Version>(main, `/files/${file.Id}/versions?limit=${limit}`, 'Versions');
    assert.deepEqual(toNumbers(pages.flat()), [7, 6, 5, 4, 3, 2, 1]);
    assert.equal(pages.length, Math.ceil(7 / limit));
  }
  for (const limit of ['0', '1001', 'abc', '-1', '']) {
    assertRefusal(await call(main, `/files/${file.Id}/versions?limit=${limit}`), 400, 'InvalidField');
  }
  const next = must(readNext(await call(main, `/files/${file.Id}/versions?limit=2`)), 'link');
  const cursor = must(new URL(next, main.base).searchParams.get('cursor'), 'cursor');
  for (const wrong of ['x', '', `A${cursor}`, cursor.slice(1)]) {
    assertRefusal(await call(main, `/files/${file.Id}/versions?cursor=${wrong}`), 400, 'InvalidCursor');
  }
  assertRefusal(await call(main, `/files/${other.Id}/versions?cursor=${cursor}`), 400, 'InvalidCursor');
});

test('PUT saves a new version and answers like a save and like GET /entries', async () => {
  const { folder, file } = await makeFile('one');
  await untilLater();
  for (const text of ['second', LARGE, '']) {
    const before = await show(main, file.Id);
    const answered = await put(neighbour, file.Id, text, { 'Content-Type': 'text/plain' });
    const { Entry, Path, ETag, Sha256, Version, Folder } = answered;
    const { ModifiedAt } = Entry;
    assert.deepEqual(Entry, { ...file, Size: text.length, ModifiedAt, ModifiedBy: neighbourUser });
    assert.deepEqual([Sha256, Version], [digest(text), must(before.Version, 'version') + 1]);
    assert.equal(Path, `/${folder.Name}/file.txt`);
    assert.notEqual(ETag, before.ETag);
    assert.deepEqual(Folder, { ...folder, Size: text.length });
    assert.deepEqual(await show(main, file.Id), { Entry, Path, ETag, Sha256, Version });
    assert.equal(await read(file.Id), text);
  }
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [4, 3, 2, 1]);
});

test('Prefer: return=minimal on PUT answers the file alone', async () => {
  const { folder, file } = await makeFile('one');
  await saveFile(main, { FolderId: folder.Id, FileName: 'beside' }, 'x');
  const whole = await put(main, file.Id, 'two', {});
  assert.equal(whole.Children.length, 2);
  const minimal = await put(main, file.Id, 'three', { Prefer: 'return=minimal' });
  assert.deepEqual(
    minimal.Children.map(({ Id }) => Id),
    [file.Id],
  );
});

test('PUT refuses part of a file', async () => {
  const { folder, file } = await makeFile('whole');
  const piece = { 'Content-Range': 'bytes 0-1/5' };
  const putting = await call(main, `/files/${file.Id}/content`, { method: 'PUT', headers: piece, body: 'wh' });
  assertRefusal(putting, 400, 'InvalidHeader');
  assertRefusal(await postFile(main, { FolderId: folder.Id, FileName: 'b', ...piece }, 'wh'), 400, 'InvalidHeader');
  assert.equal(await read(file.Id), 'whole');
});

test('PUT refuses a form with a file in it', async () => {
  const { file } = await makeFile('as it was');
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const body = '--x\r\nContent-Disposition: form-data; name="filename"; filename="a"\r\n\r\nbytes\r\n--x--\r\n';
  const refused = await call(main, `/files/${file.Id}/content`, { method: 'PUT', headers, body });
  assert.match(String(assertRefusal(refused, 400, 'InvalidBody').Hint), /bytes/);
  assert.equal(await read(file.Id), 'as it was');
});

test('Identical content never adds a version, however it is sent', async () => {
  const { folder, file } = await makeFile('one', 'two');
  const before = await show(main, file.Id);
  const versions = await listVersions(main, file.Id);
  await untilLater();
  await put(neighbour, file.Id, 'two', { 'Content-Type': 'text/plain' });
  await saveFile(neighbour, { FolderId: folder.Id, FileName: 'file.txt', 'Content-Type': 'text/plain' }, 'two');
  assert.equal((await askVersion(neighbour, file.Id, 2, 'restore')).status, 200);
  assert.deepEqual(await show(main, file.Id), before);
  assert.deepEqual(await listVersions(main, file.Id), versions);
  await put(main, file.Id, 'one', { 'Content-Type': 'text/plain' });
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [3, 2, 1], 'what is not current is not identical');
});

test('The content type of a PUT is the declared one, else by bytes, else by name', async () => {
  const { file } = await makeFile('one');
  assert.equal((await put(main, file.Id, 'a', { 'Content-Type': 'text/x-a' })).Entry.ContentType, 'text/x-a');
  assert.equal((await put(main, file.Id, '%PDF-1.7\n%')).Entry.ContentType, 'application/pdf');
  const named = await put(main, file.Id, 'c', { 'Content-Type': 'application/octet-stream' });
  assert.equal(named.Entry.ContentType, 'text/plain');
  assert.deepEqual(
    (await listVersions(main, file.Id)).map(({ ContentType }) => ContentType),
    ['text/plain', 'application/pdf', 'text/x-a', 'text/plain'],
  );
});

test('If-Match on PUT compares the ETag of the content', async () => {
  const { file } = await makeFile('one');
  const contentTag = async (): Promise<string> => String((await call(main, `/files/${file.Id}/content`)).headers.etag);
  const first = await contentTag();
  await change(main, file.Id, { Properties: { a: '1' } });
  await put(main, file.Id, 'two', { 'If-Match': first });
  const second = await contentTag();
  assert.notEqual(second, first);
  const { ETag } = await show(main, file.Id);
  for (const header of [first, ETag, '"x"', `W/${second}`]) {
    for (const text of ['three', LARGE, 'two']) {
      assertRefusal(await askPut(main, file.Id, text, { 'If-Match': header }), 400, 'PreconditionFailed');
    }
  }
  assert.equal(await read(file.Id), 'two');
  await put(main, file.Id, 'three', { 'If-Match': `"x", ${second}` });
  await put(main, file.Id, 'four', { 'If-Match': '*' });
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [4, 3, 2, 1]);
});

test('Of 20 concurrent PUTs with one ETag exactly one succeeds; without an ETag all do', async () => {
  const { file, folder } = await makeFile('one');
  const { etag } = (await call(main, `/files/${file.Id}/content`)).headers;
  const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
  const answers = await Promise.all(texts.map((text) => askPut(main, file.Id, text, { 'If-Match': String(etag) })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 400, 'PreconditionFailed');
  const won = answers.findIndex(({ status }) => status === 200);
  assert.equal(await read(file.Id), texts[won]);
  await Promise.all(texts.map((text) => put(main, file.Id, `${text} again and longer`)));
  const versions = await listVersions(main, file.Id);
  assert.deepEqual(
    toNumbers(versions),
    Array.from({ length: 22 }, (_, index) => 22 - index),
  );
  assert.equal((await readFolder(main, folder.Id)).Folder.Size, versions[0]?.Size);
});

test('Restoring adds a version with the old content, and the old one stays', async () => {
  const { file, folder } = await makeFile('one', LARGE, 'three');
  await untilLater();
  const before = await show(main, file.Id);
  assert.equal((await askVersion(neighbour, file.Id, 1, 'restore')).status, 200);
  const after = await show(main, file.Id);
  assert.deepEqual([after.Version, after.Sha256, after.Entry.Size], [4, digest('one'), 3]);
  assert.equal(after.Entry.ModifiedBy, neighbourUser);
  assert.notEqual(after.ETag, before.ETag);
  assert.ok(after.Entry.ModifiedAt > before.Entry.ModifiedAt);
  assert.equal(await read(file.Id), 'one');
  assert.equal((await askVersion(main, file.Id, 2, 'restore')).status, 200);
  assert.equal(await read(file.Id), LARGE);
  const versions = await listVersions(main, file.Id);
  assert.deepEqual(
    versions.map(({ Size }) => Size),
    [LARGE.length, 3, 5, LARGE.length, 3],
  );
  assert.equal(versions[1]?.CreatedBy, neighbourUser);
  assert.equal((await readFolder(main, folder.Id)).Folder.Size, LARGE.length);
});

test('Restoring a version restores its content type', async () => {
  const { file } = await makeFile('one');
  await put(main, file.Id, 'two', { 'Content-Type': 'text/markdown' });
  await askVersion(main, file.Id, 1, 'restore');
  assert.equal((await show(main, file.Id)).Entry.ContentType, 'text/plain');
});

test('An old version can be deleted; the current one is 400 VersionIsCurrent', async () => {
  const { file, folder } = await makeFile('one', 'two', 'three');
  const before = await show(main, file.Id);
  assertRefusal(await askVersion(main, file.Id, 3, 'DELETE'), 400, 'VersionIsCurrent');
  assert.equal((await askVersion(main, file.Id, 2, 'DELETE')).status, 200);
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [3, 1]);
  assertRefusal(await call(main, `/files/${file.Id}/content?version=2`), 404, 'VersionNotFound');
  assertRefusal(await askVersion(main, file.Id, 2, 'DELETE'), 404, 'VersionNotFound');
  assertRefusal(await askVersion(main, file.Id, 2, 'restore'), 404, 'VersionNotFound');
  assertRefusal(await askVersion(main, file.Id, 2, { Comment: 'x' }), 404, 'VersionNotFound');
  assert.equal(await read(file.Id, 1), 'one');
  const after = await show(main, file.Id);
  assert.deepEqual([after.Entry.Size, after.Version, after.Sha256], [5, 3, before.Sha256]);
  assert.equal((await readFolder(main, folder.Id)).Folder.Size, 5);
});

test('Version numbers are never reused', async () => {
  const { file } = await makeFile('one', 'two', 'three');
  await askVersion(main, file.Id, 1, 'restore');
  for (const version of [3, 2, 1]) assert.equal((await askVersion(main, file.Id, version, 'DELETE')).status, 200);
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [4]);
  assert.equal((await put(main, file.Id, 'five')).Version, 5);
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [5, 4]);
  assert.equal(await read(file.Id, 4), 'one');
});

test('Bytes of a deleted version that another version shares stay readable', async () => {
  const { file } = await makeFile(LARGE, 'two', LARGE, 'four');
  await askVersion(main, file.Id, 1, 'DELETE');
  assert.equal(await read(file.Id, 3), LARGE);
});

test('A comment is sent with a version as percent-encoded UTF-8', async () => {
  const { folder, file } = await makeFile('one');
  const comment = 'Geprüft, 100 % 👍\nzweite Zeile';
  await put(main, file.Id, 'two', { Comment: encodeURIComponent(comment) });
  const at = { FolderId: folder.Id, FileName: 'file.txt', Comment: 'saved' };
  await saveFile(main, at, 'three');
  await put(main, file.Id, 'four');
  const versions = await listVersions(main, file.Id);
  assert.deepEqual(
    versions.map(({ Comment }) => Comment ?? null),
    [null, 'saved', comment, null],
  );
  const created = await postFile(main, { ...at, FileName: 'new', Comment: 'first' }, 'x');
  const [first] = await listVersions(main, String(created.headers.entryid));
  assert.equal(first?.Comment, 'first');
});

test('A comment has up to 1000 characters, counted as code points', async () => {
  const { file } = await makeFile('one');
  const longest = '😀'.repeat(1000);
  const putWith = (bytes: string, comment: string) =>
    askPut(main, file.Id, bytes, { Comment: encodeURIComponent(comment) });
  assert.equal((await putWith('two', longest)).status, 200);
  assertRefusal(await putWith('three', `${longest}!`), 400, 'InvalidField');
  assert.equal((await listVersions(main, file.Id))[0]?.Comment, longest);
});

test('A comment that is not UTF-8 is 400 InvalidHeader with its header, and nothing is saved', async () => {
  const { folder, file } = await makeFile('one');
  const at = { FolderId: folder.Id, FileName: 'file.txt' };
  for (const Comment of ['%FF', 'caf\xe9', "UTF-8''%E9"]) {
    for (const answer of [
      await askPut(main, file.Id, 'two', { Comment }),
      await postFile(main, { ...at, Comment }, 'two'),
    ]) {
      assert.equal(assertRefusal(answer, 400, 'InvalidHeader').Target, 'Comment');
    }
  }
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [1]);
});

test('A comment of any version can be set, changed and removed later, and adds no version', async () => {
  const { file } = await makeFile('one', 'two');
  for (const version of [1, 2]) {
    for (const comment of ['first', 'zweiter é 👍', null]) {
      const answer = await askVersion(main, file.Id, version, { Comment: comment });
      assert.equal(answer.status, 200, answer.body.toString());
      const found = (await listVersions(main, file.Id)).find(({ Version }) => Version === version);
      assert.equal(found?.Comment ?? null, comment);
    }
  }
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [2, 1]);
  for (const comment of [1, {}, ['x']]) {
    assertRefusal(await askVersion(main, file.Id, 1, { Comment: comment }), 400, 'InvalidField');
  }
  for (const body of ['', '{', '[]']) {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await call(main, `/files/${file.Id}/versions/1`, { method: 'PATCH', headers, body });
    assertRefusal(answer, 400, 'InvalidBody');
  }
});

test('An unknown version is 404 VersionNotFound', async () => {
  const { file } = await makeFile('one');
  for (const how of ['restore', 'DELETE', { Comment: 'x' }] as const) {
    for (const version of ['2', '999999999']) {
      assertRefusal(await askVersion(main, file.Id, version, how), 404, 'VersionNotFound');
    }
    for (const version of ['0', '-1', 'x', '1.5', '01', '1e3', '%00', '99999999999999999999']) {
      const answer = await askVersion(main, file.Id, version, how);
      assertRefusal(answer, answer.status === 400 ? 400 : 404, /^(VersionNotFound|InvalidField)$/);
    }
  }
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [1]);
});

test('Versions of folders, unknown files and foreign files are 404', async () => {
  const { file, folder } = await makeFile('one', 'two');
  for (const id of [folder.Id, randomUUID(), 'nothing', '-root-']) {
    assertRefusal(await call(main, `/files/${id}/versions`), 404, 'FileNotFound');
    assertRefusal(await askPut(main, id, 'x'), 404, 'FileNotFound');
    for (const how of ['restore', 'DELETE', { Comment: 'x' }] as const) {
      assertRefusal(await askVersion(main, id, 1, how), 404, 'FileNotFound');
    }
  }
  assertRefusal(await call(stranger, `/files/${file.Id}/versions`), 404, 'FileNotFound');
  assertRefusal(await askPut(stranger, file.Id, 'x'), 404, 'FileNotFound');
  assertRefusal(await askVersion(stranger, file.Id, 1, 'restore'), 404, 'FileNotFound');
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [2, 1]);
});

test('content.read is sufficient to list versions, and not to add, restore, comment or delete them', async () => {
  const { file } = await makeFile('one', 'two');
  assert.equal((await listVersions(reader, file.Id)).length, 2);
  assertRefusal(await askPut(reader, file.Id, 'x'), 403, 'InsufficientScope');
  for (const how of ['restore', 'DELETE', { Comment: 'x' }] as const) {
    assertRefusal(await askVersion(reader, file.Id, 1, how), 403, 'InsufficientScope');
  }
});

test('A wrong digest on PUT is 400 DigestMismatch, and nothing is saved', async () => {
  const { file } = await makeFile('one');
  const wrong = `sha-256=:${createHash('sha256').update('other').digest('base64')}:`;
  assertRefusal(await askPut(main, file.Id, 'two', { 'Repr-Digest': wrong }), 400, 'DigestMismatch');
  assertRefusal(await askPut(main, file.Id, LARGE, { 'Content-Digest': wrong }), 400, 'DigestMismatch');
  assert.deepEqual(toNumbers(await listVersions(main, file.Id)), [1]);
});
