// Malformed or unusual HTTP (docs/contract.md §7.3): answered in JSON with a tracking id, and nothing is written.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal } from './assertions.ts';
import { assertEmptyFolder, CONTENT, type Headers, identity, makeFolder, signIn, toSaved } from './client.ts';
import { contentHead, exchange, openWire, toChunk } from './wire.ts';

const main = await signIn('Main');
const HOST = `Host: ${new URL(main.base).host}\r\n`;
const FILES = `POST ${CONTENT}/files HTTP/1.1\r\n${HOST}`;

const MALFORMED: { title: string; bytes: string }[] = [
  { title: 'not HTTP at all', bytes: 'hello there\r\n\r\n' },
  { title: 'binary', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' },
  { title: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { title: 'of HTTP/2.0 in its first line', bytes: `GET /health/live HTTP/2.0\r\n${HOST}\r\n` },
  { title: 'of HTTP/0.9', bytes: `GET /health/live HTTP/0.9\r\n${HOST}\r\n` },
  { title: 'of an unknown version', bytes: `GET / HTTP/9.9\r\n${HOST}\r\n` },
  { title: 'of a method that is no token', bytes: `NON(SENSE) / HTTP/1.1\r\n${HOST}\r\n` },
  { title: 'without a Host', bytes: 'GET / HTTP/1.1\r\n\r\n' },
  { title: 'with two Hosts', bytes: `GET ${CONTENT}/limits HTTP/1.1\r\n${HOST}Host: other\r\n\r\n` },
  { title: 'with the same Host twice', bytes: `GET ${CONTENT}/limits HTTP/1.1\r\n${HOST}${HOST}\r\n` },
  { title: 'of HTTP/1.0 with two Hosts', bytes: `GET ${CONTENT}/limits HTTP/1.0\r\n${HOST}hOST: x\r\n\r\n` },
  { title: 'with a space in a header name', bytes: `${FILES}Bad Name: x\r\n\r\n` },
  { title: 'with a header that has no colon', bytes: `${FILES}nonsense\r\n\r\n` },
  { title: 'with NUL in a header', bytes: `${FILES}FileName: a\0b\r\n\r\n` },
  { title: 'with a bare carriage return in a header', bytes: `${FILES}FileName: a\rb\r\n\r\n` },
  { title: 'with a Content-Length that is no number', bytes: `${FILES}Content-Length: abc\r\n\r\n` },
  { title: 'with a negative Content-Length', bytes: `${FILES}Content-Length: -1\r\n\r\n` },
  { title: 'with a Content-Length beyond all numbers', bytes: `${FILES}Content-Length: ${'9'.repeat(30)}\r\n\r\n` },
  { title: 'with two Content-Lengths', bytes: `${FILES}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx` },
  {
    title: 'with Content-Length and chunks',
    bytes: `${FILES}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  },
  { title: 'with an unknown Transfer-Encoding', bytes: `${FILES}Transfer-Encoding: nonsense\r\n\r\n` },
  {
    title: 'with a Transfer-Encoding that is chunked last, but not alone',
    bytes: `${FILES}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  },
  { title: 'with headers of 100 KiB', bytes: `${FILES}X-Large: ${'x'.repeat(100 * 1024)}\r\n\r\n` },
  { title: 'with 5,000 headers', bytes: `${FILES}${'X: y\r\n'.repeat(5000)}\r\n` },
  { title: 'with an address of 100 KiB', bytes: `GET /${'x'.repeat(100 * 1024)} HTTP/1.1\r\n${HOST}\r\n` },
];

for (const { title, bytes } of MALFORMED) {
  test(`A request ${title} is answered 400 in JSON with a tracking id`, async () => {
    assertRefusal(await exchange(main.base, bytes), 400, /^(MalformedRequest|HeadersTooLarge)$/);
  });
}

const REFUSED: { title: string; bytes: (folderId: string) => string }[] = [
  {
    title: 'HTTP/1.0 with chunks',
    bytes: (FolderId) =>
      save({ FolderId, 'Transfer-Encoding': 'chunked' }, `${toChunk('x')}0\r\n\r\n`).replace('HTTP/1.1', 'HTTP/1.0'),
  },
  {
    title: 'a chunk size that is no number',
    bytes: (FolderId) => save({ FolderId, 'Transfer-Encoding': 'chunked' }, 'zz\r\nx\r\n0\r\n\r\n'),
  },
  {
    title: 'a chunk longer than it says',
    bytes: (FolderId) => save({ FolderId, 'Transfer-Encoding': 'chunked' }, '1\r\nxyz\r\n0\r\n\r\n'),
  },
  {
    title: 'an address of a foreign host',
    bytes: (FolderId) =>
      save({ FolderId, 'Content-Length': '1' }, 'x').replace(`POST ${CONTENT}`, `POST http://evil.example${CONTENT}`),
  },
  {
    title: 'an Expect that is not 100-continue',
    bytes: (FolderId) => save({ FolderId, 'Content-Length': '1', Expect: 'miracles' }, 'x'),
  },
];

for (const { title, bytes } of REFUSED) {
  test(`A save by a known caller with ${title} is refused with 400, and nothing is written`, async () => {
    const folder = await makeFolder(main);
    assertRefusal(await exchange(main.base, bytes(folder.Id)), 400, /./);
    await assertEmptyFolder(main, folder);
  });
}

test('An unknown method is 404 MethodNotAllowed with Allow and the tracking id that was sent', async () => {
  const id = randomUUID();
  const ask = (line: string) => exchange(main.base, `${line} HTTP/1.1\r\n${HOST}RequestTrackingId: ${id}\r\n\r\n`);
  for (const method of ['BREW', 'post', 'NONSENSE', "!#$%&'*+-.^_`|~"]) {
    const answer = await ask(`${method} ${CONTENT}/files?x=y`);
    assertRefusal(answer, 404, 'MethodNotAllowed');
    assert.match(String(answer.headers.allow), /\bPOST\b/);
    assert.equal(answer.headers.requesttrackingid, id);
    const twice = await ask(`${method} ${CONTENT}/files HTTP/1.1\r\nRequestTrackingId: ${id}\r\nX-Line:`);
    assertRefusal(twice, 404, 'MethodNotAllowed');
    assert.notEqual(twice.headers.requesttrackingid, id);
    assertRefusal(await ask(`${method} /nothing/here`), 404, 'RouteNotFound');
  }
});

test('OPTIONS * is answered with the methods of the server, and * is the target of no other method', async () => {
  const answer = await exchange(main.base, `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`);
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers.allow), /\bGET\b.*\bPATCH\b/);
  assert.ok(answer.headers.requesttrackingid);
  assertRefusal(await exchange(main.base, `GET * HTTP/1.1\r\n${HOST}\r\n`), 400, 'MalformedRequest');
});

