// Links: addresses that grant the right to read one version of one file for a while, for clients that cannot send headers. A link is
// encrypted: nobody else can read or create one.
// Token: base64url of a nonce (12 bytes), the AES-256-GCM of a JSON array [appKey, person, actor, space, fileId, version,
// expiresAt, disposition, id, grant, session], and its tag (16 bytes). A row in the catalog has the same id; a link without one has ended. Keys are derived (HKDF) from those that sign cookies, so that they
// change with them: `keys rotate --revoke-old` ends every link.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SignIn } from '../domain/caller.ts';

export interface Link {
  /** The creator: the application, the person for whom it acted, and their name in the journal. */
  appKey: string;
  person: string | null;
  actor: string;
  space: number;
  fileId: string;
  version: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
  disposition: 'attachment' | 'inline';
  id: string;
  /** The sign-in in which the person made it, and with which it ends; null: there was none. */
  signIn: SignIn | null;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const maxTokenChars = 2048;

export function toLinkKeys(secrets: readonly string[]): Buffer[] {
  return secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'cabinet links', 32)));
}

/** Encrypts with the first key. */
export function encryptLink([key]: readonly Buffer[], link: Link): string {
  if (key === undefined) throw new Error('there is no key to encrypt a link with');
  const { appKey, person, actor, space, fileId, version, expiresAt, disposition, id, signIn } = link;
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce);
  const bound = [id, signIn?.grant ?? null, signIn?.session ?? null];
  const text = JSON.stringify([appKey, person, actor, space, fileId, version, expiresAt, disposition, ...bound]);
  const encrypted = [nonce, encryption.update(text), encryption.final(), encryption.getAuthTag()];
  return Buffer.concat(encrypted).toString('base64url');
}

/** Null when the link is not ours, was changed, or has expired. */
export function openLink(keys: readonly Buffer[], token: string, now: number): Link | null {
  const encrypted = Buffer.from(token.slice(0, maxTokenChars), 'base64url');
  // The decoder ignores what is not base64url: accept only one spelling of a link.
  if (encrypted.length < nonceBytes + tagBytes || encrypted.toString('base64url') !== token) return null;
  for (const key of keys) {
    const text = decrypt(key, encrypted);
    if (text === null) continue;
    const link = toLink(text);
    return now < link.expiresAt ? link : null;
  }
  return null;
}

function decrypt(key: Buffer, encrypted: Buffer): string | null {
  const decryption = createDecipheriv(cipher, key, encrypted.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decryption.setAuthTag(encrypted.subarray(-tagBytes));
  try {
    const text = decryption.update(encrypted.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([text, decryption.final()]).toString();
  } catch {
    return null;
  }
}

function toLink(text: string): Link {
  const [appKey, person, actor, space, fileId, version, expiresAt, disposition, id, grant, session] = JSON.parse(
    text,
  ) as [
    string,
    string | null,
    string,
    number,
    string,
    number,
    number,
    Link['disposition'],
    string | undefined,
    string | null,
    string | null,
  ];
  const signIn = typeof grant === 'string' && typeof session === 'string' ? { grant, session } : null;
  // Those of earlier releases have no id.
  return { appKey, person, actor, space, fileId, version, expiresAt, disposition, id: id ?? '', signIn };
}
