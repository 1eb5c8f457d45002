// Passkeys against somebody who makes up what a browser sends: only an answer that the person's own key signed for this challenge and
// this address gets in, once.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import type * as client from 'openid-client';
import { findFreePort } from '../free-ports.ts';
import { assertRefusal } from '../interface/assertions.ts';
import type { Caller } from '../interface/client.ts';
import { ask, manage } from '../interface/managing.ts';
import { addApplication, addUser, type Person, setRole } from '../service/operator.ts';
import { makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import type { Page } from './browser.ts';
import { addPage, discover, signIn } from './people.ts';
import { type Opened, openStep, stepOf } from './second-step.ts';
import { type Assertion, SoftAuthenticator } from './soft-authenticator.ts';
import { tally } from './tally.ts';

const dataFolder = makeDataFolder();
const host = 'localhost';
let base: string;
let service: Awaited<ReturnType<typeof startServiceHere>>;
let page: Registered;
let configuration: client.Configuration;

before(async () => {
  const port = await findFreePort();
  base = `http://${host}:${port}`;
  service = await startServiceHere(dataFolder, {
    environment: { CABINET_PORT: String(port), CABINET_PUBLIC_URL: base },
  });
  await addApplication(dataFolder, 'left', { scopes: 'content.read' });
  page = await addPage(dataFolder, 'page');
  configuration = await discover(base, page);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

interface Begun {
  Options: { challenge: string };
  Setup: string;
}

interface Keyed {
  person: Person;
  caller: Caller;
  authenticator: SoftAuthenticator;
}

async function addPerson(user: string): Promise<{ person: Person; caller: Caller }> {
  const person = await addUser(dataFolder, user);
  await setRole(dataFolder, user, 'editor', 'left');
  const { access_token: token } = await signIn(configuration, person);
  return { person, caller: { base, application: { Name: 'page', ...page }, token } };
}

const beginPasskey = (caller: Caller, { Password }: Person) =>
  manage<Begun>(caller, 'POST', '/me/second-factors/passkeys/setup', { Password });

async function addKeyed(user: string): Promise<Keyed> {
  const { person, caller } = await addPerson(user);
  const authenticator = new SoftAuthenticator();
  const { Options, Setup } = await beginPasskey(caller, person);
  const Credential = authenticator.create({ challenge: Options.challenge, origin: base, host });
  await manage(caller, 'POST', '/me/second-factors/passkeys', { Setup, Credential, Name: 'key ring' });
  return { person, caller, authenticator };
}

/** The challenge of the page after the password. */
function challengeOf({ text }: Page): string {
  const [, options = ''] = /data-options="([^"]+)"/.exec(text) ?? [];
  return (JSON.parse(options.replaceAll('&#34;', '"')) as { challenge: string }).challenge;
}

async function send({ browser, shown }: Opened, credential: string): Promise<Page> {
  const body = new URLSearchParams({ step: stepOf(shown), credential });
  return await browser.open(shown.url, { method: 'POST', body });
}

const isIn = ({ url }: Page) => url.searchParams.has('code');

test('What the person’s own key signed for this challenge and this address gets in, and only once', async () => {
  const { person, authenticator } = await addKeyed('ann');
  const opened = await openStep(configuration, person);
  const right: Assertion = { challenge: challengeOf(opened.shown), origin: base, host };
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const other = await addKeyed('bob');
  const wrong: [string, string][] = [
    ['another key', authenticator.get({ ...right, key: stranger })],
    ['the key of somebody else', other.authenticator.get(right)],
    ['the key of somebody else under this id', authenticator.get({ ...right, key: other.authenticator.key })],
    ['another challenge', authenticator.get({ ...right, challenge: 'bm90IHRoaXMgb25l' })],
    ['another page', authenticator.get({ ...right, origin: 'http://evil.example' })],
    ['a page of another port', authenticator.get({ ...right, origin: `http://${host}:1` })],
    ['another host', authenticator.get({ ...right, host: 'evil.example' })],
    ['what registers a key', authenticator.get({ ...right, type: 'webauthn.create' })],
    ['nobody was there', authenticator.get({ ...right, flags: 0 })],
  ];
  for (const [name, credential] of wrong) {
    const answer = await send(opened, credential);
    assert.ok(!isIn(answer), name);
    assert.equal(answer.status, 403, name);
  }
  tally('bad credentials', wrong.length);
  const credential = authenticator.get({ ...right, counter: 100 });
  assert.ok(isIn(await send(opened, credential)));
  const later = await openStep(configuration, person);
  assert.ok(!isIn(await send(later, credential)), 'an answer to an earlier challenge');
  const copied = { challenge: challengeOf(later.shown), origin: base, host, counter: 99 };
  assert.ok(!isIn(await send(later, authenticator.get(copied))), 'a copy of the key, which has counted less');
  tally('bad credentials', 2);
});

test('A key is registered for this challenge, this address and this person', async () => {
  const { person, caller } = await addPerson('cleo');
  const other = await addPerson('dora');
  const authenticator = new SoftAuthenticator();
  const { Options, Setup } = await beginPasskey(caller, person);
  const right: Assertion = { challenge: Options.challenge, origin: base, host };
  const add = (by: Caller, Credential: object) =>
    ask(by, 'POST', '/me/second-factors/passkeys', { Setup, Credential, Name: 'key ring' });
  const wrong: [string, Assertion][] = [
    ['another challenge', { ...right, challenge: 'bm90IHRoaXMgb25l' }],
    ['another page', { ...right, origin: 'http://evil.example' }],
    ['another host', { ...right, host: 'evil.example' }],
    ['what signs in', { ...right, type: 'webauthn.get' }],
  ];
  for (const [name, assertion] of wrong) {
    const { Message } = assertRefusal(await add(caller, authenticator.create(assertion)), 403, 'SecondFactorInvalid');
    assert.match(Message, /passkey/, name);
  }
  assert.notEqual((await add(other.caller, authenticator.create(right))).status, 200, 'the setup of somebody else');
  tally('bad credentials', wrong.length + 1);
  assert.equal((await add(caller, authenticator.create(right))).status, 200);
});
