// Certificates that must be refused. Each has one defect and is valid otherwise: of the company's CA, for clients, in its
// validity period, and, where possible, registered for the application.

import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  clientAuth,
  dayMs,
  Extension,
  type Made,
  makeCa,
  makeCertificate,
  serverAuth,
  toName,
  type Wish,
} from '../../src/certificates/certificates-for-tests.ts';
import { type CompanyCa, makeClient } from './company-ca.ts';

export interface Shown {
  what: string;
  leaf: Made;
  /** Sent along, after the leaf. */
  others: Made[];
}

export interface Bad extends Shown {
  reason: RegExp;
  /** Null: it is registered. Otherwise why that is refused, or that it is not tried. */
  unregistered: RegExp | 'not tried' | null;
}

export interface Corpus {
  good: Made;
  fine: Shown[];
  bad: Bad[];
  /** Of a CA that stands in the file of trusted ones, under another there that has revoked it; sent without it. */
  silent: Bad;
}

const untrusted = /^The certificate is not issued by a trusted CA\.$/;
const selfSigned = /^The certificate is self-signed\.$/;
const expired = /^The certificate has expired\.$/;
const early = /^The certificate is not valid yet\.$/;
const notForClients = /^The certificate may not be used by a client\b/;
const revoked = /^The certificate was revoked\.$/;
const notRegistered = /^The certificate is not one of this application\.$/;
const tooDeep = /^The certificate comes from a CA that may not have a CA below it\.$/;
/** OpenSSL finds these, and Node does not say which it was. */
const weak = /too weak|is not trusted/;
const unknownCritical = /critical extension|is not trusted/;
const wrongIssuer = /is not a CA|may not be used by a client|is not trusted|not issued by a trusted CA/;
const constrained = /critical extension|is not trusted/;

const past = { notBefore: Date.now() - 3 * dayMs, notAfter: Date.now() - dayMs };
const future = { notBefore: Date.now() + dayMs, notAfter: Date.now() + 3 * dayMs };

/** Writes the CAs that the corpus needs into the company's file, and its revocation list: do this before it starts. */
export async function makeCorpus(company: CompanyCa): Promise<Corpus> {
  const { ca } = company;
  const good = await makeClient('good', ca);
  const rsa = await makeCa('Company RSA CA', undefined, { rsaBits: 2048 });
  const shallow = await makeCa('Company shallow CA', undefined, { pathLength: 0 });
  const listed = await makeCa('Company listed CA', ca);
  company.put('ca.pem', [ca, rsa, shallow, listed].map(({ pem }) => pem).join('\n'));
  const groups = await Promise.all([
    makeUntimely(ca),
    makeForeign(ca, good),
    makeUnfit(ca),
    makeWeak(ca, rsa),
    makeUnregistered(ca, good),
    makeWithBadIssuers({ ca, good, rsa, shallow }),
    makeDamaged(ca, good),
  ]);
  const taken = await makeRevoked(company, listed);
  const silent = show('of a CA of the file that was revoked', revoked, await makeClient('x', listed));
  return { good, fine: await makeFine({ ca, good, rsa, shallow }), bad: [...groups.flat(), ...taken], silent };
}

function show(what: string, reason: RegExp, leaf: Made, others: Made[] = [], unregistered: Bad['unregistered'] = null) {
  return { what, reason, leaf, others, unregistered } satisfies Bad;
}

async function makeUntimely(ca: Made): Promise<Bad[]> {
  const justNow = { notAfter: Math.floor(Date.now() / 1000) * 1000 - 1000 };
  const longAgo = { notBefore: Date.parse('1998-01-01'), notAfter: Date.parse('1999-01-01') };
  const swapped = { notBefore: Date.now() + dayMs, notAfter: Date.now() - dayMs };
  const hour = { notBefore: Date.now() + 3_600_000 };
  return [
    show('expired yesterday', expired, await makeClient('x', ca, past), [], expired),
    show('expired a second ago', expired, await makeClient('x', ca, justNow), [], expired),
    show('expired in another century', expired, await makeClient('x', ca, longAgo), [], expired),
    show('ends before it begins', /expired|not valid yet/, await makeClient('x', ca, swapped), [], expired),
    show('valid from tomorrow', early, await makeClient('x', ca, future)),
    show('valid in an hour', early, await makeClient('x', ca, hour)),
  ];
}

