// Makes certificates, ECDSA P-256 throughout. Loads a library that most services never need: import this lazily.

import 'reflect-metadata';
import { generateKeyPairSync, type KeyObject, randomBytes, type X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const dayMs = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const caDays = 3652;
const serverDays = 730;

export interface Pair {
  certificatePem: string;
  keyPem: string;
}

export interface Signer {
  certificate: X509Certificate;
  key: KeyObject;
}

interface Plan {
  subject: x509.Name;
  publicKey: KeyObject;
  days: number;
  extensions: x509.Extension[];
}

export async function makeCa(): Promise<Pair> {
  const { publicKey, privateKey } = makeKeys();
  const subject = toName(`Cabinet development CA ${randomBytes(4).toString('hex')}`, 'Cabinet');
  const flags = x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign;
  const extensions = [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(flags, true),
    await x509.SubjectKeyIdentifierExtension.create(toPublicKey(publicKey)),
  ];
  const signing = { issuer: subject, key: privateKey, notAfter: Number.POSITIVE_INFINITY };
  const certificatePem = await sign({ subject, publicKey, days: caDays, extensions }, signing);
  return { certificatePem, keyPem: toKeyPem(privateKey) };
}

export async function makeServer(signer: Signer, names: readonly string[]): Promise<Pair> {
  const { publicKey, privateKey } = makeKeys();
  const extensions = [
    ...(await toLeafExtensions(signer, publicKey, x509.ExtendedKeyUsage.serverAuth)),
    new x509.SubjectAlternativeNameExtension(
      names.map((value): x509.JsonGeneralName => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
    ),
  ];
  const subject = toName('Cabinet development server', 'Cabinet');
  const certificatePem = await sign({ subject, publicKey, days: serverDays, extensions }, toSigning(signer));
  return { certificatePem, keyPem: toKeyPem(privateKey) };
}

export async function makeClient(signer: Signer, name: string, publicKey: KeyObject, days: number): Promise<string> {
  const extensions = await toLeafExtensions(signer, publicKey, x509.ExtendedKeyUsage.clientAuth);
  return sign({ subject: toName(name), publicKey, days, extensions }, toSigning(signer));
}

interface Signing {
  issuer: x509.Name;
  key: KeyObject;
  notAfter: number;
}

function toSigning({ certificate, key }: Signer): Signing {
  const issuer = new x509.X509Certificate(certificate.raw).subjectName;
  return { issuer, key, notAfter: certificate.validToDate.getTime() };
}

/** No certificate outlives the one that signs it; all begin a minute ago, for clocks that are behind. */
async function sign({ subject, publicKey, days, extensions }: Plan, signing: Signing): Promise<string> {
  const now = Date.now();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: makeSerial(),
    subject,
    issuer: signing.issuer,
    notBefore: new Date(now - 60_000),
    notAfter: new Date(Math.min(now + days * dayMs, signing.notAfter)),
    publicKey: toPublicKey(publicKey),
    signingKey: signing.key.toCryptoKey(algorithm, false, ['sign']),
    signingAlgorithm: algorithm,
    extensions,
  });
  return `${certificate.toString('pem')}\n`;
}

async function toLeafExtensions(signer: Signer, publicKey: KeyObject, usage: string): Promise<x509.Extension[]> {
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([usage]),
    await x509.AuthorityKeyIdentifierExtension.create(toPublicKey(signer.certificate.publicKey)),
    await x509.SubjectKeyIdentifierExtension.create(toPublicKey(publicKey)),
  ];
}

/** Given as objects, because plain text is searched for escapes and for hex after "#". */
function toName(commonName: string, organization?: string): x509.Name {
  const parts: x509.JsonNameParams = [{ CN: [{ utf8String: commonName }] }];
  if (organization !== undefined) parts.push({ O: [{ utf8String: organization }] });
  return new x509.Name(parts);
}

/** 16 bytes, positive, and with no zeros in front that would make it shorter. */
function makeSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

function makeKeys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function toPublicKey(key: KeyObject): x509.PublicKey {
  return new x509.PublicKey(key.export({ type: 'spki', format: 'der' }));
}

function toKeyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}
