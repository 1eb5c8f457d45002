// How a load balancer sees a service that stops: first it is not ready while everything is still served, then it is gone.
// Requests on open connections can still read, and writes are refused (docs/contract.md §7.5).

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { fetchToken, saveFile, send } from '../interface/client.ts';
import { contentHead, openWire } from '../interface/wire.ts';
import { cabinetJson } from './here.ts';
import { addCaller, eventually, makeDataFolder, type Registered, removeDataFolder, startService } from './service.ts';

test('with a drain time it first reports not ready, continues to serve, and then exits with 0', async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startService(dataFolder, { environment: { CABINET_DRAIN_SECONDS: '10' }, hasClock: true });
  context.after(async () => {
    await service.stop('SIGKILL');
    removeDataFolder(dataFolder);
  });
  const caller = await addCaller(dataFolder, service.production, 'app');
  assert.equal((await send(service.production, '/health/ready')).status, 200);
  const exited = once(service.process, 'exit');
  service.process.kill('SIGTERM');
  await eventually('it is not ready', async () => (await send(service.production, '/health/ready')).status === 503);
  for (const ms of [0, 2000, 3000]) {
    await service.advance(ms);
    await saveFile(caller, { FolderId: '', FileName: `while it drains ${ms}` }, 'x');
    assert.equal((await send(service.production, '/health/live')).status, 200);
  }
  await service.advance(5000);
  const [code] = (await exited) as [number];
  assert.equal(code, 0);
  await assert.rejects(send(service.production, '/health/live'));
});

const endOfLine = (head: string) => head.indexOf('\r\n') + 2;

test('on open connections, reads continue while it stops, and writes are 500 ShuttingDown', async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startService(dataFolder);
  const base = service.production;
  context.after(async () => {
    await service.stop('SIGKILL');
    removeDataFolder(dataFolder);
  });
  const scopes = ['--scopes', 'content.read content.write content.admin'];
  const registered = await cabinetJson<Registered>(dataFolder, ['app', 'add', 'admin', ...scopes]);
  const application = { Name: 'admin', ...registered };
  const caller = { base, application, token: await fetchToken(base, application) };
  const body = '{"FolderName":"too late"}';
  const json = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
  const requests = [
    { head: contentHead(caller, 'GET', '/folders/-root-', {}), body: '', status: 200 },
    { head: contentHead(caller, 'GET', '/audit', {}), body: '', status: 200 },
    { head: contentHead(caller, 'GET', '/settings', {}), body: '', status: 200 },
    { head: contentHead(caller, 'POST', '/folders', json), body, status: 500 },
    { head: contentHead(caller, 'POST', '/spaces', json), body, status: 500 },
    { head: contentHead(caller, 'DELETE', '/trash', {}), body: '', status: 500 },
  ];
  const wires = await Promise.all(
    requests.map(async ({ head }) => {
      const wire = await openWire(base);
      context.after(() => wire.close());
      wire.write(contentHead(caller, 'GET', '/folders/-root-', {}));
      assert.equal((await wire.answer()).status, 200);
      // A connection on which a request has begun is not closed as idle.
      wire.write(head.slice(0, endOfLine(head)));
      return wire;
    }),
  );
  const exited = once(service.process, 'exit');
  service.process.kill('SIGTERM');
  const isRefused = () =>
    send(base, '/health/live').then(
      () => false,
      () => true,
    );
  await eventually('nothing new is let in', isRefused);
  for (const [index, { head, body: rest, status }] of requests.entries()) {
    const wire = wires[index];
    assert.ok(wire);
    wire.write(head.slice(endOfLine(head)) + rest);
    const answer = await wire.answer();
    assert.equal(answer.status, status, head.slice(0, endOfLine(head)));
    assert.equal(answer.headers.connection, 'close');
    if (status !== 500) continue;
    assertRefusal(answer, 500, 'ShuttingDown');
    assert.equal(answer.headers['retry-after'], '5');
  }
  assert.deepEqual(await exited, [0, null]);
});
