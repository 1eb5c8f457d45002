// `cabinet user export` and `cabinet user erase`, while the service runs and while it does not.

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, createFolder, fetchToken } from '../interface/client.ts';
import { ask, manage } from '../interface/managing.ts';
import { addPage, discover, signIn } from '../security/people.ts';
import { cabinet, cabinetJson } from './here.ts';
import { addApplication, addUser, type Person, setRole } from './operator.ts';
import { eventually, makeDataFolder, type Registered, removeDataFolder } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let left: Caller;
let page: Registered;

before(async () => {
  service = await startServiceHere(dataFolder);
  const scopes = 'content.read content.write content.admin';
  const application = { Name: 'left', ...(await addApplication(dataFolder, 'left', { scopes })) };
  left = { base: service.production, application, token: await fetchToken(service.production, application) };
  page = await addPage(dataFolder, 'page');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

interface Exported {
  Account: Record<string, unknown>;
  Journal: { Action: string; By: string; About: string }[];
  [list: string]: unknown;
}

async function enter(user: string): Promise<{ person: Person; caller: Caller }> {
  const person = await addUser(dataFolder, user, { name: `Name ${user}` });
  await setRole(dataFolder, user, 'editor', 'left');
  const { access_token: token } = await signIn(await discover(service.production, page), person);
  return { person, caller: { base: service.production, application: { Name: 'page', ...page }, token } };
}

const toUser = ({ User }: { User: string }) => User;
const exportOf = (user: string) => cabinetJson<Exported>(dataFolder, ['user', 'export', user]);

async function isVerified(): Promise<void> {
  const audit = await cabinetJson<{ Verified: boolean }>(dataFolder, ['audit', 'verify']);
  assert.equal(audit.Verified, true);
  const { code, stdout } = await cabinet(dataFolder, ['verify']);
  assert.equal(code, 0, stdout);
}

test('A person is exported and erased while the service runs', async () => {
  const { person, caller } = await enter('ann');
  const folder = await createFolder(caller, '-root-', 'of ann');
  const { Password } = await manage<{ Password: string }>(caller, 'POST', '/me/app-passwords', {
    ...{ Name: 'laptop', Access: 'read' },
  });
  await manage(caller, 'PUT', `/me/starred/${folder.Id}`);
  const text = JSON.stringify(await exportOf('ann'));
  for (const secret of [person.Password, Password, caller.token, '$argon2']) assert.ok(!text.includes(secret));
  const before = await exportOf('ann');
  assert.deepEqual([before.Account.Name, before.Account.State], ['Name ann', 'active']);
  for (const list of ['Roles', 'AppPasswords', 'Sessions', 'KnownAddresses', 'Starred', 'Usage']) {
    assert.equal((before[list] as object[]).length, 1, list);
  }
  const actions = before.Journal.map(({ Action }) => Action);
  for (const action of ['user.added', 'user.role', 'sign-in.succeeded', 'app-password.added', 'folder.created']) {
    assert.ok(actions.includes(action), action);
  }

  const file = join(dataFolder, 'ann.json');
  const written = await cabinetJson<{ File: string }>(dataFolder, ['user', 'export', 'ann', '--out', file]);
  assert.equal(written.File, file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual({ ...JSON.parse(readFileSync(file, 'utf8')), ExportedAt: '' }, { ...before, ExportedAt: '' });
  assert.notEqual((await cabinet(dataFolder, ['user', 'export', 'ann', '--out', file])).code, 0, 'it exists');

  assert.match((await cabinet(dataFolder, ['user', 'erase', 'ann'])).stderr, /cannot be undone/);
  assert.equal((await call(caller, '/me')).status, 200);
  assert.deepEqual(await cabinetJson(dataFolder, ['user', 'erase', 'Ann', '--yes']), { User: 'ann', Erased: 'now' });
  await eventually('the token is refused', async () => (await call(caller, '/me')).status === 401);
  const dav = { authorization: `Basic ${Buffer.from(`ann:${Password}`).toString('base64')}` };
  assert.equal((await fetch(`${service.production}/dav/`, { method: 'PROPFIND', headers: dav })).status, 401);
  assert.deepEqual(await cabinetJson(dataFolder, ['user', 'erase', 'ann', '--yes']), { User: 'ann', Erased: 'before' });
  const { Account, Environment, ExportedAt, Journal, ...lists } = await exportOf('ann');
  assert.deepEqual([Account.User, Account.State, Account.Name], ['ann', 'erased', undefined]);
  assert.equal(Journal.length, before.Journal.length + 1);
  const filled = Object.entries(lists).filter(([, rows]) => (rows as object[]).length > 0);
  assert.deepEqual(
    filled.map(([list]) => list),
    ['Usage'],
  );
  assert.match((await call(left, `/folders/${folder.Id}`)).body.toString(), /"CreatedBy":"ann"/);
  await isVerified();
});

test('The id stays taken, for operators and over HTTP', async () => {
  await enter('ben');
  await cabinetJson(dataFolder, ['user', 'erase', 'ben', '--yes']);
  const { Users } = await cabinetJson<{ Users: { User: string }[] }>(dataFolder, ['user', 'list']);
  assert.ok(!Users.map(toUser).includes('ben'));
  const add = await cabinet(dataFolder, ['user', 'add', 'ben']);
  assert.match(add.stderr, /"ben" was erased, and its id is not given out again/);
  for (const words of [['enable'], ['disable'], ['setup'], ['password']]) {
    const { code, stderr } = await cabinet(dataFolder, ['user', ...words, 'ben']);
    assert.match(`${code} ${stderr}`, /^1 .*"ben" was erased/, words.join(' '));
  }
  assertRefusal(await ask(left, 'POST', '/users', { Id: 'ben', Role: 'viewer' }), 400, 'NameAlreadyExists');
  assertRefusal(await ask(left, 'PATCH', '/users/ben', { Role: 'viewer' }), 404, 'UserNotFound');
});

test('It works while the service is stopped', async () => {
  await enter('cem');
  await service.stop();
  assert.equal((await exportOf('cem')).Account.Name, 'Name cem');
  assert.deepEqual(await cabinetJson(dataFolder, ['user', 'erase', 'cem', '--yes']), { User: 'cem', Erased: 'now' });
  assert.equal((await exportOf('cem')).Account.State, 'erased');
  await isVerified();
  const { code, stderr } = await cabinet(dataFolder, ['user', 'export', 'nobody']);
  assert.match(`${code} ${stderr}`, /^1 .*There is no user "nobody"/);
});
