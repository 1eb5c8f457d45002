// Manage spaces, applications and people (docs/contract.md §10.12). Here an application manages, by its scope; what people
// may do by their role is in test/security.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertRefusal } from './assertions.ts';
import {
  askToken,
  basicAuthorization,
  type Caller,
  call,
  createFolder,
  fetchToken,
  listFolder,
  signIn,
} from './client.ts';
import {
  type Application,
  addApplication,
  ask,
  get,
  getAll,
  manage,
  type NewUser,
  newName,
  type User,
} from './managing.ts';

const admin = await signIn('Administrator');
const main = await signIn('Main');
const stranger = await signIn('Stranger');
const withinMs = 1500;

/** Waits until the condition holds, or a second has passed: the assertion after it decides. */
async function withinASecond(holds: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + withinMs; Date.now() < until && !(await holds()); ) await sleep(20);
}

async function tokenStatus(caller: Caller, secret: string): Promise<number> {
  const headers = { Authorization: basicAuthorization(caller.application.AppKey, secret) };
  return (await askToken(caller.base, { grant_type: 'client_credentials' }, headers)).status;
}

test('A space is shown only to callers who can access it', async () => {
  const { Spaces } = await get<{ Spaces: [{ Id: string; Name: string; RootFolderId: string }] }>(admin, '/spaces');
  const [space] = Spaces;
  assert.equal(space.RootFolderId, admin.application.RootFolderId);
  assert.deepEqual(await get(admin, `/spaces/${space.Id}`), space);
  const headers = { requesttrackingid: randomUUID() };
  const foreign = await call(stranger, `/spaces/${space.Id}`, { headers });
  const unknown = await call(stranger, `/spaces/${randomUUID()}`, { headers });
  assertRefusal(foreign, 404, 'SpaceNotFound');
  assert.equal(foreign.body.toString(), unknown.body.toString());
  assertRefusal(await ask(stranger, 'PATCH', `/spaces/${space.Id}`, { Name: newName() }), 403, 'InsufficientScope');
});

test('An invalid limit or cursor of /spaces is 400', async () => {
  const { Spaces } = await get<{ Spaces: { Id: string }[] }>(admin, '/spaces?limit=1');
  assert.equal(Spaces.length, 1);
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'limit=']) {
    assertRefusal(await call(admin, `/spaces?${query}`), 400, 'InvalidField');
  }
  assertRefusal(await call(admin, '/spaces?cursor=bogus'), 400, 'InvalidCursor');
});

test('A space shows rules about links of its own, and none when they are taken back', async () => {
  const { Spaces } = await get<{ Spaces: [{ Id: string }] }>(admin, '/spaces');
  const [space] = Spaces;
  const path = `/spaces/${space.Id}`;
  const Shares = { Allowed: true, Makers: 'editors', PasswordRequired: false, MaxDays: 365 };
  assert.deepEqual(await manage(admin, 'PATCH', path, { Shares: { MaxDays: 365 } }), { ...space, Shares });
  assert.deepEqual(await get(admin, path), { ...space, Shares });
  assertRefusal(await ask(admin, 'PATCH', path, { Shares: { MaxDays: 366 } }), 400, 'InvalidField');
  assertRefusal(await ask(admin, 'PATCH', path, { Shares: { Makers: 'all' } }), 400, 'InvalidField');
  assertRefusal(await ask(admin, 'PATCH', path, {}), 400, 'InvalidField');
  assert.deepEqual(await manage(admin, 'PATCH', path, { Shares: { MaxDays: null } }), space);
  assert.deepEqual(await get(admin, path), space);
});

