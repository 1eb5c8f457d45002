// Download a file (docs/contract.md §10.3): ranges, conditions and versions as in RFC 9110.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertRefusal, type Entry } from './assertions.ts';
import { type Answer, call, makeFolder, saveFile, signIn } from './client.ts';

const main = await signIn('Main');
const SMALL = Buffer.from('0123456789');
/** Over several MiB, none of them alike, and not a round number. */
const LARGE = Buffer.alloc(3 * 1024 * 1024 + 777);
for (let at = 0; at < LARGE.length; at += 4)
  LARGE.writeUInt32LE((at * 2654435761) >>> 0, Math.min(at, LARGE.length - 4));

async function save(bytes: Buffer, name = 'a.bin'): Promise<Entry> {
  const folder = await makeFolder(main);
  return (await saveFile(main, { FolderId: folder.Id, FileName: name }, bytes)).File;
}

function get(file: Entry, headers: Record<string, string> = {}, query = '', method = 'GET'): Promise<Answer> {
  return call(main, `/files/${file.Id}/content${query}`, { method, headers });
}

const files = { small: await save(SMALL), large: await save(LARGE) };

test('A range is exactly those bytes of small and large files, across every block boundary', async () => {
  const mib = 1024 * 1024;
  const cases: [Entry, Buffer, number, number][] = [
    [files.small, SMALL, 0, 0],
    [files.small, SMALL, 3, 7],
    [files.small, SMALL, 9, 9],
    [files.large, LARGE, 0, 0],
    [files.large, LARGE, mib - 1, mib],
    [files.large, LARGE, mib, 2 * mib - 1],
    [files.large, LARGE, 5, 3 * mib + 5],
    [files.large, LARGE, 3 * mib, LARGE.length - 1],
    [files.large, LARGE, LARGE.length - 1, LARGE.length - 1],
  ];
  for (const [file, bytes, first, last] of cases) {
    const answer = await get(file, { Range: `bytes=${first}-${last}` });
    assert.equal(answer.status, 206);
    assert.equal(answer.headers['content-range'], `bytes ${first}-${last}/${bytes.length}`);
    assert.equal(answer.headers['content-length'], String(last - first + 1));
    assert.ok(answer.body.equals(bytes.subarray(first, last + 1)), `${first}-${last}`);
  }
});

test('A range may be open-ended or count from the end', async () => {
  assert.equal(String((await get(files.small, { Range: 'bytes=7-' })).body), '789');
  assert.equal(String((await get(files.small, { Range: 'bytes=-3' })).body), '789');
  assert.equal(String((await get(files.small, { Range: 'bytes=5-500' })).body), '56789');
});

test('Several ranges are sent as parts with their positions', async () => {
  const answer = await get(files.large, { Range: 'bytes=0-3, 1048570-1048580, -4' });
  assert.equal(answer.status, 206);
  const [, boundary] = /^multipart\/byteranges; boundary=(\S+)$/.exec(String(answer.headers['content-type'])) ?? [];
  assert.equal(answer.headers['content-length'], String(answer.body.length));
  const parts = answer.body.toString('latin1').split(`\r\n--${boundary}`).slice(1);
  assert.equal(parts.pop(), '--\r\n');
  const expected = [
    [0, 4],
    [1048570, 1048581],
    [LARGE.length - 4, LARGE.length],
  ] as const;
  assert.equal(parts.length, expected.length);
  for (const [index, [start, end]] of expected.entries()) {
    const [head = '', ...body] = (parts[index] ?? '').split('\r\n\r\n');
    assert.match(head, new RegExp(`Content-Range: bytes ${start}-${end - 1}/${LARGE.length}`));
    assert.ok(Buffer.from(body.join('\r\n\r\n'), 'latin1').equals(LARGE.subarray(start, end)));
  }
});

test('A range beyond the end is 416, and an unknown range is ignored', async () => {
  const behind = await get(files.small, { Range: 'bytes=10-' });
  assert.equal(behind.status, 416);
  assert.equal(behind.headers['content-range'], 'bytes */10');
  assert.equal(behind.body.length, 0);
  for (const Range of ['items=0-1', 'bytes=5-2', 'bytes=x', 'bytes=0-9,0-9']) {
    const answer = await get(files.small, { Range });
    assert.equal(answer.status, 200, Range);
    assert.ok(answer.body.equals(SMALL));
  }
});

