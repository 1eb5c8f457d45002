// Starred and recent entries of a person (docs/contract.md §18.4), through real sign-ins.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type * as client from 'openid-client';
import { assertRefusal, type Entry } from '../interface/assertions.ts';
import { type Caller, call, createFolder, download, saveFile } from '../interface/client.ts';
import { ask, get } from '../interface/managing.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import { addCaller, eventually, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { addPage, discover, signIn } from './people.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let page: Registered;
let configuration: client.Configuration;
let left: Caller;

before(async () => {
  service = await startServiceHere(dataFolder);
  left = await addCaller(dataFolder, service.production, 'left');
  await addApplication(dataFolder, 'right');
  page = await addPage(dataFolder, 'page');
  configuration = await discover(service.production, page);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function enter(user: string, roles: Record<string, 'viewer' | 'editor'>): Promise<Caller> {
  const person = await addUser(dataFolder, user);
  for (const [space, role] of Object.entries(roles)) await setRole(dataFolder, user, role, space);
  const { access_token: token } = await signIn(configuration, person);
  return { base: service.production, application: { Name: 'page', ...page }, token };
}

type Listed = { Entry: Entry; Path: string; At: string };

async function list(caller: Caller, name: 'starred' | 'recent', query = ''): Promise<Listed[]> {
  return (await get<{ Entries: Listed[] }>(caller, `/me/${name}${query}`)).Entries;
}

const names = async (caller: Caller, name: 'starred' | 'recent') =>
  (await list(caller, name)).map(({ Entry }) => Entry.Name);
const star = (caller: Caller, id: string) => ask(caller, 'PUT', `/me/starred/${id}`);

async function save(caller: Caller, folder: string, name: string): Promise<string> {
  return (await saveFile(caller, { FolderId: folder, FileName: name }, name)).File.Id;
}

test('Stars are listed newest first, with paths, page by page, and only their owner sees them', async () => {
  const ann = await enter('ann', { left: 'viewer' });
  const bob = await enter('bob', { left: 'editor' });
  const folder = await createFolder(left, '-root-', 'stars');
  const ids = [await save(left, folder.Id, 'a'), folder.Id, await save(left, folder.Id, 'b')];
  for (const id of ids) assert.equal((await star(ann, id)).status, 200);
  const [newest] = await list(ann, 'starred');
  assert.deepEqual([newest?.Entry.Name, newest?.Path], ['b', '/stars/b']);
  assert.match(newest?.At ?? '', /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.deepEqual(await names(ann, 'starred'), ['b', 'stars', 'a']);
  const again = await star(ann, ids[0] ?? '');
  assert.equal(JSON.parse(again.body.toString()).Entries.length, 3, 'a second star changes nothing');
  const first = await call(ann, '/me/starred?limit=2');
  const next = /<([^>]*)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
  assert.deepEqual(
    (await list(ann, 'starred', next.slice(next.indexOf('?')))).map(({ Entry }) => Entry.Name),
    ['a'],
  );
  assert.deepEqual(await names(bob, 'starred'), []);
  assertRefusal(await call(bob, `/me/starred${next.slice(next.indexOf('?'))}`), 400, 'InvalidCursor');
  await ask(ann, 'DELETE', `/me/starred/${folder.Id}`);
  assert.deepEqual(await names(ann, 'starred'), ['b', 'a']);
  assert.equal((await ask(ann, 'DELETE', `/me/starred/${folder.Id}`)).status, 200, 'a missing star is no error');
  assertRefusal(await ask(ann, 'DELETE', '/me/starred/unknown'), 404, 'EntryNotFound');
});

test('A list shows what the person may see now', async () => {
  const cleo = await enter('cleo', { left: 'editor', right: 'editor' });
  const id = await save(left, '-root-', 'in the trash for a while');
  await star(cleo, id);
  await call(left, `/entries/${id}`, { method: 'DELETE' });
  assert.deepEqual(await names(cleo, 'starred'), []);
  assertRefusal(await star(cleo, id), 404, 'EntryNotFound');
  await call(left, `/entries/${id}/restore`, { method: 'POST' });
  assert.deepEqual(await names(cleo, 'starred'), ['in the trash for a while']);
  await command(dataFolder, 'user role', { user: 'cleo', role: 'none', space: 'left' });
  await eventually('the role is gone', async () => (await names(cleo, 'starred')).length === 0);
  assertRefusal(await star(cleo, id), 404, 'EntryNotFound');
});

test('What a person opened or saved is recent, the last first; what others did is not', async () => {
  const dora = await enter('dora', { left: 'editor' });
  const theirs = await save(left, '-root-', 'read by dora');
  const own = await save(dora, '-root-', 'saved by dora');
  await eventually('the save is there', async () => (await names(dora, 'recent')).length === 1);
  await download(dora, theirs);
  await eventually('the download is there', async () => (await names(dora, 'recent')).length === 2);
  assert.deepEqual(await names(dora, 'recent'), ['read by dora', 'saved by dora']);
  await download(left, own);
  assertRefusal(await call(left, '/me/recent'), 403, 'Forbidden');
  assertRefusal(await star(left, own), 403, 'Forbidden');
});
