import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { Fault } from '../domain/fault.ts';
import { syncFile, syncFileAt, syncFolder, writeDurably, writeSynced } from './durable-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'cabinet-durable-'));

after(() => rmSync(folder, { recursive: true }));

test('a file is replaced as a whole, is its owner’s only, and leaves nothing unfinished behind', async () => {
  const path = join(folder, 'secret');
  writeFileSync(`${path}.new`, 'what a crash has left, and longer', { mode: 0o644 });
  for (const text of ['first, which is longer', 'second']) {
    await writeDurably(path, text);
    assert.equal(readFileSync(path, 'utf8'), text);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  }
  assert.deepEqual(readdirSync(folder), ['secret']);
});

test('every failed sync is a fatal fault and is not retried', async () => {
  const path = join(folder, 'file');
  await writeDurably(path, 'old');
  const file = await open(path, 'r+');
  const prototype = Object.getPrototypeOf(file) as FileHandle;
  const failure = Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
  const syncs = [mock.method(prototype, 'sync'), mock.method(prototype, 'datasync')];
  for (const sync of syncs) sync.mock.mockImplementation(() => Promise.reject(failure));
  const attempts = [
    () => syncFile(file),
    () => syncFileAt(path),
    () => syncFolder(folder),
    () => writeSynced(join(folder, 'other'), 'x'),
    () => writeDurably(path, 'new'),
  ];
  try {
    for (const attempt of attempts) {
      for (const sync of syncs) sync.mock.resetCalls();
      await assert.rejects(
        attempt,
        (error) => error instanceof Fault && error.kind === 'fatal' && error.cause === failure,
      );
      assert.equal(
        syncs.reduce((sum, sync) => sum + sync.mock.callCount(), 0),
        1,
      );
    }
  } finally {
    mock.restoreAll();
    await file.close();
  }
  assert.equal(readFileSync(path, 'utf8'), 'old', 'what could not be synced does not take the name');
});
