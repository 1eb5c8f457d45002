// Locks (docs/contract.md §13.4): they bind WebDAV and REST alike, and serve whoever took them alone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { command, setRole } from '../service/operator.ts';
import { eventually } from '../service/service.ts';
import { Dav, type DavAnswer, type DavService, startDav } from './dav.ts';
import { addPerson } from './person.ts';

let service: DavService;
let ann: Dav;
let ben: Dav;

before(async () => {
  service = await startDav({}, true);
  ann = await service.addClient('ann', { scopes: 'content.read content.write content.admin' });
  ben = await service.addClient('ben', { space: 'ann' });
});

after(() => service[Symbol.asyncDispose]());

const lockInfo = (scope = 'exclusive') =>
  `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner>Ann's <b>laptop</b></D:owner></D:lockinfo>`;

const tokenOf = ({ headers }: DavAnswer) => headers.get('lock-token')?.slice(1, -1) ?? '';

async function lock(dav: Dav, path: string, { scope = 'exclusive', depth = '0', status = 200 } = {}): Promise<string> {
  return tokenOf(await dav.must(status, 'LOCK', path, { headers: { Depth: depth }, body: lockInfo(scope) }));
}

const holding = (token: string) => ({ If: `(<${token}>)` });

interface Shown {
  Entry: { Id: string };
  Version: number;
}

async function idOf(path: string): Promise<string> {
  const { json } = await ann.rest<Shown>('GET', `/files?path=${encodeURIComponent(`/${path}`)}`);
  return json.Entry.Id;
}

async function refusedOverRest(
  method: string,
  path: string,
  request: { headers?: Record<string, string>; body?: string } = {},
) {
  const { status, json } = await ben.rest<{ Error: { Code: string; Message: string } }>(method, path, request);
  assert.deepEqual([status, json.Error?.Code], [403, 'Locked'], `${method} ${path}`);
  assert.equal(json.Error.Message, "It is locked by app:ann (Ann's laptop).");
}

test('a lock binds everyone without its token, also over REST', async () => {
  await ann.must(201, 'MKCOL', 'box');
  await ann.put('box/a', 'one');
  const token = await lock(ann, 'box/a');
  const id = await idOf('box/a');
  await ben.must(423, 'PUT', 'box/a', { body: 'two' });
  await ann.must(423, 'PUT', 'box/a', { body: 'two' });
  await ben.must(423, 'PUT', 'box/a', { body: 'two', headers: holding(token) });
  await ben.must(423, 'DELETE', 'box/');
  await ben.must(423, 'MOVE', 'box/', { headers: { Destination: ben.url('moved') } });
  await ben.must(423, 'PROPPATCH', 'box/a', {
    body: '<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="u:"/></D:prop></D:set></D:propertyupdate>',
  });
  await refusedOverRest('PUT', `/files/${id}/content`, { body: 'two' });
  await refusedOverRest('PATCH', `/entries/${id}`, {
    headers: { 'Content-Type': 'application/json' },
    body: '{"Name":"b"}',
  });
  await refusedOverRest('DELETE', `/entries/${id}`);
  await refusedOverRest('DELETE', `/entries/${id}?permanent=true`);
  await refusedOverRest('POST', '/files', { headers: { FolderId: await folderId('box'), FileName: 'a' }, body: 'two' });
  await refusedOverRest('DELETE', `/entries/${await folderId('box')}`);
  assert.equal(await ben.get('box/a'), 'one');
  const held = await ann.rest('PUT', `/files/${id}/content`, { headers: { If: `(<${token}>)` }, body: 'two' });
  assert.equal(held.status, 200);
  await ann.must(204, 'PUT', 'box/a', { body: 'three', headers: holding(token) });
  await ben.must(403, 'UNLOCK', 'box/a', { headers: { 'Lock-Token': `<${token}>` } });
  await ann.must(409, 'UNLOCK', 'box/a', { headers: { 'Lock-Token': '<urn:other>' } });
  await ann.must(204, 'UNLOCK', 'box/a', { headers: { 'Lock-Token': token } });
  await ben.must(204, 'PUT', 'box/a', { body: 'four' });
});

async function folderId(name: string): Promise<string> {
  const { json } = await ann.rest<{ Folder: { Id: string } }>('GET', `/folders?path=/${name}`);
  return json.Folder.Id;
}

