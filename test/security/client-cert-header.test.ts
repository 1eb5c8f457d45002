// The client certificate in a header (RFC 9440), forwarded by a proxy that terminates TLS: accepted from the configured
// proxies only.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { dayMs, type Made, makeCa } from '../../src/certificates/certificates-for-tests.ts';
import { assertRefusal } from '../interface/assertions.ts';
import { type Headers, send } from '../interface/client.ts';
import { eventually, type Registered } from '../service/service.ts';
import { makeCorpus, type Shown } from './bad-certificates.ts';
import { CompanyCa, makeClient } from './company-ca.ts';
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
const { good, fine, bad, silent } = await makeCorpus(company);
const stranger = await makeClient('stranger', company.ca);
const anonymous = { ca: company.ca.pem };
let service: Awaited<ReturnType<CompanyCa['start']>>;
let till: Registered;
let other: Registered;
let bearer: Bearer;
/** The proxy: one connection, over which many clients ask. */
let proxy: Connection;

before(async () => {
  service = await company.start({ CABINET_MTLS_PROXIES: '127.0.0.1' });
  till = await company.add('till', good);
  other = await company.add('other', stranger);
  const known = [...fine, ...bad.filter(({ unregistered }) => unregistered === null), silent].map(({ leaf }) => leaf);
  for (const leaf of new Set(known).difference(new Set([good]))) await company.register('till', leaf);
  proxy = await Connection.open(company.base, anonymous);
  bearer = await fetchBound(forwarding(good), till.AppKey);
});

after(async () => {
  proxy.close();
  await company.stop();
});

function toMember({ der }: Made): string {
  return `:${der.toString('base64')}:`;
}

function toHeaders({ leaf, others }: Omit<Shown, 'what'>): Headers {
  return {
    'Client-Cert': toMember(leaf),
    ...(others.length > 0 && { 'Client-Cert-Chain': others.map(toMember).join(', ') }),
  };
}

function withHeaders(carry: Send, headers: Headers): Send {
  return (path, request = {}) => carry(path, { ...request, headers: { ...request.headers, ...headers } });
}

function forwarding(leaf: Made, ...others: Made[]): Send {
  return withHeaders(proxy.send, toHeaders({ leaf, others }));
}

test('valid certificates are accepted from a proxy, many over one connection', async () => {
  for (const { leaf, others } of fine) {
    const carry = forwarding(leaf, ...others);
    await assertServed(carry, await fetchBound(carry, till.AppKey));
  }
  await assertServed(forwarding(good), bearer);
});

test('a certificate forwarded by a proxy is checked like one of the handshake', async () => {
  for (const { what, leaf, others } of bad.filter((one) => !/^a key to|CA of the file/.test(one.what))) {
    const answer = await callWith(forwarding(leaf, ...others), bearer, '/folders/-root-');
    const { Message } = assertRefusal(answer, 401, 'CertificateInvalid');
    assert.doesNotMatch(Message, /bound to another/, what);
    tally('bad credentials');
  }
});

test('a forwarded certificate needs the key usage for client authentication', async () => {
  for (const { leaf, others, reason } of bad.filter(({ what }) => /^a key to/.test(what))) {
    await assertCertificateInvalid(forwarding(leaf, ...others), bearer, reason);
  }
});

test('a certificate of a revoked CA is refused whether the proxy forwards the CA or not', async () => {
  const [sent] = bad.filter(({ what }) => /CA of the file/.test(what));
  assert.ok(sent);
  await assertCertificateInvalid(forwarding(sent.leaf, ...sent.others), bearer, sent.reason);
  await assertCertificateInvalid(forwarding(silent.leaf), bearer, silent.reason);
});

test('the token endpoint checks a forwarded certificate', async () => {
  const cases: [string, RegExp][] = [
    ['expired yesterday', /has expired/],
    ['of another CA', /not issued by a trusted CA/],
    ['self-signed', /self-signed/],
    ['revoked', /was revoked/],
    ['of the right CA, but nobody knows it', /not one of this application/],
  ];
  for (const [name, reason] of cases) {
    const found = bad.find(({ what }) => what === name);
    assert.ok(found, name);
    await assertNoToken(forwarding(found.leaf, ...found.others), till.AppKey, reason);
    tally('bad credentials');
  }
  await assertNoToken(forwarding(stranger), till.AppKey, /not one of this application/);
  assert.equal((await askBound(forwarding(stranger), other.AppKey)).status, 200);
});

