// How connections to the mutual-TLS address are made, and what holds on one that stays open: every request is checked
// against the state at its arrival.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConnectionOptions, SecureVersion } from 'node:tls';
import { assertRefusal } from '../interface/assertions.ts';
import { eventually, type Registered } from '../service/service.ts';
import { CompanyCa, makeClient } from './company-ca.ts';
import { Connection } from './connection.ts';
import {
  ask,
  assertCertificateInvalid,
  assertNoToken,
  assertServed,
  type Bearer,
  callWith,
  fetchBound,
  through,
} from './server-applications.ts';
import { tally } from './tally.ts';
import type { Tls } from './tls-client.ts';

const company = await CompanyCa.found();
const client = await makeClient('till', company.ca);
const shown = company.showing(client);
const versions = ['TLSv1.2', 'TLSv1.3'] as const;
let till: Registered;
let bearer: Bearer;

before(async () => {
  // The production address speaks TLS too, with the same certificate: its sessions must not count here.
  await company.start({
    CABINET_TLS_CERT: company.path('server.pem'),
    CABINET_TLS_KEY: company.path('server-key.pem'),
  });
  till = await company.add('till', client);
  bearer = await fetchBound(through(company.base, shown), till.AppKey);
});

after(() => company.stop());

function only(version: SecureVersion): ConnectionOptions {
  return { minVersion: version, maxVersion: version };
}

/** A server-based application with a connection that stays open. */
async function openFor(name: string): Promise<{ connection: Connection; bearer: Bearer; thumbprint: string }> {
  const made = await makeClient(name, company.ca);
  const { AppKey } = await company.add(name, made);
  const connection = await Connection.open(company.base, company.showing(made));
  const own = await fetchBound(connection.send, AppKey);
  await assertServed(connection.send, own);
  const { Certificates } = await ask<{ Certificates: { Thumbprint: string }[] }>(
    company.dataFolder,
    'app certificate list',
    { application: name },
  );
  assert.equal(Certificates.length, 1);
  return { connection, bearer: own, thumbprint: String(Certificates[0]?.Thumbprint) };
}

async function isServed({ send }: Connection, own: Bearer): Promise<boolean> {
  return (await callWith(send, own, '/folders/-root-')).status === 200;
}

test('TLS 1.2 and 1.3 are supported', async () => {
  for (const version of versions) {
    const connection = await Connection.open(company.base, { ...shown, ...only(version) });
    assert.equal(connection.socket.getProtocol(), version);
    await assertServed(connection.send, bearer);
    connection.close();
  }
});

test('TLS 1.0 and 1.1 are not supported', async () => {
  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    const options = { ...shown, ...only(version), ciphers: 'ALL@SECLEVEL=0' };
    await assert.rejects(Connection.open(company.base, options), /protocol version/);
    tally('bad credentials');
  }
});

