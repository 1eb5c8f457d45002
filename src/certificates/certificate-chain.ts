// Whether a certificate leads to a trusted CA and may be used by a client, as a TLS server would decide it: node:crypto can
// check one signature but not a path. Problems are fragments that read after "The certificate ".

import type { KeyObject, X509Certificate } from 'node:crypto';
import { pathLengthOf, readFields } from './certificate-fields.ts';

const deepest = 5;
const clientAuthentication = '1.3.6.1.5.5.7.3.2';
/** Bits of the first byte of the key usage. */
const signatureOrAgreement = 0x88;
const certificateSigning = 0x04;
const strongCurves = ['prime256v1', 'secp384r1', 'secp521r1'];

/** Basic constraints, key usage, extended key usage, alternative names, policies. What else is critical must be understood. */
const understood = ['551d13', '551d0f', '551d25', '551d11', '551d20'];

/** Null: the certificate leads to one of the authorities, each issued by the next. */
export function findPathProblem(
  leaf: X509Certificate,
  sent: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: number,
): string | null {
  return findLeafProblem(leaf) ?? extendPath([leaf], sent, authorities, now);
}

/** What is wrong with the certificate whoever issued it and whatever the day is. */
export function findLeafProblem(leaf: X509Certificate): string | null {
  if (leaf.ca) return 'is a CA certificate';
  if (!isForClients(leaf)) return 'may not be used by a client (extended key usage)';
  if (!mayBeUsedFor(leaf, signatureOrAgreement)) return 'may not be used by a client (key usage)';
  if (!isStrongKey(leaf.publicKey)) return 'has a key that is too weak';
  if (hasUnknownCritical(leaf)) return 'has a critical extension that is not known here';
  return null;
}

export function isStrongKey({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'rsa' || type === 'rsa-pss') return (details?.modulusLength ?? 0) >= 2048;
  if (type === 'ec') return strongCurves.includes(details?.namedCurve ?? '');
  return type === 'ed25519';
}

/** By name and by signature: a name alone can be anybody's. */
export function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function extendPath(
  members: X509Certificate[],
  sent: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: number,
): string | null {
  for (;;) {
    const last = members.at(-1) as X509Certificate;
    if (authorities.some(({ raw }) => raw.equals(last.raw))) return null;
    if (isWeaklySigned(last)) return 'is signed with an algorithm that is too weak';
    if (hasIssued(last, last)) return members.length === 1 ? 'is self-signed' : 'is not issued by a trusted CA';
    const { issuer, problem } = chooseIssuer(last, [...authorities, ...sent], members.length - 1, now);
    if (issuer === null || problem !== null) return problem ?? 'is not issued by a trusted CA';
    if (authorities.includes(issuer)) return null;
    if (members.length > deepest) return 'is too many steps away from a trusted CA';
    members.push(issuer);
  }
}

/** A CA may be there twice, renewed with the key that it had: the one that may be used is taken. */
function chooseIssuer(certificate: X509Certificate, from: X509Certificate[], casBelow: number, now: number) {
  const found = from
    .filter((candidate) => hasIssued(candidate, certificate))
    .map((issuer) => ({ issuer, problem: findIssuerProblem(issuer, casBelow, now) }));
  return found.find(({ problem }) => problem === null) ?? found[0] ?? { issuer: null, problem: null };
}

function findIssuerProblem(issuer: X509Certificate, casBelow: number, now: number): string | null {
  if (!issuer.ca) return 'is issued by a certificate that is not a CA';
  if (now < issuer.validFromDate.getTime()) return 'comes from a CA whose certificate is not valid yet';
  if (now > issuer.validToDate.getTime()) return 'comes from a CA whose certificate has expired';
  if (!isForClients(issuer)) return 'comes from a CA that may not issue certificates for clients';
  if (!mayBeUsedFor(issuer, certificateSigning)) return 'comes from a CA that may not sign certificates';
  if (!isStrongKey(issuer.publicKey)) return 'comes from a CA with a key that is too weak';
  if (hasUnknownCritical(issuer)) return 'comes from a CA with a critical extension that is not known here';
  if (pathLengthOf(readFields(issuer.raw)) < casBelow) return 'comes from a CA that may not have a CA below it';
  return null;
}

function isForClients({ keyUsage }: X509Certificate): boolean {
  // Undefined, whatever the type says, where there is no such extension.
  return (keyUsage as string[] | undefined)?.includes(clientAuthentication) ?? true;
}

/** One without the extension may be used for everything. */
function mayBeUsedFor({ raw }: X509Certificate, bits: number): boolean {
  const usage = readFields(raw).extensions.get('551d0f');
  if (usage === undefined) return true;
  // A bit string: tag, length, unused bits, then the bits.
  return ((usage.value[3] ?? 0) & bits) !== 0;
}

function isWeaklySigned({ signatureAlgorithm }: X509Certificate): boolean {
  return /md[245]|sha-?1(?!\d)/i.test(signatureAlgorithm ?? 'md5');
}

function hasUnknownCritical({ raw }: X509Certificate): boolean {
  const { extensions } = readFields(raw);
  return [...extensions].some(([type, { isCritical }]) => isCritical && !understood.includes(type));
}
