// Verifies access tokens (RFC 9068). The algorithm and the key come from our own key record, never from the token.
// Verified tokens are cached under the SHA-256 of their whole text until they expire.

import { hash } from 'node:crypto';
import type { JWK, JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';
import { LRUCache } from 'lru-cache';
import { isScope } from '../domain/caller.ts';
import { atMost } from '../runtime/cache-size.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { signingAlgorithm, toPublic } from './keys.ts';
import type { OutsideIssuer } from './outside-issuer.ts';
import {
  clockToleranceSeconds,
  notValidHere,
  readBinding,
  tokenInvalid,
  type VerifiedToken,
} from './verified-token.ts';

export const tokenLifetimeSeconds = 3600;
const maxCached = 10_000;
/** An outside issuer may withdraw its keys: their tokens are verified again after this long. */
const rememberOutsideMs = 60 * 1000;

interface TokenRules {
  issuer: string;
  audience: string;
  /** Of tokens for the MCP endpoint alone. */
  mcpAudience: string;
  signingKeys: readonly JWK[];
  /** Reloads the keys, which another node may have changed; null when there are none. */
  reloadKeys: (() => Promise<readonly JWK[]>) | null;
}

/** A token with an unknown key makes us reload the keys, at most this often. */
const reloadAfterMs = 200;

export class TokenVerifier {
  /** Null when our own issuer is disabled. */
  readonly #rules: TokenRules | null;
  readonly #outside: ReadonlyMap<string, OutsideIssuer>;
  #keys: ReturnType<typeof createLocalJWKSet>;
  #looking: Promise<void> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #clock: Clock;
  readonly #verified = new LRUCache<string, { token: VerifiedToken; untilMs: number }>(atMost(maxCached));

  constructor(rules: TokenRules | null, outside: readonly OutsideIssuer[] = [], clock = systemClock) {
    this.#clock = clock;
    this.#rules = rules;
    this.#outside = new Map(outside.map((issuer) => [issuer.rules.issuer, issuer]));
    this.#keys = toKeySet(rules?.signingKeys ?? []);
  }

  async verify(text: string): Promise<VerifiedToken> {
    const digest = hash('sha256', text, 'base64');
    const known = this.#verified.get(digest);
    const now = this.#clock.now();
    if (known !== undefined) {
      if (known.untilMs > now) return known.token;
      this.#verified.delete(digest);
    }
    const outside = this.#outside.size === 0 ? undefined : this.#outside.get(readIssuer(text));
    const token = outside === undefined ? await this.#check(text) : await outside.verify(text);
    const untilMs = outside === undefined ? token.expiresAtMs : Math.min(token.expiresAtMs, now + rememberOutsideMs);
    this.#verified.set(digest, { token, untilMs });
    return token;
  }

  async #check(text: string, hasLooked = false): Promise<VerifiedToken> {
    if (this.#rules === null) throw notValidHere();
    const { issuer, audience, mcpAudience, reloadKeys } = this.#rules;
    try {
      const { payload } = await jwtVerify(text, this.#keys, {
        algorithms: [signingAlgorithm],
        typ: 'at+jwt',
        issuer,
        audience: [audience, mcpAudience],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(this.#clock.now()),
        // Also refuses tokens from the future.
        maxTokenAge: tokenLifetimeSeconds,
        requiredClaims: ['iss', 'aud', 'exp', 'iat', 'sub', 'client_id', 'jti'],
      });
      return toVerified(payload, audience);
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw tokenInvalid('The access token has expired.');
      const isWorthALook = error instanceof errors.JWKSNoMatchingKey && reloadKeys !== null && !hasLooked;
      if (isWorthALook) {
        await this.#look(reloadKeys);
        return await this.#check(text, true);
      }
      if (error instanceof errors.JOSEError) throw notValidHere();
      throw error;
    }
  }

  /** One reload at a time serves all who wait for it. */
  async #look(reloadKeys: () => Promise<readonly JWK[]>): Promise<void> {
    this.#looking ??= (async () => {
      const waitMs = this.#lookedAt + reloadAfterMs - this.#clock.monotonic();
      if (waitMs > 0) await this.#clock.sleep(waitMs);
      this.#lookedAt = this.#clock.monotonic();
      this.#keys = toKeySet(await reloadKeys());
    })().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
  }
}

function toKeySet(keys: readonly JWK[]): ReturnType<typeof createLocalJWKSet> {
  return createLocalJWKSet({ keys: keys.filter(({ alg }) => alg === signingAlgorithm).map(toPublic) });
}

/** The unverified claims: they only select whose keys must have signed the token. */
function readIssuer(text: string): string {
  try {
    return decodeJwt(text).iss ?? '';
  } catch {
    return '';
  }
}

function toVerified(payload: JWTPayload, audience: string): VerifiedToken {
  // Tokens of earlier releases have no epoch.
  const { client_id: clientId, scope, iat, exp, sub, grant, session, epoch = 0 } = payload;
  if (typeof clientId !== 'string' || typeof sub !== 'string') throw notValidHere();
  if (typeof iat !== 'number' || typeof exp !== 'number' || exp - iat > tokenLifetimeSeconds) throw notValidHere();
  if (typeof epoch !== 'number') throw notValidHere();
  if (scope !== undefined && typeof scope !== 'string') throw notValidHere();
  // The subject of an application's own token is the application; a person's token names the sign-in that it came from.
  const signIn = typeof grant === 'string' && typeof session === 'string' ? { grant, session } : null;
  if (signIn === null && (sub !== clientId || grant !== undefined || session !== undefined)) throw notValidHere();
  return {
    clientId,
    scopes: (scope ?? '').split(' ').filter(isScope),
    boundTo: readBinding(payload.cnf),
    person: signIn === null ? null : { id: sub, signIn },
    isForMcp: ![payload.aud].flat().includes(audience),
    outsideActor: null,
    epoch,
    expiresAtMs: (exp + clockToleranceSeconds) * 1000,
  };
}
