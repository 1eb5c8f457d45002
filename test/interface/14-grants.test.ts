// Grants and groups (docs/contract.md §14.5). The suite has applications only; what people see is in `test/security`.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { call, createFolder, signIn } from './client.ts';
import { ask, type Event, get, getAll, manage } from './managing.ts';

const admin = await signIn('Administrator');
const main = await signIn('Main');
const stranger = await signIn('Stranger');

type Line = { Principal: string; Role: string; From: { Id: string; Path: string } | 'space' };
type Access = { Access: Line[] };
type Group = { Group: { Name: string; Members: string[] } };

const root = admin.application.RootFolderId;
const newPerson = () => `corp:${randomUUID()}`;
const accessOf = (id: string, principal = '') =>
  `/entries/${id}/access${principal && `/${encodeURIComponent(principal)}`}`;

/** Without roles in the space, which other tests give. */
const granted = ({ Access }: Access) => Access.filter(({ From }) => From !== 'space');

test('A grant is given, shown beneath, replaced and revoked', async () => {
  const folder = await createFolder(admin, root, randomUUID());
  const inner = await createFolder(admin, folder.Id, 'inner');
  const person = newPerson();
  const principal = `user:${person}`;
  const line = (Role: string) => ({ Principal: principal, Role, From: { Id: folder.Id, Path: `/${folder.Name}` } });
  const put = await manage<Access>(admin, 'PUT', accessOf(folder.Id, principal), { Role: 'viewer' });
  assert.deepEqual(granted(put), [line('viewer')]);
  assert.deepEqual(granted(await get<Access>(admin, accessOf(inner.Id))), [line('viewer')]);
  const again = await manage<Access>(admin, 'PUT', accessOf(folder.Id, principal), { Role: 'editor' });
  assert.deepEqual(granted(again), [line('editor')]);
  assert.deepEqual(
    await getAll<Line>(admin, `${accessOf(inner.Id)}?limit=1`, 'Access'),
    (await get<Access>(admin, accessOf(inner.Id))).Access,
  );
  for (let times = 0; times < 2; times += 1) {
    assert.deepEqual(granted(await manage<Access>(admin, 'DELETE', accessOf(folder.Id, principal))), []);
  }
  const { Events } = await get<{ Events: Event[] }>(admin, `/audit?entry=${folder.Id}`);
  const journalled = Events.filter(({ Action }) => Action.startsWith('access.')).map(({ Action, Details }) => [
    Action,
    Details,
  ]);
  assert.deepEqual(journalled, [
    ['access.revoked', { Principal: principal }],
    ['access.granted', { Principal: principal, Role: 'editor' }],
    ['access.granted', { Principal: principal, Role: 'viewer' }],
  ]);
});

test('A role in the space is a line of every entry', async () => {
  const person = newPerson();
  await manage(admin, 'PATCH', `/users/${encodeURIComponent(person)}`, { Role: 'manager' });
  const lines = (await getAll<Line>(admin, accessOf(root), 'Access')).filter(
    ({ Principal }) => Principal === `user:${person}`,
  );
  assert.deepEqual(lines, [{ Principal: `user:${person}`, Role: 'manager', From: 'space' }]);
});

