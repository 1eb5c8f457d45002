// After a theft: tokens, refresh tokens and links of an application are revoked, and stay so when it is enabled again. Making, using
// and ending a link is in the journal.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refreshTokenGrant } from 'openid-client';
import { assertRefusal } from '../interface/assertions.ts';
import { type Answer, type Caller, call, fetchToken, saveFile, send } from '../interface/client.ts';
import { get } from '../interface/managing.ts';
import { cabinetJson } from '../service/here.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import { eventually, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { addPage, discover, signIn } from './people.ts';
import { tally } from './tally.ts';

interface Event {
  Action: string;
  By: string;
  EntryId: string;
  Details: Record<string, unknown>;
}

const dataFolder = makeDataFolder();
const environment = { CABINET_TEST_PORT: 'off', CABINET_SECURITY_CONTACT: 'mailto:security@example.com' } as const;
let service: StartedHere;
let page: Registered;

before(async () => {
  service = await startServiceHere(dataFolder, { environment });
  page = await addPage(dataFolder, 'page');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function addCaller(Name: string): Promise<Caller> {
  const scopes = 'content.read content.write content.admin';
  const application = { Name, ...(await addApplication(dataFolder, Name, { scopes })) };
  return { base: service.production, application, token: await fetchToken(service.production, application) };
}

async function link(caller: Caller, file: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await call(caller, `/files/${file}/link`, {
    method: 'POST',
    headers,
    body: '{"ExpiresInSeconds":3600}',
  });
  assert.equal(answer.status, 200, answer.body.toString());
  return (JSON.parse(answer.body.toString()) as { Url: string }).Url;
}

const follow = (url: string): Promise<Answer> => send(service.production, new URL(url).pathname);
const save = async (caller: Caller) =>
  (await saveFile(caller, { FolderId: '-root-', FileName: `${Math.random()}.txt` }, 'theirs')).File.Id;

async function assertDead(caller: Caller, url: string): Promise<void> {
  await eventually('its token is refused', async () => (await call(caller, '/spaces')).status === 401, 1000);
  assertRefusal(await call(caller, '/spaces'), 401, 'TokenInvalid');
  assertRefusal(await follow(url), 404, 'LinkNotFound');
  tally('bad credentials', 2);
}

test('Disabling an application ends its tokens and links for good', async () => {
  const thief = await addCaller('stolen');
  const url = await link(thief, await save(thief));
  assert.equal((await follow(url)).status, 200);
  await cabinetJson(dataFolder, ['app', 'disable', 'stolen']);
  await cabinetJson(dataFolder, ['app', 'enable', 'stolen']);
  await assertDead(thief, url);
  const renewed = { ...thief, token: await fetchToken(service.production, thief.application) };
  await eventually('a new token works', async () => (await call(renewed, '/spaces')).status === 200, 1000);
});

test('With --no-revoke-tokens they work again', async () => {
  const caller = await addCaller('paused');
  const url = await link(caller, await save(caller));
  await cabinetJson(dataFolder, ['app', 'disable', 'paused', '--no-revoke-tokens']);
  await eventually('it is refused', async () => (await call(caller, '/spaces')).status === 401, 1000);
  await cabinetJson(dataFolder, ['app', 'enable', 'paused']);
  await eventually('it works', async () => (await call(caller, '/spaces')).status === 200, 1000);
  assert.equal((await follow(url)).status, 200);
});

test('A new secret ends tokens with --revoke-tokens only', async () => {
  const caller = await addCaller('rotated');
  const url = await link(caller, await save(caller));
  await cabinetJson(dataFolder, ['app', 'rotate', 'rotated']);
  assert.equal((await call(caller, '/spaces')).status, 200);
  await cabinetJson(dataFolder, ['app', 'rotate', 'rotated', '--revoke-tokens']);
  await assertDead(caller, url);
});

test('Refresh tokens and sign-ins through the application end too', async () => {
  const owner = await addCaller('owner');
  const who = await addUser(dataFolder, 'vera');
  await setRole(dataFolder, 'vera', 'viewer', String(owner.application.Space));
  const configuration = await discover(service.production, page);
  const { access_token: token, refresh_token: refresh } = await signIn(configuration, who);
  const person = { base: service.production, application: { Name: 'page', ...page }, token };
  const url = await link(person, await save(owner));
  await cabinetJson(dataFolder, ['app', 'disable', 'page']);
  await cabinetJson(dataFolder, ['app', 'enable', 'page']);
  await assertDead(person, url);
  await assert.rejects(refreshTokenGrant(configuration, String(refresh)), /invalid_grant|server responded/);
  tally('bad credentials');
});

test('The journal says who made, used and ended a link, and DELETE ends it at once', async () => {
  const owner = await addCaller('journal');
  const file = await save(owner);
  const url = await link(owner, file);
  const ofLinks = async () => {
    const { Events } = await get<{ Events: Event[] }>(owner, `/audit?entry=${file}`);
    return Events.filter(({ Action }) => Action.startsWith('link.')).reverse();
  };
  for (let n = 0; n < 3; n += 1) assert.equal((await follow(url)).status, 200);
  const answer = await call(owner, `/files/${file}/link`, { method: 'DELETE' });
  assert.deepEqual([answer.status, answer.body.toString()], [200, '{}']);
  assertRefusal(await follow(url), 404, 'LinkNotFound');
  const events = await ofLinks();
  assert.deepEqual(
    events.map(({ Action }) => Action),
    ['link.created', 'link.used', 'link.ended'],
  );
  const [made, used, ended] = events as [Event, Event, Event];
  const id = made.Details.Link;
  assert.equal(made.By, 'app:journal');
  assert.equal(used.By, `link:${id}`);
  assert.deepEqual([used.Details.Link, used.Details.Version, used.Details.Address], [id, 1, '127.0.0.1']);
  assert.equal(ended.Details.Link, id);
  assert.ok(
    !JSON.stringify(events).includes(new URL(url).pathname.slice('/links/'.length)),
    'never the address itself',
  );
});

test('Nobody ends the links of others but those who manage the space', async () => {
  const owner = await addCaller('many');
  const file = await save(owner);
  const people: Caller[] = [];
  for (const id of ['anna', 'bert']) {
    const who = await addUser(dataFolder, id);
    await setRole(dataFolder, id, 'viewer', String(owner.application.Space));
    const { access_token: token } = await signIn(await discover(service.production, page), who);
    people.push({ base: service.production, application: { Name: 'page', ...page }, token });
  }
  const [anna, bert] = people as [Caller, Caller];
  const urls = [await link(anna, file), await link(bert, file), await link(owner, file)];
  const states = async () => (await Promise.all(urls.map(follow))).map(({ status }) => status);
  await call(anna, `/files/${file}/link`, { method: 'DELETE' });
  assert.deepEqual(await states(), [404, 200, 200]);
  await call(owner, `/files/${file}/link`, { method: 'DELETE' });
  assert.deepEqual(await states(), [404, 404, 404]);
  assertRefusal(await call(owner, '/files/unknown/link', { method: 'DELETE' }), 404, 'FileNotFound');
});

test('A link ends with the sign-in in which it was made', async () => {
  const owner = await addCaller('signing-out');
  const who = await addUser(dataFolder, 'carl');
  await setRole(dataFolder, 'carl', 'viewer', String(owner.application.Space));
  const { access_token: token } = await signIn(await discover(service.production, page), who);
  const person = { base: service.production, application: { Name: 'page', ...page }, token };
  const url = await link(person, await save(owner));
  await command(dataFolder, 'user password', { user: 'carl', password: 'some other long words' });
  await eventually('it ends', async () => (await follow(url)).status === 404, 1000);
});

test('security.txt has the contact of the settings and an end that is ahead', async () => {
  const { status, headers, body } = await send(service.production, '/.well-known/security.txt');
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^text\/plain; charset=utf-8$/);
  const lines = body.toString().split('\n');
  assert.equal(lines[0], 'Contact: mailto:security@example.com');
  assert.ok(Date.parse(String(lines[1]).slice('Expires: '.length)) > Date.now() + 24 * 60 * 60 * 1000);
  assert.equal(lines[2], `Canonical: ${service.production}/.well-known/security.txt`);
});
