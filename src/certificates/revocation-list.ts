// Revocation lists (RFC 5280): which certificates a CA has revoked. A list counts only with the signature of a trusted CA, and
// only if all of its critical extensions are understood.
//
// Read here from the DER: the library that makes our certificates overlooks every entry of a list without `nextUpdate`.

import { type KeyObject, verify, type X509Certificate } from 'node:crypto';
import {
  type Extension,
  readExtensions,
  readFields,
  toExtension,
  toNameForm,
  toSerialForm,
} from './certificate-fields.ts';
import { contentOf, type Element, readElements, readWithin, tags } from './der.ts';

export interface RevocationList {
  /** In the form of `certificate-fields.ts`, as are the serial numbers. */
  issuer: string;
  /** Milliseconds; null: the list does not say when the next one will be there. */
  nextUpdate: number | null;
  revoked: ReadonlySet<string>;
}

interface Parsed extends RevocationList {
  extensions: [string, Extension][];
  signed: Buffer;
  algorithm: string;
  signature: Buffer;
}

/** By the object identifier's bytes in hex: ECDSA and RSA (PKCS #1), each with SHA-256, 384 and 512; Ed25519 has its own. */
const digests: Readonly<Record<string, string | null>> = {
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2b6570': null,
};

const issuingDistributionPoint = '551d1c';

/** PEM with one list or several, or one in DER. */
export async function readRevocationLists(
  bytes: Buffer,
  authorities: readonly X509Certificate[],
): Promise<RevocationList[]> {
  return splitLists(bytes).map((der) => {
    const { issuer, nextUpdate, revoked } = checkList(parseList(der), authorities);
    return { issuer, nextUpdate, revoked };
  });
}

function splitLists(bytes: Buffer): Buffer[] {
  if (bytes[0] === tags.sequence) return [bytes];
  const blocks = bytes.toString('latin1').matchAll(/-----BEGIN X509 CRL-----([^-]*)-----END X509 CRL-----/g);
  const lists = Array.from(blocks, ([, base64]) => Buffer.from(base64 as string, 'base64'));
  if (lists.length === 0) throw new Error('There is no revocation list in it: neither DER nor a PEM block "X509 CRL".');
  return lists;
}

function checkList(list: Parsed, authorities: readonly X509Certificate[]): Parsed {
  const named = authorities.filter(({ raw }) => readFields(raw).subject === list.issuer);
  if (!named.some(({ publicKey }) => hasSigned(publicKey, list))) {
    throw new Error(`The revocation list of ${list.issuer} is not signed by a trusted CA of that name.`);
  }
  if (list.extensions.some(isNotUnderstood)) {
    throw new Error(
      `The revocation list of ${list.issuer} is a delta list, an indirect one, or of a kind not known here.`,
    );
  }
  return list;
}

function hasSigned(key: KeyObject, { algorithm, signed, signature }: Parsed): boolean {
  const digest = digests[algorithm];
  if (digest === undefined || (digest === null) !== (key.asymmetricKeyType === 'ed25519')) return false;
  try {
    return verify(digest, signed, key, signature);
  } catch {
    return false;
  }
}

function isNotUnderstood([type, { isCritical, value }]: [string, Extension]): boolean {
  return isCritical && !(type === issuingDistributionPoint && !isIndirect(value));
}

/** In an issuing distribution point, [4] is `indirectCRL`: the entries are then other CAs' certificates. */
function isIndirect(value: Buffer): boolean {
  return value.includes(Buffer.from([0x84, 0x01, 0xff]));
}

function parseList(der: Buffer): Parsed {
  try {
    return toParsed(readWithin(der));
  } catch (cause) {
    throw new Error('The revocation list cannot be read.', { cause });
  }
}

function toParsed([list, algorithm, signature]: Element[]): Parsed {
  const fields = readElements(contentOf(list));
  if (fields[0]?.tag === tags.integer) fields.shift();
  const [innerAlgorithm, issuer, , ...rest] = fields;
  if (!contentOf(innerAlgorithm).equals(contentOf(algorithm))) throw new Error('It names two algorithms.');
  const nextUpdate = isTime(rest[0]) ? toTime(rest.shift() as Element) : null;
  const entries = rest[0]?.tag === tags.sequence ? readElements(contentOf(rest.shift())).map(toEntry) : [];
  if (rest.some(({ tag }) => tag !== tags.context0)) throw new Error('It has a field that should not be there.');
  return {
    issuer: toNameForm(contentOf(issuer)),
    nextUpdate,
    revoked: new Set(entries.map(({ serial }) => serial)),
    extensions: [...readExtensions(rest[0]), ...entries.flatMap(({ extensions }) => extensions)],
    signed: (list as Element).raw,
    algorithm: contentOf(readElements(contentOf(algorithm))[0]).toString('hex'),
    // The first byte of a bit string counts the bits that are not used.
    signature: contentOf(signature).subarray(1),
  };
}

function toEntry({ content }: Element): { serial: string; extensions: [string, Extension][] } {
  const [serial, , extensions] = readElements(content);
  return {
    serial: toSerialForm(contentOf(serial).toString('hex')),
    extensions: extensions === undefined ? [] : readElements(extensions.content).map(toExtension),
  };
}

function isTime(element: Element | undefined): boolean {
  return element?.tag === tags.utcTime || element?.tag === tags.generalizedTime;
}

/** YYMMDDHHMMSSZ until 2049, YYYYMMDDHHMMSSZ from then on. */
function toTime({ tag, content }: Element): number {
  const text = content.toString('latin1');
  const century = tag === tags.generalizedTime ? '' : text < '50' ? '20' : '19';
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + text);
  if (parts === null) throw new Error('It has a time that cannot be read.');
  const [, year, month, day, hour, minute, second] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
