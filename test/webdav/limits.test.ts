// What WebDAV refuses for lack of room (docs/contract.md §13.3), bodies that are cut off (§13.2), and the other addresses (§13).

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { basicAuthorization } from '../interface/client.ts';
import { addIssued } from '../security/server-applications.ts';
import { sendTls } from '../security/tls-client.ts';
import { cabinetJson } from '../service/here.ts';
import { addApplication } from '../service/operator.ts';
import { eventually, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { Dav } from './dav.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let dav: Dav;

before(async () => {
  const environment = { CABINET_TEST_PORT: '0', CABINET_MTLS_PORT: '0', CABINET_DAV_LITTER: 'keep' };
  service = await startServiceHere(dataFolder, { environment });
  dav = new Dav(service.production, await addApplication(dataFolder, 'limits'));
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

const lockInfo =
  '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';
const full = /<D:error [^>]*><D:quota-not-exceeded\/>/;

test('without a quota there is no quota-available-bytes; with one it is what is left', async () => {
  const application = await addApplication(dataFolder, 'bytes');
  const small = new Dav(service.production, application);
  await small.put('a', 'x'.repeat(1000));
  const wanted = '<D:quota-available-bytes/><D:quota-used-bytes/>';
  const without = await small.propfind('', '0', wanted);
  assert.match(
    without,
    /<D:quota-used-bytes>1000<.*200 OK.*<D:quota-available-bytes\/><\/D:prop><D:status>HTTP\/1.1 404/s,
  );
  await cabinetJson(dataFolder, ['quota', 'set', '--space', 'bytes', '--bytes', '1500']);
  await eventually('the quota holds', async () =>
    /<D:quota-available-bytes>500<.*<D:quota-used-bytes>1000</.test(await small.propfind('', '0', wanted)),
  );
  assert.doesNotMatch(await small.propfind('', '0'), /quota-/, 'allprop has neither (RFC 4331)');
  assert.match((await small.must(507, 'PUT', 'b', { body: 'x'.repeat(501) })).text, full);
  assert.match((await small.must(507, 'PUT', 'a', { body: 'y'.repeat(501) })).text, full);
  assert.match((await small.must(507, 'COPY', 'a', { headers: { Destination: small.url('c') } })).text, full);
  await small.must(404, 'GET', 'b');
  await small.must(404, 'GET', 'c');
  await small.must(201, 'PUT', 'b', { body: 'x'.repeat(500) });
});

test('a file that is saved by a temporary file and a move needs no more room than its bytes', async () => {
  const tight = new Dav(service.production, await addApplication(dataFolder, 'tight'));
  await tight.put('report', 'x'.repeat(900));
  await cabinetJson(dataFolder, ['quota', 'set', '--space', 'tight', '--bytes', '1500']);
  await eventually(
    'the quota holds',
    async () => (await tight.send('PUT', 'b', { body: 'x'.repeat(601) })).status === 507,
  );
  await tight.must(201, 'PUT', 'tmp', { body: 'y'.repeat(600) });
  await tight.must(507, 'COPY', 'tmp', { headers: { Destination: tight.url('report') } });
  await tight.must(204, 'MOVE', 'tmp', { headers: { Destination: tight.url('report') } });
  await eventually('the bytes are counted once', async () =>
    /<D:quota-used-bytes>1500</.test(await tight.propfind('', '0', '<D:quota-used-bytes/>')),
  );
});

test('a quota of entries refuses new folders, copies and locks of new names', async () => {
  const few = new Dav(service.production, await addApplication(dataFolder, 'few'));
  await few.put('a', 'x');
  await cabinetJson(dataFolder, ['quota', 'set', '--space', 'few', '--entries', '1']);
  await eventually('the quota holds', async () => {
    const { status, text } = await few.send('MKCOL', 'box');
    if (status === 201) await few.must(204, 'DELETE', 'box');
    return status === 507 && full.test(text);
  });
  assert.match((await few.must(507, 'PUT', 'b', { body: 'x' })).text, full);
  assert.match((await few.must(507, 'LOCK', 'b', { body: lockInfo })).text, full);
  assert.match((await few.must(507, 'COPY', 'a', { headers: { Destination: few.url('b') } })).text, full);
  await few.must(204, 'PUT', 'a', { body: 'changed' });
});

/** A chunked body, as Finder sends it; `isCut`: the connection is lost before the end of it. */
function putChunked(
  path: string,
  chunks: string[],
  { announced, isCut = false }: { announced: number; isCut?: boolean },
) {
  const headers = {
    Authorization: dav.authorization,
    'Transfer-Encoding': 'chunked',
    'X-Expected-Entity-Length': String(announced),
    'User-Agent': 'WebDAVFS/3.0.0 (03008000) Darwin/24.0.0 (arm64)',
  };
  return new Promise<number | null>((resolve) => {
    const outgoing = request(dav.url(path), { method: 'PUT', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.on('error', () => resolve(null));
    for (const chunk of chunks) outgoing.write(chunk);
    if (!isCut) outgoing.end();
    else outgoing.write('', () => setImmediate(() => outgoing.destroy()));
  });
}

test("Finder's chunked bodies: whole ones are saved, shorter and longer ones and those that break off are not", async () => {
  const large = 'x'.repeat(60_000);
  assert.equal(await putChunked('finder', [large, large], { announced: 120_000 }), 201);
  assert.equal((await dav.get('finder')).length, 120_000);
  assert.equal(await putChunked('finder', ['new'], { announced: 4 }), 400);
  assert.equal(await putChunked('finder', ['longer'], { announced: 4 }), 400);
  assert.equal(await putChunked('finder', [large, large], { announced: 180_000, isCut: true }), null);
  assert.equal(await putChunked('broken', [large, large], { announced: 180_000, isCut: true }), null);
  await dav.must(404, 'GET', 'broken');
  assert.equal((await dav.get('finder')).length, 120_000);
  const { json } = await dav.rest<{ Version: number }>('GET', '/files?path=/finder');
  assert.equal(json.Version, 1);
});

test('without the setting, litter is kept like everything else', async () => {
  await dav.put('.DS_Store', 'x');
  assert.equal(await dav.get('.DS_Store'), 'x');
});

test('on the mutual-TLS address the certificate alone is enough, and a password is not', async () => {
  const { tls } = await addIssued(dataFolder, 'machine');
  const url = String(service.mutualTls);
  const ask = (method: string, path: string, headers = {}, body = '') =>
    sendTls(url, `/dav/machine/${path}`, { method, headers, body }, tls);
  assert.equal((await ask('PUT', 'a', {}, 'by certificate')).status, 201);
  assert.equal((await ask('GET', 'a')).body.toString(), 'by certificate');
  const { tls: other } = await addIssued(dataFolder, 'other-machine');
  assert.equal((await sendTls(url, '/dav/machine/a', { method: 'GET' }, other)).status, 404);
  const { cert: _cert, key: _key, ...without } = tls;
  const headers = { Authorization: dav.authorization };
  const refused = await sendTls(url, '/dav/limits/a', { method: 'GET', headers }, without).catch(() => ({
    status: 401,
  }));
  assert.ok([401, 403].includes(refused.status), `${refused.status}`);
});

test('the test address has WebDAV of its own', async () => {
  const { AppKey, Secret } = await addApplication(dataFolder, 'trial', { env: 'test' });
  const base = String(service.test);
  const headers = { Authorization: basicAuthorization(AppKey, Secret) };
  const put = await fetch(`${base}/dav/trial/a`, { method: 'PUT', headers, body: 'x' });
  assert.equal(put.status, 201);
  const elsewhere = await fetch(`${service.production}/dav/trial/a`, { headers });
  assert.equal(elsewhere.status, 401);
  const own = await fetch(`${base}/dav/limits/a`, { headers: { Authorization: dav.authorization } });
  assert.equal(own.status, 401);
});

test('the number and the length of the properties that a PROPFIND names are limited', async () => {
  const ask = (names: string) =>
    dav.send('PROPFIND', '', {
      headers: { Depth: '1' },
      body: `<D:propfind xmlns:D="DAV:" xmlns:n="${'n'.repeat(100)}"><D:prop>${names}</D:prop></D:propfind>`,
    });
  const names = (count: number, prefix = '') => Array.from({ length: count }, (_, n) => `<${prefix}p${n}/>`).join('');
  assert.equal((await ask(names(250))).status, 207);
  const many = await ask(names(251));
  assert.deepEqual([many.status, /asks for more than 250 properties/.test(many.text)], [400, true]);
  const long = await ask(names(250, 'n:'));
  assert.deepEqual([long.status, /names of the properties have more than 16384/.test(long.text)], [400, true]);
  const attributes = Array.from({ length: 5001 }, (_, n) => `xmlns:a${n}="u"`).join(' ');
  const declared = await ask(`<D:getetag ${attributes}/>`);
  assert.deepEqual([declared.status, /more than 5000 attributes/.test(declared.text)], [400, true]);
});
