// What people see and may do by grants alone (docs/contract.md §14.5), through real sign-ins: everything but the records, lists and faces
// that the model test compares (`test/model/grants`).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type * as client from 'openid-client';
import { assertRefusal, type Entry } from '../interface/assertions.ts';
import { type Caller, call, createFolder, download, fetchToken, saveFile, send } from '../interface/client.ts';
import { change, copy, listTrash, remove, restore, trash } from '../interface/life.ts';
import { ask, get, manage } from '../interface/managing.ts';
import { createTus, patchTus, toMetadata, toPath } from '../interface/uploads.ts';
import { addApplication, addUser, command, type Person } from '../service/operator.ts';
import { eventually, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { addPage, discover, redirectUri, signIn } from './people.ts';

const dataFolder = makeDataFolder();
const scopes = 'content.read content.write content.admin';
let service: StartedHere;
let page: Registered;
let configuration: client.Configuration;
let left: Caller;
let right: Caller;

before(async () => {
  service = await startServiceHere(dataFolder);
  left = await addManager('left');
  right = await addManager('right');
  page = await addPage(dataFolder, 'page');
  configuration = await discover(service.production, page);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function addManager(name: string): Promise<Caller> {
  const application = { Name: name, ...(await addApplication(dataFolder, name, { scopes })) };
  return { base: service.production, application, token: await fetchToken(service.production, application) };
}

async function enter(person: Person): Promise<Caller> {
  const { access_token: token } = await signIn(configuration, person);
  return { base: service.production, application: { Name: 'page', ...page }, token };
}

const add = async (user: string) => await enter(await addUser(dataFolder, user));
const share = (by: Caller, id: string, principal: string, Role: 'viewer' | 'editor') =>
  manage(by, 'PUT', `/entries/${id}/access/${encodeURIComponent(principal)}`, { Role });
const unshare = (by: Caller, id: string, principal: string) =>
  manage(by, 'DELETE', `/entries/${id}/access/${encodeURIComponent(principal)}`);
const save = async (caller: Caller, folder: string, name: string, text = name) =>
  (await saveFile(caller, { FolderId: folder, FileName: name, 'Content-Type': 'text/plain' }, text)).File;
type Shared = { Entries: { Entry: Entry; Role: string; Space: { Id: string; Name: string }; GrantedBy: string }[] };

test('Uploads in several requests and links work by a grant, and end with it', async () => {
  const ann = await add('ann');
  const folder = await createFolder(left, '-root-', 'for ann');
  const outside = await save(left, '-root-', 'not for ann');
  await share(left, folder.Id, 'user:ann', 'editor');
  const metadata = (name: string, folderId: string) => toMetadata({ filename: name, folderId, filetype: 'text/plain' });
  const begin = (name: string, folderId = folder.Id) =>
    createTus(ann, { 'Upload-Length': '4', 'Upload-Metadata': metadata(name, folderId) });
  const first = toPath(await begin('whole'));
  assert.equal((await patchTus(ann, first, 0, Buffer.from('done'))).status, 204);
  const second = toPath(await begin('late'));
  assert.equal((await patchTus(ann, second, 0, Buffer.from('do'))).status, 204);
  assertRefusal(await begin('lost', left.application.RootFolderId), 404, 'FolderNotFound');
  const mine = await save(ann, folder.Id, 'mine');
  const linked = await manage<{ Url: string }>(ann, 'POST', `/files/${mine.Id}/link`, {});
  assertRefusal(await ask(ann, 'POST', `/files/${outside.Id}/link`, {}), 404, 'FileNotFound');
  const { pathname, search } = new URL(linked.Url);
  assert.equal((await send(ann.base, pathname + search)).body.toString(), 'mine');
  await unshare(left, folder.Id, 'user:ann');
  assert.equal((await patchTus(ann, second, 2, Buffer.from('ne'))).status, 404);
  assert.equal((await send(ann.base, pathname + search)).status, 404);
  const { Children } = await get<{ Children: Entry[] }>(left, `/folders/${folder.Id}`);
  assert.deepEqual(Children.map(({ Name }) => Name).sort(), ['mine', 'whole']);
});

test('Stars, recent entries, thumbnails and jobs show only what is shared now', async () => {
  const bob = await add('bob');
  const folder = await createFolder(left, '-root-', 'for bob');
  const file = await save(left, folder.Id, 'in it');
  const outside = await save(left, '-root-', 'not for bob');
  await share(left, folder.Id, 'user:bob', 'editor');
  assert.equal((await ask(bob, 'PUT', `/me/starred/${file.Id}`)).status, 200);
  assertRefusal(await ask(bob, 'PUT', `/me/starred/${outside.Id}`), 404, 'EntryNotFound');
  await download(bob, file.Id);
  const list = async (name: string) =>
    (await get<{ Entries: { Entry: Entry; Path: string }[] }>(bob, `/me/${name}`)).Entries.map(({ Path }) => Path);
  assert.deepEqual(await list('starred'), ['/for bob/in it']);
  await eventually('the download is recent', async () => (await list('recent')).join() === '/for bob/in it');
  assertRefusal(await call(bob, `/files/${outside.Id}/thumbnail`), 404, 'FileNotFound');
  assertRefusal(await call(bob, `/files/${file.Id}/thumbnail`), 404, 'NoThumbnail');
  const fields = { Action: 'trash', EntryIds: [file.Id, outside.Id, folder.Id] };
  const answer = await ask(bob, 'POST', '/entries/batch', fields);
  const { Results } = JSON.parse(answer.body.toString()) as { Results: { Error?: { Code: string } }[] };
  assert.deepEqual(
    Results.map((result) => result.Error?.Code),
    [undefined, 'EntryNotFound', 'Forbidden'],
  );
  assert.deepEqual(await list('starred'), []);
  const trashed = await listTrash(bob);
  assert.deepEqual(
    trashed.map(({ Path }) => Path),
    ['/for bob/in it'],
  );
  assertRefusal(await call(bob, '/trash', { method: 'DELETE' }), 403, 'Forbidden');
  await restore(bob, file.Id, {});
  assert.deepEqual(await list('starred'), ['/for bob/in it']);
  await unshare(left, folder.Id, 'user:bob');
  assert.deepEqual([await list('starred'), await list('recent')], [[], []]);
});

test('Copies go out of what may be read into what may be changed, and nowhere else', async () => {
  const cleo = await add('cleo');
  const source = await createFolder(left, '-root-', 'to read');
  const target = await createFolder(left, '-root-', 'to change');
  const elsewhere = await createFolder(right, '-root-', 'of another space');
  const file = await save(left, source.Id, 'copied');
  await share(left, source.Id, 'user:cleo', 'viewer');
  assertRefusal(await ask(cleo, 'POST', `/entries/${file.Id}/copy`, { ParentFolderId: source.Id }), 403, 'Forbidden');
  await share(left, target.Id, 'user:cleo', 'editor');
  await share(right, elsewhere.Id, 'user:cleo', 'editor');
  const copied = await copy(cleo, file.Id, { ParentFolderId: target.Id });
  assert.equal(copied.Path, '/to change/copied');
  for (const ParentFolderId of [elsewhere.Id, left.application.RootFolderId, '-root-']) {
    assertRefusal(await ask(cleo, 'POST', `/entries/${file.Id}/copy`, { ParentFolderId }), 404, 'FolderNotFound');
  }
  assertRefusal(await ask(cleo, 'PATCH', `/entries/${file.Id}`, { ParentFolderId: target.Id }), 403, 'Forbidden');
  assertRefusal(await ask(cleo, 'PATCH', `/entries/${target.Id}`, { ParentFolderId: elsewhere.Id }), 403, 'Forbidden');
  assert.equal((await change(cleo, target.Id, { Name: 'renamed' })).Path, '/renamed');
  const { Entries } = await get<Shared>(cleo, '/shared-with-me');
  assert.deepEqual(
    Entries.map(({ Entry, Role, Space }) => [Entry.Name, Role, Space.Name]),
    [
      ['to read', 'viewer', 'left'],
      ['renamed', 'editor', 'left'],
      ['of another space', 'editor', 'right'],
    ],
  );
  assert.deepEqual(await get(cleo, '/spaces'), { Spaces: [] });
});

test('With nested grants, the path begins at the topmost, and the trash of the outer hides the inner', async () => {
  const dora = await add('dora');
  const outer = await createFolder(left, '-root-', 'outer');
  const middle = await createFolder(left, outer.Id, 'middle');
  const inner = await createFolder(left, middle.Id, 'inner');
  await share(left, inner.Id, 'user:dora', 'editor');
  const pathOf = async () => (await get<{ Path: string }>(dora, `/entries/${inner.Id}`)).Path;
  assert.equal(await pathOf(), '/inner');
  assertRefusal(await call(dora, `/folders/${middle.Id}`), 404, 'FolderNotFound');
  await share(left, outer.Id, 'user:dora', 'viewer');
  assert.equal(await pathOf(), '/outer/middle/inner');
  assertRefusal(await call(dora, `/entries/${inner.Id}`, { method: 'DELETE' }), 403, 'Forbidden');
  await unshare(left, outer.Id, 'user:dora');
  await trash(left, outer.Id);
  assertRefusal(await call(dora, `/entries/${inner.Id}`), 404, 'EntryNotFound');
  assert.deepEqual((await get<Shared>(dora, '/shared-with-me')).Entries, []);
  assert.deepEqual(await listTrash(dora), []);
  await restore(left, outer.Id, {});
  assert.equal(await pathOf(), '/inner', 'the grant survived the trash');
});

interface Change {
  Action: string;
  EntryId: string;
  ParentFolderId?: string;
  Trashed?: boolean;
}

test('What is in the trash names the folder that it was in, and leaves the view with it', async () => {
  const gina = await add('gina');
  const folder = await createFolder(left, '-root-', 'for gina');
  const inner = await createFolder(left, folder.Id, 'inner');
  const file = await save(left, inner.Id, 'in the trash');
  await share(left, folder.Id, 'user:gina', 'viewer');
  await trash(left, file.Id);
  const since = async (query: string) => {
    const page = await get<{ Changes: Change[]; Cursor: string }>(gina, `/changes?${query}`);
    return { cursor: page.Cursor, changes: page.Changes };
  };
  const first = await since('from=snapshot');
  assert.deepEqual(
    first.changes.map(({ EntryId, ParentFolderId, Trashed }) => [EntryId, ParentFolderId, Trashed]),
    [
      [folder.Id, undefined, undefined],
      [inner.Id, folder.Id, undefined],
      [file.Id, inner.Id, true],
    ],
  );
  await remove(left, inner.Id);
  assertRefusal(await call(gina, `/entries/${file.Id}/access`), 404, 'EntryNotFound');
  const second = await since(`cursor=${encodeURIComponent(first.cursor)}`);
  assert.deepEqual(
    second.changes.map(({ EntryId, Action }) => [EntryId, Action]),
    [[inner.Id, 'entry.removed']],
  );
});

test('A disabled person loses nothing but the access; a removed group takes its grants with it', async () => {
  const person = await addUser(dataFolder, 'emil');
  const emil = await enter(person);
  const folder = await createFolder(left, '-root-', 'for the group');
  await manage(left, 'POST', '/groups', { Name: 'board', Members: ['emil'] });
  await share(left, folder.Id, 'group:board', 'viewer');
  await share(left, folder.Id, 'user:emil', 'editor');
  const [shared, ...others] = (await get<Shared>(emil, '/shared-with-me')).Entries;
  assert.deepEqual([shared?.Role, shared?.GrantedBy, others], ['editor', 'app:left', []]);
  await command(dataFolder, 'user disable', { user: 'emil' });
  await eventually('they are out', async () => (await call(emil, '/shared-with-me')).status === 401);
  await command(dataFolder, 'user enable', { user: 'emil' });
  const again = await enter(person);
  await unshare(left, folder.Id, 'user:emil');
  assert.deepEqual(
    (await get<Shared>(again, '/shared-with-me')).Entries.map(({ Role }) => Role),
    ['viewer'],
  );
  type Line = { Principal: string; Role: string; From: { Id: string; Path: string } };
  assert.deepEqual((await get<{ Access: Line[] }>(again, `/entries/${folder.Id}/access`)).Access, [
    { Principal: 'group:board', Role: 'viewer', From: { Id: folder.Id, Path: '/for the group' } },
  ]);
  await manage(left, 'DELETE', '/groups/board');
  assertRefusal(await call(again, `/folders/${folder.Id}`), 404, 'FolderNotFound');
});

test('An application that belongs to a space shows only what is shared of that space', async () => {
  const person = await addUser(dataFolder, 'fred');
  const ofLeft = await createFolder(left, '-root-', 'fred, left');
  const ofRight = await createFolder(right, '-root-', 'fred, right');
  await share(left, ofLeft.Id, 'user:fred', 'viewer');
  await share(right, ofRight.Id, 'user:fred', 'viewer');
  const own = await addApplication(dataFolder, 'page-of-left', { redirectUris: redirectUri, space: 'left' });
  const { access_token: token } = await signIn(await discover(service.production, own), person);
  const fred: Caller = { base: service.production, application: { Name: 'page-of-left', ...own }, token };
  const names = async (caller: Caller) =>
    (await get<Shared>(caller, '/shared-with-me')).Entries.map(({ Entry }) => Entry.Name);
  assert.deepEqual(await names(fred), ['fred, left']);
  assertRefusal(await call(fred, `/folders/${ofRight.Id}`), 404, 'FolderNotFound');
  assert.deepEqual(await names(await enter(person)), ['fred, left', 'fred, right']);
});

test('Refusals speak of what is shared, not of a role that the caller does not have', async () => {
  const rita = await add('rita');
  const folder = await createFolder(left, '-root-', 'for rita');
  const file = await save(left, folder.Id, 'read me');
  await share(left, folder.Id, 'user:rita', 'viewer');
  const said = async (answer: ReturnType<typeof ask>) => {
    const { Error: refusal } = JSON.parse((await answer).body.toString()) as {
      Error: { Message: string; Hint?: string };
    };
    return [refusal.Message, refusal.Hint];
  };
  const onlyRead = ['You need the role "editor" on the entry, which is shared with you as "viewer".', undefined];
  assert.deepEqual(await said(ask(rita, 'PATCH', `/entries/${file.Id}`, { Name: 'x' })), onlyRead);
  assert.deepEqual(await said(ask(rita, 'POST', `/entries/${file.Id}/shares`, { Access: 'read' })), onlyRead);
  for (const { Id } of [folder, file]) {
    assert.deepEqual(await said(call(rita, `/entries/${Id}`, { method: 'DELETE' })), onlyRead);
  }
  const grant = `/entries/${file.Id}/access/user:rita`;
  const noRole = ['You need the role "manager" in the space. You have no role there.', undefined];
  assert.deepEqual(await said(ask(rita, 'PUT', grant, { Role: 'editor' })), noRole);
  await share(left, folder.Id, 'user:rita', 'editor');
  assert.deepEqual(await said(ask(rita, 'PUT', grant, { Role: 'editor' })), noRole);
  assert.deepEqual(await said(call(rita, `/entries/${folder.Id}`, { method: 'DELETE' })), [
    'You need the role "editor" in the folder that contains the entry.',
    'What was shared with you can be changed, but not moved or deleted.',
  ]);
  assert.equal((await call(rita, `/entries/${file.Id}`, { method: 'DELETE' })).status, 200);
});

test('A grant or a group names the person who does not exist', async () => {
  const folder = await createFolder(left, '-root-', 'for nobody');
  for (const answer of [
    await ask(left, 'PUT', `/entries/${folder.Id}/access/user:nobody`, { Role: 'viewer' }),
    await ask(left, 'POST', '/groups', { Name: 'some', Members: ['nobody'] }),
  ]) {
    assertRefusal(answer, 404, 'UserNotFound');
    assert.match(answer.body.toString(), /There is no user \\"nobody\\"\./);
  }
});
