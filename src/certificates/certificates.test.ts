import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type ConnectionOptions, connect, createServer, type TLSSocket } from 'node:tls';
import { findProblem, type PresentedCertificate, readLeaf, readSocketCertificate } from './certificates.ts';
import {
  caUsage,
  clientAuth,
  dayMs,
  type Made,
  makeCa,
  makeCertificate,
  makeList,
  serverAuth,
  signatureUsage,
  toName,
} from './certificates-for-tests.ts';
import { readRevocationLists } from './revocation-list.ts';

const ca = await makeCa('Company CA');
const intermediate = await makeCa('Company clients', ca);
const namesake = await makeCa('Company CA');
const good = await makeCertificate({ name: toName('good'), usages: [clientAuth] }, ca);
const stranger = await makeCertificate({ name: toName('stranger') }, ca);

const own = await makeCertificate({ name: toName('server'), usages: [serverAuth] }, ca);
const listening = { cert: own.pem, key: own.keyPem, ca: [ca.pem], requestCert: true, rejectUnauthorized: false };
const server = createServer({ ...listening, sessionIdContext: 'test' });

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

after(() => {
  server.close();
});

interface Shaken {
  presented: PresentedCertificate | null;
  isReused: boolean;
  session: Buffer | undefined;
}

async function shake(options: ConnectionOptions): Promise<Shaken> {
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  let session: Buffer | undefined;
  client.on('session', (ticket) => {
    session = ticket;
  });
  const [socket] = (await once(server, 'secureConnection')) as [TLSSocket];
  const presented = readSocketCertificate(socket, { authorities: [], isHandshakes: true, now: Date.now() });
  const isReused = socket.isSessionReused();
  socket.end('.');
  client.resume();
  await once(client, 'close');
  return { presented, isReused, session };
}

function sending(made: Made, ...others: Made[]): ConnectionOptions {
  return { cert: [made, ...others].map(({ pem }) => pem).join('\n'), key: made.keyPem };
}

async function problemOf(made: Made, ...others: Made[]): Promise<string | null | undefined> {
  const { presented } = await shake(sending(made, ...others));
  return presented === null ? undefined : findProblem(presented, [], Date.now());
}