async function makeForeign(ca: Made, good: Made): Promise<Bad[]> {
  const other = await makeCa('Other CA');
  const namesake = await makeCa('Company CA');
  const fakeBetween = await makeCa('Company clients', namesake);
  const between = await makeCa('Company clients', ca);
  const foreign = () => makeClient('x', other);
  const lookalike = await makeCertificate({ name: toName('good'), usages: [clientAuth], serial: good.serial });
  return [
    show('self-signed', selfSigned, await makeCertificate({ name: toName('x'), usages: [clientAuth] })),
    show('self-signed, subject and serial number of the right one', selfSigned, lookalike),
    show('self-signed in the name of the CA', selfSigned, await makeCertificate({ name: ca.name })),
    show('self-signed, with the right CA behind it', selfSigned, await makeCertificate({}), [ca]),
    show('self-signed, with the right leaf behind it', selfSigned, await makeCertificate({}), [good]),
    show('of a CA with the same name', untrusted, await makeClient('x', namesake)),
    show('of a CA with the same name, which comes along', untrusted, await makeClient('x', namesake), [namesake]),
    show('of a CA with the same name, with the right one', untrusted, await makeClient('x', namesake), [ca]),
    show('of another CA', untrusted, await foreign()),
    show('of another CA, which comes along', untrusted, await foreign(), [other]),
    show('of another CA, with the right CA behind it', untrusted, await foreign(), [ca]),
    show('of another CA, with the right leaf behind it', untrusted, await foreign(), [good]),
    show('of another CA, with everything behind it', untrusted, await foreign(), [other, good, ca]),
    show('of a forged CA between', untrusted, await makeClient('x', fakeBetween), [fakeBetween, namesake]),
    show('of a forged CA between, with the real one', untrusted, await makeClient('x', fakeBetween), [between]),
  ];
}

async function makeUnfit(ca: Made): Promise<Bad[]> {
  const usages = {
    'for servers': serverAuth,
    'for mail': '1.3.6.1.5.5.7.3.4',
    'for code': '1.3.6.1.5.5.7.3.3',
    'for time stamps': '1.3.6.1.5.5.7.3.8',
    'for OCSP answers': '1.3.6.1.5.5.7.3.9',
    'for anything, without naming clients': '2.5.29.37.0',
  };
  const byUsage = Object.entries(usages).map(async ([what, usage]) =>
    show(what, notForClients, await makeClient('x', ca, { usages: [usage] }), [], notForClients),
  );
  // The first byte of a bit string counts its unused bits.
  const withKeyUsage = (unused: number, bits: number) =>
    makeClient('x', ca, { extensions: [new Extension('2.5.29.15', true, Buffer.from([3, 2, unused, bits]))] });
  const critical = { extensions: [new Extension('1.2.3.4', true, Buffer.from([5, 0]))] };
  const isCa = /is a CA certificate/;
  return [
    ...(await Promise.all(byUsage)),
    show('a CA', notForClients, await makeCa('x', ca), [], isCa),
    show('the CA itself', notForClients, ca, [], isCa),
    show('a key to encipher with only', notForClients, await withKeyUsage(5, 0x20), [], /key usage/),
    show('a key to sign certificates with only', notForClients, await withKeyUsage(2, 0x04), [], /key usage/),
    show('a key to sign lists with only', notForClients, await withKeyUsage(1, 0x02), [], /key usage/),
    show(
      'a critical extension that nobody knows',
      unknownCritical,
      await makeClient('x', ca, critical),
      [],
      /critical/,
    ),
  ];
}

