// What people see and change of a space in which they have grants alone (docs/contract.md §14.5, §13).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { basicAuthorization } from '../interface/client.ts';
import { eventually } from '../service/service.ts';
import { Dav, type DavService, startDav } from './dav.ts';
import { addPerson } from './person.ts';

let service: DavService;
let owner: Dav;
let guest: Dav;

before(async () => {
  service = await startDav();
  owner = await service.addClient('office', { scopes: 'content.read content.write content.admin' });
  const { addPassword } = await addPerson(service, 'gil');
  const account = { AppKey: 'gil', Secret: await addPassword('write'), Space: 'office' };
  guest = new Dav(service.production, account);
  for (const folder of ['given', 'given/inner', 'kept']) await owner.must(201, 'MKCOL', folder);
  await owner.put('given/a', 'a');
  await owner.put('edited', 'one');
  await owner.put('viewed', 'seen');
  await owner.put('hidden', 'h');
  await grant('/folders?path=/given', 'editor');
  await grant('/files?path=/edited', 'editor');
  await grant('/files?path=/viewed', 'viewer');
});

after(() => service[Symbol.asyncDispose]());

interface Shown {
  Entry?: { Id: string };
  Folder?: { Id: string };
  Version?: number;
}

const show = async (query: string) => (await owner.rest<Shown>('GET', query)).json;

async function grant(query: string, Role: string, person = 'gil'): Promise<void> {
  const { Entry, Folder } = await show(query);
  const headers = { 'Content-Type': 'application/json' };
  const path = `/entries/${(Entry ?? Folder)?.Id}/access/user:${person}`;
  assert.equal((await owner.rest('PUT', path, { headers, body: JSON.stringify({ Role }) })).status, 200);
}

const lockInfo =
  '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';

test('the space has what is shared, and nothing beside it', async () => {
  assert.deepEqual(await guest.list('/dav/'), ['office']);
  await eventually('the grants hold', async () => (await guest.list('')).length === 3);
  assert.deepEqual(await guest.list(''), ['edited', 'given', 'viewed']);
  assert.deepEqual((await guest.list('given/')).toSorted(), ['a', 'inner']);
  await guest.must(404, 'GET', 'hidden');
  await guest.must(404, 'PROPFIND', 'kept/', { headers: { Depth: '1' } });
  for (const method of ['PUT', 'MKCOL', 'LOCK']) {
    await guest.must(403, method, 'new', method === 'LOCK' ? { body: lockInfo } : {});
  }
  await guest.must(403, 'DELETE', '');
  for (const method of ['PROPPATCH', 'LOCK']) await guest.must(403, method, '', { body: lockInfo });
});

test('a file that is shared by itself gets new versions from editors, by PUT, COPY and MOVE', async () => {
  await guest.must(204, 'PUT', 'edited', { body: 'two' });
  const { headers } = await guest.must(200, 'HEAD', 'edited');
  await guest.must(412, 'PUT', 'edited', { body: 'no', headers: { 'If-Match': '"other"' } });
  const If = `([${headers.get('etag')}])`;
  await guest.must(204, 'PUT', 'edited', { body: 'x'.repeat(200_000), headers: { If } });
  await guest.must(204, 'COPY', 'given/a', { headers: { Destination: guest.url('edited') } });
  await guest.put('given/tmp', 'five');
  await guest.must(204, 'MOVE', 'given/tmp', { headers: { Destination: guest.url('edited') } });
  assert.equal(await owner.get('edited'), 'five');
  assert.equal((await show('/files?path=/edited')).Version, 5);
  await guest.must(400, 'PUT', 'edited', { body: 'x', headers: { 'X-Expected-Entity-Length': '2' } });
  const token = (await guest.must(200, 'LOCK', 'edited', { body: lockInfo })).headers.get('lock-token') ?? '';
  await owner.must(423, 'PUT', 'edited', { body: 'x' });
  await guest.must(204, 'PUT', 'edited', { body: 'six', headers: { If: `(${token})` } });
  await guest.must(204, 'UNLOCK', 'edited', { headers: { 'Lock-Token': token } });
});

test('viewers change nothing, and nobody takes away what is shared', async () => {
  const to = (path: string) => ({ headers: { Destination: guest.url(path) } });
  await guest.must(403, 'PUT', 'viewed', { body: 'x' });
  await guest.must(403, 'COPY', 'given/a', to('viewed'));
  await guest.must(403, 'LOCK', 'viewed', { body: lockInfo });
  for (const path of ['edited', 'given', 'viewed']) {
    await guest.must(403, 'DELETE', path);
    await guest.must(403, 'MOVE', path, to('given/inner/x'));
  }
  await guest.must(403, 'COPY', 'given/inner', to('edited'));
  await guest.must(403, 'COPY', 'given/a', to('given'));
  assert.equal(await guest.get('viewed'), 'seen');
});

test('a grant that ends takes the entry away', async () => {
  const { Folder } = await show('/folders?path=/given');
  assert.equal((await owner.rest('DELETE', `/entries/${Folder?.Id}/access/user:gil`)).status, 200);
  await eventually('it is gone', async () => (await guest.send('GET', 'given/a')).status === 404);
  assert.deepEqual(await guest.list(''), ['edited', 'viewed']);
});

test('a password for a space in which the person has nothing opens nothing', async () => {
  const { addPassword } = await addPerson(service, 'stranger');
  const authorization = basicAuthorization('stranger', await addPassword('read'));
  const headers = { Authorization: authorization, Depth: '1' };
  const response = await fetch(owner.url('/dav/'), { method: 'PROPFIND', headers });
  assert.doesNotMatch(await response.text(), /office/);
});

test('two shared folders of one name are two: what is in one replaces what is in the other', async () => {
  const { addPassword } = await addPerson(service, 'hal');
  const hal = new Dav(service.production, { AppKey: 'hal', Secret: await addPassword('write'), Space: 'office' });
  for (const folder of ['one', 'one/same', 'one/same/x', 'two', 'two/same', 'two/same/x', 'two/same/x/y']) {
    await owner.must(201, 'MKCOL', folder);
  }
  for (const path of ['/one/same', '/two/same']) await grant(`/folders?path=${path}`, 'editor', 'hal');
  await eventually('the grants hold', async () => (await hal.list('')).length === 2);
  const [first, second] = (await hal.list('same/x')).length === 0 ? ['same', 'same%20(2)'] : ['same%20(2)', 'same'];
  const over = (destination: string) => ({ headers: { Destination: hal.url(destination), Overwrite: 'T' } });
  await hal.must(403, 'MOVE', `${second}/x/y`, over(`${second}/x`));
  await hal.must(403, 'COPY', `${second}/x`, over(`${second}/x/y`));
  // Both have the path /same/x for whoever sees nothing above.
  await hal.must(204, 'MOVE', `${second}/x/y`, over(`${first}/x`));
  assert.deepEqual(await owner.list('two/same/x'), []);
  await owner.must(201, 'MKCOL', 'two/same/x/y');
  await hal.must(204, 'COPY', `${first}/x`, over(`${second}/x/y`));
});
