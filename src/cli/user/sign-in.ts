// Signs a person in as RFC 8252 recommends for native apps: the browser is redirected to a loopback port that is open for this one
// sign-in. If the browser runs elsewhere, the redirected address can be pasted.

import {
  type BegunSignIn,
  beginSignIn,
  type Cabinet,
  CabinetError,
  finishSignIn,
  type TokenAnswer,
} from '@cabinet/client';
import { requestToken } from '@cabinet/client/requests';
import { commandLineAppKey, commandLineRedirectUri } from '../../domain/built-in-applications.ts';
import { LocalError } from './exit-codes.ts';
import { LoopbackPage } from './loopback-page.ts';
import type { Profile } from './profiles.ts';

export type Tokens = Required<Pick<Profile, 'AccessToken' | 'RefreshToken' | 'ExpiresAt' | 'User'>>;

interface SignInSteps<Result> {
  signal: AbortSignal;
  /** Shows the address to the person, or opens it. */
  show(address: string): Promise<void>;
  /** The redirected address, pasted by the user; never resolves without a terminal. */
  pasted(): Promise<string>;
  /** What else has to succeed before the browser says that the person is signed in. */
  complete(tokens: Tokens, page: LoopbackPage): Promise<Result>;
}

export async function signIn<Result>(
  cabinet: Cabinet,
  { signal, show, pasted, complete }: SignInSteps<Result>,
): Promise<Result> {
  await using page = await LoopbackPage.open(signal);
  const begun = beginSignIn(cabinet, { redirectUri: page.redirectUri });
  await checkRequest(cabinet, begun, signal);
  const redirected = page.waitForAnswer(begun.state);
  await show(begun.url);
  try {
    const tokens = toTokens(await finishSignIn(cabinet, begun, await Promise.race([redirected, pasted()])));
    const result = await complete(tokens, page);
    await page.end('You are signed in.', 'You can close this page and go back to the terminal.');
    return result;
  } catch (error) {
    await page.end('You are not signed in.', error instanceof Error ? error.message : 'The terminal says why.');
    throw error;
  }
}

/** Where the request is wrong, the browser would show an error while the command waits for it to come back. */
async function checkRequest(cabinet: Cabinet, { url }: BegunSignIn, signal: AbortSignal): Promise<void> {
  const init = { method: 'GET', headers: { Accept: 'text/html' }, redirect: 'manual' as const, signal };
  const response = await cabinet.fetch(url, init).catch((cause) => {
    signal.throwIfAborted();
    throw toUnreachable(cabinet, cause);
  });
  const text = await response.text();
  if (response.status < 400) return;
  throw new LocalError('NotRegistered', toProblem(cabinet.appKey, readError(text)));
}

export function toUnreachable({ url }: Cabinet, cause: unknown): CabinetError {
  const message = `${url} cannot be reached. Is the service running, and is this its address?`;
  return new CabinetError('Unreachable', message, { cause });
}

/** The issuer answers wrong requests with a page, whatever is accepted. */
function readError(page: string): string {
  return /<p class="problem">([^<]*)</.exec(page)?.[1] ?? '';
}

/** The issuer tells nobody whether an application exists: one that does not looks like one with another redirect URI. */
function toProblem(appKey: string, problem: string): string {
  if (!/redirect_uri|client/.test(problem)) {
    return `The service does not accept this sign-in${problem === '' ? '' : `: ${problem}`}. Is the address that of a Cabinet service?`;
  }
  if (appKey === commandLineAppKey) {
    return 'Sign-ins by the command line are switched off on this service. Ask its operator for an application, and use --app-key.';
  }
  return `${appKey} is not an application for sign-ins by the command line (redirect URI ${commandLineRedirectUri}). Leave --app-key out, or ask the operator of the service to register it.`;
}

/** Exchanges a refresh token, which works once, for new tokens. */
export async function renew(cabinet: Cabinet, refreshToken: string): Promise<Tokens> {
  const form = { grant_type: 'refresh_token', client_id: cabinet.appKey, refresh_token: refreshToken };
  return toTokens(await requestToken(cabinet, form));
}

export function toTokens({
  access_token: AccessToken,
  refresh_token: RefreshToken = '',
  expires_in: seconds,
}: TokenAnswer): Tokens {
  const ExpiresAt = new Date(Date.now() + seconds * 1000).toISOString();
  return { AccessToken, RefreshToken, ExpiresAt, User: readSubject(AccessToken) };
}

/** For display only: the token is not verified here. */
function readSubject(token: string): string {
  const [, payload = ''] = token.split('.');
  return String((JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: string }).sub ?? '');
}
