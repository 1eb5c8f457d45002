// Who gets in over WebDAV (docs/contract.md §13.1).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { basicAuthorization } from '../interface/client.ts';
import { addApplication, setRole } from '../service/operator.ts';
import { type Dav, type DavAnswer, type DavService, startDav } from './dav.ts';
import { addPerson } from './person.ts';

let service: DavService;
let dav: Dav;

before(async () => {
  service = await startDav({ CABINET_PROXIES: '127.0.0.1', CABINET_DAV_LITTER: 'discard' });
  dav = await service.addClient('door');
});

after(() => service[Symbol.asyncDispose]());

const methods = ['GET', 'PUT', 'DELETE', 'MKCOL', 'COPY', 'MOVE', 'PROPFIND', 'PROPPATCH', 'LOCK', 'UNLOCK'];

async function as(authorization: string | null, method: string, path: string, headers: Record<string, string> = {}) {
  const own: Record<string, string> = authorization === null ? {} : { Authorization: authorization };
  const response = await fetch(dav.url(path), { method, headers: { ...own, ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() } satisfies DavAnswer;
}

test('every method but OPTIONS needs credentials, and says which', async () => {
  for (const method of methods) {
    for (const authorization of [null, 'Basic x', basicAuthorization('ann', 'wrong'), 'Bearer x', 'Digest y']) {
      const { status, headers } = await as(authorization, method, 'x');
      assert.equal(status, 401, `${method} ${authorization}`);
      assert.match(headers.get('www-authenticate') ?? '', /^Basic realm="cabinet", charset="UTF-8", Bearer /);
    }
  }
});

test('an app password opens what it may, and an account password nothing', async () => {
  const { person, token: access_token, addPassword } = await addPerson(service, 'ann');
  await setRole(service.dataFolder, 'ann', 'editor', 'door');
  const [reading, writing] = [await addPassword('read'), await addPassword('write')];
  await dav.put('shared', 'x');
  assert.equal((await as(basicAuthorization('ann', reading), 'GET', 'shared')).text, 'x');
  assert.equal((await as(basicAuthorization('CORP\\ann', writing), 'GET', 'shared')).status, 200);
  for (const method of methods.filter((one) => !['GET', 'PROPFIND'].includes(one))) {
    const more: Record<string, string> = { Destination: dav.url('other'), 'Lock-Token': '<urn:x>' };
    const { status } = await as(
      basicAuthorization('ann', reading),
      method,
      method === 'MKCOL' ? 'new' : 'shared',
      more,
    );
    assert.ok([400, 403, 412].includes(status), `${method} ${status}`);
  }
  assert.equal((await as(basicAuthorization('ann', writing), 'MKCOL', 'new')).status, 201);
  assert.equal((await as(basicAuthorization('ann', person.Password), 'GET', 'shared')).status, 401);
  assert.equal((await as(basicAuthorization('ben', reading), 'GET', 'shared')).status, 401);
  assert.equal((await as(`Bearer ${access_token}`, 'GET', 'shared')).status, 200);
  assert.equal((await as(`Bearer ${access_token}`, 'GET', 'shared', { AppKey: 'ak_other' })).status, 401);
});

test('another space does not exist', async () => {
  const other = await addApplication(service.dataFolder, 'stranger');
  const stranger = basicAuthorization(other.AppKey, other.Secret);
  await dav.put('private', 'x');
  assert.equal((await as(stranger, 'GET', 'private')).status, 404);
  assert.equal((await as(stranger, 'PUT', 'private')).status, 409);
  assert.doesNotMatch((await as(stranger, 'PROPFIND', '/dav/', { Depth: '1' })).text, /door/);
  assert.equal((await as(stranger, 'GET', '/dav/nothing/private')).status, 404);
});

test('Basic without TLS is for this machine alone; a proxy says whether it had TLS', async () => {
  const remote = { 'X-Forwarded-For': '203.0.113.9' };
  assert.equal((await as(dav.authorization, 'PROPFIND', '', { ...remote, Depth: '0' })).status, 403);
  assert.equal(
    (await as(dav.authorization, 'PROPFIND', '', { ...remote, 'X-Forwarded-Proto': 'https', Depth: '0' })).status,
    207,
  );
});

test('too many wrong credentials are 429, and right ones still work', async () => {
  const remote = { 'X-Forwarded-For': '203.0.113.10', 'X-Forwarded-Proto': 'https' };
  const statuses: number[] = [];
  for (let n = 0; n < 30; n += 1)
    statuses.push((await as(basicAuthorization('ak_x', `${n}`), 'GET', 'x', remote)).status);
  assert.equal(statuses[0], 401);
  assert.equal(statuses.at(-1), 429);
  assert.equal((await as(dav.authorization, 'PROPFIND', '', { ...remote, Depth: '0' })).status, 207);
});

test('litter is accepted and forgotten', async () => {
  const body =
    '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';
  for (const name of ['._a.txt', '.DS_Store', 'Thumbs.db', 'desktop.ini']) {
    await dav.must(201, 'PUT', name, { body: 'x' });
    const token = (await dav.must(201, 'LOCK', name, { body })).headers.get('lock-token') ?? '';
    await dav.must(204, 'UNLOCK', name, { headers: { 'Lock-Token': token } });
    await dav.must(404, 'GET', name);
  }
  assert.deepEqual(
    (await dav.list('')).filter((name) => /^\.|Thumbs|desktop/.test(name)),
    [],
  );
});
