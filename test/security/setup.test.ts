// Setup links: an account belongs to its owner, and nobody else ever knows its password (docs/contract.md §12.5).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, fetchToken } from '../interface/client.ts';
import { ask, get, manage, type NewUser, newName, type User } from '../interface/managing.ts';
import { addApplication, addUser, command, setRole, setUp } from '../service/operator.ts';
import { eventually, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { addPage, discover, signIn } from './people.ts';

const dataFolder = makeDataFolder();
let service: Awaited<ReturnType<typeof startServiceHere>>;
let page: Registered;
let left: Caller;
let right: Caller;

before(async () => {
  service = await startServiceHere(dataFolder, { hasClock: true });
  page = await addPage(dataFolder, 'page');
  left = await addManager('left', 'left');
  right = await addManager('right', 'right');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

const all = 'content.read content.write content.admin';

/** An application that manages a space. */
async function addManager(name: string, space: string, scopes = all): Promise<Caller> {
  const application = { Name: name, ...(await addApplication(dataFolder, name, { space, scopes })) };
  const base = service.production;
  return { base, application, token: await fetchToken(base, application) };
}

async function enter(User: string, Password: string): Promise<Caller> {
  const { access_token: token } = await signIn(await discover(service.production, page), { User, Password });
  return { base: service.production, application: { Name: 'page', ...page }, token };
}

const add = (by: Caller, Role = 'editor', Id = newName()) => manage<NewUser>(by, 'POST', '/users', { Id, Role });
const renew = (by: Caller, id: string) => ask(by, 'POST', `/users/${id}/setup`);
const statusOf = async (url: string) => (await fetch(url)).status;
const password = 'four words nobody expects';

test('A new account has no password until its owner sets one by the link, once', async () => {
  const { SetupUrl, Id } = await add(left);
  assert.ok(SetupUrl.startsWith(`${service.production}/setup/`));
  const shown = await fetch(SetupUrl);
  const text = await shown.text();
  assert.match(text, /<form method="post">/);
  assert.match(text, new RegExp(`value="${Id}"`));
  assert.doesNotMatch(text, /<script/);
  assert.match(String(shown.headers.get('content-security-policy')), /default-src 'none'.*form-action 'self'/);
  assert.equal(shown.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(shown.headers.get('cache-control'), 'no-store');
  for (const refused of ['', 'short', 'password1234567', `${Id}-and-more`, 'x'.repeat(257)]) {
    assert.equal(await setUp(SetupUrl, refused), 400, refused);
  }
  assert.equal(await setUp(SetupUrl, password), 200);
  assert.equal(await setUp(SetupUrl, 'five words nobody ever expects'), 404);
  assert.equal(await statusOf(SetupUrl), 404);
  const person = await enter(Id, password);
  assert.equal((await get<{ HasPassword: boolean }>(person, '/me')).HasPassword, true);
});

test('Of several uses of a link at once, one sets the password', async () => {
  const { SetupUrl } = await add(left);
  const statuses = await Promise.all([1, 2, 3, 4].map((n) => setUp(SetupUrl, `${password} ${n}`)));
  assert.deepEqual(statuses.filter((status) => status !== 429).toSorted(), [
    200,
    ...statuses.filter((status) => status === 404),
  ]);
});

test('A new link ends the earlier one; the old password works until the new one is set', async () => {
  const { SetupUrl: first, Id } = await add(left);
  assert.equal(await setUp(first, password), 200);
  const person = await enter(Id, password);
  const lost = (await manage<NewUser>(left, 'POST', `/users/${Id}/setup`)).SetupUrl;
  const { SetupUrl, ...more } = await manage<NewUser>(left, 'POST', `/users/${Id}/setup`);
  assert.deepEqual(Object.keys(more), ['SetupExpiresAt']);
  assert.equal(await statusOf(lost), 404);
  assert.equal((await call(person, '/me')).status, 200);
  await enter(Id, password);
  assert.equal(await setUp(SetupUrl, 'another four words nobody expects'), 200);
  await eventually('the old sign-in ends', async () => (await call(person, '/me')).status === 401);
  await assert.rejects(enter(Id, password));
  await enter(Id, 'another four words nobody expects');
});

test('An account that others could have taken gets no role before its owner has signed in', async () => {
  const { SetupUrl, Id } = await add(left, 'viewer');
  assertRefusal(await ask(right, 'PATCH', `/users/${Id}`, { Role: 'manager' }), 403, 'Forbidden');
  assert.equal(await setUp(SetupUrl, password), 200);
  assertRefusal(await ask(right, 'PATCH', `/users/${Id}`, { Role: 'manager' }), 403, 'Forbidden');
  await enter(Id, password);
  const given = await manage<User>(right, 'PATCH', `/users/${Id}`, { Role: 'viewer' });
  assert.deepEqual([given.CreatedBy, given.HasSignedIn], ['app:left', true]);
});

test('The takeover of a new account by whoever made it: the manager of another space cannot be deceived', async () => {
  const { SetupUrl, Id } = await add(left, 'viewer');
  // Operators may give the role all the same; then the link that the first manager could have kept is dead.
  await setRole(dataFolder, Id, 'editor', 'right');
  assert.equal(await setUp(SetupUrl, password), 404);
  assertRefusal(await renew(left, Id), 403, 'Forbidden');
  const { SetupUrl: url } = await command<NewUser>(dataFolder, 'user setup', { user: Id });
  assert.equal(await setUp(url, password), 200);
  await enter(Id, password);
});

test('An operator adds a person with a setup link, which survives the first role', async () => {
  const added = await command<{ User: string; SetupUrl: string; SetupExpiresAt: string }>(dataFolder, 'user add', {
    user: 'opal',
  });
  assert.deepEqual(Object.hasOwn(added, 'Password'), false);
  await setRole(dataFolder, 'opal', 'viewer', 'left');
  await manage(right, 'PATCH', '/users/opal', { Role: 'viewer' });
  assert.equal(await setUp(added.SetupUrl, password), 200);
  await enter('opal', password);
  const withPassword = await command(dataFolder, 'user add', { user: 'otto', password });
  assert.equal(Object.hasOwn(withPassword, 'SetupUrl'), false);
});

test('Links are made for members of the own space only, who have a password here', async () => {
  const { Id } = await add(left);
  for (const id of [newName(), Id]) assertRefusal(await renew(right, id), 404, 'UserNotFound');
  await manage(left, 'PATCH', '/users/corp:ann', { Role: 'viewer' });
  assertRefusal(await renew(left, 'corp:ann'), 403, 'Forbidden');
  await assert.rejects(command(dataFolder, 'user setup', { user: 'corp:ann' }), /no password here/);
  await assert.rejects(command(dataFolder, 'user setup', { user: 'nobody' }), /no user/);
  await addUser(dataFolder, 'dora');
  await command(dataFolder, 'user disable', { user: 'dora' });
  const { SetupUrl: disabled } = await command<NewUser>(dataFolder, 'user setup', { user: 'dora' });
  assert.equal(await setUp(disabled, password), 404);
});

test('A new password by its owner or an operator ends unused links', async () => {
  const { person, url } = await withLink('zara');
  await manage(person, 'PUT', '/me/password', { Current: password, New: 'a password of her own' });
  assert.equal(await statusOf(url), 404);
  const other = await withLink('zeno');
  await command(dataFolder, 'user password', { user: 'zeno' });
  assert.equal(await statusOf(other.url), 404);
});

async function withLink(user: string): Promise<{ person: Caller; url: string }> {
  await command(dataFolder, 'user add', { user, password });
  await setRole(dataFolder, user, 'editor', 'left');
  const person = await enter(user, password);
  return { person, url: (await manage<NewUser>(left, 'POST', `/users/${user}/setup`)).SetupUrl };
}

test('Only managers see who made an account and whether its owner has signed in', async () => {
  const { Id, SetupUrl } = await add(left, 'viewer');
  const before = await get<User>(left, `/users/${Id}`);
  assert.deepEqual([before.CreatedBy, before.HasSignedIn], ['app:left', false]);
  await setUp(SetupUrl, password);
  const viewer = await enter(Id, password);
  assert.equal((await get<User>(left, `/users/${Id}`)).HasSignedIn, true);
  const seen = await get<User>(viewer, `/users/${Id}`);
  assert.deepEqual([seen.Id, seen.CreatedBy, seen.HasSignedIn], [Id, undefined, undefined]);
  const { Users } = await get<{ Users: User[] }>(viewer, '/users');
  assert.ok(Users.every((user) => user.CreatedBy === undefined && user.HasSignedIn === undefined));
  assertRefusal(await call(right, `/users/${Id}`), 404, 'UserNotFound');
});

test('An application gives, and makes links for, only roles that its own scopes cover', async () => {
  const admin = await addManager('admin-only', 'left', 'content.admin');
  const writer = await addManager('no-admin', 'left', 'content.read content.admin');
  const cases: [Caller, string, string][] = [
    [admin, 'viewer', 'content.read'],
    [admin, 'manager', 'content.read'],
    [writer, 'editor', 'content.write'],
    [writer, 'manager', 'content.write'],
  ];
  const { Id } = await add(left, 'manager');
  for (const [caller, Role, scope] of cases) {
    for (const [method, path] of [
      ['POST', '/users'],
      ['PATCH', `/users/${Id}`],
    ] as const) {
      const refusal = await ask(caller, method, path, { Id: newName(), Role });
      assert.equal(assertRefusal(refusal, 403, 'InsufficientScope').Target, scope);
      assert.equal(refusal.headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${scope}"`);
    }
  }
  assertRefusal(await renew(writer, Id), 403, 'InsufficientScope');
  assert.equal((await add(writer, 'viewer')).Role, 'viewer');
});

test('Making and using a link are in the audit log', async () => {
  const { Id, SetupUrl } = await add(left);
  await setUp(SetupUrl, password);
  await manage(left, 'POST', `/users/${Id}/setup`);
  const { Events } = await get<{ Events: { Action: string; By: string }[] }>(left, `/audit?entry=${Id}`);
  assert.deepEqual(
    Events.map(({ Action, By }) => [Action, By]),
    [
      ['user.setup', 'app:left'],
      ['user.password', Id],
      ['user.role', 'app:left'],
    ],
  );
});

// The last one: tokens of the others are expired by then.
test('A link expires after 72 hours, and an unknown or changed one leads nowhere', async () => {
  const { SetupUrl, SetupExpiresAt } = await add(left);
  assert.equal(await statusOf(`${SetupUrl.slice(0, -1)}${SetupUrl.endsWith('A') ? 'B' : 'A'}`), 404);
  assert.equal(await statusOf(`${service.production}/setup/x`), 404);
  assert.ok(Date.parse(SetupExpiresAt) > Date.now() + 71 * 60 * 60 * 1000);
  await service.advance(72 * 60 * 60 * 1000 - 60_000);
  assert.equal(await statusOf(SetupUrl), 200);
  await service.advance(61_000);
  assert.equal(await setUp(SetupUrl, password), 404);
});
