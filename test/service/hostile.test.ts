// Misbehaving clients: the process stays, others are served, stopping is not delayed.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { routes } from '../../src/rest/routes.ts';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, identity, listFolder, makeFolder, postFile, postFolder, send } from '../interface/client.ts';
import { addCaller, makeDataFolder, removeDataFolder, type Started, startService } from './service.ts';

const dataFolder = makeDataFolder();
let service: Started;
let caller: Caller;

before(async () => {
  service = await startService(dataFolder, { environment: { CABINET_CORS_ORIGINS: 'https://app.example' } });
  caller = await addCaller(dataFolder, service.production, 'app');
});
after(async () => {
  await service.stop('SIGKILL');
  removeDataFolder(dataFolder);
});

function open(): Socket {
  const { hostname, port } = new URL(service.production);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

const isAlive = async () => (await send(service.production, '/health/live')).status === 200;

test('CONNECT and a reset right after it are harmless', async () => {
  for (let count = 0; count < 20; count += 1) {
    const socket = open();
    await once(socket, 'connect');
    socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    if (count % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    socket.resetAndDestroy();
  }
  assert.ok(await isAlive());
  const polite = open();
  polite.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(await readAll(polite), /^HTTP\/1\.1 404 Not Found\r\n(.|\s)*MethodNotAllowed/);
});

test('pipelined requests are answered in order, also when the last is garbage', async () => {
  const folder = await makeFolder(caller);
  const { Authorization, AppKey } = identity(caller);
  const save = (name: string) =>
    `POST /v1/contentmanagement/files HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nAppKey: ${AppKey}\r\n` +
    `FolderId: ${folder.Id}\r\nFileName: ${name}\r\nContent-Length: 2\r\n\r\nhi`;
  const refused = 'POST /v1/contentmanagement/files HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const [index, last] of [refused, 'no HTTP at all\r\n\r\n'].entries()) {
    const socket = open();
    socket.write(save(`a${index}`) + save(`b${index}`) + last);
    const statuses = [...(await readAll(socket)).matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    assert.deepEqual(statuses, ['200', '200', index === 0 ? '401' : '400']);
  }
  assert.equal((await listFolder(caller, folder.Id)).length, 4);
});

test('JSON with a million keys is refused before it is validated', async () => {
  const keys = Array.from({ length: 400_000 }, (_, index) => `"k${index}":"v"`).join(',');
  const begun = performance.now();
  const body = `{"filename":"aGk=","Properties":{${keys}}}`;
  assertRefusal(
    await postFile(caller, { FileName: 'a', 'Content-Type': 'application/json' }, body),
    400,
    'InvalidBody',
  );
  assert.ok(performance.now() - begun < 30_000);
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 'v']));
  assertRefusal(await postFolder(caller, { FolderName: 'x', Properties: many }), 400, 'InvalidField');
});

test('a content type that is almost JSON is not saved as the file', async () => {
  for (const type of [
    'application/json, application/json',
    'application/json; charset=a; charset=b',
    'application/json; boundary="x',
  ]) {
    const answer = await postFile(caller, { FileName: 'a', 'Content-Type': type }, '{"filename":"aGk="}');
    assertRefusal(answer, 400, 'InvalidBody');
  }
});

test('pages of configured origins get CORS headers, others do not', async () => {
  const path = '/v1/contentmanagement/folders/-root-';
  const ask = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
  const preflight = await send(service.production, '/v1/contentmanagement/files', { method: 'OPTIONS', headers: ask });
  assert.equal(preflight.status, 200);
  assert.equal(preflight.headers['access-control-allow-origin'], 'https://app.example');
  const allowed = (name: string) => String(preflight.headers[`access-control-allow-${name}`]).split(', ');
  for (const { method, path: route, describe, action } of routes) {
    if (action === 'foreign') continue;
    assert.ok(allowed('methods').includes(method), `${method} ${route}`);
    for (const { name, in: where } of describe.parameters ?? []) {
      assert.ok(where !== 'header' || allowed('headers').includes(name), `${name} of ${method} ${route}`);
    }
  }
  const headers = { ...identity(caller), Origin: 'https://app.example' };
  assert.equal(
    (await send(service.production, path, { headers })).headers['access-control-allow-origin'],
    'https://app.example',
  );
  const evil = { ...identity(caller), Origin: 'https://evil.example' };
  for (const [where, method] of [
    [path, 'GET'],
    ['/oauth2/token', 'POST'],
  ] as const) {
    const answer = await send(service.production, where, { method, headers: evil });
    assert.equal(answer.headers['access-control-allow-origin'], undefined, where);
  }
  const refused = await send(service.production, path, {
    method: 'OPTIONS',
    headers: { ...ask, Origin: 'https://evil.example' },
  });
  assertRefusal(refused, 404, 'MethodNotAllowed');
});

test('HEAD has the headers of GET', async () => {
  const path = '/v1/contentmanagement/folders/-root-';
  const get = await send(service.production, path, { headers: identity(caller) });
  const head = await send(service.production, path, { method: 'HEAD', headers: identity(caller) });
  assert.equal(head.status, 200);
  assert.equal(head.headers['content-length'], get.headers['content-length']);
  assert.equal(head.body.length, 0);
});

test('silent sockets do not delay stopping', async () => {
  const held = [open(), open(), connect(join(dataFolder, 'control.sock'))];
  held[0]?.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
  await Promise.all(held.map((socket) => socket.on('error', () => undefined).connecting && once(socket, 'connect')));
  const begun = performance.now();
  assert.equal(await service.stop('SIGTERM'), 0);
  assert.ok(performance.now() - begun < 20_000, `stopping took ${Math.round(performance.now() - begun)} ms`);
  for (const socket of held) socket.destroy();
});