test('a locked folder takes no new names; a deep lock covers what is beneath', async () => {
  await ann.must(201, 'MKCOL', 'shallow');
  await ann.put('shallow/old', 'x');
  const token = await lock(ann, 'shallow/');
  await ben.must(423, 'PUT', 'shallow/new', { body: 'x' });
  await ben.must(423, 'MKCOL', 'shallow/new');
  await ben.must(423, 'COPY', 'shallow/old', { headers: { Destination: ben.url('shallow/copy') } });
  await ben.must(204, 'PUT', 'shallow/old', { body: 'y' });
  await refusedOverRest('POST', '/folders', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ParentFolderId: await folderId('shallow'), FolderName: 'new' }),
  });
  await ann.must(201, 'PUT', 'shallow/new', { body: 'x', headers: { If: `<${ann.url('shallow/')}> (<${token}>)` } });
  await ann.must(201, 'MKCOL', 'deep');
  await ann.put('deep/a', 'x');
  const deep = await lock(ann, 'deep/', { depth: 'infinity' });
  await ben.must(423, 'PUT', 'deep/a', { body: 'y' });
  await ben.must(423, 'LOCK', 'deep/a', { body: lockInfo('shared') });
  await ann.must(204, 'PUT', 'deep/a', { body: 'y', headers: holding(deep) });
  assert.match(
    await ann.propfind('deep/a', '0', '<D:lockdiscovery/>'),
    /<D:lockroot><D:href>\/dav\/ann\/deep\/<\/D:href>/,
  );
});

test('shared locks go with each other, and not with an exclusive one', async () => {
  await ann.put('common', 'x');
  const first = await lock(ann, 'common', { scope: 'shared' });
  const second = await lock(ben, 'common', { scope: 'shared' });
  const refused = await ben.must(423, 'LOCK', 'common', { body: lockInfo() });
  assert.match(refused.text, /<D:no-conflicting-lock>/);
  await ann.must(423, 'PUT', 'common', { body: 'y' });
  await ann.must(204, 'PUT', 'common', { body: 'y', headers: holding(first) });
  await ben.must(204, 'PUT', 'common', { body: 'z', headers: holding(second) });
});

test('LOCK of a new name, an empty PUT and a full PUT make one version', async () => {
  const token = await lock(ann, 'fresh.txt', { status: 201 });
  assert.equal(await ben.get('fresh.txt'), '');
  await ann.must(204, 'PUT', 'fresh.txt', { body: '', headers: holding(token) });
  await ben.must(423, 'PUT', 'fresh.txt', { body: 'no' });
  await ann.must(204, 'PUT', 'fresh.txt', { body: 'full', headers: holding(token) });
  const id = await idOf('fresh.txt');
  const versions = () => ann.rest<{ Versions: { Version: number; Size: number }[] }>('GET', `/files/${id}/versions`);
  assert.deepEqual(
    (await versions()).json.Versions.map(({ Version, Size }) => [Version, Size]),
    [[1, 4]],
  );
  await ann.must(204, 'PUT', 'fresh.txt', { body: 'second', headers: holding(token) });
  assert.equal((await versions()).json.Versions.length, 2);
  await ann.must(204, 'UNLOCK', 'fresh.txt', { headers: { 'Lock-Token': `<${token}>` } });
  assert.equal(await ann.get('fresh.txt'), 'second');
  await ann.must(409, 'LOCK', 'none/fresh', { body: lockInfo() });
  await ann.must(400, 'LOCK', 'fresh.txt', { body: '<D:lockinfo xmlns:D="DAV:"/>' });
});

test('423 says what is locked, and 412 and 409 say what is wrong with the token', async () => {
  await ann.must(201, 'MKCOL', 'told%20%26');
  await ann.put('told%20%26/a', 'x');
  const token = await lock(ann, 'told%20%26/a');
  const submitted = /<D:error [^>]*><D:lock-token-submitted><D:href>([^<]*)<\/D:href><\/D:lock-token-submitted>/;
  const href = '/dav/ann/told%20%26/a';
  const to = { Destination: ben.url('elsewhere') };
  for (const [method, path, headers] of [
    ['PUT', 'told%20%26/a', {}],
    ['DELETE', 'told%20%26/', {}],
    ['MOVE', 'told%20%26/', to],
    ['MOVE', 'told%20%26/a', to],
  ] as const) {
    const { text } = await ben.must(423, method, path, { headers });
    assert.equal(submitted.exec(text)?.[1], href, `${method} ${path}: ${text}`);
  }
  const conflict = await ben.must(423, 'LOCK', 'told%20%26/a', { body: lockInfo('shared') });
  assert.match(
    conflict.text,
    /<D:no-conflicting-lock><D:href>\/dav\/ann\/told%20%26\/a<\/D:href><\/D:no-conflicting-lock>/,
  );
  const wrong = await ann.must(409, 'UNLOCK', 'told%20%26/a', { headers: { 'Lock-Token': '<urn:uuid:none>' } });
  assert.match(wrong.text, /<D:lock-token-matches-request-uri\/>/);
  await ben.must(403, 'UNLOCK', 'told%20%26/a', { headers: { 'Lock-Token': `<${token}>` } });
});

