// Signs people in the way a client library does.

import assert from 'node:assert/strict';
import * as client from 'openid-client';
import { addApplication, type Person, type Registered } from '../service/operator.ts';
import { Browser, type Page } from './browser.ts';

export const redirectUri = 'https://app.example/back';

/** A page in a browser, for people of every space. */
export function addPage(dataFolder: string, name: string): Promise<Registered> {
  return addApplication(dataFolder, name, { redirectUris: redirectUri, forPeople: true });
}

export async function discover(base: string, { AppKey, Secret }: Partial<Registered>): Promise<client.Configuration> {
  const authentication = Secret === undefined ? client.None() : client.ClientSecretBasic(Secret);
  const execute = [client.allowInsecureRequests];
  return await client.discovery(new URL(base), String(AppKey), undefined, authentication, { execute });
}

export interface Begun {
  url: URL;
  verifier: string;
  state: string;
}

export async function begin(configuration: client.Configuration, more: Record<string, string> = {}): Promise<Begun> {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid profile content.read content.write',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...more,
  });
  return { url, verifier, state };
}

export async function signIn(
  configuration: client.Configuration,
  { User, Password }: Person,
  browser = new Browser(),
): Promise<client.TokenEndpointResponse & client.TokenEndpointResponseHelpers> {
  const begun = await begin(configuration);
  const page = await browser.open(begun.url);
  assert.equal(page.status, 200, page.text);
  const back = await allowIfAsked(browser, await browser.submit(page, { user: User, password: Password }));
  assert.equal(back.url.origin, new URL(redirectUri).origin, back.text);
  return await finish(configuration, back.url, begun);
}

async function allowIfAsked(browser: Browser, page: Page): Promise<Page> {
  return page.url.pathname.includes('/consent/') ? await browser.submit(page, { answer: 'allow' }) : page;
}

export function finish(configuration: client.Configuration, back: URL, { verifier, state }: Begun) {
  return client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier: verifier, expectedState: state });
}
