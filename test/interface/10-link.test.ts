// Links (docs/contract.md §10.11): short-lived addresses for clients that cannot send headers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { assertAnswer, assertRefusal, type Entry } from './assertions.ts';
import { type Answer, type Caller, call, type Headers, makeFolder, saveFile, send, signIn } from './client.ts';
import { target } from './target.ts';

const main = await signIn('Main');
const trackingId = '0199b7a4-0000-4000-8000-000000000001';

async function save(bytes: string | Buffer, name = 'a.txt', headers: Headers = {}): Promise<Entry> {
  const folder = await makeFolder(main);
  return (await saveFile(main, { ...headers, FolderId: folder.Id, FileName: name }, bytes)).File;
}

function askLink(caller: Caller, id: string, fields?: unknown): Promise<Answer> {
  const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fields) };
  return call(caller, `/files/${id}/link`, { method: 'POST', ...(fields !== undefined && json) });
}

type Link = { Url: string; ExpiresAt: string };

/** Path and query alone are used: a proxy may own the address. */
async function link(id: string, fields?: unknown): Promise<{ path: string; link: Link }> {
  const answer = await askLink(main, id, fields);
  assert.equal(answer.status, 200, answer.body.toString());
  const made = assertAnswer(answer) as Link;
  assert.deepEqual(Object.keys(made), ['Url', 'ExpiresAt']);
  assert.equal(new Date(made.ExpiresAt).toISOString(), made.ExpiresAt);
  return { path: new URL(made.Url).pathname, link: made };
}

function follow(path: string, headers: Headers = {}, method = 'GET'): Promise<Answer> {
  return send(main.base, path, { method, headers });
}

async function assertNowhere(path: string): Promise<void> {
  const expected = { Code: 'LinkNotFound', Message: 'This link does not exist, or can no longer be used.' };
  const answer = await follow(path, { requesttrackingid: trackingId });
  assertRefusal(answer, 404, 'LinkNotFound');
  assert.equal(answer.body.toString(), JSON.stringify({ Error: { ...expected, RequestTrackingId: trackingId } }));
  assert.equal((await follow(path, {}, 'HEAD')).status, 404);
}

test('A link needs no headers, lasts a minute, and serves an attachment that no browser executes', async () => {
  const file = await save('hello', 'Büro.html', { 'Content-Type': 'text/html' });
  const before = Date.now();
  const { path, link: made } = await link(file.Id);
  const expires = Date.parse(made.ExpiresAt) - 60_000;
  assert.ok(expires >= before - 1000 && expires <= Date.now() + 1000, `${made.ExpiresAt}, ${before}`);
  const { status, headers, body } = await follow(path);
  assert.equal(status, 200);
  assert.equal(body.toString(), 'hello');
  assert.equal(headers['content-type'], 'text/html');
  assert.equal(headers['content-disposition'], `attachment; filename="B_ro.html"; filename*=UTF-8''B%C3%BCro.html`);
  assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'no-referrer');
});

test('A link supports ranges, conditions and HEAD like a download', async () => {
  const { path } = await link((await save('0123456789')).Id);
  const { headers } = await follow(path);
  const range = await follow(path, { Range: 'bytes=2-4' });
  assert.deepEqual([range.status, range.body.toString()], [206, '234']);
  assert.equal(range.headers['content-range'], 'bytes 2-4/10');
  assert.equal((await follow(path, { Range: 'bytes=2-3,7-8' })).status, 206);
  assert.equal((await follow(path, { Range: 'bytes=10-' })).status, 416);
  assert.equal((await follow(path, { 'If-None-Match': String(headers.etag) })).status, 304);
  assert.equal((await follow(path, { 'If-Match': '"x"' })).status, 412);
  const head = await follow(path, {}, 'HEAD');
  assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, '10', 0]);
});

test('A link serves the version that was current, or the requested one', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'v.txt' };
  const { File } = await saveFile(main, at, 'one');
  const first = await link(File.Id);
  await saveFile(main, at, 'two');
  const second = await link(File.Id);
  const named = await link(File.Id, { Version: 1 });
  await saveFile(main, at, 'three');
  const texts = await Promise.all([first, second, named].map(async ({ path }) => String((await follow(path)).body)));
  assert.deepEqual(texts, ['one', 'two', 'one']);
  assertRefusal(await askLink(main, File.Id, { Version: 4 }), 404, 'VersionNotFound');
});

