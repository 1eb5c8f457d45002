// Signing people in, as a library that applications use does it.

import assert from 'node:assert/strict';
import * as client from 'openid-client';
import { cabinetJson, type Registered } from '../service/service.ts';
import { Browser } from './browser.ts';

export const redirectUri = 'https://app.example/back';

export interface Person {
  User: string;
  Password: string;
}

export function addPerson(dataFolder: string, user: string): Promise<Person> {
  return cabinetJson<Person>(dataFolder, ['user', 'add', user]);
}

export async function giveRole(dataFolder: string, user: string, role: string, space: string): Promise<void> {
  await cabinetJson(dataFolder, ['user', 'role', user, role, '--space', space]);
}

export function addPeopleApplication(dataFolder: string, name: string, more: string[] = []): Promise<Registered> {
  const words = ['app', 'add', name, '--redirect-uri', redirectUri, ...more];
  return cabinetJson<Registered>(dataFolder, words);
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
  const back = await browser.submit(page, { user: User, password: Password });
  assert.equal(back.url.origin, new URL(redirectUri).origin, back.text);
  return await finish(configuration, back.url, begun);
}

export function finish(configuration: client.Configuration, back: URL, { verifier, state }: Begun) {
  return client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier: verifier, expectedState: state });
}
