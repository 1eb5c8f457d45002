// The certificate authority for development: makes the service's own certificate and those of clients. Kept in a folder that
// only the owner can read: ca.pem, ca-key.pem, server.pem, server-key.pem. Of each pair the key is written first, so that
// ca.pem is there only if the pair was complete once.

import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { domainToASCII } from 'node:url';
import { Refusal } from '../domain/refusal.ts';
import { systemClock } from '../runtime/clock.ts';
import { syncFolder, writeDurably } from '../runtime/durable-file.ts';
import { hasIssued, isStrongKey } from './certificate-chain.ts';
import type { Pair, Signer } from './make-certificate.ts';

const renewalMs = 90 * 86_400_000;
const maxDays = 3650;
const longestName = 64;
const ownNames = ['127.0.0.1', '::1', 'localhost'];

export interface Authority {
  caPath: string;
  serverCertPath: string;
  serverKeyPath: string;
  /** A client certificate in PEM for a public key in PEM (SPKI). Refuses a key that cannot be read or is weak. */
  issue(request: IssueRequest): Promise<string>;
}

interface IssueRequest {
  name: string;
  publicKeyPem: string;
  days: number;
}

/** Without the key nothing can be issued; what was issued before is still served. */
interface Ca {
  certificate: X509Certificate;
  key: KeyObject | null;
}

interface Paths {
  certificate: string;
  key: string;
}

/** `names` are those under which the service is reached: host names and addresses. */
export async function openAuthority(folder: string, names: readonly string[], clock = systemClock): Promise<Authority> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await syncFolder(dirname(folder));
  const caPaths = toPaths(folder, 'ca');
  const server = toPaths(folder, 'server');
  const ca = await openCa(caPaths, server);
  await openServer(ca, server, { names: toHostNames(names), now: clock.now() });
  return {
    caPath: caPaths.certificate,
    serverCertPath: server.certificate,
    serverKeyPath: server.key,
    issue: (request) => issue(ca, request),
  };
}

function toPaths(folder: string, name: string): Paths {
  return { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}-key.pem`) };
}

async function openCa(paths: Paths, server: Paths): Promise<Ca> {
  const pem = await readIfThere(paths.certificate);
  if (pem !== null) {
    const certificate = new X509Certificate(pem);
    const key = toKeyOf(certificate, await readIfThere(paths.key));
    if (key !== null && key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
      throw new Error(`${paths.key} is not an ECDSA P-256 key.`);
    }
    return { certificate, key };
  }
  if ((await readIfThere(server.certificate)) !== null) {
    throw new Error(`${paths.certificate} is gone but ${server.certificate}, which it signed, is there. Put it back.`);
  }
  const { makeCa } = await import('./make-certificate.ts');
  const made = await makeCa();
  await writePair(paths, made);
  return { certificate: new X509Certificate(made.certificatePem), key: createPrivateKey(made.keyPem) };
}

interface Wanted {
  names: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

async function openServer(ca: Ca, paths: Paths, wanted: Wanted): Promise<void> {
  const pem = await readIfThere(paths.certificate);
  const keyPem = await readIfThere(paths.key);
  const reason = pem === null ? 'there is none' : whyRenew(ca, { pem, keyPem }, wanted);
  if (reason === null) return;
  if (ca.key === null) {
    throw new Error(`The server certificate must be made (${reason}), but ${keyMissing} Put ca-key.pem back.`);
  }
  const { makeServer } = await import('./make-certificate.ts');
  await writePair(paths, await makeServer({ certificate: ca.certificate, key: ca.key }, wanted.names));
}

function whyRenew(
  ca: Ca,
  { pem, keyPem }: { pem: string; keyPem: string | null },
  { names, now }: Wanted,
): string | null {
  const certificate = parse(pem);
  if (certificate === null) return 'it cannot be read';
  if (!hasIssued(ca.certificate, certificate)) return 'it is not from this CA';
  if (toKeyOf(certificate, keyPem) === null) return 'its key is not there or is another';
  const missing = names.find((name) => !covers(certificate, name));
  if (missing !== undefined) return `it is not for ${missing}`;
  // A CA that cannot sign can let its certificate be used to the last day.
  const spareMs = ca.key === null ? 0 : renewalMs;
  return certificate.validToDate.getTime() < now + spareMs ? 'it expires' : null;
}

function covers(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  return certificate.subjectAltName?.split(', ').includes(`DNS:${name}`) ?? false;
}

function toHostNames(names: readonly string[]): string[] {
  return [...new Set([...names.map(toHostName), ...ownNames])];
}

function toHostName(name: string): string {
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  const hostName = isIP(bare) === 0 ? domainToASCII(bare) : bare;
  if (!/^[a-z0-9*_.:-]+$/i.test(hostName))
    throw new Error(`"${name}" is not a host name or address for a certificate.`);
  return hostName;
}

const keyMissing = 'the key of the CA is not there or is not the one of ca.pem.';

async function issue(ca: Ca, { name, publicKeyPem, days }: IssueRequest): Promise<string> {
  const signer = requireSigner(ca);
  const publicKey = checkPublicKey(publicKeyPem);
  if (name === '' || [...name].length > longestName) {
    throw new Refusal('InvalidField', `The name in a certificate must have 1 to ${longestName} characters.`, {
      target: 'Name',
    });
  }
  if (!Number.isInteger(days) || days < 1 || days > maxDays) {
    throw new Refusal('InvalidField', `Days must be a number from 1 to ${maxDays}.`, { target: 'Days' });
  }
  const { makeClient } = await import('./make-certificate.ts');
  return makeClient(signer, name, publicKey, days);
}

function requireSigner({ certificate, key }: Ca): Signer {
  if (key !== null) return { certificate, key };
  throw new Refusal('InvalidField', `No certificate can be issued here: ${keyMissing}`, {
    target: 'PublicKey',
    hint: 'Register a certificate of another CA that is trusted here.',
  });
}

function checkPublicKey(pem: string): KeyObject {
  const key = parsePublicKey(pem);
  if (key !== null && isStrongKey(key)) return key;
  const message = key === null ? 'The public key cannot be read.' : 'The public key is of a kind that is not taken.';
  throw new Refusal('InvalidField', message, {
    target: 'PublicKey',
    hint: 'Send one in PEM ("-----BEGIN PUBLIC KEY-----"): ECDSA P-256, P-384 or P-521, Ed25519, or RSA of 2048 bits or more.',
  });
}

function parsePublicKey(pem: string): KeyObject | null {
  // Node would also take a private key or a certificate and find the public key in it.
  if (!/^\s*-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----\s*$/.test(pem)) return null;
  try {
    return createPublicKey(pem);
  } catch {
    return null;
  }
}

function toKeyOf(certificate: X509Certificate, keyPem: string | null): KeyObject | null {
  if (keyPem === null) return null;
  try {
    const key = createPrivateKey(keyPem);
    return certificate.checkPrivateKey(key) ? key : null;
  } catch {
    return null;
  }
}

function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

async function writePair(paths: Paths, { certificatePem, keyPem }: Pair): Promise<void> {
  await writeDurably(paths.key, keyPem);
  await writeDurably(paths.certificate, certificatePem);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