test("the proxy's own certificate is not the client's", async () => {
  const trusted = await Connection.open(company.base, company.showing(good));
  await assertCertificateInvalid(trusted.send, bearer, 'No certificate was shown.');
  await assertNoToken(trusted.send, till.AppKey, 'No certificate was shown.');
  const empty = withHeaders(trusted.send, { 'Client-Cert': '' });
  await assertCertificateInvalid(empty, bearer, 'No certificate was shown.');
  const foreign = withHeaders(trusted.send, { 'Client-Cert': toMember(stranger) });
  await assertCertificateInvalid(foreign, bearer, 'The certificate is not one of this application.');
  trusted.close();
  tally('bad credentials', 4);
});

test('a malformed header is refused', async () => {
  const base64 = good.der.toString('base64');
  const right = toMember(good);
  const cases: Headers[] = [
    ...[
      'garbage',
      '::',
      ':garbage:',
      `:${Buffer.from('garbage').toString('base64')}:`,
      base64,
      `:${base64}`,
      `${base64}:`,
      `"${base64}"`,
      `:${good.der.toString('base64url')}:`,
      `:${base64.slice(0, 40)} ${base64.slice(40)}:`,
      `:${good.der.subarray(0, -1).toString('base64')}:`,
      `:${Buffer.concat([good.der, Buffer.from([0])]).toString('base64')}:`,
      `:${Buffer.concat([good.der, stranger.der]).toString('base64')}:`,
      `:${Buffer.from(good.pem).toString('base64')}:`,
      encodeURIComponent(good.pem),
      `${right};a=1`,
      `${right}, ${toMember(stranger)}`,
      `${toMember(stranger)}, ${right}`,
      `:${good.keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}:`,
    ].map((header) => ({ 'Client-Cert': header })),
    { 'Client-Cert': [right, right] },
    { 'Client-Cert': [right, toMember(stranger)] },
    { 'Client-Cert': right, 'Client-Cert-Chain': 'garbage' },
    { 'Client-Cert': right, 'Client-Cert-Chain': `${toMember(company.ca)},` },
    { 'Client-Cert': right, 'Client-Cert-Chain': Array(9).fill(toMember(company.ca)).join(', ') },
  ];
  for (const headers of cases) {
    const carry = withHeaders(proxy.send, headers);
    await assertCertificateInvalid(carry, bearer, /^The Client-Cert(-Chain)? header cannot be read\.$/);
    await assertNoToken(carry, till.AppKey, /^The Client-Cert(-Chain)? header cannot be read\.$/);
    tally('bad credentials');
  }
  await assertServed(withHeaders(proxy.send, { 'Client-Cert': ` ${right} ` }), bearer);
});

/** What other proxies call it. None of these is RFC 9440. */
function toOtherHeaders({ pem, der, keys }: Made): Headers[] {
  const escaped = encodeURIComponent(pem);
  const line = pem.replaceAll('\n', ' ').trim();
  const names = [
    'X-Client-Cert',
    'X-SSL-Cert',
    'X-SSL-Client-Cert',
    'SSL-Client-Cert',
    'SSL_CLIENT_CERT',
    'X-ARR-ClientCert',
  ];
  const more = [
    'X-Amzn-Mtls-Clientcert',
    'Cf-Client-Cert-Der-Base64',
    'X-Forwarded-Tls-Client-Cert',
    'X-Client-Certificate',
  ];
  const values = [escaped, line, der.toString('base64'), `:${der.toString('base64')}:`];
  const hash = keys.publicKey.export({ type: 'spki', format: 'der' }).toString('hex');
  return [
    ...[...names, ...more].flatMap((name) =>
      values.map((value) => ({ [name]: value, 'SSL-Client-Verify': 'SUCCESS' })),
    ),
    { 'X-Forwarded-Client-Cert': `Hash=${hash};Cert="${escaped}"` },
    { Forwarded: `for=127.0.0.1;proto=https;cert="${line}"`, 'X-Forwarded-For': '127.0.0.1' },
    { 'Client-Certificate': toMember({ der } as Made), 'X-SSL-Client-Verify': 'SUCCESS' },
  ];
}

