// A client's certificate, and why it may not be used. It comes with the TLS handshake or, behind a proxy that
// terminates TLS, in the headers of RFC 9440; from here on both are the same.

import { hash, X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { Refusal } from '../domain/refusal.ts';
import { systemClock } from '../runtime/clock.ts';
import { findLeafProblem, findPathProblem, hasIssued } from './certificate-chain.ts';
import { readFields } from './certificate-fields.ts';
import type { RevocationList } from './revocation-list.ts';

const maxSent = 8;

export interface PresentedCertificate {
  leaf: X509Certificate;
  /** SHA-256 of the DER of the leaf, base64url without padding: RFC 8705 `x5t#S256`. */
  thumbprint: string;
  /** Why it was not trusted when it was presented; null: it is. Reads after "The certificate ". */
  problem: string | null;
  /** Milliseconds, as is `notAfter`. */
  notBefore: number;
  notAfter: number;
  /** When the result must be checked again: a certificate of the chain becomes valid or expires then. Milliseconds. */
  judgedUntil: number;
  /** The leaf and what issued it, for revocation lists, in the form of `certificate-fields.ts`. */
  chain: readonly { issuer: string; serial: string }[];
}

/** By OpenSSL's code. Of several problems it reports the one that it found last. */
const handshakeProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'is not issued by a trusted CA',
  UNABLE_TO_GET_ISSUER_CERT: 'is not issued by a trusted CA',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'is not issued by a trusted CA',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'is not issued by a trusted CA',
  // The name is that of a trusted CA, the key is not.
  CERT_SIGNATURE_FAILURE: 'is not issued by a trusted CA',
  INVALID_PURPOSE: 'may not be used by a client',
  INVALID_CA: 'is issued by a certificate that is not a CA',
  PATH_LENGTH_EXCEEDED: 'comes from a CA that may not have a CA below it',
};

export interface Judge {
  authorities: readonly X509Certificate[];
  /** Whether the handshake was checked against these authorities. If not, it is checked again. */
  isHandshakes: boolean;
  /** Milliseconds since 1970. */
  now: number;
}

/** For a listener with `requestCert: true, rejectUnauthorized: false`. Null: no certificate was sent. */
export function readSocketCertificate(
  socket: TLSSocket,
  { authorities, isHandshakes, now }: Judge,
): PresentedCertificate | null {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) return null;
  const sent = listSent(leaf);
  const known = [...sent, ...authorities];
  if (sent.length > maxSent) return toPresented(leaf, known, { problem: 'comes with too many others', now });
  // OpenSSL has one code for many problems; ours are more precise.
  const isVague = !socket.authorized && !(String(socket.authorizationError) in handshakeProblems);
  const ours = isHandshakes && !isVague ? findLeafProblem(leaf) : findPathProblem(leaf, sent, authorities, now);
  const theirs = findHandshakeProblem(socket);
  return toPresented(leaf, known, { problem: isVague ? (ours ?? theirs) : (theirs ?? ours), now });
}

/** `authorities` are those that the proxy may have trusted. Refuses headers that are not as RFC 9440 has them. */
export function readForwardedCertificate(
  header: string,
  chainHeader: string | undefined,
  { authorities, now }: Pick<Judge, 'authorities' | 'now'>,
): PresentedCertificate {
  const leaf = parseMember(header.trim(), 'Client-Cert');
  const members = chainHeader === undefined || chainHeader.trim() === '' ? [] : chainHeader.split(',');
  if (members.length > maxSent) throw headerInvalid('Client-Cert-Chain');
  const sent = members.map((member) => parseMember(member.trim(), 'Client-Cert-Chain'));
  const problem = findPathProblem(leaf, sent, authorities, now);
  return toPresented(leaf, [...sent, ...authorities], { problem, now });
}

/** Checked at every request: certificates expire and lists change while a connection is open. */
export function findProblem(
  certificate: PresentedCertificate,
  lists: readonly RevocationList[],
  now: number,
): string | null {
  if (certificate.problem !== null) return certificate.problem;
  if (now < certificate.notBefore) return 'is not valid yet';
  if (now > certificate.notAfter) return 'has expired';
  const concerned = lists.filter((list) => certificate.chain.some(({ issuer }) => issuer === list.issuer));
  if (concerned.some(({ nextUpdate }) => nextUpdate !== null && now > nextUpdate)) {
    return 'cannot be checked: the revocation list has expired';
  }
  return certificate.chain.some((member) => isRevoked(member, concerned)) ? 'was revoked' : null;
}

