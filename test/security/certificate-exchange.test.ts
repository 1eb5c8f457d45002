// Files that are replaced while the service runs: revocation lists, its own certificate, the trusted CAs. They take effect
// within a second, also on open connections.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { after, before, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { dayMs, type Made, makeCa, makeList, toPem } from '../../src/certificates/certificates-for-tests.ts';
import { longestHandshakeMs } from '../../src/certificates/mutual-tls.ts';
import { assertEnvelope } from '../interface/assertions.ts';
import { eventually, type Registered, type StartedWithClock } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
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
  type Send,
  through,
} from './server-applications.ts';
import { tally } from './tally.ts';

const company = await CompanyCa.found();
const client = await makeClient('till', company.ca);
const shown = company.showing(client);
const listExpired = 'The certificate cannot be checked: the revocation list has expired.';
let service: StartedWithClock;
let till: Registered;
let bearer: Bearer;

before(async () => {
  service = await company.startProcess();
  till = await company.add('till', client);
  bearer = await fetchBound(through(company.base, shown), till.AppKey);
});

after(() => company.stop());

async function isServed(send: Send): Promise<boolean> {
  return (await callWith(send, bearer, '/folders/-root-')).status === 200;
}

/** Within a second of the exchange. */
async function assertSoonRefused(send: Send, reason: string): Promise<void> {
  await company.advance(500);
  await eventually('it is refused', async () => !(await isServed(send)), 1000);
  await assertCertificateInvalid(send, bearer, reason);
  await assertNoToken(send, till.AppKey, reason);
  tally('bad credentials');
}

async function assertSoonServed(send: Send): Promise<void> {
  await company.advance(500);
  await eventually('it is served', () => isServed(send), 1000);
  await fetchBound(send, till.AppKey);
}

async function fingerprint(): Promise<string> {
  const connection = await Connection.open(company.base, shown);
  const { fingerprint256 } = connection.socket.getPeerCertificate();
  connection.close();
  return fingerprint256;
}

test('revoking a certificate, and undoing it, takes effect within a second, also on an open connection', async () => {
  const open = await Connection.open(company.base, shown);
  await assertServed(open.send, bearer);
  await company.revoke({ serials: [client.serial] });
  await assertSoonRefused(open.send, 'The certificate was revoked.');
  await assertCertificateInvalid(through(company.base, shown), bearer, 'The certificate was revoked.');
  await company.revoke({ serials: ['0102'] });
  await assertSoonServed(open.send);
  open.close();
});

test('with an expired revocation list everybody is refused until there is a new one', async () => {
  const open = await Connection.open(company.base, shown);
  await company.revoke({ nextUpdate: Date.now() - dayMs });
  await assertSoonRefused(open.send, listExpired);
  await company.revoke({ nextUpdate: Date.now() + dayMs });
  await assertSoonServed(open.send);
  open.close();
});

test('a revocation list expires while it is in use', async () => {
  const open = await Connection.open(company.base, shown);
  const other = await makeClient('other', company.ca);
  await company.register('till', other);
  const nextUpdate = Math.floor(company.now / 1000) * 1000 + 60_000;
  await company.revoke({ nextUpdate, serials: [other.serial] });
  await company.advance(500);
  await eventually(
    'the list is in force',
    async () => !(await isServed(through(company.base, company.showing(other)))),
  );
  await assertServed(open.send, bearer);
  await company.advance(60_000);
  await assertCertificateInvalid(open.send, bearer, listExpired);
  await company.revoke({});
  await assertSoonServed(open.send);
  open.close();
  tally('bad credentials');
});

test('an invalid revocation list changes nothing and is logged', async () => {
  const revoked = await makeClient('revoked', company.ca);
  await company.register('till', revoked);
  await company.revoke({ serials: [revoked.serial] });
  const send = through(company.base, company.showing(revoked));
  const isRevoked = async () => /was revoked/.test(String((await callWith(send, bearer, '/folders/-root-')).body));
  await company.advance(500);
  await eventually('it is revoked', isRevoked, 1500);
  const namesake = await makeCa('Company CA');
  const everybody = { serials: [client.serial] };
  const empty = await makeList(company.ca, {});
  const forged = toPem(await makeList(namesake, {}));
  const damaged = toPem(Buffer.concat([empty.subarray(0, -1), Buffer.from([(empty.at(-1) as number) ^ 1])]));
  for (const text of [forged, damaged, toPem(await makeList(namesake, everybody)), 'garbage', '', company.ca.pem]) {
    const before = service.errors().length;
    company.put('crl.pem', text);
    await company.advance(500);
    await eventually('it is logged', () => /what was there before stays/.test(service.errors().slice(before)), 1500);
    await assertCertificateInvalid(send, bearer, 'The certificate was revoked.');
    await assertServed(through(company.base, shown), bearer);
    tally('bad credentials');
  }
  await company.revoke({});
  await assertSoonServed(through(company.base, shown));
});

