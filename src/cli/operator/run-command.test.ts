import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../config/config.ts';
import { lockFolder } from '../../runtime/folder-lock.ts';
import { askOrRun } from './run-command.ts';

test('a command waits while a service that does not listen yet holds the folder, and fails at once for any other reason', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'cabinet-run-'));
  const asked = { config: readConfig({ CABINET_DATA: dataFolder }), command: { name: 'app list', input: {} } };
  const starting = lockFolder(dataFolder, 'cabinet serve');
  let attempts = 0;
  const result = await askOrRun(asked, async () => {
    attempts += 1;
    if (attempts === 3) starting.release();
    lockFolder(dataFolder).release();
    return { attempts };
  });
  assert.deepEqual(result, { attempts: 3 });
  const failing = () => Promise.reject(new Error('a full disk'));
  await assert.rejects(askOrRun(asked, failing), /a full disk/);
  rmSync(dataFolder, { recursive: true });
});