test('A space can be renamed to a valid, free name', async () => {
  const { Spaces } = await get<{ Spaces: [{ Id: string; Name: string }] }>(admin, '/spaces');
  const [{ Id, Name }] = Spaces;
  const renamed = newName().slice(0, 60);
  assert.equal((await manage<{ Name: string }>(admin, 'PATCH', `/spaces/${Id}`, { Name: renamed })).Name, renamed);
  assertRefusal(
    await ask(admin, 'PATCH', `/spaces/${Id}`, { Name: stranger.application.Space }),
    400,
    'NameAlreadyExists',
  );
  for (const bad of ['', 'a b', '../x', 'x'.repeat(65), 'ä']) {
    assertRefusal(await ask(admin, 'PATCH', `/spaces/${Id}`, { Name: bad }), 400, 'InvalidField');
  }
  for (const body of [{}, { Name: 5 }, { Name: null }]) {
    assertRefusal(await ask(admin, 'PATCH', `/spaces/${Id}`, body), 400, 'InvalidField');
  }
  await manage(admin, 'PATCH', `/spaces/${Id}`, { Name });
});

test('An application cannot create a space, whatever its scopes', async () => {
  assertRefusal(await ask(admin, 'POST', '/spaces', { Name: newName() }), 403, 'Forbidden');
});

test('An application is registered into the space of the caller, and its secret is shown once', async () => {
  const made = await addApplication(admin);
  assert.match(made.application.AppKey, /^ak_[a-z0-9]{32}$/);
  assert.match(made.application.Secret, /^cs_/);
  const folder = await createFolder(made, '-root-', newName());
  assert.ok((await listFolder(admin, '-root-')).some(({ Id }) => Id === folder.Id));
  const shown = await call(admin, `/applications/${made.application.AppKey}`);
  assert.ok(!shown.body.includes(made.application.Secret));
  const { Scopes, State, Kind } = JSON.parse(shown.body.toString()) as Application;
  assert.deepEqual([Scopes, State, Kind], [['content.read', 'content.write'], 'active', 'client']);
  const listed = await getAll<Application>(admin, '/applications?limit=2', 'Applications');
  assert.ok(listed.some(({ AppKey }) => AppKey === made.application.AppKey));
  assert.ok(listed.every((application) => application.Secret === undefined));
  const names = listed.map(({ Name }) => Name);
  assert.deepEqual(names, [...names].sort());
  assert.ok(!names.includes(stranger.application.Name));
});

test('An invalid application is refused with the field at fault', async () => {
  const cases: [object, string, string][] = [
    [{}, 'InvalidField', 'Name'],
    [{ Name: 'a b' }, 'InvalidField', 'Name'],
    [{ Name: `ak_${'0'.repeat(32)}` }, 'InvalidField', 'Name'],
    [{ Name: newName(), Kind: 'other' }, 'InvalidField', 'Kind'],
    [{ Name: newName(), Scopes: ['content.all'] }, 'InvalidField', 'Scopes'],
    [{ Name: newName(), Scopes: 'content.read' }, 'InvalidField', 'Scopes'],
    [{ Name: newName(), Scopes: [] }, 'InvalidField', 'Scopes'],
    [{ Name: newName(), RedirectUris: ['http://app.example/'] }, 'InvalidField', 'RedirectUris'],
    [{ Name: stranger.application.Name }, 'NameAlreadyExists', 'Name'],
    [{ Name: 'Console' }, 'NameAlreadyExists', 'Name'],
  ];
  for (const [fields, code, target] of cases) {
    const { Target } = assertRefusal(await ask(admin, 'POST', '/applications', fields), 400, code);
    assert.equal(Target, target, JSON.stringify(fields));
  }
  for (const fields of [
    { Name: newName(), RedirectUris: [] },
    { Name: newName(), Certificate: 'x' },
    { Name: newName(), Kind: 'server', Certificate: 'not PEM' },
    { Name: newName(), Kind: 'server', RedirectUris: ['https://app.example/'] },
  ]) {
    assertRefusal(await ask(admin, 'POST', '/applications', fields), 400, 'InvalidField');
  }
  assertRefusal(
    await call(admin, '/applications', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"Name":',
    }),
    400,
    'InvalidBody',
  );
});

