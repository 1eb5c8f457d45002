// Certificates and revocation lists of every kind, made for the tests of this folder. The service never loads this.

import 'reflect-metadata';
import { generateKeyPairSync, type KeyObject, randomBytes, type webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export const dayMs = 86_400_000;
export const clientAuth = '1.3.6.1.5.5.7.3.2';
export const serverAuth = '1.3.6.1.5.5.7.3.1';

export const caUsage = x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign;
export const signatureUsage = x509.KeyUsageFlags.digitalSignature;

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface Keys {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

export interface Made {
  pem: string;
  der: Buffer;
  keys: Keys;
  keyPem: string;
  serial: string;
  name: x509.Name;
  signer: webcrypto.CryptoKey;
}

export interface Wish {
  name?: x509.Name;
  isCa?: boolean;
  pathLength?: number;
  /** Of a CA; by default it may sign certificates and lists. */
  keyUsageBits?: x509.KeyUsageFlags;
  /** None: no extended key usage at all. */
  usages?: string[];
  notBefore?: number;
  notAfter?: number;
  serial?: string;
  rsaBits?: number;
  /** What an RSA key signs with. */
  hash?: 'SHA-1' | 'SHA-256';
  /** Those of another certificate, which this one renews. */
  keys?: Keys;
  extensions?: x509.Extension[];
}

/** For a test's own names: `new Name([{ CN: [{ bmpString: '…' }] }])`. */
export const Name = x509.Name;
export const Extension = x509.Extension;

export function toName(text: string): x509.Name {
  return new x509.Name([{ CN: [{ utf8String: text }] }]);
}

/** Without an issuer it is signed by itself. */
export async function makeCertificate(wish: Wish, issuer?: Made): Promise<Made> {
  const keys = wish.keys ?? makeKeys(wish.rsaBits);
  const signer = toSigner(keys.privateKey, wish.hash);
  const name = wish.name ?? toName('someone');
  const serial = wish.serial ?? `01${randomBytes(15).toString('hex')}`;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial,
    subject: name,
    issuer: issuer?.name ?? name,
    notBefore: new Date(wish.notBefore ?? Date.now() - dayMs),
    notAfter: new Date(wish.notAfter ?? Date.now() + dayMs),
    publicKey: new x509.PublicKey(keys.publicKey.export({ type: 'spki', format: 'der' })),
    signingKey: issuer?.signer ?? signer,
    signingAlgorithm: algorithm,
    extensions: toExtensions(wish),
  });
  const keyPem = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return {
    pem: certificate.toString('pem'),
    der: Buffer.from(certificate.rawData),
    keys,
    keyPem,
    serial,
    name,
    signer,
  };
}

export function makeCa(name: string | x509.Name, issuer?: Made, wish: Wish = {}): Promise<Made> {
  const wanted = typeof name === 'string' ? toName(name) : name;
  return makeCertificate({ ...wish, name: wanted, isCa: true }, issuer);
}

export interface ListWish {
  serials?: string[];
  nextUpdate?: number;
  name?: x509.Name;
  extensions?: x509.Extension[];
  /** Of every entry. */
  entryExtensions?: x509.Extension[];
}

export async function makeList(issuer: Made, wish: ListWish): Promise<Buffer> {
  const list = await x509.X509CrlGenerator.create({
    issuer: wish.name ?? issuer.name,
    thisUpdate: new Date(Date.now() - 2 * dayMs),
    ...(wish.nextUpdate === undefined ? {} : { nextUpdate: new Date(wish.nextUpdate) }),
    entries: (wish.serials ?? []).map((serialNumber) => ({
      serialNumber,
      revocationDate: new Date(),
      extensions: wish.entryExtensions ?? [],
    })),
    extensions: wish.extensions ?? [],
    signingKey: issuer.signer,
    signingAlgorithm: algorithm,
  });
  return Buffer.from(list.rawData);
}

function toExtensions({ isCa = false, pathLength, keyUsageBits, usages, extensions = [] }: Wish): x509.Extension[] {
  const made: x509.Extension[] = [new x509.BasicConstraintsExtension(isCa, pathLength, true), ...extensions];
  if (isCa) made.push(new x509.KeyUsagesExtension(keyUsageBits ?? caUsage, true));
  if (usages !== undefined) made.push(new x509.ExtendedKeyUsageExtension(usages));
  return made;
}

function makeKeys(rsaBits: number | undefined): Keys {
  if (rsaBits !== undefined) return generateKeyPairSync('rsa', { modulusLength: rsaBits });
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function toSigner(key: KeyObject, hash = 'SHA-256'): webcrypto.CryptoKey {
  if (key.asymmetricKeyType === 'rsa') return key.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash }, false, ['sign']);
  return key.toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
}

export function toPem(listDer: Buffer): string {
  return `-----BEGIN X509 CRL-----\n${listDer.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END X509 CRL-----\n`;
}
