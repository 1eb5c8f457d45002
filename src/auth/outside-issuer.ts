// Verifies access tokens of one outside OpenID provider, and reads the application and the person from the configured claims.
// Verified tokens are not cached here, because a withdrawn key would live on in them.

import type { JWTHeaderParameters, JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { isScope, type Scope } from '../domain/caller.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { OutsideKeys, type OutsideKeysOptions } from './outside-keys.ts';
import {
  clockToleranceSeconds,
  notValidHere,
  readBinding,
  type TokenPerson,
  tokenInvalid,
  type VerifiedToken,
} from './verified-token.ts';

const longestLifeSeconds = 24 * 60 * 60;
const maxTokenBytes = 16 * 1024;

export interface OutsideIssuerRules {
  /** The name of the issuer: the part before the colon in `CreatedBy`. */
  name: string;
  /** The exact `iss`. */
  issuer: string;
  audience: string;
  /** Null for that of the issuer's discovery document. */
  jwksUri: string | null;
  appKeyClaim: string;
  userClaim: string;
  /** Names groups of the person: a string with spaces, or an array of strings. Null: none are read. */
  groupsClaim?: string | null;
  /** Their values are strings with spaces, or arrays of strings. */
  scopeClaims: readonly string[];
  /** A token with this claim and value is the application's own, whatever its user claim says: Entra sets idtyp=app.
   *  A null value accepts any. */
  ownTokenWhen: { claim: string; value: string | null } | null;
  /** The header's `typ`: `JWT` for providers that do not know RFC 9068. */
  tokenType: string;
  algorithms: readonly string[];
  environment: 'production' | 'test';
}

export class OutsideIssuer {
  readonly rules: OutsideIssuerRules;
  readonly #keys: OutsideKeys;
  readonly #clock: Clock;

  constructor(rules: OutsideIssuerRules, options: OutsideKeysOptions = {}) {
    this.rules = rules;
    this.#keys = new OutsideKeys(rules, options);
    this.#clock = options.clock ?? systemClock;
  }

  async verify(token: string): Promise<VerifiedToken> {
    if (token.length > maxTokenBytes) throw notValidHere();
    try {
      return toVerified(await this.#check(token), this.rules);
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw tokenInvalid('The access token has expired.');
      if (error instanceof errors.JOSEError) throw notValidHere();
      throw error;
    }
  }

  async #check(token: string): Promise<JWTPayload> {
    const { issuer, audience, tokenType, algorithms } = this.rules;
    const { payload } = await jwtVerify(token, (header) => this.#requireKey(header), {
      algorithms: [...algorithms],
      typ: tokenType,
      issuer,
      audience,
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(this.#clock.now()),
      requiredClaims: ['iss', 'aud', 'exp', 'iat'],
      maxTokenAge: longestLifeSeconds,
    });
    return payload;
  }

  async #requireKey(header: JWTHeaderParameters) {
    const key = await this.#keys.find(header);
    if (key === null) throw notValidHere();
    return key;
  }
}

function toVerified(payload: JWTPayload, rules: OutsideIssuerRules): VerifiedToken {
  const { exp, iat } = payload;
  const clientId = payload[rules.appKeyClaim];
  if (typeof clientId !== 'string' || clientId === '') throw notValidHere();
  if (typeof exp !== 'number' || typeof iat !== 'number' || exp - iat > longestLifeSeconds) throw notValidHere();
  return {
    clientId,
    scopes: rules.scopeClaims.flatMap((claim) => readScopes(payload[claim])),
    boundTo: readBinding(payload.cnf),
    person: readPerson(payload, clientId, rules),
    isForMcp: false,
    outsideActor: `${rules.name}:${checkUser(payload[rules.userClaim] ?? payload.sub ?? clientId)}`,
    epoch: null,
    expiresAtMs: (exp + clockToleranceSeconds) * 1000,
  };
}

function readScopes(claim: unknown = []): Scope[] {
  const texts = typeof claim === 'string' ? claim.split(' ') : claim;
  if (!Array.isArray(texts) || texts.some((text) => typeof text !== 'string')) throw notValidHere();
  return texts.filter(isScope);
}

function readPerson(payload: JWTPayload, clientId: string, rules: OutsideIssuerRules): TokenPerson | null {
  if (isOwn(payload, clientId, rules)) return null;
  const { groupsClaim = null } = rules;
  const person = { id: `${rules.name}:${checkUser(payload[rules.userClaim])}`, signIn: null };
  return groupsClaim === null ? person : { ...person, groups: readGroups(payload[groupsClaim]) };
}

const maxGroups = 500;

/** Anything else names none: some providers send an object in place of a list that is too long. */
function readGroups(claim: unknown): string[] {
  const names = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return names.filter((name) => typeof name === 'string' && name !== '').slice(0, maxGroups);
}

/** Whether it is the application's own token. A person without the user claim must not pass for the application, and neither must
 *  a token that names nobody: RFC 9068 requires a subject. */
function isOwn(payload: JWTPayload, clientId: string, { userClaim, ownTokenWhen }: OutsideIssuerRules): boolean {
  if (ownTokenWhen !== null) {
    const claim = payload[ownTokenWhen.claim];
    if (ownTokenWhen.value === null ? claim !== undefined : claim === ownTokenWhen.value) return true;
  }
  const subjects = [payload[userClaim], payload.sub].filter((subject) => subject !== undefined);
  if (subjects.length === 0) throw notValidHere();
  return subjects.every((subject) => subject === clientId);
}

function checkUser(value: unknown): string {
  const isGood = typeof value === 'string' && /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u.test(value);
  if (!isGood || value.trim() !== value) throw notValidHere();
  return value;
}