test('Nobody can grant a scope, or take over an application with a scope, that they could not use', async () => {
  const narrow = await addApplication(admin, { Scopes: ['content.read', 'content.admin'] });
  const { Target } = assertRefusal(
    await ask(narrow, 'POST', '/applications', { Name: newName() }),
    403,
    'InsufficientScope',
  );
  assert.equal(Target, 'content.write');
  await addApplication(narrow, { Scopes: ['content.read', 'content.admin'] });
  const writer = await addApplication(admin);
  const { AppKey, Secret } = writer.application;
  assertRefusal(await ask(narrow, 'POST', `/applications/${AppKey}/rotate`), 403, 'InsufficientScope');
  assert.equal(await tokenStatus(writer, Secret), 200, 'its secret is what it was');
});

test('A disabled application is refused within a second, and accepted again when enabled', async () => {
  const made = await addApplication(admin);
  const path = `/applications/${made.application.AppKey}`;
  assert.equal((await call(made, '/spaces')).status, 200);
  assert.equal((await manage<Application>(admin, 'PATCH', path, { State: 'disabled' })).State, 'disabled');
  const isServed = async () => (await call(made, '/spaces')).status === 200;
  await withinASecond(async () => !(await isServed()));
  assertRefusal(await call(made, '/spaces'), 401, 'AppKeyUnknown');
  assert.equal((await manage<Application>(admin, 'PATCH', path, { State: 'active' })).State, 'active');
  await withinASecond(isServed);
  assert.equal((await call(made, '/spaces')).status, 200);
  for (const fields of [{}, { State: 'removed' }, { State: 1 }]) {
    assertRefusal(await ask(admin, 'PATCH', path, fields), 400, 'InvalidField');
  }
});

test('An application that is disabled with RevokeTokens needs new tokens when it is enabled', async () => {
  const made = await addApplication(admin);
  const path = `/applications/${made.application.AppKey}`;
  await manage<Application>(admin, 'PATCH', path, { State: 'disabled', RevokeTokens: true });
  await manage<Application>(admin, 'PATCH', path, { State: 'active' });
  const isServed = async () => {
    const token = await fetchToken(made.base, made.application);
    return (await call({ ...made, token }, '/spaces')).status === 200;
  };
  await withinASecond(isServed);
  assert.ok(await isServed());
  assertRefusal(await call(made, '/spaces'), 401, 'TokenInvalid');
  assertRefusal(await ask(admin, 'PATCH', path, { State: 'disabled', RevokeTokens: 'yes' }), 400, 'InvalidField');
});

test('A removed application is gone and its name is never reused; its entries stay', async () => {
  const made = await addApplication(admin);
  const { AppKey, Name } = made.application;
  const folder = await createFolder(made, '-root-', newName());
  assert.equal((await manage<Application>(admin, 'DELETE', `/applications/${AppKey}`)).State, 'removed');
  for (const [method, fields] of [['GET'], ['DELETE'], ['PATCH', { State: 'active' }]] as const) {
    assertRefusal(await ask(admin, method, `/applications/${AppKey}`, fields), 404, 'ApplicationNotFound');
  }
  assertRefusal(await ask(admin, 'POST', '/applications', { Name }), 400, 'NameAlreadyExists');
  assert.equal(
    (await get<{ Entry: { CreatedBy: string } }>(admin, `/entries/${folder.Id}`)).Entry.CreatedBy,
    `app:${Name}`,
  );
});

test('An application cannot disable or remove itself', async () => {
  const own = `/applications/${admin.application.AppKey}`;
  assertRefusal(await ask(admin, 'PATCH', own, { State: 'disabled' }), 403, 'Forbidden');
  assertRefusal(await ask(admin, 'DELETE', own), 403, 'Forbidden');
  assert.equal((await manage<Application>(admin, 'PATCH', own, { State: 'active' })).State, 'active');
});