test('What cannot be granted is refused', async () => {
  const folder = await createFolder(admin, root, randomUUID());
  const put = (principal: string, fields: object, id = folder.Id) => ask(admin, 'PUT', accessOf(id, principal), fields);
  assertRefusal(await put('user:nobody-of-this-name', { Role: 'viewer' }), 404, 'UserNotFound');
  assertRefusal(await put('group:nothing', { Role: 'viewer' }), 404, 'GroupNotFound');
  assertRefusal(await put('nobody', { Role: 'viewer' }), 400, 'InvalidField');
  assertRefusal(await put('user:', { Role: 'viewer' }), 400, 'InvalidField');
  for (const fields of [{ Role: 'manager' }, { Role: null }, {}]) {
    assertRefusal(await put(`user:${newPerson()}`, fields), 400, 'InvalidField');
  }
  assertRefusal(await put(`user:${newPerson()}`, { Role: 'viewer' }, root), 400, 'InvalidField');
  assertRefusal(await put(`user:${newPerson()}`, { Role: 'viewer' }, '-root-'), 400, 'InvalidField');
  assertRefusal(await put(`user:${newPerson()}`, { Role: 'viewer' }, randomUUID()), 404, 'EntryNotFound');
  assertRefusal(await ask(admin, 'DELETE', accessOf(folder.Id, 'user:nobody-of-this-name')), 404, 'UserNotFound');
  assertRefusal(await ask(stranger, 'GET', accessOf(folder.Id)), 404, 'EntryNotFound');
  const own = await createFolder(main, main.application.RootFolderId, randomUUID());
  assertRefusal(await ask(main, 'PUT', accessOf(own.Id, 'user:x'), { Role: 'viewer' }), 403, 'InsufficientScope');
});

test('A group is made, changed, granted to and removed with its grants', async () => {
  const folder = await createFolder(admin, root, randomUUID());
  const name = `group ${randomUUID()} ä/%`;
  const path = `/groups/${encodeURIComponent(name)}`;
  const [one, two, three] = [newPerson(), newPerson(), newPerson()].sort() as [string, string, string];
  const made = await manage<Group>(admin, 'POST', '/groups', { Name: name, Members: [two, one, one] });
  assert.deepEqual(made, { Group: { Name: name, Members: [one, two] } });
  assertRefusal(await ask(admin, 'POST', '/groups', { Name: name }), 400, 'NameAlreadyExists');
  const changed = await manage<Group>(admin, 'PATCH', path, { Add: [three, one], Remove: [two] });
  assert.deepEqual(changed.Group.Members, [one, three]);
  const listed = await getAll<Group['Group']>(admin, '/groups?limit=1', 'Groups');
  assert.deepEqual(
    listed.find(({ Name }) => Name === name),
    changed.Group,
  );
  const principal = `group:${name}`;
  const access = await manage<Access>(admin, 'PUT', accessOf(folder.Id, principal), { Role: 'editor' });
  assert.deepEqual(
    granted(access).map(({ Principal, Role }) => [Principal, Role]),
    [[principal, 'editor']],
  );
  assert.deepEqual(await manage<Group>(admin, 'DELETE', path), changed);
  assert.deepEqual(granted(await get<Access>(admin, accessOf(folder.Id))), []);
  for (const method of ['PATCH', 'DELETE']) {
    assertRefusal(await ask(admin, method, path, method === 'PATCH' ? { Add: [] } : undefined), 404, 'GroupNotFound');
  }
  const { Events } = await get<{ Events: Event[] }>(admin, `/audit?entry=${encodeURIComponent(name)}`);
  assert.deepEqual(Events.map(({ Action }) => Action).reverse(), [
    'group.added',
    'group.member-added',
    'group.member-added',
    'group.member-added',
    'group.member-removed',
    'group.member-removed',
    'group.member-removed',
    'group.removed',
  ]);
});

test('Groups have names that can be shown, and members that exist', async () => {
  for (const Name of ['', ' x', 'x'.repeat(101), 'a\nb', 5]) {
    assertRefusal(await ask(admin, 'POST', '/groups', { Name }), 400, 'InvalidField');
  }
  const members = { Name: randomUUID(), Members: ['nobody-of-this-name'] };
  assertRefusal(await ask(admin, 'POST', '/groups', members), 404, 'UserNotFound');
  assertRefusal(await ask(main, 'GET', '/groups'), 403, 'InsufficientScope');
});

test('Nothing is shared with an application', async () => {
  assert.deepEqual(await get(admin, '/shared-with-me'), { Entries: [] });
  assertRefusal(await call(admin, '/shared-with-me?cursor=x'), 400, 'InvalidCursor');
});