test('with an invalid revocation list or certificate the service does not start, and says why', async () => {
  const other = await CompanyCa.found();
  const namesake = await makeCa('Company CA');
  const cases: [() => void | Promise<void>, RegExp][] = [
    [() => other.revoke({}, namesake), /revocation list .*not signed by a trusted CA/],
    [() => other.put('crl.pem', 'garbage'), /no revocation list/],
    [() => other.put('ca.pem', 'garbage'), /no certificate in PEM|PEM|no start line/i],
    [() => other.put('server-key.pem', namesake.keyPem), /key values mismatch/],
  ];
  try {
    for (const [spoil, reason] of cases) {
      await other.revoke({});
      other.put('ca.pem', other.ca.pem);
      await spoil();
      await assert.rejects(other.start(), { message: reason });
    }
    const environment = { CABINET_MTLS_PORT: '0', CABINET_MTLS_CA: other.path('nowhere.pem') };
    await assert.rejects(startServiceHere(other.dataFolder, { environment }), /ENOENT.*nowhere\.pem/);
  } finally {
    await other.stop();
  }
});

test('a new server certificate is used within a second, and no request fails meanwhile', async () => {
  const before = await fingerprint();
  let isOver = false;
  let count = 0;
  const asking = (async () => {
    for (; !isOver; count += 1) await assertServed(through(company.base, shown), bearer);
  })();
  company.showServer(await makeServer(company.ca));
  await eventually('it is shown', async () => (await fingerprint()) !== before, 1500);
  await eventually('some were served meanwhile', () => count > 3);
  isOver = true;
  await asking;
});

test('when the server certificate is replaced no request fails, also on an open connection', async () => {
  const before = await fingerprint();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const failures: unknown[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver)
      await assertServed(through(company.base, { ...shown, agent }), bearer).catch((e) => failures.push(e));
  })();
  company.showServer(await makeServer(company.ca));
  await eventually('it is shown', async () => (await fingerprint()) !== before, 1500);
  isOver = true;
  await asking;
  agent.destroy();
  assert.deepEqual(failures, []);
});

test('a key that does not match the certificate changes nothing and is logged', async () => {
  const before = await fingerprint();
  const length = service.errors().length;
  company.put('server-key.pem', (await makeServer(company.ca)).keyPem);
  await company.advance(500);
  await eventually('it is logged', () => /what was there before stays/.test(service.errors().slice(length)), 1500);
  assert.equal(await fingerprint(), before);
  await assertServed(through(company.base, shown), bearer);
  company.showServer(await makeServer(company.ca));
  await eventually('the next one is shown', async () => (await fingerprint()) !== before, 1500);
});