test('A new secret replaces the old one at once or after the overlap', async () => {
  const made = await addApplication(admin);
  const path = `/applications/${made.application.AppKey}/rotate`;
  const first = made.application.Secret;
  const second = String((await manage<Application>(admin, 'POST', path, { OverlapSeconds: 60 })).Secret);
  assert.notEqual(second, first);
  assert.deepEqual([await tokenStatus(made, first), await tokenStatus(made, second)], [200, 200]);
  const third = String((await manage<Application>(admin, 'POST', path)).Secret);
  const secrets = [first, second, third];
  const readStatuses = () => Promise.all(secrets.map((secret) => tokenStatus(made, secret)));
  await withinASecond(async () => (await readStatuses()).filter((status) => status === 200).length === 1);
  const statuses = await readStatuses();
  assert.deepEqual(statuses, [401, 401, 200]);
  for (const OverlapSeconds of [-1, 1.5, '5', 1e12]) {
    assertRefusal(await ask(admin, 'POST', path, { OverlapSeconds }), 400, 'InvalidField');
  }
});

test('Applications of another space return the same bytes as unknown ones, and are not changed', async () => {
  const { AppKey, Secret } = stranger.application;
  const headers = { requesttrackingid: randomUUID() };
  const ways: [string, string, object?][] = [
    ['GET', ''],
    ['PATCH', '', { State: 'disabled' }],
    ['DELETE', ''],
    ['POST', '/rotate', {}],
    ['GET', '/certificates'],
    ['DELETE', '/certificates/x'],
  ];
  for (const [method, behind, fields] of ways) {
    const bodies: string[] = [];
    for (const key of [AppKey, `ak_${'0'.repeat(32)}`, stranger.application.Name, 'x', admin.application.Name]) {
      const answer = await ask(admin, method, `/applications/${key}${behind}`, fields, headers);
      assertRefusal(answer, 404, 'ApplicationNotFound');
      bodies.push(answer.body.toString());
    }
    assert.equal(new Set(bodies).size, 1, `${method} ${behind}`);
  }
  assert.equal(await tokenStatus(stranger, Secret), 200);
  assert.equal((await call(stranger, '/spaces')).status, 200);
});

test('A client application has no certificates', async () => {
  const made = await addApplication(admin);
  const path = `/applications/${made.application.AppKey}/certificates`;
  assert.deepEqual(await get(admin, path), { Certificates: [] });
  assertRefusal(await ask(admin, 'POST', path, { Certificate: 'not PEM' }), 400, 'InvalidField');
  assertRefusal(await ask(admin, 'DELETE', `${path}/x`), 404, 'CertificateNotFound');
});

test('A person gets an account and a role, another role, and no role', async () => {
  const Id = newName();
  const made = await manage<NewUser>(admin, 'POST', '/users', { Id, Name: 'Ada', Role: 'editor' });
  const { SetupUrl, SetupExpiresAt, ...shown } = made;
  assert.match(SetupUrl, /\/setup\/[\w-]{43}$/);
  assert.equal(Date.parse(SetupExpiresAt) - Date.parse(made.CreatedAt), 72 * 60 * 60 * 1000);
  const { CreatedBy, HasSignedIn } = shown;
  assert.deepEqual([CreatedBy, HasSignedIn], [`app:${admin.application.Name}`, false]);
  assert.deepEqual(await get(admin, `/users/${Id}`), shown);
  const find = async () => (await getAll<User>(admin, '/users?limit=1', 'Users')).find((user) => user.Id === Id);
  assert.deepEqual(await find(), shown);
  const changed = await manage<User>(admin, 'PATCH', `/users/${Id}`, { Role: 'viewer' });
  assert.deepEqual(changed, { ...shown, Role: 'viewer' });
  const { Role: __, ...without } = shown;
  assert.deepEqual(await manage<User>(admin, 'DELETE', `/users/${Id}`), without);
  assert.equal(await find(), undefined);
  assertRefusal(await ask(admin, 'DELETE', `/users/${Id}`), 404, 'UserNotFound');
  // The account is still there.
  assert.equal((await manage<User>(admin, 'PATCH', `/users/${Id}`, { Role: 'editor' })).Role, 'editor');
});

