// The built-in application of the command line is a public client: whoever claims to be it gets nothing without the person.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Configuration } from 'openid-client';
import { commandLineAppKey } from '../../src/domain/built-in-applications.ts';
import { addUser, command, type Person } from '../service/operator.ts';
import { makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { Browser } from './browser.ts';
import { begin, discover, finish } from './people.ts';

const dataFolder = makeDataFolder();
const back = 'http://127.0.0.1:43210/signed-in';
let service: StartedHere;
let configuration: Configuration;
let ann: Person;

before(async () => {
  service = await startServiceHere(dataFolder);
  configuration = await discover(service.production, { AppKey: commandLineAppKey });
  ann = await addUser(dataFolder, 'ann');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

const request = (more: Record<string, string> = {}) => begin(configuration, { redirect_uri: back, ...more });

test('a person agrees at every sign-in, also in a browser in which they are signed in', async () => {
  const browser = new Browser();
  const first = await browser.open((await request()).url);
  const asked = await browser.submit(first, { user: ann.User, password: ann.Password });
  assert.match(asked.text, /Allow cabinet-cli to use Cabinet\?/);
  assert.match(asked.text, /You are signed in as <strong>/);
  assert.equal((await browser.submit(asked, { answer: 'allow' })).url.origin, new URL(back).origin);
  const again = await request();
  const second = await browser.open(again.url);
  assert.match(second.url.pathname, /^\/oauth2\/consent\//);
  const tokens = await finish(configuration, (await browser.submit(second, { answer: 'allow' })).url, again);
  assert.ok(tokens.refresh_token);
  const silent = await browser.open((await request({ prompt: 'none' })).url);
  assert.equal(silent.url.searchParams.get('error'), 'consent_required');
  const denied = await browser.submit(await browser.open((await request()).url), { answer: 'deny' });
  assert.equal(denied.url.searchParams.get('error'), 'access_denied');
});

test('it returns to loopback addresses and the registered path only', async () => {
  for (const elsewhere of [
    'https://attacker.example/signed-in',
    'http://127.0.0.1:43210/other',
    'http://localhost:43210/signed-in',
    'http://127.0.0.1.attacker.example/signed-in',
    'http://attacker.example:43210/signed-in',
  ]) {
    const page = await new Browser().open((await request({ redirect_uri: elsewhere })).url);
    assert.equal(page.status, 400, elsewhere);
    assert.equal(page.url.origin, new URL(service.production).origin);
  }
});

test('a code is worth nothing without the verifier', async () => {
  const browser = new Browser();
  const begun = await request();
  const asked = await browser.submit(await browser.open(begun.url), { user: ann.User, password: ann.Password });
  const { url } = await browser.submit(asked, { answer: 'allow' });
  const other = (await request()).verifier;
  await assert.rejects(finish(configuration, url, { ...begun, verifier: other }));
});

test('it gets no token of its own', async () => {
  const form = { grant_type: 'client_credentials', client_id: commandLineAppKey };
  const answer = await fetch(`${service.production}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /unauthorized_client/);
});

test('an operator switches it off, also for sign-ins that were begun, and a start does not switch it on', async () => {
  const browser = new Browser();
  const begun = await request();
  const asked = await browser.submit(await browser.open(begun.url), { user: ann.User, password: ann.Password });
  const { url } = await browser.submit(asked, { answer: 'allow' });
  const tokens = await finish(configuration, url, begun);
  await command(dataFolder, 'app disable', { application: 'cabinet-cli' });
  assert.equal((await new Browser().open((await request()).url)).status, 400);
  const headers = { Authorization: `Bearer ${tokens.access_token}`, AppKey: commandLineAppKey };
  const me = await fetch(`${service.production}/v1/contentmanagement/me`, { headers });
  assert.equal(me.status, 401);
  await service.stop();
  service = await startServiceHere(dataFolder);
  const { url: again } = await request();
  again.host = new URL(service.production).host;
  assert.equal((await new Browser().open(again)).status, 400);
});