test('after a replacement the address is as strict as before', async () => {
  const old = { ...shown, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const;
  await assert.rejects(Connection.open(company.base, old), /protocol version/);
  const weak = { ...shown, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA@SECLEVEL=0' } as const;
  await assert.rejects(Connection.open(company.base, weak), /handshake failure/);
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const first = await Connection.open(company.base, { ...shown, maxVersion });
    await assertServed(first.send, bearer);
    const session = first.session ?? first.socket.getSession();
    first.close();
    assert.ok(session);
    const resumed = await Connection.open(company.base, { ca: company.ca.pem, maxVersion, session });
    assert.equal(resumed.socket.isSessionReused(), false);
    await assertCertificateInvalid(resumed.send, bearer, 'No certificate was shown.');
    resumed.close();
    tally('bad credentials');
  }
});

/** The service trusts this CA from now on, and no other. */
async function trust(ca: Made): Promise<void> {
  company.put('crl.pem', toPem(await makeList(ca, {})));
  company.put('ca.pem', ca.pem);
  await company.advance(500);
}

/** Whether this connection still serves; one that was closed does not. */
async function isOpenFor({ send }: Connection): Promise<boolean> {
  return await isServed(send).catch(() => false);
}

test('when the CA is replaced, certificates of the old one are refused, also on open connections', async () => {
  const open = await Connection.open(company.base, shown);
  await assertServed(open.send, bearer);
  const nextCa = await makeCa('Next CA');
  const next = await makeClient('till', nextCa);
  await company.register('till', next);
  const asNext = through(company.base, company.showing(next));
  await assertCertificateInvalid(asNext, bearer, 'The certificate is not issued by a trusted CA.');
  await trust(nextCa);
  await eventually('the open connection is refused', async () => !(await isOpenFor(open)), 2000);
  const reason = 'The certificate is not issued by a trusted CA.';
  await assertCertificateInvalid(through(company.base, shown), bearer, reason);
  await assertNoToken(through(company.base, shown), till.AppKey, reason);
  const token = await fetchBound(asNext, till.AppKey);
  await eventually('it is served', async () => (await callWith(asNext, token, '/folders/-root-')).status === 200, 1000);
  await trust(company.ca);
  await eventually('the old CA is back', () => isServed(through(company.base, shown)), 2000);
  open.close();
  tally('bad credentials', 3);
});

test('an idle connection is checked against the CAs in force at its first request', async () => {
  const silent = await Connection.open(company.base, shown);
  await trust(await makeCa('Next CA'));
  await eventually('the old CA is gone', async () => !(await isServed(through(company.base, shown))), 2000);
  const isIn = await isOpenFor(silent);
  await trust(company.ca);
  await eventually('the old CA is back', () => isServed(through(company.base, shown)), 2000);
  silent.close();
  assert.equal(isIn, false);
});

/** Written by hand, so that what is not read stays unread and keeps the answer from ending. */
function writeRequest(socket: TLSSocket, path: string): void {
  const lines = [`Authorization: Bearer ${bearer.token}`, `AppKey: ${bearer.appKey}`, 'Host: 127.0.0.1'];
  socket.write(`GET /v1/contentmanagement${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
}

/** Reads this many bytes, or until the connection ends. */
async function readBytes(socket: TLSSocket, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    if (chunks.reduce((sum, { length: more }) => sum + more, 0) >= length) break;
  }
  return Buffer.concat(chunks);
}

test('a connection with half a request is checked against the CAs in force when the rest arrives', async () => {
  const { socket } = await Connection.open(company.base, shown);
  socket.write('GET /v1/contentmanagement/folders/-root- HTTP/1.1\r\nHost: 127.0.0.1\r\n');
  await trust(await makeCa('Next CA'));
  await eventually('the old CA is gone', async () => !(await isServed(through(company.base, shown))), 2000);
  socket.write(`Authorization: Bearer ${bearer.token}\r\nAppKey: ${bearer.appKey}\r\n\r\n`);
  const answer = (await readBytes(socket, 1)).toString('latin1');
  socket.destroy();
  await trust(company.ca);
  await eventually('the old CA is back', () => isServed(through(company.base, shown)), 2000);
  assert.doesNotMatch(answer, /^HTTP\/1\.1 200 /);
});

test('a connection that was busy during the replacement is checked against the new CA afterwards', async () => {
  const size = 32 * 1024 * 1024;
  const saved = await callWith(through(company.base, shown), bearer, '/files', {
    method: 'POST',
    headers: { FileName: 'large.bin', 'Content-Type': 'application/octet-stream' },
    body: Buffer.alloc(size),
  });
  const [file] = assertEnvelope(saved).Children;
  const { socket } = await Connection.open(company.base, shown);
  writeRequest(socket, `/files/${file?.Id}/content`);
  // Begun, and not read.
  await once(socket, 'readable');
  await trust(await makeCa('Next CA'));
  await eventually('the old CA is gone', async () => !(await isServed(through(company.base, shown))), 2000);
  assert.match((await readBytes(socket, size + 100)).toString('latin1', 0, 20), /^HTTP\/1\.1 200 /);
  if (!socket.writableEnded) writeRequest(socket, '/folders/-root-');
  const answer = (await readBytes(socket, 1)).toString('latin1');
  socket.destroy();
  await trust(company.ca);
  await eventually('the old CA is back', () => isServed(through(company.base, shown)), 2000);
  assert.doesNotMatch(answer, /^HTTP\/1\.1 200 /);
});

test('certificates of an expired CA are refused, also on an open connection', async (context) => {
  const notAfter = Math.floor(company.now / 1000) * 1000 + 60_000;
  const ca = await makeCa('Short CA', undefined, { notAfter });
  const short = await makeClient('short', ca);
  const { AppKey } = await company.add('short', short);
  context.after(() => trust(company.ca));
  company.put('ca.pem', `${company.ca.pem}\n${ca.pem}`);
  const isTrusted = async () => (await askBound(through(company.base, company.showing(short)), AppKey)).status === 200;
  await company.advance(500);
  await eventually('it is trusted', isTrusted, 2000);
  const open = await Connection.open(company.base, company.showing(short));
  const own = await fetchBound(open.send, AppKey);
  await assertServed(open.send, own);
  await company.advance(60_050);
  await assertCertificateInvalid(open.send, own, /expired/);
  open.close();
  // New connections are judged by OpenSSL, which has the system's clock: there it expired yesterday.
  const times = { notBefore: Date.now() - 2 * dayMs, notAfter: Date.now() - dayMs };
  const over = await makeCa('Short CA', undefined, { keys: ca.keys, ...times });
  company.put('ca.pem', `${company.ca.pem}\n${over.pem}`);
  await company.advance(500);
  await eventually('the new file is in force', async () => !(await isTrusted()), 2000);
  await company.advance(longestHandshakeMs + 1000);
  await assertCertificateInvalid(through(company.base, company.showing(short)), own, /expired/);
});
