// A verified access token, and the refusals of an invalid one: the same for our own issuer and outside ones.

import type { Scope, SignIn } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';

export const clockToleranceSeconds = 30;

export interface VerifiedToken {
  /** The AppKey of the application that the token was issued to. */
  clientId: string;
  scopes: Scope[];
  /** The certificate that the token is bound to (RFC 8705): SHA-256 of it, base64url. Null when it is not bound. */
  boundTo: string | null;
  /** The person for whom the application acts; null when it acts for itself. */
  person: TokenPerson | null;
  /** From an outside issuer: `<issuer name>:<subject>`, the value of `CreatedBy`. Null for our own issuer. */
  outsideActor: string | null;
  /** Whether it was issued for the MCP endpoint, and so works nowhere else. */
  isForMcp: boolean;
  /** That of the application when it was issued; null: an outside issuer revokes its tokens itself. */
  epoch: number | null;
  /** When it is no longer accepted: its `exp` plus the tolerance for clock skew. */
  expiresAtMs: number;
}

export interface TokenPerson {
  /** The user's id; `<issuer name>:<subject>` for an outside issuer. */
  id: string;
  /** The sign-in that the token came from, which may have ended; null for an outside issuer. */
  signIn: SignIn | null;
  /** Names of groups that an outside issuer says the person is in. */
  groups?: readonly string[];
}

/** Refuses a token that is bound to something that cannot be checked here, instead of treating it as unbound. */
export function readBinding(cnf: unknown): string | null {
  if (cnf === undefined) return null;
  const thumbprint = (cnf as Record<string, unknown> | null)?.['x5t#S256'];
  const isKnown = typeof thumbprint === 'string' && /^[\w-]{43}$/.test(thumbprint);
  if (!isKnown || Object.keys(cnf as object).length !== 1) throw notValidHere();
  return thumbprint;
}

export function notValidHere(): Refusal {
  return tokenInvalid('The access token is not valid here.');
}

export function tokenInvalid(message: string): Refusal {
  return new Refusal('TokenInvalid', message, {
    target: 'Authorization',
    hint: 'Get a new token from POST /oauth2/token of the same address and send it as "Authorization: Bearer <token>".',
  });
}
