// The keys of an environment, created at its first start and stored as JSON: in `keys.json`, readable by the owner only, or in the
// catalog where several nodes share them:
//   { "Signing": [private JWK, …], "Cookies": [text, …], "Cursors": text }
// There are two kinds of signing keys: ES256 for access tokens, and RS256 for ID tokens where the settings say so. An RSA key takes
// 0.1 s or more to create, so there is none before it is needed. The first of a kind signs; all of them verify. A retired one has the
// time (`retired`, milliseconds since 1970) and is removed when nothing that it signed can still be valid.

import { generateKeyPair, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import type { Catalog } from '../catalog/catalog.ts';
import { systemClock } from '../runtime/clock.ts';
import { writeDurably } from '../runtime/durable-file.ts';
import type { IdTokenAlgorithm } from './id-token-algorithms.ts';

/** Of access tokens. */
export const signingAlgorithm = 'ES256';

const rsaBits = 2048;

/** Longer than the lifetime of anything signed: tokens live for an hour. */
const keepRetiredMs = 2 * 60 * 60 * 1000;
const maxCookieKeys = 4;

export type SigningKey = JWK & { retired?: number };

export interface Keys {
  signing: SigningKey[];
  cookies: string[];
  /** Authenticates the cursors that clients send back. */
  cursors: string;
}

/** The storage of the keys, as one string. */
export interface KeyStore {
  /** Null when there are none yet. */
  read(): Promise<string | null>;
  /** Stores the text if there is none yet; returns the stored one. */
  claim(text: string): Promise<string>;
  write(text: string): Promise<void>;
}

export function keysInFolder(folder: string): KeyStore {
  const path = join(folder, 'keys.json');
  return {
    async read() {
      return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
    },
    async claim(text) {
      await writeDurably(path, text);
      return text;
    },
    write: (text) => writeDurably(path, text),
  };
}

export function keysInCatalog(catalog: Catalog): KeyStore {
  const name = 'keys';
  return {
    read: () => catalog.findSetting({ name }),
    claim: (value) => catalog.claimSetting({ name, value }),
    write: (value) => catalog.setSetting({ name, value }),
  };
}

export interface OpenKeysOptions {
  now?: number;
  /** RS256: a key for it is added if there is none. */
  idTokenAlgorithm?: IdTokenAlgorithm;
}

export async function openKeys(
  store: KeyStore,
  { now = systemClock.now(), idTokenAlgorithm = signingAlgorithm }: OpenKeysOptions = {},
): Promise<Keys> {
  const keys = toKeys((await store.read()) ?? (await store.claim(toText(await createKeys()))), now);
  return idTokenAlgorithm !== 'RS256' || hasRsaKey(keys) ? keys : await addRsaKey(store, keys, now);
}

function hasRsaKey({ signing }: Keys): boolean {
  return signing.some(({ alg, retired }) => alg === 'RS256' && retired === undefined);
}

/** What is stored in the end counts: another node may be doing the same. */
async function addRsaKey(store: KeyStore, keys: Keys, now: number): Promise<Keys> {
  const text = toText({ ...keys, signing: [...keys.signing, await createRsaKey()] });
  await store.write(text);
  return toKeys((await store.read()) ?? text, now);
}

async function createKeys(): Promise<Keys> {
  return { signing: [await createEcKey()], cookies: [makeSecret()], cursors: makeSecret() };
}

function toKeys(text: string, now: number): Keys {
  const { Signing, Cookies, Cursors } = JSON.parse(text) as KeysFile;
  return { signing: Signing.filter((key) => !isOver(key, now)), cookies: Cookies, cursors: Cursors };
}

function isOver({ retired }: SigningKey, now: number): boolean {
  return retired !== undefined && now - retired >= keepRetiredMs;
}

/** New keys of the same kinds sign from now on; old signatures stay valid unless the old keys are revoked. */
export async function rotateKeys(store: KeyStore, isOldRevoked: boolean, now = systemClock.now()): Promise<Keys> {
  const keys = await openKeys(store, { now });
  const { signing, cookies, cursors } = keys;
  const renewed = [await createEcKey(), ...(hasRsaKey(keys) ? [await createRsaKey()] : [])];
  const old = signing.map((key) => ({ ...key, retired: key.retired ?? now })).filter((key) => !isOver(key, now));
  const rotated = {
    signing: [...renewed, ...(isOldRevoked ? [] : old)],
    cookies: [makeSecret(), ...(isOldRevoked ? [] : cookies)].slice(0, maxCookieKeys),
    cursors,
  };
  await store.write(toText(rotated));
  return rotated;
}

/** Hashes app passwords. Derived from the key of the cursors, which never changes: rotating keys does not end app passwords. */
export function toAppPasswordKey({ cursors }: Keys): Uint8Array {
  return Buffer.from(hkdfSync('sha256', cursors, '', 'cabinet app passwords', 32));
}

/** Encrypts the secrets of webhooks, likewise. */
export function toWebhookKey({ cursors }: Keys): Uint8Array {
  return Buffer.from(hkdfSync('sha256', cursors, '', 'cabinet webhook secrets', 32));
}

/** Encrypts the secrets of shares and signs the cookies of their pages, likewise. */
export function toShareKey({ cursors }: Keys): Uint8Array {
  return Buffer.from(hkdfSync('sha256', cursors, '', 'cabinet shares', 32));
}

/** Encrypts the secrets of second factors and hashes recovery codes, likewise. */
export function toSecondFactorKey({ cursors }: Keys): Uint8Array {
  return Buffer.from(hkdfSync('sha256', cursors, '', 'cabinet second factors', 32));
}

interface KeysFile {
  Signing: SigningKey[];
  Cookies: string[];
  Cursors: string;
}

function toText({ signing, cookies, cursors }: Keys): string {
  return JSON.stringify({ Signing: signing, Cookies: cookies, Cursors: cursors } satisfies KeysFile);
}

async function createEcKey(): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return toSigningKey(privateKey, signingAlgorithm);
}

async function createRsaKey(): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: rsaBits });
  return toSigningKey(privateKey, 'RS256');
}

function toSigningKey(key: KeyObject, alg: IdTokenAlgorithm): SigningKey {
  return {
    ...(key.export({ format: 'jwk' }) as JWK),
    kid: randomBytes(12).toString('base64url'),
    alg,
    use: 'sig',
  };
}

function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'];

export function toPublic(key: SigningKey): JWK {
  return Object.fromEntries(Object.entries(key).filter(([name]) => publicMembers.includes(name))) as unknown as JWK;
}
