// Certificates that must be refused (docs/contract.md §5.3): at the token endpoint, and with a valid token of the application.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConnectionOptions } from 'node:tls';
import type { Registered } from '../service/service.ts';
import { makeCorpus, type Shown } from './bad-certificates.ts';
import { CompanyCa } from './company-ca.ts';
import { Connection } from './connection.ts';
import {
  assertCertificateInvalid,
  assertNoToken,
  assertServed,
  type Bearer,
  callWith,
  fetchBound,
  through,
} from './server-applications.ts';
import { tally } from './tally.ts';

const company = await CompanyCa.found();
const { good, fine, bad, silent } = await makeCorpus(company);
let till: Registered;
let bearer: Bearer;

before(async () => {
  await company.start();
  till = await company.add('till', good);
  const known = [...fine, ...bad.filter(({ unregistered }) => unregistered === null), silent].map(({ leaf }) => leaf);
  for (const leaf of new Set(known).difference(new Set([good]))) await company.register('till', leaf);
  bearer = await fetchBound(through(company.base, company.showing(good)), till.AppKey);
});

after(() => company.stop());

function open({ leaf, others }: Shown, more: ConnectionOptions = {}): Promise<Connection> {
  // The client itself is not choosy, so that the service must be.
  const options = { ...company.showing(leaf, ...others), ciphers: 'DEFAULT@SECLEVEL=0', ...more };
  return Connection.open(company.base, options as ConnectionOptions);
}

test('valid certificates are accepted with any chain', async () => {
  for (const shown of fine) {
    const connection = await open(shown);
    await assertServed(connection.send, await fetchBound(connection.send, till.AppKey));
    connection.close();
  }
});

test('at least 50 bad certificates are tried, no two of them alike', () => {
  assert.ok(bad.length >= 50, `${bad.length}`);
  assert.equal(new Set(bad.map(({ what }) => what)).size, bad.length);
});

for (const { what, reason, ...shown } of bad) {
  test(`refused: ${what}`, async () => {
    const connection = await open({ what, ...shown });
    await assertCertificateInvalid(connection.send, bearer, reason);
    await assertNoToken(connection.send, till.AppKey, reason);
    connection.close();
    tally('bad credentials');
  });
}

test('refused: none at all', async () => {
  const connection = await Connection.open(company.base, { ca: company.ca.pem });
  await assertCertificateInvalid(connection.send, bearer, 'No certificate was shown.');
  await assertNoToken(connection.send, till.AppKey, 'No certificate was shown.');
  connection.close();
  tally('bad credentials');
});

test('none of them is accepted over TLS 1.2 either', async () => {
  for (const shown of bad) {
    const connection = await open(shown, { maxVersion: 'TLSv1.2' });
    const { status, body } = await callWith(connection.send, bearer, '/folders/-root-');
    // 400 where OpenSSL still has the failed signature on its mind when the request is read.
    assert.ok(status === 401 || status === 400, `${shown.what}: ${status}`);
    assert.doesNotMatch(body.toString(), /"Folder"/);
    connection.close();
  }
});

test('a certificate that could never be used cannot be registered', async () => {
  for (const { leaf, unregistered, what } of bad) {
    if (!(unregistered instanceof RegExp)) continue;
    await assert.rejects(company.register('till', leaf), { code: 'InvalidField', message: unregistered }, what);
  }
});

test('refused: of a revoked CA of the configured file, which is not sent', async () => {
  const connection = await open(silent);
  await assertCertificateInvalid(connection.send, bearer, silent.reason);
  await assertNoToken(connection.send, till.AppKey, silent.reason);
  connection.close();
  tally('bad credentials');
});
