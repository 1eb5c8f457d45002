// What WebDAV did is in the feed of changes, the journal, the search and the trash, as if it had been done over REST (§13).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../service/service.ts';
import { type Dav, type DavService, startDav } from './dav.ts';

let service: DavService;
let dav: Dav;
let manager: Dav;
let id: string;

before(async () => {
  service = await startDav();
  dav = await service.addClient('traced');
  manager = await service.addClient('manager', { space: 'traced', scopes: 'content.read content.write content.admin' });
  await dav.must(201, 'MKCOL', 'box');
  await dav.put('box/letter.txt', 'about a walrus');
  const { json } = await dav.rest<{ Entry: { Id: string } }>('GET', '/files?path=/box/letter.txt');
  id = json.Entry.Id;
  await dav.put('box/letter.txt', 'about a narwhal');
  const body =
    '<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">1</x></D:prop></D:set></D:propertyupdate>';
  await dav.must(207, 'PROPPATCH', 'box/letter.txt', { body });
  await dav.must(201, 'COPY', 'box/letter.txt', { headers: { Destination: dav.url('copy.txt') } });
  await dav.must(201, 'MOVE', 'box/letter.txt', { headers: { Destination: dav.url('moved.txt') } });
  const lock =
    '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';
  const token = (await dav.must(200, 'LOCK', 'moved.txt', { body: lock })).headers.get('lock-token') ?? '';
  await dav.must(204, 'UNLOCK', 'moved.txt', { headers: { 'Lock-Token': token } });
  await dav.must(204, 'DELETE', 'moved.txt');
});

after(() => service[Symbol.asyncDispose]());

const ofFile = [
  'file.created',
  'file.saved',
  'entry.properties-changed',
  'entry.changed',
  'entry.locked',
  'entry.unlocked',
  'entry.trashed',
];

test('GET /changes has every step of the file in order, and who did it', async () => {
  const { json } = await dav.rest<{ Changes: { Action: string; EntryId: string; By: string }[] }>(
    'GET',
    '/changes?limit=1000',
  );
  const own = json.Changes.filter(({ EntryId }) => EntryId === id);
  assert.deepEqual(
    own.map(({ Action }) => Action),
    ofFile,
  );
  assert.deepEqual([...new Set(own.map(({ By }) => By))], ['app:traced']);
  const actions = json.Changes.map(({ Action }) => Action);
  for (const action of ['folder.created', 'file.copied']) assert.ok(actions.includes(action), action);
});

test('GET /audit has the same, newest first, with the id of each request', async () => {
  const { status, json } = await manager.rest<{ Events: { Action: string; RequestTrackingId: string }[] }>(
    'GET',
    `/audit?entry=${id}`,
  );
  assert.equal(status, 200);
  assert.deepEqual(json.Events.map(({ Action }) => Action).reverse(), ofFile);
  for (const { RequestTrackingId } of json.Events) assert.match(RequestTrackingId, /^[0-9a-f-]{36}$/);
});

test('the search finds what was put, as it is now', async () => {
  const find = async (word: string) => {
    const { json } = await dav.rest<{ Results: { Path: string }[] }>('GET', `/search?q=${word}`);
    return json.Results.map(({ Path }) => Path);
  };
  await eventually('the text is indexed', async () => (await find('narwhal')).includes('/copy.txt'));
  assert.deepEqual(await find('walrus'), []);
});

test('the trash has what was deleted, and restoring it is seen over WebDAV', async () => {
  const { json } = await dav.rest<{ Entries: { Path: string; TrashedBy: string }[] }>('GET', '/trash');
  assert.deepEqual(
    json.Entries.map(({ Path, TrashedBy }) => [Path, TrashedBy]),
    [['/moved.txt', 'app:traced']],
  );
  assert.equal((await dav.rest('POST', `/entries/${id}/restore`)).status, 200);
  assert.equal(await dav.get('moved.txt'), 'about a narwhal');
});