test('A user id is unique, and nobody else chooses the password', async () => {
  const Id = newName();
  const refused = await ask(admin, 'POST', '/users', { Id, Role: 'viewer', Password: 'a long enough word' });
  assert.equal(assertRefusal(refused, 400, 'InvalidField').Target, 'Password');
  const made = await manage<NewUser>(admin, 'POST', '/users', { Id, Role: 'viewer' });
  assert.deepEqual([Object.hasOwn(made, 'Password'), made.Name], [false, Id]);
  const taken = assertRefusal(await ask(admin, 'POST', '/users', { Id, Role: 'manager' }), 400, 'NameAlreadyExists');
  assert.equal(taken.Target, 'Id');
  assert.equal((await getAll<User>(admin, '/users', 'Users')).find((user) => user.Id === Id)?.Role, 'viewer');
});

test('An invalid person is refused with the field at fault', async () => {
  const good = { Id: newName(), Role: 'viewer' };
  const cases: [object, string][] = [
    [{ Role: 'viewer' }, 'Id'],
    [{ Id: newName() }, 'Role'],
    [{ ...good, Role: 'owner' }, 'Role'],
    [{ ...good, Role: 'none' }, 'Role'],
    [{ ...good, Id: 'a b' }, 'Id'],
    [{ ...good, Id: 'operator' }, 'Id'],
    [{ ...good, Id: 'Nobody' }, 'Id'],
    [{ ...good, Id: 'corp:alice' }, 'Id'],
    [{ ...good, Password: null }, 'Password'],
    [{ ...good, Name: '\u202e' }, 'Name'],
    [{ ...good, Name: 5 }, 'Name'],
  ];
  for (const [fields, target] of cases) {
    const { Target } = assertRefusal(await ask(admin, 'POST', '/users', fields), 400, 'InvalidField');
    assert.equal(Target, target, JSON.stringify(fields));
  }
  assertRefusal(await ask(admin, 'PATCH', `/users/${newName()}`, { Role: 'viewer' }), 404, 'UserNotFound');
  assertRefusal(await ask(admin, 'PATCH', `/users/${good.Id}`, { State: 'disabled' }), 400, 'InvalidField');
});

test('A person of an external issuer can get a role before their first sign-in', async () => {
  const Id = `corp:${randomUUID()}`;
  const path = `/users/${encodeURIComponent(Id)}`;
  assert.equal((await manage<User>(admin, 'PATCH', path, { Role: 'viewer' })).Id, Id);
  assert.equal((await manage<User>(admin, 'DELETE', path)).Role, undefined);
  const malformed = await ask(admin, 'PATCH', '/users/app:x', { Role: 'viewer' });
  assert.equal(assertRefusal(malformed, 400, 'InvalidField').Target, 'id');
});

test('Without content.admin an application can read but not manage', async () => {
  for (const path of ['/applications', '/users', '/usage', '/limits', '/spaces']) {
    assert.equal((await call(main, path)).status, 200, path);
  }
  const changes: [string, string, object?][] = [
    ['POST', '/spaces', { Name: newName() }],
    ['POST', '/applications', { Name: newName() }],
    ['PATCH', `/applications/${main.application.AppKey}`, { State: 'active' }],
    ['DELETE', `/applications/${main.application.AppKey}`],
    ['POST', `/applications/${main.application.AppKey}/rotate`],
    ['POST', '/users', { Id: newName(), Role: 'viewer' }],
    ['PATCH', '/users/x', { Role: 'viewer' }],
    ['DELETE', '/users/x'],
    ['GET', '/audit'],
  ];
  for (const [method, path, fields] of changes) {
    const { Target } = assertRefusal(await ask(main, method, path, fields), 403, 'InsufficientScope');
    assert.equal(Target, 'content.admin');
  }
});

test('A cursor is valid for its own list only', async () => {
  await addApplication(admin);
  const { headers } = await call(admin, '/applications?limit=1');
  const [, cursor] = /cursor=([^&>]+)/.exec(String(headers.link)) ?? [];
  assertRefusal(await call(admin, `/users?cursor=${cursor}`), 400, 'InvalidCursor');
  assertRefusal(await call(admin, '/applications?cursor=x'), 400, 'InvalidCursor');
  assertRefusal(await call(admin, '/applications?limit=0'), 400, 'InvalidField');
});
