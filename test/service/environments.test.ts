// A failure of the test environment does not affect production (docs/contract.md §1.2).

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { send } from '../interface/client.ts';
import { cabinetJson } from './here.ts';
import { addCaller, makeDataFolder, type Registered, removeDataFolder } from './service.ts';
import { startServiceHere } from './service-here.ts';

/** "health answers 200 or 503" */
async function readHealth(base: string, which: 'live' | 'ready'): Promise<unknown[]> {
  const { status, headers, body } = await send(base, `/health/${which}`);
  const { Status } = JSON.parse(String(body)) as { Status: string };
  return [status, Status, headers['retry-after']];
}

test('a test environment that cannot be opened does not prevent production from starting', async (context) => {
  const dataFolder = makeDataFolder();
  context.after(() => removeDataFolder(dataFolder));
  await cabinetJson<Registered>(dataFolder, ['app', 'add', 'one', '--env', 'test'], { CABINET_TEST_PORT: '0' });
  writeFileSync(join(dataFolder, 'test', 'catalog.db'), 'this is not a database at all, not even nearly'.repeat(100));
  const service = await startServiceHere(dataFolder, {
    environment: { CABINET_TEST_PORT: '0', CABINET_LOG_LEVEL: 'silent' },
  });
  await addCaller(dataFolder, service.production, 'two');
  assert.equal((await send(service.production, '/health/ready')).status, 200);
  const broken = service.test ?? '';
  assert.deepEqual(await readHealth(broken, 'live'), [200, 'live', undefined]);
  assert.deepEqual(await readHealth(broken, 'ready'), [503, 'not ready', '5']);
  assertRefusal(await send(broken, '/v1/contentmanagement/limits'), 500, 'InternalError');
  assert.equal(await service.stop(), 0);
});
