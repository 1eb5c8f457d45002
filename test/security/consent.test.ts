// Consent (docs/contract.md §12.6): an application that a manager registered acts for nobody who has not agreed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call } from '../interface/client.ts';
import { ask, type Event, get, manage } from '../interface/managing.ts';
import { addApplication, addUser, type Person, setRole } from '../service/operator.ts';
import { eventually, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { Browser } from './browser.ts';
import { addPage, begin, discover, finish, redirectUri, signIn } from './people.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let page: Registered;
let mia: Person;
let manager: Caller;
let registered: Registered;
let configuration: client.Configuration;

interface Consent {
  Application: string;
  ApplicationName: string;
  Scopes: string[];
  GivenAt: string;
}

before(async () => {
  service = await startServiceHere(dataFolder);
  await addApplication(dataFolder, 'left');
  page = await addPage(dataFolder, 'page');
  mia = await addUser(dataFolder, 'mia');
  await setRole(dataFolder, 'mia', 'manager', 'left');
  manager = await trusted(mia);
  const fields = { Name: 'reports', RedirectUris: [redirectUri] };
  registered = await manage<Registered>(manager, 'POST', '/applications', fields);
  configuration = await discover(service.production, registered);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

/** A caller through an application that an operator registered. */
async function trusted(person: Person, browser = new Browser()): Promise<Caller> {
  const { access_token: token } = await signIn(await discover(service.production, page), person, browser);
  return { base: service.production, application: { Name: 'page', ...page }, token };
}

async function enterNew(user: string): Promise<{ person: Person; browser: Browser; caller: Caller }> {
  const person = await addUser(dataFolder, user);
  await setRole(dataFolder, user, 'editor', 'left');
  const browser = new Browser();
  return { person, browser, caller: await trusted(person, browser) };
}

const scope = 'openid content.read';
const consentsOf = async (caller: Caller) => (await get<{ Consents: Consent[] }>(caller, '/me/consents')).Consents;

/** Where a browser is sent that answers no question. */
async function askSilently(browser: Browser, scopes = scope): Promise<URLSearchParams> {
  const { url } = await browser.open((await begin(configuration, { prompt: 'none', scope: scopes })).url);
  assert.equal(url.origin, new URL(redirectUri).origin);
  return url.searchParams;
}

async function allow(browser: Browser, scopes = scope): Promise<client.TokenEndpointResponse> {
  const begun = await begin(configuration, { scope: scopes });
  const shown = await browser.open(begun.url);
  assert.match(shown.text, /Allow reports to use Cabinet\?/);
  const { url } = await browser.submit(shown, { answer: 'allow' });
  return await finish(configuration, url, begun);
}

test('An application of a manager gets no code with prompt=none before the person agreed: consent_required', async () => {
  const { browser } = await enterNew('ann');
  const refused = await askSilently(browser);
  assert.deepEqual([refused.get('error'), refused.has('code')], ['consent_required', false]);
  await allow(browser);
  assert.equal((await askSilently(browser)).has('code'), true, 'it is remembered');
});

test('Consent is remembered for the person, the application and each scope', async () => {
  const { browser, caller, person } = await enterNew('bob');
  const { access_token: token } = await allow(browser);
  const [consent, ...more] = await consentsOf(caller);
  assert.equal(more.length, 0);
  const { GivenAt, ...shown } = consent as Consent;
  assert.deepEqual(shown, {
    Application: registered.AppKey,
    ApplicationName: 'reports',
    Scopes: ['openid', 'content.read'],
  });
  assert.ok(Date.parse(GivenAt) > 0);
  const reader = { ...caller, application: { Name: 'reports', ...registered }, token };
  assert.equal((await get<{ Id: string }>(reader, '/me')).Id, 'bob');
  assertRefusal(await ask(reader, 'POST', '/folders', { FolderName: 'more' }), 403, 'InsufficientScope');
  assert.equal((await askSilently(browser, 'openid content.read content.write')).get('error'), 'consent_required');
  const elsewhere = new Browser();
  await trusted(person, elsewhere);
  assert.equal((await askSilently(elsewhere)).has('code'), true, 'in another browser too');
  await allow(browser, 'openid content.read content.write');
  assert.deepEqual((await consentsOf(caller))[0]?.Scopes, ['openid', 'content.read', 'content.write']);
  assert.equal((await askSilently((await enterNew('bea')).browser)).get('error'), 'consent_required');
});

test('Cancel allows nothing, and the application is asked about again', async () => {
  const { browser, caller } = await enterNew('cem');
  const shown = await browser.open((await begin(configuration, { scope })).url);
  const { url } = await browser.submit(shown, { answer: 'deny' });
  assert.equal(url.searchParams.get('error'), 'access_denied');
  assert.deepEqual(await consentsOf(caller), []);
  assert.equal((await askSilently(browser)).get('error'), 'consent_required');
});

test('Taking a consent back ends the tokens and sign-ins of that application, and of no other', async () => {
  const { browser, caller } = await enterNew('dan');
  const tokens = await allow(browser);
  const other = await enterNew('dora');
  const kept = await allow(other.browser);
  const reader = { ...caller, application: { Name: 'reports', ...registered }, token: tokens.access_token };
  assert.equal((await call(reader, '/me')).status, 200);
  assertRefusal(await ask(reader, 'DELETE', `/me/consents/${registered.AppKey}`), 403, 'InsufficientScope');
  assert.deepEqual(await manage(caller, 'DELETE', `/me/consents/${registered.AppKey}`), {});
  await eventually('its token is refused', async () => (await call(reader, '/me')).status === 401);
  await assert.rejects(client.refreshTokenGrant(configuration, String(tokens.refresh_token)));
  assert.equal((await call(caller, '/me')).status, 200);
  await client.refreshTokenGrant(configuration, String(kept.refresh_token));
  assert.deepEqual(await consentsOf(caller), []);
  assert.equal((await consentsOf(other.caller)).length, 1);
  assert.equal((await askSilently(browser)).has('code'), false);
  assertRefusal(await ask(caller, 'DELETE', `/me/consents/${registered.AppKey}`), 404, 'ConsentNotFound');
});

test('Applications of operators are trusted unless they ask for consent', async () => {
  const { browser, caller } = await enterNew('eva');
  const more = { redirectUris: redirectUri, forPeople: true, askConsent: true };
  const asking = await addApplication(dataFolder, 'asking', more);
  const begun = await begin(await discover(service.production, asking), { scope });
  const shown = await browser.open(begun.url);
  assert.match(shown.text, /Allow asking to use Cabinet\?/);
  const silent = await begin(await discover(service.production, asking), { scope, prompt: 'none' });
  assert.equal((await browser.open(silent.url)).url.searchParams.get('error'), 'consent_required');
  assert.deepEqual(await consentsOf(caller), []);
  await assert.rejects(addApplication(dataFolder, 'program', { askConsent: true }), /consent/);
});

test('Consents are in the audit log, and what the application does names it', async () => {
  const { browser, caller } = await enterNew('fay');
  await allow(browser);
  await manage(caller, 'DELETE', `/me/consents/${registered.AppKey}`);
  const { Events } = await get<{ Events: (Event & { Details: object })[] }>(manager, '/audit?entry=fay');
  assert.deepEqual(
    Events.slice(0, 2).map(({ Action, By, Application, Details }) => [Action, By, Application, Details]),
    [
      ['consent.ended', 'fay', page.AppKey, { OfApplication: registered.AppKey }],
      ['consent.given', 'fay', undefined, { OfApplication: registered.AppKey, Scopes: 'openid content.read' }],
    ],
  );
});