async function makeWeak(ca: Made, rsa: Made): Promise<Bad[]> {
  const sha1 = withSha1(rsa);
  const between = await makeCa('Company small CA', ca, { rsaBits: 1024 });
  const sha1Between = await makeCa('Company SHA-1 CA', sha1);
  return [
    show('RSA of 1024 bits', weak, await makeClient('x', ca, { rsaBits: 1024 }), [], weak),
    show('Ed448', weak, await makeWithKeys(ca, generateKeyPairSync('ed448')), [], weak),
    show('signed with SHA-1', weak, await makeClient('x', sha1)),
    show('of a CA that is signed with SHA-1', weak, await makeClient('x', sha1Between), [sha1Between]),
    show('of a CA with RSA of 1024 bits', weak, await makeClient('x', between), [between]),
  ];
}

function withSha1(rsa: Made): Made {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-1' };
  return { ...rsa, signer: rsa.keys.privateKey.toCryptoKey(algorithm, false, ['sign']) };
}

/** For kinds of keys that cannot sign certificates here, but can be certified. */
async function makeWithKeys(ca: Made, keys: { publicKey: KeyObject; privateKey: KeyObject }): Promise<Made> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const made = await makeClient('x', ca, { keys: { publicKey: keys.publicKey, privateKey } });
  return { ...made, keyPem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

async function makeUnregistered(ca: Made, good: Made): Promise<Bad[]> {
  const make = (wish: Wish) => makeClient('good', ca, wish);
  const { serial, keys } = good;
  const stranger = await makeClient('stranger', ca);
  const no = 'not tried';
  return [
    show('of the right CA, but nobody knows it', notRegistered, await makeClient('x', ca), [], no),
    show('subject of the right one', notRegistered, await make({}), [], no),
    show('subject and serial number of the right one', notRegistered, await make({ serial }), [], no),
    show('key of the right one', notRegistered, await make({ keys }), [], no),
    show('key and serial number of the right one', notRegistered, await make({ keys, serial }), [], no),
    show('a stranger, with the right leaf behind it', notRegistered, stranger, [good], no),
    show('a stranger, with the right leaf and the CA behind it', notRegistered, stranger, [ca, good], no),
  ];
}

interface Cas {
  ca: Made;
  good: Made;
  rsa: Made;
  shallow: Made;
}

async function makeWithBadIssuers({ ca, good, shallow }: Cas): Promise<Bad[]> {
  const under = async (what: string, reason: RegExp, between: Made, ...above: Made[]) =>
    show(what, reason, await makeClient('x', between), [between, ...above]);
  const lone = await makeCa('Company lone CA', ca, { pathLength: 0 });
  const below = await makeCa('Company lower CA', lone);
  const critical = [new Extension('1.2.3.4', true, Buffer.from([5, 0]))];
  const permitted = await makeCa('Company names', ca, { extensions: [toConstraint(0xa0, 'a.example')] });
  const excluded = await makeCa('Company others', ca, { extensions: [toConstraint(0xa1, 'b.example')] });
  const named = { extensions: [toAlternativeName('b.example')] };
  return [
    show('of a CA between that is not sent', untrusted, await makeClient('x', await makeCa('Company clients', ca))),
    await under('of a CA that may have none below it, two below', tooDeep, below, lone),
    await under('of a CA below a root that may have none below it', tooDeep, await makeCa('Company deep CA', shallow)),
    await under('issued by another client', wrongIssuer, good),
    await under('of a CA that may not sign', wrongIssuer, await makeCa('Company mute', ca, { keyUsageBits: 2 })),
    await under('of a CA that has expired', /expired/, await makeCa('Company old CA', ca, past)),
    await under('of a CA that is not valid yet', /not valid yet/, await makeCa('Company new CA', ca, future)),
    await under('of a CA for servers', notForClients, await makeCa('Company TLS', ca, { usages: [serverAuth] })),
    await under(
      'of a CA with something critical',
      unknownCritical,
      await makeCa('Company odd', ca, { extensions: critical }),
    ),
    show('of a CA for other names', constrained, await makeClient('x', permitted, named), [permitted]),
    show('of a CA that excludes the name', constrained, await makeClient('x', excluded, named), [excluded]),
    show('right, with too many others', /comes with too many others/, good, Array(9).fill(ca), 'not tried'),
  ];
}

/** Short enough for lengths of one byte. */
function toDer(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}

function toAlternativeName(host: string) {
  return new Extension('2.5.29.17', false, toDer(0x30, toDer(0x82, Buffer.from(host))));
}

/** `tag` tells permitted names (0xa0) from excluded ones (0xa1). */
function toConstraint(tag: number, host: string) {
  const subtrees = toDer(tag, toDer(0x30, toDer(0x82, Buffer.from(host))));
  return new Extension('2.5.29.30', true, toDer(0x30, subtrees));
}

async function makeDamaged(ca: Made, good: Made): Promise<Bad[]> {
  const made = await makeClient('x', ca);
  const longer = await makeClient('x', ca, past);
  const at = findLastDay(longer.der);
  return [
    show('a bit of the signature is wrong', untrusted, flip(made, made.der.length - 3)),
    show('a letter of the subject is changed', untrusted, flip(good, good.der.indexOf('good'))),
    // With another first digit it lasts ten years longer.
    show('the last year is changed', untrusted, flip(longer, at)),
  ];
}

/** Where the second of the two UTC times begins, of 13 letters each, which stand together in a sequence. */
export function findLastDay(der: Buffer): number {
  const at = der.indexOf(Buffer.from([0x30, 30, 0x17, 13]));
  assert.notEqual(at, -1);
  return at + 4 + 13 + 2;
}

export function flip(made: Made, at: number): Made {
  const der = Buffer.from(made.der);
  der[at] = (der[at] as number) ^ 1;
  const base64 = der.toString('base64').replace(/.{64}/g, '$&\n');
  return { ...made, der, pem: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n` };
}

async function makeRevoked(company: CompanyCa, listed: Made): Promise<Bad[]> {
  const { ca } = company;
  const leaf = await makeClient('x', ca);
  const between = await makeCa('Company revoked CA', ca);
  const below = await makeCa('Company CA below', between);
  await company.revoke({ serials: [leaf, between, listed].map(({ serial }) => serial) });
  return [
    show('revoked', revoked, leaf),
    show('revoked, with its CA behind it', revoked, leaf, [ca]),
    show('of a CA that was revoked', revoked, await makeClient('x', between), [between]),
    show('of a CA below one that was revoked', revoked, await makeClient('x', below), [below, between]),
    show('of a revoked CA of the file, which is sent', revoked, await makeClient('x', listed), [listed]),
    show('of a CA below a revoked one, in disorder', revoked, await makeClient('x', below), [between, below]),
  ];
}

async function makeFine({ ca, good, rsa, shallow }: Cas): Promise<Shown[]> {
  const between = await makeCa('Company clients', ca);
  const [stranger, foreign] = [await makeClient('stranger', ca), await makeCa('Other CA')];
  return [
    { what: 'right', leaf: good, others: [] },
    { what: 'with its CA', leaf: good, others: [ca] },
    { what: 'with strangers', leaf: good, others: [stranger, foreign, between, ca] },
    { what: 'by a CA between', leaf: await makeClient('x', between), others: [between] },
    { what: 'without extended key usage', leaf: await makeCertificate({}, ca), others: [] },
    { what: 'RSA of 2048 bits', leaf: await makeClient('x', ca, { rsaBits: 2048 }), others: [] },
    { what: 'Ed25519', leaf: await makeWithKeys(ca, generateKeyPairSync('ed25519')), others: [] },
    { what: 'of an RSA CA', leaf: await makeClient('x', rsa), others: [] },
    { what: 'of a root that may have no CA below it', leaf: await makeClient('x', shallow), others: [] },
  ];
}