function thumbprintOf({ der }: Made): string {
  return Buffer.from(new X509Certificate(der).fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
}

test('a certificate of a trusted CA has no problem, and is known by its thumbprint and its dates', async () => {
  const { presented } = await shake(sending(good));
  const { validFrom, validTo } = new X509Certificate(good.der);
  assert.ok(presented);
  assert.equal(findProblem(presented, [], Date.now()), null);
  assert.equal(presented.thumbprint, thumbprintOf(good));
  assert.equal(presented.notBefore, Date.parse(validFrom));
  assert.equal(presented.notAfter, Date.parse(validTo));
  assert.deepEqual(
    presented.chain.map(({ serial }) => serial),
    [good.serial.replace(/^0/, '').toUpperCase()],
  );
});

test('who sends no certificate has none', async () => {
  assert.equal((await shake({})).presented, null);
});

test('who resumes a session without a certificate still has none', async () => {
  const { session } = await shake({});
  const resumed = await shake({ session: session as Buffer });
  assert.equal(resumed.isReused, true);
  assert.equal(resumed.presented, null);
});

test('a session that is resumed has the certificate of the first handshake, and its problem', async () => {
  for (const made of [good, await makeCertificate({})]) {
    const first = await shake(sending(made));
    const resumed = await shake({ session: first.session as Buffer });
    assert.equal(resumed.isReused, true);
    assert.deepEqual(resumed.presented, first.presented);
  }
});

test('a certificate that nobody but itself has signed is not trusted', async () => {
  assert.equal(await problemOf(await makeCertificate({})), 'is self-signed');
});

test('a certificate of another CA is not trusted, also when the CA is sent along', async () => {
  const other = await makeCa('Other CA');
  const made = await makeCertificate({ usages: [clientAuth] }, other);
  assert.equal(await problemOf(made), 'is not issued by a trusted CA');
  assert.equal(await problemOf(made, other), 'is not issued by a trusted CA');
});

test('a certificate of a CA that only has the name of a trusted one is not trusted', async () => {
  const made = await makeCertificate({ usages: [clientAuth] }, namesake);
  assert.equal(await problemOf(made), 'is not issued by a trusted CA');
  assert.equal(await problemOf(made, namesake), 'is not issued by a trusted CA');
});

test('a certificate that has expired is not trusted', async () => {
  const dates = { notBefore: Date.now() - 2 * dayMs, notAfter: Date.now() - dayMs };
  assert.equal(await problemOf(await makeCertificate(dates, ca)), 'has expired');
});

test('a certificate that is not valid yet is not trusted', async () => {
  const dates = { notBefore: Date.now() + dayMs, notAfter: Date.now() + 2 * dayMs };
  assert.equal(await problemOf(await makeCertificate(dates, ca)), 'is not valid yet');
});

test('a certificate for servers only is not one for clients', async () => {
  assert.equal(await problemOf(await makeCertificate({ usages: [serverAuth] }, ca)), 'may not be used by a client');
});

test('what OpenSSL has no word for is named by ours', async () => {
  const weak = await makeCertificate({ rsaBits: 1024 }, ca);
  const { presented } = await shake({ ...sending(weak), ciphers: 'DEFAULT@SECLEVEL=0' });
  assert.equal(presented?.problem, 'has a key that is too weak');
});

test('a CA certificate is not a client, though the handshake would let it pass', async () => {
  const signing = await makeCertificate({ isCa: true, keyUsageBits: caUsage | signatureUsage }, ca);
  assert.equal(await problemOf(signing), 'is a CA certificate');
});

test('only the leaf counts: a certificate that is sent along is neither the thumbprint nor part of the chain', async () => {
  const { presented } = await shake(sending(good, stranger));
  assert.equal(presented?.problem, null);
  assert.equal(presented?.thumbprint, thumbprintOf(good));
  assert.equal(presented?.chain.length, 1);
});

test('a leaf of which the key is not held gets nowhere by standing behind another', async () => {
  const selfSigned = await makeCertificate({ name: toName('good') });
  const { presented } = await shake(sending(selfSigned, good));
  assert.notEqual(presented?.problem, null);
  assert.equal(presented?.thumbprint, thumbprintOf(selfSigned));
});

test('the CA between is part of the chain; the root, and a forgery of the CA between, are not', async () => {
  const forgery = await makeCa('Company clients', namesake);
  const made = await makeCertificate({}, intermediate);
  const { presented } = await shake(sending(made, intermediate, forgery, ca));
  assert.equal(presented?.problem, null);
  assert.deepEqual(
    presented?.chain.map(({ serial }) => serial),
    [made, intermediate].map(({ serial }) => serial.replace(/^0/, '').toUpperCase()),
  );
});

test('more certificates than can be looked at are a problem, because a revoked CA could hide among them', async () => {
  const made = await makeCertificate({}, intermediate);
  const crowd = Array.from({ length: 8 }, () => stranger);
  assert.equal(await problemOf(made, intermediate, ...crowd.slice(1)), null);
  assert.equal(await problemOf(made, intermediate, ...crowd), 'comes with too many others');
});

test('a certificate expires while its connection is open', async () => {
  const presented = (await shake(sending(good))).presented as PresentedCertificate;
  assert.equal(findProblem(presented, [], presented.notAfter), null);
  assert.equal(findProblem(presented, [], presented.notAfter + 1), 'has expired');
  assert.equal(findProblem(presented, [], presented.notBefore - 1), 'is not valid yet');
});

test('what was found at the handshake comes before everything else', async () => {
  const presented = (await shake(sending(await makeCertificate({})))).presented as PresentedCertificate;
  assert.equal(findProblem(presented, [], presented.notAfter + 1), 'is self-signed');
});

test('a certificate that its CA has revoked has a problem, others of the CA have none', async () => {
  const lists = await readRevocationLists(await makeList(ca, { serials: [good.serial] }), [
    new X509Certificate(ca.der),
  ]);
  const presented = (await shake(sending(good))).presented as PresentedCertificate;
  const other = (await shake(sending(stranger))).presented as PresentedCertificate;
  assert.equal(findProblem(presented, lists, Date.now()), 'was revoked');
  assert.equal(findProblem(other, lists, Date.now()), null);
});

test('a certificate is revoked with the CA that issued it', async () => {
  const der = await makeList(ca, { serials: [intermediate.serial] });
  const lists = await readRevocationLists(der, [new X509Certificate(ca.der)]);
  const presented = (await shake(sending(await makeCertificate({}, intermediate), intermediate))).presented;
  assert.equal(findProblem(presented as PresentedCertificate, lists, Date.now()), 'was revoked');
});

test('with a revocation list that has expired no certificate of that CA is taken, but those of others are', async () => {
  const nextUpdate = Date.now() - dayMs;
  const foreign = await makeCa('Other CA');
  const presented = (await shake(sending(good))).presented as PresentedCertificate;
  const expired = 'cannot be checked: the revocation list has expired';
  for (const [issuer, problem] of [
    [ca, expired],
    [foreign, null],
  ] as const) {
    const lists = await readRevocationLists(await makeList(issuer, { nextUpdate }), [new X509Certificate(issuer.der)]);
    assert.equal(findProblem(presented, lists, Date.now()), problem);
  }
});

test('a certificate is registered by the thumbprint, the subject and the last day of the first in the text', () => {
  const { thumbprint, subject, notAfter } = readLeaf(`${good.keyPem}\n${good.pem}\n${ca.pem}`);
  assert.equal(thumbprint, thumbprintOf(good));
  assert.equal(subject, 'CN=good');
  assert.equal(notAfter, Date.parse(new X509Certificate(good.der).validTo));
});

test('what could never be used is not registered', async () => {
  const expired = await makeCertificate({ notBefore: Date.now() - 2 * dayMs, notAfter: Date.now() - dayMs }, ca);
  const cases: [string, RegExp][] = [
    ['', /no certificate in PEM/],
    [good.keyPem, /no certificate in PEM/],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', /cannot be read/],
    [ca.pem, /is a CA certificate/],
    [expired.pem, /has expired/],
    [(await makeCertificate({ rsaBits: 1024 }, ca)).pem, /too weak/],
    [(await makeCertificate({ usages: [serverAuth] }, ca)).pem, /may not be used by a client/],
  ];
  for (const [pem, message] of cases) {
    assert.throws(() => readLeaf(pem), { name: 'Refusal', code: 'InvalidField', message });
  }
});
