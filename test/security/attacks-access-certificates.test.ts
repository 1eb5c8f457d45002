// Past attacks on the mutual-TLS address: using a CA that is no longer trusted, leaving out a revoked intermediate,
// changing the certificate of a connection, ending the service through its own files.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { Agent } from 'node:https';
import { after, before, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { type Made, makeCa, makeList, toPem } from '../../src/certificates/certificates-for-tests.ts';
import { assertEnvelope } from '../interface/assertions.ts';
import { CONTENT } from '../interface/client.ts';
import { eventually, type Registered, type StartedWithClock } from '../service/service.ts';
import { CompanyCa, makeClient, makeServer } from './company-ca.ts';
import { Connection } from './connection.ts';
import {
  askBound,
  assertCertificateInvalid,
  assertNoToken,
  assertServed,
  type Bearer,
  callWith,
  fetchBound,
  through,
} from './server-applications.ts';
import { tally } from './tally.ts';

const notTrusted = 'The certificate is not issued by a trusted CA.';
const company = await CompanyCa.found();
const client = await makeClient('till', company.ca);
const shown = company.showing(client);
const server = await makeServer(company.ca);
let service: StartedWithClock;
let till: Registered;
let bearer: Bearer;

before(async () => {
  service = await company.startProcess({
    CABINET_TLS_CERT: company.path('server.pem'),
    CABINET_TLS_KEY: company.path('server-key.pem'),
  });
  till = await company.add('till', client);
  bearer = await fetchBound(toService(), till.AppKey);
});

after(() => company.stop());

/** A new connection each time. */
function toService() {
  return through(company.base, shown);
}

async function isServed(): Promise<boolean> {
  return (await callWith(toService(), bearer, '/folders/-root-')).status === 200;
}

/** The service trusts these CAs from now on, and no others; the first one's list is in force. */
async function trust(...cas: [Made, ...Made[]]): Promise<void> {
  company.put('crl.pem', toPem(await makeList(cas[0], {})));
  company.put('ca.pem', cas.map(({ pem }) => `${pem}\n`).join(''));
}

test('a refused certificate is answered in JSON even if the client prefers HTML, and is counted', async () => {
  const { AppKey } = await company.add('pretty', await makeClient('pretty', company.ca));
  const stranger = await makeClient('stranger', await makeCa('Stranger CA'));
  const cases = [
    [{ ca: company.ca.pem }, 'No certificate was shown.'],
    [company.showing(stranger), notTrusted],
    [shown, 'The certificate is not one of this application.'],
  ] as const;
  const statuses: number[] = [];
  for (const [tls, reason] of cases) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () => askBound(through(company.base, { ...tls, agent }), AppKey, { headers: { Accept: 'text/html' } });
    for (let n = 0; n < 40; n += 1) {
      const answer = await ask();
      statuses.push(answer.status);
      assert.match(String(answer.headers['content-type']), /^application\/json/);
      const { error, error_description: description } = JSON.parse(answer.body.toString()) as Record<string, string>;
      if (answer.status === 401) assert.deepEqual([error, description], ['invalid_client', reason]);
    }
    agent.destroy();
    tally('bad credentials');
  }
  assert.deepEqual(new Set(statuses.slice(0, 100)), new Set([401]));
  assert.ok(statuses.includes(429), 'they are counted');
  assert.ok(statuses.every((status) => status === 401 || status === 429));
});

/** Written by hand, so that it can be sent in pieces and its answer can stay unread. */
function toLines(path: string): [string, string] {
  const first = `GET ${CONTENT}${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${bearer.token}\r\n`;
  return [first, `AppKey: ${bearer.appKey}\r\n\r\n`];
}

/** The next answer on this connection, whole. */
async function readAnswer(socket: TLSSocket): Promise<{ status: number; body: Buffer }> {
  const chunks: Buffer[] = [];
  let missing = Number.POSITIVE_INFINITY;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    missing -= (chunk as Buffer).length;
    if (missing === Number.POSITIVE_INFINITY) missing = findMissing(Buffer.concat(chunks));
    if (missing <= 0) break;
  }
  const whole = Buffer.concat(chunks);
  const end = whole.indexOf('\r\n\r\n');
  assert.notEqual(end, -1, 'the connection was closed');
  return { status: Number(whole.toString('latin1', 9, 12)), body: whole.subarray(end + 4) };
}

function findMissing(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return Number.POSITIVE_INFINITY;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end)) ?? [];
  return end + 4 + Number(length) - bytes.length;
}

async function assertRefusedOn(socket: TLSSocket): Promise<void> {
  const { status, body } = await readAnswer(socket);
  assert.equal(status, 401, body.toString());
  const { Error: error } = JSON.parse(body.toString()) as { Error: { Code: string; Message: string } };
  assert.deepEqual([error.Code, error.Message], ['CertificateInvalid', notTrusted]);
  tally('bad credentials');
}

async function openSocket(): Promise<TLSSocket> {
  return (await Connection.open(company.base, shown)).socket;
}

