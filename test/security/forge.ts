// Makes access tokens with the real signing key of a running service, each with exactly one given mistake:
// what refuses them is the check that the test is about, and no other.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  type webcrypto,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate } from '../../src/certificates/certificates-for-tests.ts';
import type { Application } from '../interface/target.ts';

/** Text is taken as it is, for JSON that no serialiser writes. A field of `undefined` is left out. */
export type Part = string | Record<string, unknown>;

export interface Parts {
  header?: Part;
  claims?: Part;
  key?: KeyObject;
}

export interface Forge {
  issuer: string;
  /** Another environment's. */
  foreignIssuer: string;
  application: Application;
  neighbour: Application;
  /** The service's own key, and its public half. */
  key: KeyObject;
  publicKey: KeyObject;
  kid: string;
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** Somebody else's, of the same kind. */
  strangersKey: KeyObject;
  strangersJwk: webcrypto.JsonWebKey;
  /** DER in base64, as `x5c` has it. */
  strangersCertificate: string;
  /** Where the stranger would publish that key. */
  attackerUrl: string;
  nowSeconds: number;
  /** The good token with these changes, signed by the service's key unless another is named. */
  token(parts?: Parts): string;
}

export interface ForgeOptions {
  dataFolder: string;
  environment?: 'production' | 'test';
  issuer: string;
  foreignIssuer: string;
  application: Application;
  neighbour: Application;
  attackerUrl: string;
}

export async function openForge({ dataFolder, environment = 'production', ...known }: ForgeOptions): Promise<Forge> {
  const { Signing } = JSON.parse(readFileSync(join(dataFolder, environment, 'keys.json'), 'utf8')) as {
    Signing: [webcrypto.JsonWebKey & { kid: string }];
  };
  const [jwk] = Signing;
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nowSeconds = Math.floor(Date.now() / 1000);
  const header = { alg: 'ES256', typ: 'at+jwt', kid: jwk.kid };
  const claims = {
    iss: known.issuer,
    aud: toAudience(known.issuer),
    sub: known.application.AppKey,
    client_id: known.application.AppKey,
    scope: 'content.read content.write',
    jti: randomUUID(),
    iat: nowSeconds,
    exp: nowSeconds + 3600,
  };
  return {
    ...known,
    key,
    publicKey: createPublicKey(key),
    kid: jwk.kid,
    header,
    claims,
    strangersKey: stranger.privateKey,
    strangersJwk: stranger.publicKey.export({ format: 'jwk' }),
    strangersCertificate: (await makeCertificate({ keys: stranger })).der.toString('base64'),
    nowSeconds,
    token: ({ header: otherHeader = {}, claims: otherClaims = {}, key: otherKey = key } = {}) =>
      seal(toInput(merge(header, otherHeader), merge(claims, otherClaims)), otherKey),
  };
}

export function toAudience(issuer: string): string {
  return `${issuer}/v1/contentmanagement`;
}

export function toInput(header: Part, claims: Part): string {
  return `${encode(header)}.${encode(claims)}`;
}

/** The token over this text, signed as ES256 wants it: r and s side by side. */
export function seal(input: string, key: KeyObject): string {
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

export function encode(part: Part): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

function merge(good: Record<string, unknown>, other: Part): Part {
  return typeof other === 'string' ? other : { ...good, ...other };
}
