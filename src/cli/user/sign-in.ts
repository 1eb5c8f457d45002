// Signs a user in as RFC 8252 recommends for native apps: the browser is redirected to a loopback port that is open for this one
// sign-in. If the browser runs elsewhere, the redirected address can be pasted.

import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BegunSignIn, beginSignIn, type Cabinet, finishSignIn, type TokenAnswer } from '@cabinet/client';
import { requestToken } from '@cabinet/client/requests';
import type { Profile } from './profiles.ts';

/** Registered without a port: `cabinet app add NAME --for-people --redirect-uri http://127.0.0.1/signed-in`. */
const redirectPath = '/signed-in';

export type Tokens = Required<Pick<Profile, 'AccessToken' | 'RefreshToken' | 'ExpiresAt' | 'User'>>;

interface SignInSteps {
  signal: AbortSignal;
  /** Shows the address to the person, or opens it. */
  show(address: string): Promise<void>;
  /** The redirected address, pasted by the user; never resolves without a terminal. */
  pasted: Promise<string>;
}

export async function signIn(cabinet: Cabinet, { signal, show, pasted }: SignInSteps): Promise<Tokens> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${redirectPath}`;
    const begun = beginSignIn(cabinet, { redirectUri });
    const redirected = waitForBrowser(server, begun, signal);
    await show(begun.url);
    return toTokens(await finishSignIn(cabinet, begun, await Promise.race([redirected, pasted])));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Exchanges a refresh token, which works once, for new tokens. */
export async function renew(cabinet: Cabinet, refreshToken: string): Promise<Tokens> {
  const form = { grant_type: 'refresh_token', client_id: cabinet.appKey, refresh_token: refreshToken };
  return toTokens(await requestToken(cabinet, form));
}

/** The redirected address. Requests of other sign-ins are ignored. */
function waitForBrowser(server: Server, { state }: BegunSignIn, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    server.on('request', ({ url = '/' }, response) => {
      const address = new URL(url, 'http://127.0.0.1');
      const isOurs = address.pathname === redirectPath && address.searchParams.get('state') === state;
      if (!isOurs)
        return answer(response, 404, 'There is nothing here. A sign-in that was begun elsewhere ends elsewhere.');
      const isGood = address.searchParams.has('code');
      const text = isGood
        ? 'You are signed in. You can close this page.'
        : 'The sign-in was refused. The command line says why.';
      answer(response, isGood ? 200 : 400, text);
      resolve(address.href);
    });
  });
}

function answer(response: ServerResponse, status: number, text: string): void {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  };
  response.writeHead(status, headers).end(`${text}\n`);
}

function toTokens({
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
