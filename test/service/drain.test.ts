// What a load balancer sees of a service that stops: first that it is not ready, while everything is still served; then
// nothing more.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { saveFile, send } from '../interface/client.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder, startService } from './service.ts';

test('with a time to drain, it is not ready first, serves on, and then stops with 0', async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startService(dataFolder, { environment: { CABINET_DRAIN_SECONDS: '4' } });
  context.after(async () => {
    await service.stop('SIGKILL');
    removeDataFolder(dataFolder);
  });
  const caller = await addCaller(dataFolder, service.production, 'app');
  assert.equal((await send(service.production, '/health/ready')).status, 200);
  const exited = once(service.process, 'exit');
  const begunAt = performance.now();
  service.process.kill('SIGTERM');
  await eventually('it is not ready', async () => (await send(service.production, '/health/ready')).status === 503);
  for (let index = 0; performance.now() - begunAt < 1500; index += 1) {
    await saveFile(caller, { FolderId: '', FileName: `while it drains ${index}` }, 'x');
    assert.equal((await send(service.production, '/health/live')).status, 200);
  }
  const [code] = (await exited) as [number];
  assert.equal(code, 0);
  const tookMs = performance.now() - begunAt;
  assert.ok(tookMs >= 3900 && tookMs < 30_000, `it took ${Math.round(tookMs)} ms`);
  await assert.rejects(send(service.production, '/health/live'));
});
