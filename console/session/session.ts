// The sign-in: code flow with PKCE against the service's own issuer. Tokens live in memory alone. A reload goes through
// the issuer once more, whose cookie no script can read: it asks for no password while that sign-in lasts.

import { basePath, isBeneath, readOwnPath, serviceUrl } from '../routing/base-path.ts';
import { makeRandom, readClaims, toChallenge } from './pkce.ts';

export const appKey = 'ak_cabinetconsole000000000000000000';
const redirectUri = `${serviceUrl}/`;
const scope = 'openid profile offline_access content.read content.write content.admin';
const begunKey = 'cabinet.sign-in';
/** Set when someone has signed in with this browser before: then the sign-in page is skipped. */
const knownKey = 'cabinet.known';
const earlierMs = 60_000;

interface Tokens {
  access_token: string;
  refresh_token?: string;
  id_token: string;
  expires_in: number;
}

export interface Person {
  id: string;
  name: string;
}

export type SessionProblem = 'expired' | 'refused' | 'insecure' | 'no-issuer' | 'unreachable';

export class SignInFailed extends Error {
  readonly problem: SessionProblem;

  constructor(problem: SessionProblem) {
    super(problem);
    this.problem = problem;
  }
}

export class Session {
  readonly person: Person;
  #tokens: Tokens;
  #expiresAt = 0;
  #renewing: Promise<void> | null = null;
  #onEnd: () => void = () => undefined;

  constructor(tokens: Tokens) {
    const { sub, name } = readClaims(tokens.id_token);
    this.person = { id: sub, name: name ?? sub };
    this.#tokens = tokens;
    this.#take(tokens);
  }

  onEnd(listener: () => void): void {
    this.#onEnd = listener;
  }

  /** A valid token, other than the rejected one. */
  async token(refused: string | null = null): Promise<string> {
    if (refused === this.#tokens.access_token || Date.now() > this.#expiresAt - earlierMs) {
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = null;
      });
      await this.#renewing;
    }
    return this.#tokens.access_token;
  }

  async #renew(): Promise<void> {
    const { refresh_token: token } = this.#tokens;
    try {
      if (token === undefined) throw new SignInFailed('expired');
      this.#take(await askForTokens({ grant_type: 'refresh_token', refresh_token: token }));
    } catch (error) {
      if (error instanceof SignInFailed && error.problem !== 'unreachable') this.#onEnd();
      throw error;
    }
  }

  #take(tokens: Tokens): void {
    this.#tokens = { ...this.#tokens, ...tokens };
    this.#expiresAt = Date.now() + tokens.expires_in * 1000;
  }

  /** Ends the tokens and the sign-in of this browser at the issuer, then leaves for the sign-in page. */
  async signOut(): Promise<void> {
    window.localStorage.removeItem(knownKey);
    const { refresh_token: token } = this.#tokens;
    if (token !== undefined) {
      const body = new URLSearchParams({ client_id: appKey, token });
      await fetch(`${serviceUrl}/oauth2/revoke`, { method: 'POST', body }).catch(() => null);
    }
    const isOver = await endSignIn().catch(() => false);
    // The page is not kept: going back does not show it again.
    window.location.replace(isOver ? `${basePath}/` : `${serviceUrl}/oauth2/logout`);
  }
}

/** The person has confirmed it here, so the question of the issuer is answered for them. False: it was not understood. */
async function endSignIn(): Promise<boolean> {
  const question = await fetch(`${serviceUrl}/oauth2/logout`);
  const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(await question.text()) ?? [];
  if (xsrf === undefined) return false;
  const body = new URLSearchParams({ xsrf, logout: 'yes' });
  const answer = await fetch(`${serviceUrl}/oauth2/logout/confirm`, { method: 'POST', body });
  return answer.ok;
}

async function askForTokens(form: Record<string, string>): Promise<Tokens> {
  const body = new URLSearchParams({ client_id: appKey, ...form });
  const answer = await fetch(`${serviceUrl}/oauth2/token`, { method: 'POST', body }).catch(() => null);
  if (answer === null || answer.status >= 500) throw new SignInFailed('unreachable');
  if (!answer.ok) throw new SignInFailed('expired');
  return (await answer.json()) as Tokens;
}

/** Redirects to the issuer, which redirects back to the current address. */
export async function beginSignIn(): Promise<never> {
  if (!window.isSecureContext) throw new SignInFailed('insecure');
  await goToOwnAddress();
  const [state, verifier] = [makeRandom(), makeRandom()];
  const { pathname, search } = window.location;
  const back = /[?&](code|error|state)=/.test(search) ? `${basePath}/` : `${pathname}${search}`;
  window.sessionStorage.setItem(begunKey, JSON.stringify({ state, verifier, back }));
  const query = new URLSearchParams({
    client_id: appKey,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state,
    code_challenge: await toChallenge(verifier),
    code_challenge_method: 'S256',
  });
  window.location.assign(`${serviceUrl}/oauth2/authorize?${query}`);
  return await new Promise<never>(() => undefined);
}

/** Codes are sent only to the public address: a user on another host name or path is redirected there first. */
async function goToOwnAddress(): Promise<void> {
  const answer = await fetch(`${serviceUrl}/.well-known/openid-configuration`).catch(() => null);
  if (answer === null) throw new SignInFailed('unreachable');
  if (!answer.ok) throw new SignInFailed('no-issuer');
  const { issuer } = (await answer.json()) as { issuer: string };
  const { origin, pathname, search } = window.location;
  if (new URL(issuer).origin === origin && isBeneath(pathname)) return;
  window.location.replace(`${issuer}${readOwnPath(window.location)}${search}`);
  await new Promise(() => undefined);
}

/** Whether the issuer has just redirected back. */
export function isReturning(): boolean {
  const params = new URLSearchParams(window.location.search);
  return readOwnPath(window.location) === '/' && params.has('state') && (params.has('code') || params.has('error'));
}

/** Whether `resumeSession` redirects to the issuer. */
export function isLeaving(): boolean {
  return !isReturning() && window.localStorage.getItem(knownKey) !== null;
}

/** Null if nobody has signed in with this browser. */
export async function resumeSession(): Promise<Session | null> {
  if (isReturning()) return await finishSignIn(new URLSearchParams(window.location.search));
  return isLeaving() ? await beginSignIn() : null;
}

async function finishSignIn(params: URLSearchParams): Promise<Session> {
  const begun = JSON.parse(window.sessionStorage.getItem(begunKey) ?? '{}') as Record<string, string>;
  window.sessionStorage.removeItem(begunKey);
  window.history.replaceState(null, '', begun.back ?? `${basePath}/`);
  window.localStorage.removeItem(knownKey);
  const [code, state] = [params.get('code'), params.get('state')];
  if (code === null || begun.verifier === undefined || state !== begun.state) throw new SignInFailed('refused');
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: begun.verifier };
  const session = new Session(await askForTokens(form));
  window.localStorage.setItem(knownKey, '1');
  return session;
}