test('Inline is allowed for inert types; all others stay attachments', async () => {
  const cases = [
    ['a.png', 'image/png', 'inline'],
    ['a.mp4', 'video/mp4', 'inline'],
    ['a.txt', 'text/plain; charset=utf-8', 'inline'],
    ['a.html', 'text/html', 'attachment'],
    ['a.svg', 'image/svg+xml', 'attachment'],
    ['a.xml', 'application/xml', 'attachment'],
    ['a.pdf', 'application/pdf', 'attachment'],
    ['a.js', 'text/javascript', 'attachment'],
  ] as const;
  for (const [name, type, expected] of cases) {
    const { path } = await link((await save('x', name, { 'Content-Type': type })).Id, { Disposition: 'inline' });
    const { headers } = await follow(path);
    assert.match(String(headers['content-disposition']), new RegExp(`^${expected}; `), name);
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
  const { path } = await link((await save('x', 'a.png')).Id, { Disposition: 'attachment' });
  assert.match(String((await follow(path)).headers['content-disposition']), /^attachment; /);
});

test('A link expires', async () => {
  const { Id } = await save('x');
  // Retried with a longer life where a slow machine let it expire before the first use.
  for (const ExpiresInSeconds of [1, 5, 20]) {
    const { path, link: made } = await link(Id, { ExpiresInSeconds });
    const { status } = await follow(path);
    if (status !== 200 && Date.now() >= Date.parse(made.ExpiresAt) && ExpiresInSeconds < 20) continue;
    assert.equal(status, 200);
    await wait(Date.parse(made.ExpiresAt) - Date.now() + 100);
    await assertNowhere(path);
    return;
  }
});

test('An altered link, a truncated one and one of another environment are 404 with the same body', async () => {
  const { path } = await link((await save('x')).Id);
  const token = path.slice('/links/'.length);
  const other = (at: number) => (token[at] === 'A' ? 'B' : 'A');
  const edited = [0, 20, 50, token.length - 20].map((at) => token.slice(0, at) + other(at) + token.slice(at + 1));
  for (const wrong of [
    ...edited,
    token.slice(0, -1),
    `${token}A`,
    `${token}%3D`,
    `${token}.`,
    'x',
    '..%2F..%2Fa',
    '%FF',
  ])
    await assertNowhere(`/links/${wrong}`);
  const tester = await signIn('Tester');
  const { File } = await saveFile(tester, { FolderId: '-root-', FileName: 'link.txt' }, 'x');
  const made = assertAnswer(await askLink(tester, File.Id)) as Link;
  const theirs = new URL(made.Url).pathname;
  assert.equal((await send(tester.base, theirs)).status, 200);
  await assertNowhere(theirs);
  assert.notEqual(target().Production, target().Test);
});

test('A link ends with its file or version, and works again when the file is restored', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'v.txt' };
  const { File } = await saveFile(main, at, 'one');
  await saveFile(main, at, 'two');
  const [old, current] = [await link(File.Id, { Version: 1 }), await link(File.Id)];
  await call(main, `/entries/${folder.Id}`, { method: 'DELETE' });
  await assertNowhere(current.path);
  assertRefusal(await askLink(main, File.Id), 404, 'FileNotFound');
  await call(main, `/entries/${folder.Id}/restore`, { method: 'POST' });
  assert.equal(String((await follow(current.path)).body), 'two');
  await call(main, `/files/${File.Id}/versions/1`, { method: 'DELETE' });
  await assertNowhere(old.path);
  await call(main, `/entries/${File.Id}?permanent=true`, { method: 'DELETE' });
  await assertNowhere(current.path);
});

test('A link follows a renamed file and sends the new name', async () => {
  const file = await save('x');
  const { path } = await link(file.Id);
  await call(main, `/entries/${file.Id}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: '{"Name": "b.txt"}',
  });
  assert.match(String((await follow(path)).headers['content-disposition']), /filename="b\.txt"/);
});

test('The body may be missing or empty; invalid fields are refused', async () => {
  const { Id } = await save('x');
  for (const fields of [undefined, {}, { Unknown: 1 }]) assert.equal((await askLink(main, Id, fields)).status, 200);
  const wrong: [object, string][] = [
    [{ ExpiresInSeconds: 0 }, 'ExpiresInSeconds'],
    [{ ExpiresInSeconds: 86_401 }, 'ExpiresInSeconds'],
    [{ ExpiresInSeconds: 1.5 }, 'ExpiresInSeconds'],
    [{ ExpiresInSeconds: '60' }, 'ExpiresInSeconds'],
    [{ Version: 0 }, 'Version'],
    [{ Version: 1e300 }, 'Version'],
    [{ Version: '1' }, 'Version'],
    [{ Disposition: 'Inline' }, 'Disposition'],
  ];
  for (const [fields, field] of wrong)
    assert.equal(assertRefusal(await askLink(main, Id, fields), 400, 'InvalidField').Target, field);
  assert.equal((await askLink(main, Id, { ExpiresInSeconds: 86_400 })).status, 200);
  for (const fields of [[], 'x', 1]) assertRefusal(await askLink(main, Id, fields), 400, 'InvalidBody');
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const posted = await call(main, `/files/${Id}/link`, { method: 'POST', headers: form, body: 'Version=1' });
  assertRefusal(posted, 400, 'InvalidBody');
});

test('Links exist only for files that the caller can access', async () => {
  const file = await save('x');
  assertRefusal(await askLink(main, (await makeFolder(main)).Id), 404, 'FileNotFound');
  assertRefusal(await askLink(main, 'unknown'), 404, 'FileNotFound');
  assertRefusal(await askLink(await signIn('Stranger'), file.Id), 404, 'FileNotFound');
  assert.equal((await askLink(await signIn('Reader'), file.Id)).status, 200);
});

test('The links of a file can be ended; that there are none is no error', async () => {
  const file = await save('ended');
  const { path } = await link(file.Id, { ExpiresInSeconds: 3600 });
  assert.equal((await follow(path)).status, 200);
  for (let round = 0; round < 2; round += 1) {
    const answer = await call(main, `/files/${file.Id}/link`, { method: 'DELETE' });
    assert.deepEqual([answer.status, answer.body.toString()], [200, '{}']);
  }
  await assertNowhere(path);
  assertRefusal(await call(main, `/files/${trackingId}/link`, { method: 'DELETE' }), 404, 'FileNotFound');
});
