import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderInUse, lockFolder, waitForFolder } from './folder-lock.ts';

const makeFolder = () => mkdtempSync(join(tmpdir(), 'cabinet-lock-'));

test('a data folder is locked by one process at a time, until released', () => {
  const folder = makeFolder();
  const lock = lockFolder(folder, 'cabinet serve');
  assert.throws(() => lockFolder(folder), FolderInUse);
  assert.throws(() => lockFolder(folder), /is in use by process \d+ \(cabinet serve, started 2.*Z\)\.$/);
  rmSync(join(folder, 'holder.json'));
  assert.throws(() => lockFolder(folder), /is in use by another process\.$/);
  lock.release();
  lockFolder(folder).release();
  rmSync(folder, { recursive: true });
});

test('a service waits for a command to release the folder, and not for another service', async () => {
  const folder = makeFolder();
  const command = lockFolder(folder, 'cabinet token');
  const waiting = waitForFolder(folder);
  command.release();
  const service = await waiting;
  await assert.rejects(waitForFolder(folder), /\(cabinet serve, started/);
  service.release();
  rmSync(folder, { recursive: true });
});
