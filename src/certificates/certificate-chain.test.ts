import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { findProblem, readAuthorities, readForwardedCertificate } from './certificates.ts';
import {
  clientAuth,
  dayMs,
  Extension,
  type Made,
  makeCa,
  makeCertificate,
  makeList,
  serverAuth,
  toName,
} from './certificates-for-tests.ts';
import { readRevocationLists } from './revocation-list.ts';

const ca = await makeCa('Company CA');
const intermediate = await makeCa('Company clients', ca);
const good = await makeCertificate({ name: toName('good'), usages: [serverAuth, clientAuth] }, ca);
const authorities = readAuthorities(`${ca.pem}\n`);
const past = { notBefore: Date.now() - 2 * dayMs, notAfter: Date.now() - dayMs };

function toMember({ der }: Made): string {
  return `:${der.toString('base64')}:`;
}

function read(leaf: Made, ...others: Made[]) {
  const chain = others.length === 0 ? undefined : others.map(toMember).join(', ');
  return readForwardedCertificate(toMember(leaf), chain, { authorities, now: Date.now() });
}

function problemOf(leaf: Made, ...others: Made[]): string | null {
  return findProblem(read(leaf, ...others), [], Date.now());
}

test('a forwarded certificate of a trusted CA has no problem and is known by its thumbprint', () => {
  const { thumbprint, problem, notAfter } = read(good);
  const { fingerprint256, validTo } = new X509Certificate(good.der);
  assert.equal(problem, null);
  assert.equal(thumbprint, Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url'));
  assert.equal(notAfter, Date.parse(validTo));
});

test('the CA between leads to a trusted one, in whatever company it comes', async () => {
  const made = await makeCertificate({}, intermediate);
  assert.equal(problemOf(made, intermediate), null);
  assert.equal(problemOf(made, good, intermediate, ca), null);
  assert.equal(problemOf(made), 'is not issued by a trusted CA');
  assert.equal(problemOf(made, good), 'is not issued by a trusted CA');
});

test('a forwarded certificate is revoked with the CA that issued it', async () => {
  const lists = await readRevocationLists(await makeList(ca, { serials: [intermediate.serial] }), authorities);
  const presented = read(await makeCertificate({}, intermediate), intermediate);
  assert.equal(findProblem(presented, lists, Date.now()), 'was revoked');
});

test('a serial number is revoked for the CA whose list has it, not for another', async () => {
  const lists = await readRevocationLists(await makeList(ca, { serials: ['0a'] }), authorities);
  const presented = read(await makeCertificate({ serial: '0a' }, intermediate), intermediate);
  assert.equal(findProblem(presented, lists, Date.now()), null);
});

test('a forwarded certificate of a foreign CA is not trusted, whatever the name of the CA', async () => {
  for (const name of ['Other CA', 'Company CA']) {
    const foreign = await makeCa(name);
    const made = await makeCertificate({}, foreign);
    assert.equal(problemOf(made), 'is not issued by a trusted CA');
    assert.equal(problemOf(made, foreign), 'is not issued by a trusted CA');
  }
});

test('a CA has issued what has its name and its signature; the key under another name is not enough', async () => {
  const renamed = await makeCa('Another name', undefined, { keys: ca.keys });
  assert.equal(problemOf(await makeCertificate({}, renamed)), 'is not issued by a trusted CA');
});

test('a signature with SHA-1 is none', async () => {
  for (const hash of ['SHA-1', 'SHA-256'] as const) {
    const old = await makeCa('Old CA', undefined, { rsaBits: 2048, hash });
    const header = toMember(await makeCertificate({}, old));
    const { problem } = readForwardedCertificate(header, undefined, {
      authorities: readAuthorities(old.pem),
      now: Date.now(),
    });
    assert.equal(problem, hash === 'SHA-1' ? 'is signed with an algorithm that is too weak' : null);
  }
});

test('a certificate that nobody but itself has signed is trusted only if it is an authority itself', async () => {
  const alone = await makeCertificate({});
  assert.equal(problemOf(alone), 'is self-signed');
  assert.equal(problemOf(alone, alone), 'is self-signed');
  assert.equal(
    readForwardedCertificate(toMember(alone), undefined, { authorities: readAuthorities(alone.pem), now: Date.now() })
      .problem,
    null,
  );
});

test('a forwarded certificate is for its days', async () => {
  const future = { notBefore: Date.now() + dayMs, notAfter: Date.now() + 2 * dayMs };
  assert.equal(problemOf(await makeCertificate(past, ca)), 'has expired');
  assert.equal(problemOf(await makeCertificate(future, ca)), 'is not valid yet');
});

test('what may not be a client is none', async () => {
  assert.match(problemOf(await makeCertificate({ usages: [serverAuth] }, ca)) ?? '', /^may not be used by a client/);
  assert.equal(problemOf(intermediate), 'is a CA certificate');
  assert.equal(problemOf(await makeCertificate({ rsaBits: 1024 }, ca)), 'has a key that is too weak');
  assert.equal(problemOf(await makeCertificate({ rsaBits: 2048 }, ca)), null);
});

test('a client cannot issue a certificate', async () => {
  // OpenSSL sees that a certificate with key usages may not sign others; without any, only that it is not a CA.
  const made = await makeCertificate({ name: toName('made up') }, good);
  assert.equal(problemOf(made, good), 'is issued by a certificate that is not a CA');
});

test('a CA that may not issue it makes a certificate untrusted', async () => {
  const critical = new Extension('1.2.3.4', true, Buffer.from([5, 0]));
  const cases: [Made, RegExp][] = [
    [await makeCa('expired', ca, past), /CA whose certificate has expired/],
    [
      await makeCa('future', ca, { notBefore: Date.now() + dayMs, notAfter: Date.now() + 2 * dayMs }),
      /is not valid yet/,
    ],
    [await makeCa('servers', ca, { usages: [serverAuth] }), /may not issue certificates for clients/],
    [await makeCa('weak', ca, { rsaBits: 1024 }), /CA with a key that is too weak/],
    [await makeCa('critical', ca, { extensions: [critical] }), /critical extension/],
  ];
  for (const [issuer, problem] of cases)
    assert.match(problemOf(await makeCertificate({}, issuer), issuer) ?? '', problem);
});

test('a critical extension that is not known makes a certificate untrusted, one that is not critical does not', async () => {
  for (const isCritical of [true, false]) {
    const extensions = [new Extension('1.2.3.4', isCritical, Buffer.from([5, 0]))];
    const problem = problemOf(await makeCertificate({ extensions }, ca));
    assert.equal(problem, isCritical ? 'has a critical extension that is not known here' : null);
  }
});

test('a CA that may have none below it has none', async () => {
  const lowest = await makeCa('lowest', ca, { pathLength: 0 });
  const below = await makeCa('below', lowest);
  assert.equal(problemOf(await makeCertificate({}, lowest), lowest), null);
  assert.match(problemOf(await makeCertificate({}, below), below, lowest) ?? '', /may not have a CA below it/);
});

test('an authority that has expired is none, unless its renewed certificate is there too', async () => {
  const old = await makeCa('Renewed CA', undefined, past);
  const renewed = await makeCertificate({ name: old.name, isCa: true, keys: old.keys }, old);
  const header = toMember(await makeCertificate({}, old));
  assert.match(
    readForwardedCertificate(header, undefined, { authorities: readAuthorities(old.pem), now: Date.now() }).problem ??
      '',
    /has expired/,
  );
  const both = readAuthorities(`${old.pem}\n${renewed.pem}`);
  assert.equal(readForwardedCertificate(header, undefined, { authorities: both, now: Date.now() }).problem, null);
});

test('five CAs may stand between, six may not', async () => {
  const between: Made[] = [];
  for (let n = 1; n <= 6; n++) between.unshift(await makeCa(`step ${n}`, between[0] ?? ca));
  const five = between.slice(1);
  assert.equal(problemOf(await makeCertificate({}, five[0]), ...five), null);
  const problem = problemOf(await makeCertificate({}, between[0]), ...between);
  assert.equal(problem, 'is too many steps away from a trusted CA');
});

test('a header that is not as RFC 9440 has it is refused', () => {
  const base64 = good.der.toString('base64');
  const otherPadding = base64.endsWith('=') ? base64.replace(/=+$/, '') : `${base64}=`;
  const long = Buffer.concat([good.der, Buffer.from('more')]).toString('base64');
  const cut = good.der.subarray(0, -1).toString('base64');
  const pem = Buffer.from(good.pem).toString('base64');
  const garbage = [
    '',
    ':',
    '::',
    base64,
    `"${base64}"`,
    `:${base64}`,
    `:${base64}:;a=1`,
    `:${base64}:, :${base64}:`,
    `:${base64.slice(0, 40)} ${base64.slice(40)}:`,
    `:${base64.replaceAll('+', '-').replaceAll('/', '_')}-:`,
    `:${otherPadding}:`,
    `:${long}:`,
    `:${cut}:`,
    `:${pem}:`,
    encodeURIComponent(good.pem),
    ':AAAA:',
  ];
  const refusal = { name: 'Refusal', code: 'CertificateInvalid', message: 'The Client-Cert header cannot be read.' };
  for (const header of garbage) {
    assert.throws(() => readForwardedCertificate(header, undefined, { authorities, now: Date.now() }), refusal, header);
    if (header === '' || header.includes(', ')) continue;
    const inChain = { ...refusal, message: 'The Client-Cert-Chain header cannot be read.' };
    assert.throws(
      () => readForwardedCertificate(toMember(good), header, { authorities, now: Date.now() }),
      inChain,
      header,
    );
  }
});

test('a chain of too many certificates is refused, an empty one is none', () => {
  const chain = Array.from({ length: 9 }, () => toMember(ca)).join(',');
  assert.throws(() => readForwardedCertificate(toMember(good), chain, { authorities, now: Date.now() }), {
    code: 'CertificateInvalid',
  });
  assert.equal(readForwardedCertificate(toMember(good), ' ', { authorities, now: Date.now() }).problem, null);
});

test('a file of authorities has every certificate that is in it, and at least one', () => {
  const both = readAuthorities(`# ours\n${ca.pem}\n# and theirs\n${intermediate.pem}\n`);
  assert.deepEqual(
    both.map(({ raw }) => raw),
    [ca.der, intermediate.der],
  );
  assert.throws(() => readAuthorities('nothing'), /no certificate in PEM/);
});
