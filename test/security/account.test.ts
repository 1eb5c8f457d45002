// The account of a person (docs/contract.md §12): password, sessions and app passwords, through real sign-ins.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, createFolder, saveFile } from '../interface/client.ts';
import { ask, type Event, get, getAll, manage } from '../interface/managing.ts';
import { addApplication, addUser, command, type Person, setRole } from '../service/operator.ts';
import { eventually, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { Browser } from './browser.ts';
import { addPage, begin, discover, finish, redirectUri, signIn } from './people.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let page: Registered;
let other: Registered;
let configuration: client.Configuration;

before(async () => {
  service = await startServiceHere(dataFolder);
  await addApplication(dataFolder, 'left');
  await addApplication(dataFolder, 'right');
  page = await addPage(dataFolder, 'page');
  other = await addPage(dataFolder, 'other');
  configuration = await discover(service.production, page);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

interface SignedIn {
  person: Person;
  browser: Browser;
  caller: Caller;
  refreshToken: string;
}

function as(token: string, application: Registered = page): Caller {
  return { base: service.production, application: { Name: 'page', ...application }, token };
}

async function enter(person: Person, application: Registered = page, browser = new Browser()): Promise<SignedIn> {
  const tokens = await signIn(await discover(service.production, application), person, browser);
  const { access_token: token, refresh_token: refreshToken } = tokens;
  return { person, browser, caller: as(token, application), refreshToken: String(refreshToken) };
}

/** A new person who may write in the space `left`, signed in. */
async function enterNew(user: string): Promise<SignedIn> {
  const person = await addUser(dataFolder, user);
  await setRole(dataFolder, user, 'editor', 'left');
  return await enter(person);
}

const isValid = async (caller: Caller) => (await call(caller, '/me')).status === 200;
const ends = (caller: Caller) => eventually('the token is refused', async () => !(await isValid(caller)));

/** The error of an authorization request that may ask nothing, or `code`. */
async function askSilently(browser: Browser, by = configuration): Promise<string | null> {
  const { url } = await browser.open((await begin(by, { prompt: 'none' })).url);
  return url.searchParams.has('code') ? 'code' : url.searchParams.get('error');
}

interface Session {
  Id: string;
  Application: string;
  ApplicationName: string;
  StartedAt: string;
  LastUsedAt: string;
  Address: string;
  UserAgent: string;
  IsCurrent: boolean;
}
const sessionsOf = async (caller: Caller) => await getAll<Session>(caller, '/me/sessions?limit=1', 'Sessions');
const newPassword = 'quite another sentence';

test('GET /me shows a person with their spaces and roles', async () => {
  const { caller } = await enterNew('ann');
  const { Spaces } = await get<{ Spaces: { Role: string }[] }>(caller, '/spaces');
  assert.deepEqual(
    Spaces.map(({ Role }) => Role),
    ['editor'],
  );
  const shown = { Id: 'ann', Name: 'ann', Kind: 'person', Spaces, HasPassword: true, SecondFactors: [] };
  assert.deepEqual(await get(caller, '/me'), shown);
});

test('A new password ends every other sign-in and keeps the one that set it', async () => {
  const first = await enterNew('ben');
  const second = await enter(first.person);
  const third = await enter(first.person, other);
  const change = { Current: first.person.Password, New: newPassword };
  assert.deepEqual(await manage(first.caller, 'PUT', '/me/password', change), {});
  for (const { caller } of [second, third]) await ends(caller);
  await assert.rejects(client.refreshTokenGrant(configuration, second.refreshToken));
  assert.equal(await askSilently(second.browser), 'login_required');
  assert.equal(await isValid(first.caller), true);
  const refreshed = await client.refreshTokenGrant(configuration, first.refreshToken);
  assert.equal(await isValid(as(refreshed.access_token)), true);
  assert.equal(await askSilently(first.browser), 'code');
  assert.equal(await isValid(first.caller), true, 'also after the browser came back to the issuer');
  assert.deepEqual(
    (await sessionsOf(first.caller)).map(({ IsCurrent }) => IsCurrent),
    [true],
  );
  const old = await new Browser().open((await begin(configuration)).url);
  const refused = await new Browser().submit(old, { user: 'ben', password: first.person.Password });
  assert.notEqual(refused.url.origin, new URL(redirectUri).origin);
  await enter({ User: 'ben', Password: newPassword });
});

test('A wrong current password is refused and counts as a wrong sign-in; a weak new one is refused', async () => {
  const { caller, person } = await enterNew('cleo');
  for (const New of ['short', 'password1234567', 'cleo-cleo-cleo-cleo', 'x'.repeat(257)]) {
    const refusal = await ask(caller, 'PUT', '/me/password', { Current: person.Password, New });
    assert.equal(assertRefusal(refusal, 400, 'InvalidField').Target, 'New');
  }
  for (const fields of [{}, { Current: 'x' }, { Current: 5, New: newPassword }]) {
    assertRefusal(await ask(caller, 'PUT', '/me/password', fields), 400, 'InvalidField');
  }
  const guess = () => ask(caller, 'PUT', '/me/password', { Current: 'a wrong password', New: newPassword });
  for (let count = 0; count < 10; count += 1) assertRefusal(await guess(), 403, 'PasswordInvalid');
  const answer = await guess();
  assertRefusal(answer, 403, 'TooManyRequests');
  assert.match(String(answer.headers['retry-after']), /^\d+$/);
  const right = await ask(caller, 'PUT', '/me/password', { Current: person.Password, New: newPassword });
  assertRefusal(right, 403, 'TooManyRequests');
});

test('A session shows its application, where it began, and whether it is this one', async () => {
  const { caller, person } = await enterNew('dan');
  const away = await enter(person, other);
  const [newest, oldest, ...more] = await sessionsOf(caller);
  assert.equal(more.length, 0);
  assert.deepEqual([newest?.Application, oldest?.Application], [other.AppKey, page.AppKey]);
  assert.deepEqual([newest?.ApplicationName, oldest?.ApplicationName], ['other', 'page']);
  assert.deepEqual([newest?.IsCurrent, oldest?.IsCurrent], [false, true]);
  assert.deepEqual([oldest?.Address, oldest?.UserAgent], ['127.0.0.1', 'node']);
  assert.ok(String(oldest?.LastUsedAt) >= String(oldest?.StartedAt));
  assert.deepEqual(
    (await sessionsOf(away.caller)).map(({ IsCurrent }) => IsCurrent),
    [true, false],
  );
  // The same browser comes back: no new session.
  assert.equal(await askSilently(away.browser, await discover(service.production, other)), 'code');
  assert.equal((await sessionsOf(caller)).length, 2);
});

test('Ending a session ends its tokens, and that browser must sign in again; others go on', async () => {
  const { caller, person } = await enterNew('eva');
  const browser = new Browser();
  const lost = await enter(person, page, browser);
  const lostToo = await begin(await discover(service.production, other));
  const { url } = await browser.open(lostToo.url);
  const elsewhere = await finish(await discover(service.production, other), url, lostToo);
  const found = (await sessionsOf(caller)).find(
    ({ Application, IsCurrent }) => Application === page.AppKey && !IsCurrent,
  );
  const path = `/me/sessions/${found?.Id}`;
  assert.deepEqual(await manage(caller, 'DELETE', path), {});
  await ends(lost.caller);
  await assert.rejects(client.refreshTokenGrant(configuration, lost.refreshToken));
  assert.equal(await askSilently(browser), 'login_required');
  assert.equal(await isValid(as(elsewhere.access_token, other)), true);
  assertRefusal(await ask(caller, 'DELETE', path), 404, 'SessionNotFound');
  const again = await enter(person, page, browser);
  assert.equal(await isValid(again.caller), true);
  assert.equal(await askSilently(browser), 'code');
});

test('Sessions of others are unknown, and only registered applications end sessions', async () => {
  const { caller } = await enterNew('fay');
  const { caller: stranger } = await enterNew('gus');
  const [session] = await sessionsOf(caller);
  assertRefusal(await ask(stranger, 'DELETE', `/me/sessions/${session?.Id}`), 404, 'SessionNotFound');
  assert.equal(await isValid(caller), true);
});

test('Ending all sessions ends the current one too, and signs the browsers out', async () => {
  const { caller, person, browser } = await enterNew('hal');
  const away = await enter(person);
  assert.deepEqual(await manage(caller, 'DELETE', '/me/sessions'), {});
  for (const one of [caller, away.caller]) await ends(one);
  for (const one of [browser, away.browser]) assert.equal(await askSilently(one), 'login_required');
  assert.equal((await sessionsOf((await enter(person)).caller)).length, 1);
});

interface AppPassword {
  AppPassword: { Id: string; SpaceId: string | null; ExpiresAt: string | null };
  Password: string;
}

test('App passwords are made, listed page by page and removed', async () => {
  const { caller } = await enterNew('ida');
  const first = await manage<AppPassword>(caller, 'POST', '/me/app-passwords', { Name: 'laptop', Access: 'write' });
  assert.match(first.Password, /^cap_/);
  const [{ Id: SpaceId }] = (await get<{ Spaces: [{ Id: string }] }>(caller, '/spaces')).Spaces;
  const ExpiresAt = '2099-01-15T09:30:00.000Z';
  const second = await manage<AppPassword>(caller, 'POST', '/me/app-passwords', {
    Name: 'scanner',
    Access: 'read',
    SpaceId,
    ExpiresAt,
  });
  const { Id, CreatedAt, ...shown } = second.AppPassword as AppPassword['AppPassword'] & { CreatedAt: string };
  assert.deepEqual(shown, { Name: 'scanner', Access: 'read', SpaceId, ExpiresAt, LastUsedAt: null });
  assert.match(CreatedAt, /^\d{4}-/);
  const list = () => getAll<{ Id: string }>(caller, '/me/app-passwords?limit=1', 'AppPasswords');
  assert.deepEqual(await list(), [first.AppPassword, second.AppPassword]);
  assert.deepEqual(await manage(caller, 'DELETE', `/me/app-passwords/${Id}`), {});
  assert.deepEqual(await list(), [first.AppPassword]);
  assertRefusal(await ask(caller, 'DELETE', `/me/app-passwords/${Id}`), 404, 'AppPasswordNotFound');
  const cases: [object, string][] = [
    [{ Access: 'read' }, 'Name'],
    [{ Name: 'a' }, 'Access'],
    [{ Name: ' a', Access: 'read' }, 'Name'],
    [{ Name: 'a', Access: 'all' }, 'Access'],
    [{ Name: 'a', Access: 'read', ExpiresAt: '2001-01-01T00:00:00Z' }, 'ExpiresAt'],
    [{ Name: 'a', Access: 'read', ExpiresAt: 'tomorrow' }, 'ExpiresAt'],
  ];
  for (const [fields, target] of cases) {
    const refusal = assertRefusal(await ask(caller, 'POST', '/me/app-passwords', fields), 400, 'InvalidField');
    assert.equal(refusal.Target, target);
  }
  const foreign = { Name: 'a', Access: 'read', SpaceId: 'unknown' };
  assertRefusal(await ask(caller, 'POST', '/me/app-passwords', foreign), 404, 'SpaceNotFound');
});

test('An application that a manager registered shows the account and changes nothing of it', async () => {
  const { caller: manager, person } = await enterNew('joe');
  await setRole(dataFolder, 'joe', 'manager', 'left');
  await eventually('the role counts', async () => (await call(manager, '/audit')).status === 200);
  const fields = { Name: 'joes', RedirectUris: [redirectUri] };
  const made = await manage<Registered>(manager, 'POST', '/applications', fields);
  const { caller, browser } = await enter(person, { ...made, Space: 'left', RootFolderId: '' });
  assert.equal((await get<{ Id: string }>(caller, '/me')).Id, 'joe');
  assert.equal((await sessionsOf(caller)).length, 2);
  const changes: [string, string, object?][] = [
    ['PUT', '/me/password', { Current: person.Password, New: newPassword }],
    ['DELETE', '/me/sessions'],
    ['DELETE', `/me/sessions/${(await sessionsOf(caller))[0]?.Id}`],
    ['POST', '/me/app-passwords', { Name: 'laptop', Access: 'read' }],
    ['DELETE', '/me/app-passwords/x'],
  ];
  for (const [method, path, change] of changes) {
    assertRefusal(await ask(caller, method, path, change), 403, 'Forbidden');
  }
  assert.ok(browser.cookies.length > 0);
});

test('Changes of an account are in the audit log of its spaces', async () => {
  const { caller, person } = await enterNew('kim');
  await setRole(dataFolder, 'kim', 'manager', 'left');
  await enter(person);
  const [lost] = await sessionsOf(caller);
  await manage(caller, 'DELETE', `/me/sessions/${lost?.Id}`);
  await manage(caller, 'PUT', '/me/password', { Current: person.Password, New: newPassword });
  const { Events } = await get<{ Events: Event[] }>(caller, '/audit?entry=kim');
  assert.deepEqual(
    Events.slice(0, 2).map(({ Action, By, Application }) => [Action, By, Application]),
    [
      ['user.password', 'kim', page.AppKey],
      ['session.ended', 'kim', page.AppKey],
    ],
  );
});

test('The audit log names the application through which a person did something', async () => {
  const { caller, person } = await enterNew('max');
  await setRole(dataFolder, 'max', 'manager', 'left');
  const away = await enter(person, other);
  const folder = await createFolder(caller, '-root-', 'by max');
  const { File } = await saveFile(away.caller, { FolderId: folder.Id, FileName: 'a' }, 'a');
  await manage(away.caller, 'DELETE', `/entries/${File.Id}`);
  const { Events } = await get<{ Events: Event[] }>(caller, '/audit?by=max');
  assert.deepEqual(
    Events.map(({ Action, Application, Details }) => [Action, Application, 'Through' in Details]),
    [
      ['entry.trashed', other.AppKey, false],
      ['file.created', other.AppKey, false],
      ['folder.created', page.AppKey, false],
    ],
  );
  const { Events: roles } = await get<{ Events: Event[] }>(caller, '/audit?entry=max');
  assert.ok(
    roles.every(({ Application }) => Application === undefined),
    'operators have none',
  );
});

test('People who may not act have no account to show', async () => {
  const { caller } = await enterNew('lea');
  await command(dataFolder, 'user disable', { user: 'lea' });
  await ends(caller);
});
