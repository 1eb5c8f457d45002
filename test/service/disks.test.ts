// Unsafe disks: a data folder in memory is refused unless allowed, and then the log says what that means.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startService } from './service.ts';

const hasMemory = process.platform === 'linux' && existsSync('/dev/shm');
if (!hasMemory) console.error('SKIPPED: a data folder in memory (there is no /dev/shm)');

test('a data folder in memory is refused unless allowed', { skip: !hasMemory }, async (context) => {
  const folder = mkdtempSync('/dev/shm/cabinet-service-');
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const dataFolder = join(folder, 'data');
  await assert.rejects(
    startService(dataFolder, { environment: { CABINET_ALLOW_ANY_DISK: 'no' } }),
    /is on tmpfs, which is memory: what is saved there may be lost\. Use a local disk, or set CABINET_ALLOW_ANY_DISK=yes/,
  );
  const service = await startService(dataFolder, { environment: { CABINET_LOG_LEVEL: 'warn' } });
  assert.match(service.errors(), /syncs are faster than a disk can be/);
  assert.equal(await service.stop(), 0);
});
