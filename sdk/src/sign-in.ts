// People: they sign in on a page of the service (authorization code with PKCE), and their tokens are renewed by refresh tokens.

import type { Cabinet, CallOptions, TokenSource } from './connect.ts';
import type { TokenAnswer } from './description.ts';
import { CabinetError } from './errors.ts';
import { startSha256 } from './sha256.ts';
import { keepToken, postForm, requestToken } from './tokens.ts';

/** What identifies the application; a `Cabinet` does. */
export type SignInPlace = Pick<Cabinet, 'url' | 'appKey'>;

export interface SignInRequest {
  /** Where the browser is sent back to; one of those that the application was registered with. */
  redirectUri: string;
  /** `openid`, and to read and write, by default. */
  scope?: string | undefined;
}

/** To be kept until the browser comes back. */
export interface BegunSignIn {
  /** Where to send the browser. */
  url: string;
  state: string;
  verifier: string;
  redirectUri: string;
}

const defaultScope = 'openid content.read content.write';

/** Begins a sign-in: send the browser to `url`, keep the rest. */
export function beginSignIn(
  { url, appKey }: SignInPlace,
  { redirectUri, scope = defaultScope }: SignInRequest,
): BegunSignIn {
  const [verifier, state] = [toRandom(32), toRandom(16)];
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: appKey,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: toChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { url: `${url}/oauth2/authorize?${query}`, state, verifier, redirectUri };
}

/** Ends a sign-in, with the address that the browser was sent back to. */
export async function finishSignIn(cabinet: Cabinet, begun: BegunSignIn, returned: string): Promise<TokenAnswer> {
  const answer = new URL(returned, begun.redirectUri).searchParams;
  const error = answer.get('error');
  if (error !== null) throw new CabinetError('TokenRefused', answer.get('error_description') ?? error);
  if (answer.get('state') !== begun.state) {
    throw new CabinetError('TokenRefused', 'This answer belongs to another sign-in.', { target: 'state' });
  }
  return requestToken(cabinet, {
    grant_type: 'authorization_code',
    client_id: cabinet.appKey,
    code: answer.get('code') ?? '',
    code_verifier: begun.verifier,
    redirect_uri: begun.redirectUri,
  });
}

export interface PersonCredentials {
  refreshToken: string;
  /** Every renewal gives a new refresh token and ends the old one: keep the new one. */
  onRenewed?: ((answer: TokenAnswer) => void | Promise<void>) | undefined;
}

/** Tokens of a person who has signed in. */
export function personToken({ refreshToken, onRenewed }: PersonCredentials): TokenSource {
  if (typeof refreshToken !== 'string' || refreshToken === '') {
    throw new TypeError('personToken needs refreshToken');
  }
  let current = refreshToken;
  return keepToken(async ({ cabinet }) => {
    const form = { grant_type: 'refresh_token', client_id: cabinet.appKey, refresh_token: current };
    const answer = await requestToken(cabinet, form);
    current = answer.refresh_token ?? current;
    await onRenewed?.(answer);
    return answer;
  });
}

/** Signs a person out: the refresh token and what it gave do not count any more. */
export async function revokeToken(cabinet: Cabinet, refreshToken: string, options: CallOptions = {}): Promise<void> {
  options.signal?.throwIfAborted();
  const form = { token: refreshToken, token_type_hint: 'refresh_token', client_id: cabinet.appKey };
  await postForm(cabinet, '/oauth2/revoke', { form });
}

function toRandom(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** RFC 7636, section 4.2. */
function toChallenge(verifier: string): string {
  const hash = startSha256();
  hash.update(new TextEncoder().encode(verifier));
  const bytes =
    hash
      .digest()
      .match(/../g)
      ?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return toBase64Url(Uint8Array.from(bytes));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
