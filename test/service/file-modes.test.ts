// Whatever is in the data folder, and in a backup of it, is readable by its owner alone.

import assert from 'node:assert/strict';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { saveFile } from '../interface/client.ts';
import { cabinetJson } from './here.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder } from './service.ts';
import { startServiceHere } from './service-here.ts';

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

function listReadable(folder: string): string[] {
  return listFiles(folder).filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
}

test('files of the data folder and of a backup are readable by their owner alone', async (context) => {
  const dataFolder = makeDataFolder();
  const before = process.umask(0o022);
  context.after(() => {
    process.umask(before);
    removeDataFolder(dataFolder);
  });
  await using service = await startServiceHere(dataFolder);
  const caller = await addCaller(dataFolder, service.production, 'office');
  await saveFile(caller, { FolderId: '', FileName: 'small' }, 'small');
  await saveFile(caller, { FolderId: '', FileName: 'large' }, Buffer.alloc(200_000, 'x'));
  await eventually('the index is there', () => listFiles(dataFolder).some((path) => path.endsWith('search.db-wal')));
  assert.ok(listFiles(dataFolder).length >= 10);
  assert.deepEqual(listReadable(dataFolder), []);
  const backup = join(dataFolder, '..', 'backup');
  await cabinetJson(dataFolder, ['backup', backup]);
  assert.ok(listFiles(backup).length >= 3);
  assert.deepEqual(listReadable(backup), []);
});

test('databases of an earlier release, readable by everybody, become private at the next start', async (context) => {
  const dataFolder = makeDataFolder();
  context.after(() => removeDataFolder(dataFolder));
  await (await startServiceHere(dataFolder)).stop();
  const databases = listFiles(dataFolder).filter((path) => /\.db(-\w+)?$/.test(path));
  for (const path of databases) chmodSync(path, 0o644);
  assert.ok(databases.length >= 3);
  await using _service = await startServiceHere(dataFolder);
  // The index is opened in the background.
  await eventually('nothing is readable', () => listReadable(dataFolder).length === 0);
});