test('changes and audit show locks', async () => {
  const { json } = await ann.rest<{ Changes: { Action: string }[] }>('GET', '/changes?limit=1000');
  const actions = new Set(json.Changes.map(({ Action }) => Action));
  for (const action of ['entry.locked', 'entry.unlocked', 'file.saved']) assert.ok(actions.has(action), action);
});

/** Somebody with an app password locks a folder, and nobody else can write there until `end` has taken the right away. */
async function isOverWith(
  name: string,
  begin: (id: string) => Promise<unknown>,
  end: (id: string) => Promise<unknown>,
) {
  await ann.must(201, 'MKCOL', name);
  const id = await folderId(name);
  const { addPassword } = await addPerson(service, name);
  await begin(id);
  const holder = new Dav(service.production, { AppKey: name, Secret: await addPassword('write'), Space: 'ann' });
  const isSeen = async () => (await holder.send('PROPFIND', `${name}/`, { headers: { Depth: '0' } })).status === 207;
  await eventually('the folder is seen', isSeen, 5000);
  await lock(holder, `${name}/`, { depth: 'infinity' });
  await ann.must(423, 'PUT', `${name}/a`, { body: 'x' });
  await end(id);
  await ann.must(201, 'PUT', `${name}/a`, { body: 'x' });
  assert.doesNotMatch(await ann.propfind(`${name}/`, '0', '<D:lockdiscovery/>'), /activelock/);
  await lock(ann, `${name}/`);
}

test('a lock ends with the right of its holder to write: role, account, grant or application', async () => {
  const role = (user: string, to: string) => setRole(service.dataFolder, user, to, 'ann');
  await isOverWith(
    'demoted',
    () => role('demoted', 'editor'),
    () => role('demoted', 'viewer'),
  );
  await isOverWith(
    'disabled',
    () => role('disabled', 'editor'),
    () => command(service.dataFolder, 'user disable', { user: 'disabled' }),
  );
  const grant = (method: string, id: string) =>
    ann.rest(method, `/entries/${id}/access/user:granted`, {
      ...(method === 'PUT' && { body: '{"Role":"editor"}', headers: { 'Content-Type': 'application/json' } }),
    });
  await isOverWith(
    'granted',
    (id) => grant('PUT', id),
    (id) => grant('DELETE', id),
  );
  const gone = await service.addClient('gone', { space: 'ann' });
  await ann.put('by-an-application', 'x');
  await lock(gone, 'by-an-application');
  await ben.must(423, 'PUT', 'by-an-application', { body: 'y' });
  await command(service.dataFolder, 'app disable', { application: 'gone' });
  await ben.must(204, 'PUT', 'by-an-application', { body: 'y' });
});

test('a lock ends by itself, and can be refreshed', async () => {
  await ann.put('timed', 'x');
  const answer = await ann.must(200, 'LOCK', 'timed', {
    headers: { Timeout: 'Infinite, Second-60' },
    body: lockInfo(),
  });
  assert.match(answer.text, /<D:timeout>Second-60</);
  const token = tokenOf(answer);
  await service.advance(50_000);
  const refreshed = await ann.must(200, 'LOCK', 'timed', { headers: { ...holding(token), Timeout: 'Second-9999' } });
  assert.match(refreshed.text, /<D:timeout>Second-3600</);
  await ben.must(412, 'LOCK', 'timed', { headers: { If: '(Not <DAV:no-lock>)' } });
  await service.advance(3_590_000);
  await ben.must(423, 'PUT', 'timed', { body: 'y' });
  await service.advance(20_000);
  await ben.must(204, 'PUT', 'timed', { body: 'y' });
  await ann.must(412, 'PUT', 'timed', { body: 'z', headers: holding(token) });
});

test('locks stay where they were taken: a moved or deleted entry has none', async () => {
  await ann.put('moving', 'x');
  const token = await lock(ann, 'moving');
  await ann.must(201, 'MOVE', 'moving', { headers: { Destination: ann.url('moved'), ...holding(token) } });
  await ben.must(204, 'PUT', 'moved', { body: 'y' });
  const again = await lock(ann, 'moved');
  await ann.must(204, 'DELETE', 'moved', { headers: holding(again) });
  await ben.must(201, 'PUT', 'moved', { body: 'z' });
});
