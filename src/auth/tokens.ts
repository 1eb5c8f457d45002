// Verifies access tokens (RFC 9068). The algorithm and the key come from our own key record, never from the token.
// A token that was verified is remembered under the SHA-256 of its whole text until it expires.

import { hash } from 'node:crypto';
import { createLocalJWKSet, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { isScope, type Scope } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { signingAlgorithm } from './keys.ts';

const mostRemembered = 10_000;
const clockToleranceSeconds = 30;

export interface VerifiedToken {
  /** The AppKey of the application that the token was given to. */
  clientId: string;
  scopes: Scope[];
  /** The certificate that the token is bound to (RFC 8705): SHA-256 of it, base64url. Null: to none. */
  boundTo: string | null;
  /** For whom the application acts; null: for itself. */
  person: TokenPerson | null;
  /** From an outside issuer: `<issuer name>:<subject>`, what `CreatedBy` will say. Null: from our own. */
  outsideActor: string | null;
  /** When it stops being taken: its `exp` and the tolerance for clocks that differ. */
  expiresAtMs: number;
}

export interface TokenPerson {
  /** The user's id; `<issuer name>:<subject>` for an outside issuer. */
  id: string;
  /** The sign-in that the token came from, which may have been revoked since; null for an outside issuer. */
  grant: string | null;
}

export interface TokenRules {
  issuer: string;
  audience: string;
  signingKeys: readonly JWK[];
}

export class TokenVerifier {
  readonly #rules: TokenRules;
  readonly #keys: ReturnType<typeof createLocalJWKSet>;
  readonly #verified = new LRUCache<string, VerifiedToken>({ max: mostRemembered });

  constructor(rules: TokenRules) {
    this.#rules = rules;
    this.#keys = createLocalJWKSet({ keys: rules.signingKeys.map(toPublic) });
  }

  async verify(token: string): Promise<VerifiedToken> {
    const digest = hash('sha256', token, 'base64');
    const known = this.#verified.get(digest);
    if (known !== undefined) {
      if (known.expiresAtMs > Date.now()) return known;
      this.#verified.delete(digest);
      throw tokenInvalid('The access token has expired.');
    }
    const verified = await this.#check(token);
    this.#verified.set(digest, verified);
    return verified;
  }

  async #check(token: string): Promise<VerifiedToken> {
    const { issuer, audience } = this.#rules;
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        algorithms: [signingAlgorithm],
        typ: 'at+jwt',
        issuer,
        audience,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['iss', 'aud', 'exp', 'iat', 'sub', 'client_id', 'jti'],
      });
      return toVerified(payload);
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw tokenInvalid('The access token has expired.');
      if (error instanceof errors.JOSEError) throw tokenInvalid('The access token is not valid here.');
      throw error;
    }
  }
}

function toVerified(payload: JWTPayload): VerifiedToken {
  const { client_id: clientId, scope, exp } = payload;
  if (typeof clientId !== 'string' || typeof exp !== 'number' || (scope !== undefined && typeof scope !== 'string')) {
    throw tokenInvalid('The access token is not valid here.');
  }
  return {
    clientId,
    scopes: (scope ?? '').split(' ').filter(isScope),
    expiresAtMs: (exp + clockToleranceSeconds) * 1000,
  };
}

export function tokenInvalid(message: string): Refusal {
  return new Refusal('TokenInvalid', message, {
    target: 'Authorization',
    hint: 'Get a new token from POST /oauth2/token of the same address and send it as "Authorization: Bearer <token>".',
  });
}

export function toPublic({ d: _, ...publicPart }: JWK): JWK {
  return publicPart;
}
