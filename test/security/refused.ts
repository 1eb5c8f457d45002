// One credential that must be refused, with the exact response.

import type { Headers } from '../interface/client.ts';
import type { Forge } from './forge.ts';

export interface Refused {
  name: string;
  /** Instead of the good ones; `undefined` leaves one out. */
  headers: Headers;
  /** Behind the path. */
  query?: string;
  /** Instead of a small file. */
  body?: string;
  status: number;
  code: string;
  /** `WWW-Authenticate`. */
  challenge: string | undefined;
}

/** The title is a sentence that is true of each of them. */
export interface Family {
  title: string;
  make(forge: Forge): Refused[];
}

export const withoutError = 'Bearer realm="cabinet"';
export const invalidToken = 'Bearer error="invalid_token"';

export function tokenInvalid(name: string, token: string): Refused {
  return authorizationInvalid(name, `Bearer ${token}`);
}

export function authorizationInvalid(name: string, Authorization: string): Refused {
  return { name, headers: { Authorization }, status: 401, code: 'TokenInvalid', challenge: invalidToken };
}

/** One for each change of the good claims. */
export function claimsInvalid(forge: Forge, changes: Record<string, Record<string, unknown>>): Refused[] {
  return Object.entries(changes).map(([name, claims]) => tokenInvalid(name, forge.token({ claims })));
}

/** One for each change of the good header. */
export function headersInvalid(forge: Forge, changes: Record<string, Record<string, unknown>>): Refused[] {
  return Object.entries(changes).map(([name, header]) => tokenInvalid(name, forge.token({ header })));
}

/** The same claim with each of these values, which the names show. */
export function valuesInvalid(forge: Forge, claim: string, values: readonly unknown[]): Refused[] {
  return values.map((value) => tokenInvalid(`${claim} ${show(value)}`, forge.token({ claims: { [claim]: value } })));
}

export function show(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 30)}…${text.slice(-29)}`;
}
