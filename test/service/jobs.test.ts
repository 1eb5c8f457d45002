// Background jobs and the end of the environment that they work on.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { openEnvironment } from '../../src/server/environment.ts';
import { cabinetJson } from './here.ts';
import { makeDataFolder, removeDataFolder, startService, toVariables } from './service.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Blobs without a record, old enough to be swept. */
function addOldBlobs(folder: string, count: number): void {
  const at = new Date(Date.now() - 2 * dayMs);
  for (let index = 0; index < count; index += 1) {
    const id = randomBytes(16).toString('hex');
    mkdirSync(join(folder, id.slice(0, 2)), { recursive: true });
    const path = join(folder, id.slice(0, 2), id);
    writeFileSync(path, '');
    utimesSync(path, at, at);
  }
}

test('an environment waits for its jobs before it closes what they work on', async (context) => {
  const dataFolder = makeDataFolder();
  context.after(() => removeDataFolder(dataFolder));
  const config = readConfig(toVariables(dataFolder));
  const environment = await openEnvironment(config, 'test', { onFatal: assert.fail, onBackgroundError: assert.fail });
  const started = Promise.withResolvers<void>();
  let result: number | null = null;
  environment.jobs.start([
    {
      name: 'slow',
      intervalMs: dayMs,
      isExclusive: true,
      async run({ cabinet }, signal) {
        started.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await new Promise((resolve) => setImmediate(resolve));
        result = await cabinet.catalog.forgetResults({ at: 0 });
      },
    },
  ]);
  await started.promise;
  await environment.close();
  assert.equal(result, 0);
});

test('a reset during the first sweep ends it without an error', async (context) => {
  const dataFolder = makeDataFolder();
  addOldBlobs(join(dataFolder, 'test', 'blobs'), 10_000);
  const service = await startService(dataFolder, { environment: { CABINET_TEST_PORT: '0' } });
  context.after(() => service.stop());
  context.after(() => removeDataFolder(dataFolder));
  await cabinetJson(dataFolder, ['reset', '--env', 'test']);
  assert.equal(await service.stop(), 0);
  const logged = service.errors().split('\n');
  assert.deepEqual(
    logged.filter((line) => line.startsWith('{') && !line.includes('first-start.json')),
    [],
  );
});
