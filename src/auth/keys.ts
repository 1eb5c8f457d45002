// An environment's own keys, made at its first start and kept in `keys.json`, readable by the owner only:
//   { "Signing": [private JWK, …], "Cookies": [text, …], "Cursors": text }
// The first signing key signs; all of them verify. One that no longer signs says since when (`retired`, milliseconds
// since 1970) and is dropped when nothing that it signed can still be valid.

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { writeDurably } from '../certificates/durable-file.ts';

export const signingAlgorithm = 'ES256';

/** Longer than anything lives that a key has signed: tokens of an hour. */
const keepRetiredMs = 2 * 60 * 60 * 1000;
const mostCookieKeys = 4;

export type SigningKey = JWK & { retired?: number };

export interface Keys {
  signing: SigningKey[];
  cookies: string[];
  /** Authenticates the cursors that clients hand back. */
  cursors: string;
}

export async function openKeys(folder: string): Promise<Keys> {
  let text: string;
  try {
    text = await readFile(pathIn(folder), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const made = { signing: [await makeSigningKey()], cookies: [makeSecret()], cursors: makeSecret() };
    await write(folder, made);
    return made;
  }
  const { Signing, Cookies, Cursors } = JSON.parse(text) as KeysFile;
  return { signing: Signing.filter((key) => !isOver(key, Date.now())), cookies: Cookies, cursors: Cursors };
}

function isOver({ retired }: SigningKey, now: number): boolean {
  return retired !== undefined && now - retired >= keepRetiredMs;
}

/** New keys sign from now on; what the old ones signed stays valid, unless that is what shall end. */
export async function rotateKeys(folder: string, isOldRevoked: boolean, now = Date.now()): Promise<Keys> {
  const { signing, cookies, cursors } = await openKeys(folder);
  const old = signing.map((key) => ({ ...key, retired: key.retired ?? now })).filter((key) => !isOver(key, now));
  const rotated = {
    signing: [await makeSigningKey(), ...(isOldRevoked ? [] : old)],
    cookies: [makeSecret(), ...(isOldRevoked ? [] : cookies)].slice(0, mostCookieKeys),
    cursors,
  };
  await write(folder, rotated);
  return rotated;
}

interface KeysFile {
  Signing: SigningKey[];
  Cookies: string[];
  Cursors: string;
}

function pathIn(folder: string): string {
  return join(folder, 'keys.json');
}

function write(folder: string, { signing, cookies, cursors }: Keys): Promise<void> {
  const file: KeysFile = { Signing: signing, Cookies: cookies, Cursors: cursors };
  return writeDurably(pathIn(folder), JSON.stringify(file));
}

async function makeSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: randomBytes(12).toString('base64url'), alg: signingAlgorithm, use: 'sig' };
}

function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function toPublic({ d: _, retired: __, ...publicPart }: SigningKey): JWK {
  return publicPart;
}