/** For registering: the first certificate of a PEM text. Refuses one that could never be used. */
export function readLeaf(
  pem: string,
  now = systemClock.now(),
): { thumbprint: string; subject: string; notAfter: number } {
  const [block] = splitPem(pem);
  if (block === undefined) throw leafInvalid('There is no certificate in PEM in it.');
  const leaf = parse(block);
  if (leaf === null) throw leafInvalid('The certificate cannot be read.');
  const notAfter = leaf.validToDate.getTime();
  const problem = findLeafProblem(leaf) ?? (now > notAfter ? 'has expired' : null);
  if (problem !== null) throw leafInvalid(`The certificate ${problem}.`);
  return { thumbprint: toThumbprint(leaf), subject: (leaf.subject ?? '').split('\n').join(', '), notAfter };
}

/** Every certificate of a PEM file. */
export function readAuthorities(pem: string): X509Certificate[] {
  const blocks = splitPem(pem);
  if (blocks.length === 0) throw new Error('There is no certificate in PEM in it.');
  return blocks.map((block) => new X509Certificate(block));
}

/** `known` are the certificates that may stand above it. */
function toPresented(
  leaf: X509Certificate,
  known: readonly X509Certificate[],
  { problem, now }: { problem: string | null; now: number },
): PresentedCertificate {
  const turns = known
    .flatMap(({ validFromDate, validToDate }) => [validFromDate.getTime(), validToDate.getTime()])
    .filter((time) => time > now);
  return {
    leaf,
    thumbprint: toThumbprint(leaf),
    problem,
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
    judgedUntil: Math.min(...turns, Number.POSITIVE_INFINITY),
    chain: listIssuers(leaf, known).map(({ raw }) => {
      const { issuer, serial } = readFields(raw);
      return { issuer, serial };
    }),
  };
}

function toThumbprint({ raw }: X509Certificate): string {
  return hash('sha256', raw, 'base64url');
}

function findHandshakeProblem({ authorized, authorizationError }: TLSSocket): string | null {
  if (authorized) return null;
  // A code, whatever the type says.
  const code = String(authorizationError);
  return handshakeProblems[code] ?? `is not trusted (${code})`;
}

/** `issuerCertificate` of a peer's certificate is what it sent next, whatever that is. One more than the most tells "too many". */
function listSent(leaf: X509Certificate): X509Certificate[] {
  const sent: X509Certificate[] = [];
  for (let next = leaf.issuerCertificate; next !== undefined && sent.length <= maxSent; ) {
    sent.push(next);
    next = next.issuerCertificate;
  }
  return sent;
}

/** The leaf and those that stand above it, whoever sent them, up to one that has issued itself. */
function listIssuers(leaf: X509Certificate, known: readonly X509Certificate[]): X509Certificate[] {
  const members = [leaf];
  for (const member of members) {
    const above = known.filter(
      (other) => !members.includes(other) && hasIssued(other, member) && !hasIssued(other, other),
    );
    members.push(...above);
  }
  return members;
}

/** A byte sequence of RFC 8941, with its padding and without parameters. */
function parseMember(text: string, target: string): X509Certificate {
  const base64 = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(text)?.[1];
  if (base64 === undefined) throw headerInvalid(target);
  const der = Buffer.from(base64, 'base64');
  const certificate = der.toString('base64') === base64 ? parse(der) : null;
  // Node reads PEM as well, and what is followed by something else.
  if (certificate === null || !certificate.raw.equals(der)) throw headerInvalid(target);
  return certificate;
}

function parse(bytes: Buffer | string): X509Certificate | null {
  try {
    const certificate = new X509Certificate(bytes);
    // What OpenSSL reads late or leniently must not fail later, as a fault.
    readFields(certificate.raw);
    const dates = [certificate.validFromDate, certificate.validToDate].map((date) => date.getTime());
    return certificate.publicKey === undefined || dates.some(Number.isNaN) ? null : certificate;
  } catch {
    return null;
  }
}

function splitPem(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}

function isRevoked({ issuer, serial }: { issuer: string; serial: string }, lists: readonly RevocationList[]): boolean {
  return lists.some((list) => list.issuer === issuer && list.revoked.has(serial));
}

function leafInvalid(message: string): Refusal {
  return new Refusal('InvalidField', message, {
    target: 'Certificate',
    hint: 'Send the certificate of the client in PEM, "-----BEGIN CERTIFICATE-----" and so on.',
  });
}

function headerInvalid(target: string): Refusal {
  return new Refusal('CertificateInvalid', `The ${target} header cannot be read.`, {
    target,
    hint: 'It has the DER of the certificate in base64 between two colons (RFC 9440).',
  });
}