test('ciphers without forward secrecy or without authenticated encryption are not supported', async () => {
  const weak = ['AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-SHA384', 'ECDHE-ECDSA-AES128-SHA', 'AECDH-AES256-SHA', 'PSK'];
  for (const cipher of weak) {
    const options = { ...shown, ...only('TLSv1.2'), ciphers: `${cipher}@SECLEVEL=0` };
    await assert.rejects(Connection.open(company.base, options), /handshake failure|no ciphers|NO_CIPHERS/i, cipher);
  }
  const strong = { ...shown, ...only('TLSv1.2'), ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' };
  (await Connection.open(company.base, strong)).close();
});

test('HTTP/1.1 is the only protocol: HTTP/2 is not chosen', async () => {
  const both = await Connection.open(company.base, { ...shown, ALPNProtocols: ['h2', 'http/1.1'] });
  assert.equal(both.socket.alpnProtocol, 'http/1.1');
  await assertServed(both.send, bearer);
  both.close();
  await assert.rejects(Connection.open(company.base, { ...shown, ALPNProtocols: ['h2'] }), /no application protocol/);
});

for (const version of versions) {
  test(`no session is resumed: each connection presents its certificate (${version})`, async () => {
    const first = await Connection.open(company.base, { ...shown, ...only(version) });
    await assertServed(first.send, bearer);
    const sessions = [first.session, first.socket.getSession()].filter((session) => session != null);
    first.close();
    for (const session of sessions) {
      const resumed = await Connection.open(company.base, { ca: company.ca.pem, ...only(version), session });
      assert.equal(resumed.socket.isSessionReused(), false);
      await assertCertificateInvalid(resumed.send, bearer, 'No certificate was shown.');
      await assertNoToken(resumed.send, till.AppKey, 'No certificate was shown.');
      resumed.close();
      tally('bad credentials', 2);
    }
    assert.ok(sessions.length > 0, 'there is something to try');
  });

  test(`a session of the production address is not resumed here (${version})`, async () => {
    const production = String(company.service?.production);
    const plain = await Connection.open(production, { ca: company.ca.pem, ...only(version) });
    assert.equal((await plain.send('/.well-known/openid-configuration')).status, 200);
    const { session } = plain;
    plain.close();
    assert.ok(session, 'the production address gives sessions');
    const again = await Connection.open(production, { ca: company.ca.pem, ...only(version), session });
    assert.equal(again.socket.isSessionReused(), true);
    again.close();
    for (const tls of [{ ca: company.ca.pem }, shown] as (Tls & ConnectionOptions)[]) {
      const here = await Connection.open(company.base, { ...tls, ...only(version), session });
      assert.equal(here.socket.isSessionReused(), false);
      if (tls === shown) await assertServed(here.send, bearer);
      else await assertCertificateInvalid(here.send, bearer, 'No certificate was shown.');
      here.close();
    }
    tally('bad credentials');
  });
}

test('a client cannot renegotiate on its connection', async () => {
  const connection = await Connection.open(company.base, { ...shown, ...only('TLSv1.2') });
  await assertServed(connection.send, bearer);
  const outcome = await new Promise<Error | null>((resolve) => {
    connection.socket.once('close', () => resolve(new Error('closed')));
    connection.socket.renegotiate({}, resolve);
  });
  connection.close();
  assert.ok(outcome instanceof Error);
});

test('a removed certificate is refused within a second, also on an open connection', async () => {
  const { connection, bearer: own, thumbprint } = await openFor('removed');
  const port = connection.socket.localPort;
  await ask(company.dataFolder, 'app certificate remove', { application: 'removed', thumbprint });
  await assertNoToken(connection.send, own.appKey, 'The certificate is not one of this application.');
  await company.advance(500);
  await eventually('it is refused', async () => !(await isServed(connection, own)), 1000);
  await assertCertificateInvalid(connection.send, own, 'The certificate is not one of this application.');
  assert.equal(connection.socket.localPort, port);
  connection.close();
  tally('bad credentials', 2);
});

test('a disabled application is refused within a second, also on an open connection, until it is enabled', async () => {
  const { connection, bearer: own } = await openFor('disabled');
  await ask(company.dataFolder, 'app disable', { application: 'disabled', revokeTokens: false });
  await assertNoToken(connection.send, own.appKey, /./);
  await company.advance(500);
  await eventually('it is refused', async () => !(await isServed(connection, own)), 1000);
  assertRefusal(await callWith(connection.send, own, '/folders/-root-'), 401, 'AppKeyUnknown');
  await ask(company.dataFolder, 'app enable', { application: 'disabled' });
  await company.advance(500);
  await eventually('it is served', () => isServed(connection, own), 1000);
  connection.close();
  tally('bad credentials', 2);
});

test('a removed application is refused within a second, also on an open connection', async () => {
  const { connection, bearer: own } = await openFor('gone');
  await ask(company.dataFolder, 'app remove', { application: 'gone' });
  await assertNoToken(connection.send, own.appKey, /./);
  await company.advance(500);
  await eventually('it is refused', async () => !(await isServed(connection, own)), 1000);
  assertRefusal(await callWith(connection.send, own, '/folders/-root-'), 401, 'AppKeyUnknown');
  connection.close();
  tally('bad credentials', 2);
});

test('a certificate that expires while its connection is open is refused from then on', async () => {
  const notAfter = Math.floor(company.now / 1000) * 1000 + 60_000;
  const short = await makeClient('short', company.ca, { notAfter });
  const { AppKey } = await company.add('short', short);
  const connection = await Connection.open(company.base, company.showing(short));
  const own = await fetchBound(connection.send, AppKey);
  await assertServed(connection.send, own);
  await company.advance(60_050);
  await assertCertificateInvalid(connection.send, own, 'The certificate has expired.');
  await assertNoToken(connection.send, AppKey, 'The certificate has expired.');
  await assertCertificateInvalid(through(company.base, company.showing(short)), own, 'The certificate has expired.');
  connection.close();
  tally('bad credentials', 3);
});
