// Links: addresses that carry the right to read one version of one file for a while, for what cannot send headers. What a
// link says is sealed: nobody else can read or make one.
// Token: base64url of a nonce (12 bytes), the AES-256-GCM of a JSON array [appKey, person, actor, space, fileId, version,
// expiresAt, disposition], and its tag (16 bytes). Keys are derived (HKDF) from those that sign cookies, so that they
// change with them: `keys rotate --revoke-old` ends every link.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface Link {
  /** Who made it: the application, the person for whom it acted, and what the journal calls them. */
  appKey: string;
  person: string | null;
  actor: string;
  space: number;
  fileId: string;
  version: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
  disposition: 'attachment' | 'inline';
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const longestToken = 2048;

export function toLinkKeys(secrets: readonly string[]): Buffer[] {
  return secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'cabinet links', 32)));
}

/** By the first of the keys. */
export function sealLink([key]: readonly Buffer[], link: Link): string {
  if (key === undefined) throw new Error('there is no key to seal a link with');
  const { appKey, person, actor, space, fileId, version, expiresAt, disposition } = link;
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce);
  const text = JSON.stringify([appKey, person, actor, space, fileId, version, expiresAt, disposition]);
  const sealed = [nonce, sealing.update(text), sealing.final(), sealing.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

/** Null: it is not one of ours, was edited, or is over. */
export function openLink(keys: readonly Buffer[], token: string, now: number): Link | null {
  const sealed = Buffer.from(token.slice(0, longestToken), 'base64url');
  // The decoder passes over what is not base64url: of one link there is one spelling.
  if (sealed.length < nonceBytes + tagBytes || sealed.toString('base64url') !== token) return null;
  for (const key of keys) {
    const text = unseal(key, sealed);
    if (text === null) continue;
    const link = toLink(text);
    return now < link.expiresAt ? link : null;
  }
  return null;
}

function unseal(key: Buffer, sealed: Buffer): string | null {
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opening.setAuthTag(sealed.subarray(-tagBytes));
  try {
    const text = opening.update(sealed.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([text, opening.final()]).toString();
  } catch {
    return null;
  }
}

function toLink(text: string): Link {
  const [appKey, person, actor, space, fileId, version, expiresAt, disposition] = JSON.parse(text) as [
    string,
    string | null,
    string,
    number,
    string,
    number,
    number,
    Link['disposition'],
  ];
  return { appKey, person, actor, space, fileId, version, expiresAt, disposition };
}