test('CONNECT gets a response', async () => {
  const id = randomUUID();
  const head = `CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\nrequesttrackingid: ${id}\r\n\r\n`;
  const answer = await exchange(main.base, head);
  assertRefusal(answer, 404, 'MethodNotAllowed');
  assert.ok(answer.headers.allow);
  assert.equal(answer.headers.requesttrackingid, id);
});

test('An HTTP/1.0 request that expects 100 Continue is answered directly', async () => {
  const folder = await makeFolder(main);
  const request = save({ FolderId: folder.Id, 'Content-Length': '1', Expect: '100-continue' }, 'x');
  assert.equal((await exchange(main.base, request)).status, 100);
  assert.equal((await exchange(main.base, request.replace('HTTP/1.1', 'HTTP/1.0'))).status, 200);
});

test('A request to upgrade is ignored', async () => {
  const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket' };
  assertEnvelope(await exchange(main.base, contentHead(main, 'GET', '/folders/-root-?limit=1', upgrade)));
});

test('A request target in absolute form of this host is accepted', async () => {
  const head = contentHead(main, 'GET', '/folders/-root-?limit=1', {});
  assertEnvelope(await exchange(main.base, head.replace(`GET ${CONTENT}`, `GET ${main.base}${CONTENT}`)));
});

test('Pipelined requests are answered in order', async () => {
  const folder = await makeFolder(main);
  using wire = await openWire(main.base);
  const names = ['first', 'second', 'third', 'fourth'];
  wire.write(names.map((FileName) => save({ FolderId: folder.Id, FileName, 'Content-Length': '1' }, 'x')).join(''));
  for (const name of names) assert.equal(toSaved(await wire.answer()).File.Name, name);
});

test('A body is never parsed as the next request', async () => {
  const folder = await makeFolder(main);
  const hidden = save({ FolderId: folder.Id, FileName: 'hidden', 'Content-Length': '1' }, 'x');
  using wire = await openWire(main.base);
  const unread = { ...identity(main), AppKey: undefined, FolderId: folder.Id, 'Content-Length': `${hidden.length}` };
  wire.write(contentHead(main, 'POST', '/files', unread) + hidden);
  assertRefusal(await wire.answer(), 401, 'AppKeyMissing');
  await assert.rejects(wire.answer(1000));
  await assertEmptyFolder(main, folder);
});

function save(headers: Headers, body: string): string {
  return contentHead(main, 'POST', '/files', { FileName: 'a', ...headers }) + body;
}
