import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { Fault } from '../domain/fault.ts';
import { localFiles } from './local-file-store.ts';

test('settling syncs the folder and the one above it; a sync that fails is fatal', async () => {
  const base = mkdtempSync(join(tmpdir(), 'cabinet-files-'));
  const files = localFiles(join(base, 'journal'));
  await files.write('a', Buffer.from('x'));
  const probe = await open('/dev/null', 'r');
  const prototype = Object.getPrototypeOf(probe) as { sync(): Promise<void> };
  await probe.close();
  const synced = mock.method(prototype, 'sync');
  await files.settle();
  assert.equal(synced.mock.callCount(), 2);
  synced.mock.mockImplementation(() => Promise.reject(new Error('EIO')));
  const isFatal = (error: unknown) => error instanceof Fault && error.kind === 'fatal';
  await assert.rejects(files.settle(), isFatal);
  await assert.rejects(files.write('b', Buffer.from('x')), isFatal);
  mock.restoreAll();
  assert.deepEqual(await files.list().then((names) => names.filter((name) => !name.endsWith('.new'))), ['a']);
  rmSync(base, { recursive: true });
});
