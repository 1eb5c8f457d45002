// Sends every secret to a service in every possible way, valid and invalid. Returns what was sent, so that a test can look
// for it where it must not be.

import assert from 'node:assert/strict';
import * as client from 'openid-client';
import { askToken, basicAuthorization, CONTENT, send } from '../interface/client.ts';
import { addApplication, addUser, command, type Person, setRole } from '../service/operator.ts';
import type { Registered, Started } from '../service/service.ts';
import { Browser } from './browser.ts';
import { begin, discover, finish, redirectUri, signIn } from './people.ts';
import { addIssued } from './server-applications.ts';
import { sendTls } from './tls-client.ts';

/** What it is, and its value. */
export type Spoken = Map<string, string>;

const form = { grant_type: 'client_credentials' };
const wrongSecret = 'a-wrong-secret-that-someone-guessed';

export async function speakSecrets(service: Started, dataFolder: string): Promise<Spoken> {
  const spoken: Spoken = new Map([['a wrong secret', wrongSecret]]);
  await speakAsApplication(service, dataFolder, spoken);
  await speakAsServer(service, dataFolder, spoken);
  await speakAsPerson(service, dataFolder, spoken);
  for (const [what, value] of spoken) assert.ok(value.length >= 20, `${what} is too short to be looked for`);
  return spoken;
}

async function speakAsApplication({ production }: Started, dataFolder: string, spoken: Spoken): Promise<void> {
  const made = await addApplication(dataFolder, 'speaker');
  const { AppKey, Secret } = made;
  spoken.set('a secret', Secret);
  const basic = { Authorization: basicAuthorization(AppKey, Secret) };
  const right = await askToken(production, form, basic);
  const token = (JSON.parse(right.body.toString()) as { access_token: string }).access_token;
  spoken.set('an access token', token);
  spoken.set('a secret in its Basic form', basic.Authorization.slice('Basic '.length));
  for (const [fields, headers] of [
    [form, { Authorization: basicAuthorization(AppKey, wrongSecret) }],
    [form, { Authorization: basicAuthorization('ak_nobody', Secret) }],
    [form, { Authorization: `Bearer ${Secret}` }],
    [{ ...form, client_id: AppKey, client_secret: Secret }, {}],
    [{ ...form, client_id: AppKey, client_secret: wrongSecret }, {}],
    [{ ...form, client_id: AppKey, client_secret: Secret }, basic],
    [{ grant_type: 'password', username: AppKey, password: Secret }, basic],
    [{ ...form, scope: Secret, resource: Secret }, basic],
    [{ grant_type: 'refresh_token', refresh_token: token }, basic],
  ] as [Record<string, string>, Record<string, string>][]) {
    await askToken(production, fields, headers);
  }
  const body = JSON.stringify({ client_id: AppKey, client_secret: Secret });
  await askToken(production, {}, { 'Content-Type': 'application/json', 'Content-Length': '0' });
  await send(production, '/oauth2/token', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  await send(production, `/oauth2/token?client_id=${AppKey}&client_secret=${Secret}`, { method: 'POST' });
  for (const headers of [
    { Authorization: `Bearer ${token}`, AppKey },
    { Authorization: `Bearer ${token}`, AppKey: Secret },
    { Authorization: `Bearer ${token}x`, AppKey },
    { Authorization: `Token ${token}`, AppKey },
    { ...basic, AppKey },
    { Authorization: [`Bearer ${token}`, `Bearer ${token}`], AppKey },
  ]) {
    await send(production, `${CONTENT}/folders/-root-?access_token=${token}`, { headers });
    await send(production, `${CONTENT}/nowhere/${Secret}`, { headers });
  }
  const rotated = await command<Registered>(dataFolder, 'app rotate', { application: 'speaker', overlap: '60' });
  spoken.set('a secret that replaced another', rotated.Secret);
  await askToken(production, form, { Authorization: basicAuthorization(AppKey, rotated.Secret) });
}

async function speakAsServer({ mutualTls }: Started, dataFolder: string, spoken: Spoken): Promise<void> {
  const { AppKey, tls } = await addIssued(dataFolder, 'server');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', headers, body: new URLSearchParams({ ...form, client_id: AppKey }).toString() };
  const { body } = await sendTls(mutualTls ?? '', '/oauth2/token', request, tls);
  const token = (JSON.parse(body.toString()) as { access_token: string }).access_token;
  spoken.set('a bound token', token);
  const shown = { headers: { Authorization: `Bearer ${token}`, AppKey } };
  await sendTls(mutualTls ?? '', `${CONTENT}/folders/-root-`, shown, tls);
  await sendTls(mutualTls ?? '', `${CONTENT}/folders/-root-`, shown, { ca: String(tls.ca) });
}

async function speakAsPerson({ production }: Started, dataFolder: string, spoken: Spoken): Promise<void> {
  const page = await addApplication(dataFolder, 'page', { redirectUris: redirectUri, space: 'speaker' });
  const configuration = await discover(production, page);
  const person = await addUser(dataFolder, 'spoken');
  await setRole(dataFolder, 'spoken', 'editor', 'speaker');
  spoken.set("a people's application's secret", page.Secret);
  spoken.set('a password', person.Password);
  const browser = await speakWrongPasswords(configuration, person, spoken);
  const begun = await begin(configuration);
  const { url } = await browser.open(begun.url);
  spoken.set('a code', String(url.searchParams.get('code')));
  spoken.set('a PKCE verifier', begun.verifier);
  const tokens = await finish(configuration, url, begun);
  spoken.set('an ID token', String(tokens.id_token));
  spoken.set("a person's access token", tokens.access_token);
  spoken.set('a refresh token', String(tokens.refresh_token));
  const refreshed = await client.refreshTokenGrant(configuration, String(tokens.refresh_token));
  spoken.set('a refresh token that replaced another', String(refreshed.refresh_token));
  const headers = { Authorization: `Bearer ${refreshed.access_token}`, AppKey: page.AppKey };
  assert.equal((await send(production, `${CONTENT}/folders/-root-`, { headers })).status, 200);
  const last = await begin(configuration);
  const unused = await browser.open(last.url);
  spoken.set('a code that nobody used', String(unused.url.searchParams.get('code')));
  await assert.rejects(finish(configuration, url, begun));
  await assert.rejects(client.refreshTokenGrant(configuration, String(tokens.refresh_token)));
  const kept = await signIn(configuration, person);
  spoken.set('a refresh token that is good', String(kept.refresh_token));
  await client.tokenRevocation(configuration, String(refreshed.refresh_token));
}

/** Fails, then succeeds; returns the browser that is signed in. */
async function speakWrongPasswords(
  configuration: client.Configuration,
  { User, Password }: Person,
  spoken: Spoken,
): Promise<Browser> {
  const wrong = 'a-wrong-password-that-someone-guessed';
  spoken.set('a wrong password', wrong);
  const browser = new Browser();
  const shown = await browser.open((await begin(configuration)).url);
  for (const [user, password] of [
    [User, wrong],
    ['nobody', Password],
    [Password, wrong],
    [User, Password.repeat(1000)],
  ] as const) {
    await browser.submit(shown, { user, password });
  }
  const back = await browser.submit(shown, { user: User, password: Password });
  assert.ok(back.url.searchParams.get('code'), back.text);
  spoken.set("another browser's code", String(back.url.searchParams.get('code')));
  const cookies = browser.cookies.filter(({ name }) => /session/.test(name));
  assert.equal(cookies.length, 2, 'a session and its signature');
  for (const { name, value } of cookies) spoken.set(`the cookie ${name}`, value);
  return browser;
}
