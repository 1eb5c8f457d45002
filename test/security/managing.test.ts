// What people may manage by their role (docs/contract.md §10.12), and what nobody may: in another space, beyond their own
// scopes, or to themselves. Applications manage by their scope: test/interface/10-managing.test.ts.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Answer, type Caller, call, fetchToken } from '../interface/client.ts';
import {
  type Application,
  ask,
  type Event,
  get,
  getAll,
  manage,
  type NewUser,
  type User,
} from '../interface/managing.ts';
import { cabinetJson } from '../service/here.ts';
import { addApplication, addUser, type Person, setRole, setUp } from '../service/operator.ts';
import { addCaller, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { Browser } from './browser.ts';
import { addPage, begin, discover, finish, redirectUri, signIn } from './people.ts';
import { tally } from './tally.ts';

const dataFolder = makeDataFolder();
const withinMs = 1000;
let service: Awaited<ReturnType<typeof startServiceHere>>;
let page: Registered;
let left: Caller;
let right: Caller;
let people: Record<'manager' | 'editor' | 'viewer' | 'foreigner' | 'twice', Caller>;
let persons: Record<string, Person>;

before(async () => {
  service = await startServiceHere(dataFolder, { hasClock: true });
  left = await addCaller(dataFolder, service.production, 'left');
  right = await addCaller(dataFolder, service.production, 'right');
  page = await addPage(dataFolder, 'page');
  persons = {};
  people = {
    manager: await enter('mona', { left: 'manager' }),
    editor: await enter('eddy', { left: 'editor' }),
    viewer: await enter('vera', { left: 'viewer' }),
    foreigner: await enter('fred', { right: 'manager' }),
    twice: await enter('tina', { left: 'editor', right: 'manager' }),
  };
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function enter(user: string, roles: Record<string, string>, through = page): Promise<Caller> {
  persons[user] ??= await addUser(dataFolder, user);
  for (const [space, role] of Object.entries(roles)) await setRole(dataFolder, user, role, space);
  const { access_token: token } = await signIn(await discover(service.production, through), persons[user] as Person);
  return { base: service.production, application: { Name: 'page', ...through }, token };
}

async function spaceOf(caller: Caller): Promise<{ Id: string; Name: string; Role?: string }> {
  const { Spaces } = await get<{ Spaces: [{ Id: string; Name: string; Role?: string }] }>(caller, '/spaces');
  return Spaces[0];
}

/** Every change there is, aimed at what is in the space `left`. */
async function everyChange(): Promise<[string, string, object?][]> {
  const { AppKey } = left.application;
  const { Id } = await spaceOf(left);
  return [
    ['PATCH', `/spaces/${Id}`, { Name: 'taken-over' }],
    ['POST', '/applications', { Name: 'intruder' }],
    ['PATCH', `/applications/${AppKey}`, { State: 'disabled' }],
    ['DELETE', `/applications/${AppKey}`],
    ['POST', `/applications/${AppKey}/rotate`, {}],
    ['POST', `/applications/${AppKey}/certificates`, { Certificate: 'x' }],
    ['DELETE', `/applications/${AppKey}/certificates/x`],
    ['POST', '/users', { Id: 'intruder', Role: 'manager' }],
    ['PATCH', '/users/vera', { Role: 'manager' }],
    ['DELETE', '/users/mona'],
    ['GET', '/audit'],
  ];
}

/** What everyone in `left` sees of it. */
async function snapshot(): Promise<unknown[]> {
  const paths = ['/spaces', '/applications?limit=1000', '/users?limit=1000'];
  return await Promise.all(paths.map((path) => get(left, path)));
}

test('Callers who do not manage the space cannot change it or read its audit log', async () => {
  const before = await snapshot();
  for (const who of ['editor', 'viewer'] as const) {
    for (const [method, path, fields] of await everyChange()) {
      const { Target } = assertRefusal(await ask(people[who], method, path, fields), 403, 'Forbidden');
      assert.equal(Target, 'manager', `${who} ${method} ${path}`);
      tally('routes × callers');
    }
    assertRefusal(await ask(people[who], 'POST', '/spaces', { Name: 'mine' }), 403, 'Forbidden');
  }
  assert.deepEqual(await snapshot(), before);
});

test('A manager of another space cannot see or change this one', async () => {
  const before = await snapshot();
  const byId = (await everyChange()).filter(([, path]) => /^\/(spaces|applications)\/|mona$/.test(path));
  for (const [method, path, fields] of byId) {
    const answer = await ask(people.foreigner, method, path, fields);
    assertRefusal(answer, 404, /^(Space|Application|User)NotFound$/);
    tally('cross-space calls');
  }
  // The header names a space that they are not in.
  const headers = { SpaceId: (await spaceOf(left)).Id };
  for (const [method, path, fields] of await everyChange()) {
    assertRefusal(await ask(people.foreigner, method, path, fields, headers), 404, 'SpaceNotFound');
    tally('cross-space calls');
  }
  assert.deepEqual(await snapshot(), before);
});

test('A role applies to its own space only: manager there, editor here', async () => {
  const before = await snapshot();
  const headers = { SpaceId: (await spaceOf(left)).Id };
  for (const [method, path, fields] of await everyChange()) {
    assertRefusal(await ask(people.twice, method, path, fields, headers), 403, 'Forbidden');
    tally('routes × callers');
  }
  assertRefusal(await call(people.twice, '/users'), 400, 'SpaceMissing');
  assert.deepEqual(await snapshot(), before);
});

test('Giving a role to someone of another space shows and changes nothing there', async () => {
  const given = await manage<User>(people.manager, 'PATCH', '/users/fred', { Role: 'viewer' });
  assert.deepEqual(Object.keys(given).sort(), ['CreatedAt', 'CreatedBy', 'HasSignedIn', 'Id', 'Name', 'Role', 'State']);
  const there = await getAll<User>(right, '/users', 'Users');
  assert.equal(there.find(({ Id }) => Id === 'fred')?.Role, 'manager');
  await manage(people.manager, 'DELETE', '/users/fred');
  assert.equal((await getAll<User>(right, '/users', 'Users')).find(({ Id }) => Id === 'fred')?.Role, 'manager');
});

test('A manager can manage applications and people, and read the audit log', async () => {
  const { manager } = people;
  const made = await manage<Application>(manager, 'POST', '/applications', {
    Name: 'by-mona',
    Scopes: ['content.admin'],
  });
  await manage(manager, 'PATCH', `/applications/${made.AppKey}`, { State: 'disabled' });
  await manage(manager, 'POST', `/applications/${made.AppKey}/rotate`);
  await manage(manager, 'DELETE', `/applications/${made.AppKey}`);
  const { SetupUrl } = await manage<NewUser>(manager, 'POST', '/users', { Id: 'nina', Role: 'editor' });
  persons.nina = { User: 'nina', Password: 'nobody else knows it' };
  assert.equal(await setUp(SetupUrl, persons.nina.Password), 200);
  const nina = await enter('nina', {});
  assert.equal((await spaceOf(nina)).Role, 'editor');
  const events = await getAll<Event>(manager, '/audit?by=mona', 'Events');
  const actions = events.map(({ Action }) => Action);
  for (const action of ['application.added', 'application.disabled', 'application.rotated', 'application.removed']) {
    assert.ok(actions.includes(action), action);
  }
});

test('A manager cannot change the password, state or name of an account', async () => {
  const fields = { Role: 'viewer', Password: 'another long password', State: 'disabled', Name: 'Nobody' };
  const changed = await manage<User>(people.manager, 'PATCH', '/users/vera', fields);
  assert.deepEqual([changed.State, changed.Name], ['active', 'vera']);
  assert.equal((await spaceOf(await enter('vera', {}))).Role, 'viewer', 'the password is what it was');
  assertRefusal(await ask(people.manager, 'PATCH', '/users/vera', { State: 'disabled' }), 400, 'InvalidField');
  const again = await ask(people.manager, 'POST', '/users', {
    Id: 'vera',
    Role: 'viewer',
  });
  assertRefusal(again, 400, 'NameAlreadyExists');
});

test('A token with content.read alone manages nothing for a manager', async () => {
  const configuration = await discover(service.production, page);
  const begun = await begin(configuration, { scope: 'openid content.read' });
  const browser = new Browser();
  const { User, Password } = persons.mona as Person;
  const back = await browser.submit(await browser.open(begun.url), { user: User, password: Password });
  assert.equal(back.url.origin, new URL(redirectUri).origin, back.text);
  const { access_token: token } = await finish(configuration, back.url, begun);
  const reader = { ...people.manager, token };
  assert.equal((await call(reader, '/users')).status, 200);
  for (const [method, path, fields] of await everyChange()) {
    const { Target } = assertRefusal(await ask(reader, method, path, fields), 403, 'InsufficientScope');
    assert.equal(Target, 'content.write');
    tally('routes × callers');
  }
});

test('The last manager cannot lose the role; with another manager they can', async () => {
  const { manager } = people;
  for (const leave of [
    () => ask(manager, 'DELETE', '/users/mona'),
    () => ask(manager, 'PATCH', '/users/mona', { Role: 'editor' }),
  ]) {
    const { Hint } = assertRefusal(await leave(), 400, 'LastManager');
    assert.match(String(Hint), /someone else/);
  }
  await manage(manager, 'PATCH', '/users/eddy', { Role: 'manager' });
  assert.equal((await manage<User>(manager, 'PATCH', '/users/mona', { Role: 'editor' })).Role, 'editor');
  await service.advance(withinMs);
  assertRefusal(await ask(manager, 'PATCH', '/users/mona', { Role: 'manager' }), 403, 'Forbidden');
  await setRole(dataFolder, 'mona', 'manager', 'left');
  await setRole(dataFolder, 'eddy', 'editor', 'left');
  await service.advance(withinMs);
});

test('A manager who creates a space is its only member and manager', async () => {
  assert.equal((await call(people.manager, '/spaces')).status, 200);
  const made = await manage<{ Id: string; Role: string; RootFolderId: string }>(people.manager, 'POST', '/spaces', {
    Name: 'monas',
  });
  assert.equal(made.Role, 'manager');
  const headers = { SpaceId: made.Id };
  const users = await call(people.manager, '/users', { headers });
  assert.deepEqual(
    (JSON.parse(users.body.toString()) as { Users: User[] }).Users.map(({ Id }) => Id),
    ['mona'],
  );
  const folder: Answer = await ask(people.manager, 'POST', '/folders', { FolderName: 'first' }, headers);
  assert.equal(folder.status, 200, folder.body.toString());
  for (const other of [people.editor, people.foreigner, left, right]) {
    assertRefusal(await call(other, `/spaces/${made.Id}`), 404, 'SpaceNotFound');
    assertRefusal(await call(other, `/folders/${made.RootFolderId}`), 404, 'FolderNotFound');
    tally('cross-space calls', 2);
  }
  assertRefusal(await ask(people.manager, 'POST', '/spaces', { Name: 'right' }), 400, 'NameAlreadyExists');
});

test('Managers and their applications see what decides what they may do, and not how the service is run', async () => {
  const scopes = 'content.read content.admin';
  const headers = { SpaceId: (await spaceOf(left)).Id };
  const asked = { Name: 'of-managers', Scopes: scopes.split(' ') };
  const { AppKey, Secret } = JSON.parse(
    (await ask(people.manager, 'POST', '/applications', asked, headers)).body.toString(),
  ) as { AppKey: string; Secret: string };
  const enterItself = async (application: Registered) => {
    const itself = { Name: 'itself', ...application };
    return { base: service.production, application: itself, token: await fetchToken(service.production, itself) };
  };
  const namesOf = async (caller: Caller) => {
    const answer = await call(caller, '/settings', { headers });
    assert.equal(answer.status, 200, answer.body.toString());
    return (JSON.parse(answer.body.toString()) as { Settings: { Name: string }[] }).Settings.map(({ Name }) => Name);
  };
  const ofOperators = await addApplication(dataFolder, 'of-operators', { scopes, space: 'left' });
  const all = await namesOf(await enterItself(ofOperators));
  assert.ok(all.includes('CABINET_DATA') && all.includes('CABINET_TRASH_DAYS'));
  for (const caller of [people.manager, await enterItself({ ...ofOperators, AppKey, Secret })]) {
    const some = await namesOf(caller);
    assert.ok(some.includes('CABINET_TRASH_DAYS'));
    for (const name of ['DATA', 'CATALOG', 'BLOBS', 'PROXIES', 'WEBHOOK_NETWORKS', 'METRICS_TOKEN']) {
      assert.ok(!some.includes(`CABINET_${name}`), name);
    }
  }
});

test('A manager cannot disable the application they are using', async () => {
  const own = await addApplication(dataFolder, 'own-page', { redirectUris: redirectUri, space: 'left' });
  const manager = await enter('mona', {}, own);
  const path = `/applications/${own.AppKey}`;
  assertRefusal(await ask(manager, 'PATCH', path, { State: 'disabled' }), 403, 'Forbidden');
  assertRefusal(await ask(manager, 'DELETE', path), 403, 'Forbidden');
  assert.equal((await call(manager, '/spaces')).status, 200);
});

test('Managers cannot change quotas', async () => {
  await cabinetJson(dataFolder, ['quota', 'set', '--space', 'left', '--bytes', '1GiB']);
  const { Id, Name } = await spaceOf(left);
  const headers = { SpaceId: Id };
  const wish = { Name, Quota: { Bytes: 1e15 }, MostBytes: 1e15, most_bytes: 1e15, bytes: null };
  assert.equal((await ask(people.manager, 'PATCH', `/spaces/${Id}`, wish, headers)).status, 200);
  for (const path of ['/usage', '/limits']) {
    assertRefusal(await ask(people.manager, 'PATCH', path, wish, headers), 404, 'MethodNotAllowed');
  }
  const { Space } = await get<{ Space: { Quota: object } }>(left, '/usage');
  assert.deepEqual(Space.Quota, { Bytes: 2 ** 30 });
});

test('No response about applications or people contains a secret, a password or a hash', async () => {
  const paths = [
    '/applications',
    `/applications/${left.application.AppKey}`,
    '/users',
    '/usage',
    '/settings',
    '/audit?limit=1000',
  ];
  const headers = { SpaceId: (await spaceOf(left)).Id };
  for (const path of paths) {
    const { status, body } = await call(people.manager, path, { headers });
    assert.equal(status, 200, `${path}: ${body}`);
    const text = body.toString();
    assert.doesNotMatch(text, /argon2|cs_[A-Za-z0-9_-]{20}|[0-9a-f]{64}/i, path);
    for (const { Password } of Object.values(persons)) assert.ok(!text.includes(Password));
  }
});