test('a CA that is no longer trusted is refused on every connection, whatever was in flight', async (context) => {
  const size = 32 * 1024 * 1024;
  const headers = { FileName: 'large.bin', 'Content-Type': 'application/octet-stream' };
  const upload = { method: 'POST', headers, body: Buffer.alloc(size) };
  const [file] = assertEnvelope(await callWith(toService(), bearer, '/files', upload)).Children;
  const [half, downloading, idle, silent] = await Promise.all([openSocket(), openSocket(), openSocket(), openSocket()]);
  context.after(() => {
    for (const socket of [half, downloading, idle, silent]) socket.destroy();
  });
  const [begin, end] = toLines('/folders/-root-');
  half.write(begin);
  downloading.write(toLines(`/files/${file?.Id}/content`).join(''));
  idle.write(begin + end);
  assert.equal((await readAnswer(idle)).status, 200);
  // Begun, and not read.
  await once(downloading, 'readable');
  await trust(await makeCa('Next CA'));
  await company.advance(500);
  await eventually('the old CA is gone', async () => !(await isServed()), 2000);
  half.write(end);
  await assertRefusedOn(half);
  const { status, body } = await readAnswer(downloading);
  assert.deepEqual([status, body.length], [200, size], 'what was begun is ended');
  for (const socket of [downloading, half, idle, silent]) {
    socket.write(begin + end);
    await assertRefusedOn(socket);
  }
  await assertNoToken(toService(), till.AppKey, notTrusted);
  await trust(company.ca);
  await company.advance(500);
  await eventually('the old CA is back', isServed, 2000);
  for (const socket of [downloading, half, idle, silent]) {
    socket.write(begin + end);
    assert.equal((await readAnswer(socket)).status, 200);
  }
});

test('a revoked intermediate is refused whether the client sends it or not', async () => {
  const intermediate = await makeCa('Intermediate CA', company.ca);
  const below = await makeClient('below', intermediate);
  const { AppKey } = await company.add('below', below);
  await trust(company.ca, intermediate);
  const alone = through(company.base, company.showing(below));
  const withIt = through(company.base, company.showing(below, intermediate));
  await company.advance(500);
  await eventually('it is trusted', async () => (await askBound(alone, AppKey)).status === 200, 2000);
  const token = await fetchBound(withIt, AppKey);
  const open = await Connection.open(company.base, company.showing(below));
  await assertServed(open.send, token);
  await company.revoke({ serials: [intermediate.serial] });
  await company.advance(500);
  await eventually('it is revoked', async () => (await askBound(withIt, AppKey)).status === 401, 2000);
  for (const send of [alone, withIt, open.send]) {
    await assertNoToken(send, AppKey, 'The certificate was revoked.');
    await assertCertificateInvalid(send, token, 'The certificate was revoked.');
    tally('bad credentials', 2);
  }
  open.close();
  await assertServed(toService(), bearer);
  await trust(company.ca);
});

const spoilings: Record<string, (path: string) => void> = {
  'a link to itself': (path) => symlinkSync(path, path),
  'a link to nowhere': (path) => symlinkSync(`${path}.nowhere`, path),
  'a folder': (path) => mkdirSync(path),
  nothing: () => undefined,
  'a file that cannot be read': (path) => symlinkSync('/proc/self/mem', path),
  'a file behind a file': (path) => symlinkSync(`${process.execPath}/x`, path),
};

test('files replaced by invalid content change nothing, and the service keeps watching them', async () => {
  const { process: running, errors } = service;
  const open = await Connection.open(company.base, shown);
  const names = ['ca.pem', 'crl.pem', 'server.pem', 'server-key.pem'];
  for (const [what, spoil] of Object.entries(spoilings)) {
    const before = errors().length;
    for (const name of names) {
      rmSync(company.path(name), { recursive: true });
      spoil(company.path(name));
    }
    const isTold = () => /what was there before stays/.test(errors().slice(before));
    await company.advance(500);
    await eventually(`${what} is noticed`, () => isTold() || running.exitCode !== null, 3000);
    assert.equal(running.exitCode, null, what);
    await assertServed(toService(), bearer);
    await assertServed(open.send, bearer);
    for (const name of names) rmSync(company.path(name), { recursive: true, force: true });
    company.put('server-key.pem', server.keyPem);
    company.put('server.pem', server.pem);
    await trust(company.ca);
  }
  await company.revoke({ serials: [client.serial] });
  await company.advance(500);
  await eventually('what is right again is in force', async () => !(await isServed()), 2000);
  await assertCertificateInvalid(open.send, bearer, 'The certificate was revoked.');
  await company.revoke({});
  await company.advance(500);
  await eventually('it is served again', isServed, 2000);
  open.close();
});

test('unreadable files change nothing', {
  skip: process.getuid?.() === 0 && 'root reads all',
}, async () => {
  chmodSync(company.path('ca.pem'), 0);
  await company.advance(500);
  await eventually('it is noticed', () => service.errors().includes('EACCES'));
  await assertServed(toService(), bearer);
  chmodSync(company.path('ca.pem'), 0o600);
});

test('a connection cannot change its certificate: TLS 1.2 is not renegotiated', async () => {
  const stranger = await makeClient('stranger', await makeCa('Stranger CA'));
  await company.register('till', stranger);
  const { hostname, port } = new URL(company.base);
  const socket = connect({ host: hostname, port: Number(port), ...shown, maxVersion: 'TLSv1.2' });
  await once(socket, 'secureConnect');
  socket.write(toLines('/folders/-root-').join(''));
  assert.equal((await readAnswer(socket)).status, 200);
  socket.setKeyCert({ key: stranger.keyPem, cert: stranger.pem });
  const outcome = await new Promise<unknown>((resolve) => {
    socket.once('error', resolve);
    socket.once('close', resolve);
    socket.renegotiate({ rejectUnauthorized: false }, resolve);
  });
  socket.destroy();
  assert.equal((outcome as NodeJS.ErrnoException | null)?.code, 'ERR_SSL_NO_RENEGOTIATION');
  await assertServed(toService(), bearer);
  tally('bad credentials');
});