test('other certificate headers are ignored, even from a proxy', async () => {
  for (const headers of toOtherHeaders(good)) {
    await assertCertificateInvalid(withHeaders(proxy.send, headers), bearer, 'No certificate was shown.');
    tally('bad credentials');
  }
});

test('revoking a certificate takes effect within a second for clients behind a proxy', async () => {
  const serials = [good.serial];
  await company.revoke({ serials });
  await company.advance(500);
  await eventually(
    'it is refused',
    async () => {
      return (await callWith(forwarding(good), bearer, '/folders/-root-')).status === 401;
    },
    1000,
  );
  await assertCertificateInvalid(forwarding(good), bearer, 'The certificate was revoked.');
  await company.revoke({});
  await company.advance(500);
  await eventually(
    'it is served',
    async () => {
      return (await callWith(forwarding(good), bearer, '/folders/-root-')).status === 200;
    },
    1000,
  );
  tally('bad credentials');
});

test('the plain address ignores the headers', async () => {
  const plain = withHeaders(
    (path, request) => send(service.production, path, request),
    toHeaders({ leaf: good, others: [] }),
  );
  assertRefusal(await callWith(plain, bearer, '/folders/-root-'), 403, 'MutualTlsRequired');
  const answer = await askBound(plain, till.AppKey);
  assert.equal(answer.status, 401, answer.body.toString());
  assert.match(answer.body.toString(), /invalid_client/);
  tally('bad credentials', 2);
});

test('certificates of an expired CA are refused for clients behind a proxy', async (context) => {
  const authorities = readFileSync(company.path('ca.pem'), 'utf8');
  context.after(() => company.put('ca.pem', authorities));
  const notAfter = Math.floor(company.now / 1000) * 1000 + 60_000;
  const ca = await makeCa('Short CA', undefined, { notAfter });
  const leaf = await makeClient('till', ca, { notAfter: Date.now() + dayMs });
  await company.register('till', leaf);
  company.put('ca.pem', `${authorities}\n${ca.pem}`);
  // Connections of the proxy end with the exchange.
  const carry = withHeaders(through(company.base, anonymous), toHeaders({ leaf, others: [] }));
  await company.advance(500);
  await eventually('it is trusted', async () => (await askBound(carry, till.AppKey)).status === 200, 2000);
  const own = await fetchBound(carry, till.AppKey);
  await company.advance(60_050);
  await assertCertificateInvalid(carry, own, /expired/);
});

test('without the setting, and from other peers, the headers are ignored', async () => {
  for (const more of [{}, { CABINET_MTLS_PROXIES: '10.0.0.0/8 127.0.0.2 ::1' }] as const) {
    await service.stop();
    service = await company.start(more);
    const connection = await Connection.open(company.base, anonymous);
    const shown = through(company.base, company.showing(good));
    const own = await fetchBound(shown, till.AppKey);
    for (const headers of [toHeaders({ leaf: good, others: [] }), ...toOtherHeaders(good).slice(0, 4)]) {
      const carry = withHeaders(connection.send, headers);
      await assertCertificateInvalid(carry, own, 'No certificate was shown.');
      await assertNoToken(carry, till.AppKey, 'No certificate was shown.');
      tally('bad credentials');
    }
    const disguised = withHeaders(
      through(company.base, company.showing(stranger)),
      toHeaders({ leaf: good, others: [] }),
    );
    await assertCertificateInvalid(disguised, own, 'The certificate is not one of this application.');
    // Who shows the right certificate is served, whatever the headers say.
    for (const header of ['garbage', toMember(stranger)])
      await assertServed(withHeaders(shown, { 'Client-Cert': header }), own);
    tally('bad credentials');
    connection.close();
  }
});