test('The ETag is the digest; conditions compare it before the date', async () => {
  const { headers } = await get(files.small);
  const etag = `"${createHash('sha256').update(SMALL).digest('base64')}"`;
  assert.equal(headers.etag, etag);
  assert.equal(headers['accept-ranges'], 'bytes');
  const modified = String(headers['last-modified']);
  const before = new Date(Date.parse(modified) - 60_000).toUTCString();
  const cases: [Record<string, string>, number][] = [
    [{ 'If-None-Match': etag }, 304],
    [{ 'If-None-Match': `W/${etag}` }, 304],
    [{ 'If-None-Match': `"x", ${etag}` }, 304],
    [{ 'If-None-Match': '*' }, 304],
    [{ 'If-None-Match': '"x"' }, 200],
    [{ 'If-Modified-Since': modified }, 304],
    [{ 'If-Modified-Since': before }, 200],
    [{ 'If-Modified-Since': 'no date' }, 200],
    [{ 'If-Modified-Since': '2099-01-01' }, 200],
    [{ 'If-Modified-Since': 'Thursday, 01-Jan-60 00:00:00 GMT' }, 304],
    [{ 'If-Modified-Since': 'Thu Jan  1 00:00:00 2099' }, 304],
    [{ 'If-None-Match': '"x"', 'If-Modified-Since': modified }, 200],
    [{ 'If-Match': etag }, 200],
    [{ 'If-Match': '*' }, 200],
    [{ 'If-Match': '"x"' }, 412],
    [{ 'If-Match': `W/${etag}` }, 412],
    [{ 'If-Unmodified-Since': modified }, 200],
    [{ 'If-Unmodified-Since': before }, 412],
    [{ 'If-Unmodified-Since': '1' }, 200],
    [{ 'If-Unmodified-Since': '2001-01-01' }, 200],
    [{ 'If-Unmodified-Since': 'Mon Jan  1 00:00:00 2001' }, 412],
    [{ 'If-Match': '"x"', 'If-None-Match': etag }, 412],
  ];
  for (const [headers, status] of cases) {
    const answer = await get(files.small, headers);
    assert.equal(answer.status, status, JSON.stringify(headers));
    assert.equal(answer.headers.etag, etag);
    assert.equal(answer.body.length, status === 200 ? 10 : 0);
    assert.match(String(answer.headers.requesttrackingid), /^[0-9a-f-]{36}$/);
  }
});

test('If-Range sends the range if the file is unchanged, otherwise the whole file', async () => {
  const { headers } = await get(files.small);
  const Range = 'bytes=0-1';
  const modified = String(headers['last-modified']);
  for (const [condition, status] of [
    [String(headers.etag), 206],
    ['"x"', 200],
    [`W/${headers.etag}`, 200],
    [modified, 206],
    [new Date(Date.parse(modified) + 1000).toUTCString(), 200],
    [new Date(modified).toISOString(), 200],
    ['nonsense', 200],
  ] as const) {
    assert.equal((await get(files.small, { Range, 'If-Range': condition })).status, status, condition);
  }
});

test('If-Range with a date that two versions share sends the whole file', async () => {
  for (let attempt = 0; ; attempt += 1) {
    // Both within one second; where they are not, it is tried again early in one.
    if (attempt > 0) await sleep(1000 - (Date.now() % 1000));
    const folder = await makeFolder(main);
    const at = { FolderId: folder.Id, FileName: 'twice' };
    const { File: first } = await saveFile(main, at, SMALL);
    const { File: second } = await saveFile(main, at, SMALL.toReversed());
    const [one, two] = [first, second].map(({ ModifiedAt }) => new Date(ModifiedAt).toUTCString());
    if (one !== two && attempt < 20) continue;
    assert.equal(one, two);
    const headers = { Range: 'bytes=0-1', 'If-Range': String(two) };
    assert.equal((await get(second, headers)).status, 200);
    assert.equal((await call(main, `/files/${second.Id}/content?version=1`, { headers })).status, 200);
    return;
  }
});

test('HEAD sends the same headers without the bytes', async () => {
  const got = await get(files.large);
  // Ranges are for GET alone.
  for (const headers of [{}, { Range: 'bytes=2-3' }] as Record<string, string>[]) {
    const head = await get(files.large, headers, '', 'HEAD');
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
    for (const name of ['content-length', 'content-range', 'etag', 'content-type', 'last-modified']) {
      assert.equal(head.headers[name], got.headers[name], name);
    }
  }
});

test('Every version can be read, and an unknown version is 404', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'v.txt' };
  for (const text of ['one', 'two', 'three']) await saveFile(main, at, text);
  const { File } = await saveFile(main, at, 'four');
  for (const [index, text] of ['one', 'two', 'three', 'four'].entries()) {
    assert.equal(String((await get(File, {}, `?version=${index + 1}`)).body), text);
  }
  assert.equal(String((await get(File)).body), 'four');
  assert.equal(String((await get(File, { Range: 'bytes=1-2' }, '?version=3')).body), 'hr');
  assertRefusal(await get(File, {}, '?version=5'), 404, 'VersionNotFound');
  assertRefusal(await get({ ...File, Id: folder.Id }, {}, '?version=1'), 404, 'FileNotFound');
  for (const wrong of ['0', '-1', '1.5', 'x', '', '99999999999999999999']) {
    assertRefusal(await get(File, {}, `?version=${wrong}`), 400, 'InvalidField');
  }
});

test('An empty file is sent whole, and has no ranges', async () => {
  const empty = await save(Buffer.alloc(0));
  const answer = await get(empty);
  assert.deepEqual([answer.status, answer.body.length, answer.headers['content-length']], [200, 0, '0']);
  assert.equal((await get(empty, { Range: 'bytes=0-' })).status, 416);
});
