// Retention: versions by number and by age, the trash by age. The sweep takes the time as an argument; nothing waits.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { sweep } from '../../src/jobs/sweep.ts';
import { openEnvironment } from '../../src/server/environment.ts';
import { type Caller, call, createFolder, fetchToken, saveFile } from '../interface/client.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder, toVariables } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

const dayMs = 24 * 60 * 60 * 1000;
const large = 100_000;

async function read<Result>(caller: Caller, path: string): Promise<Result> {
  const { status, body } = await call(caller, path);
  assert.equal(status, 200, String(body));
  return JSON.parse(String(body)) as Result;
}

async function listVersions(caller: Caller, id: string): Promise<number[]> {
  const { Versions } = await read<{ Versions: { Version: number }[] }>(caller, `/files/${id}/versions`);
  return Versions.map(({ Version }) => Version);
}

/** Who did what to the file, in order. */
async function listChanges(caller: Caller, id: string): Promise<[by: string, action: string][]> {
  const { Changes } = await read<{ Changes: { By: string; Action: string; EntryId: string }[] }>(caller, '/changes');
  return Changes.filter(({ EntryId }) => EntryId === id).map(({ By, Action }) => [By, Action]);
}

async function usedBytes(caller: Caller): Promise<number> {
  return (await read<{ Space: { Bytes: number } }>(caller, '/usage')).Space.Bytes;
}

/** The address is another one after a restart, and tokens are good for one. */
async function signInAgain({ application }: Caller, { production: base }: StartedHere): Promise<Caller> {
  return { base, application, token: await fetchToken(base, application) };
}

function countBlobs(dataFolder: string): number {
  const names = readdirSync(join(dataFolder, 'production/blobs'), { recursive: true, withFileTypes: true });
  return names.filter((name) => name.isFile()).length;
}

/** Some time later, with the service stopped in between. */
async function sweepLater(dataFolder: string, days: number, environment: object): Promise<void> {
  const config = readConfig(toVariables(dataFolder, environment as Record<string, string>));
  const events = { onFatal: assert.fail, onBackgroundError: assert.fail };
  const opened = await openEnvironment(config, 'production', events);
  await sweep(opened.cabinet, Date.now() + days * dayMs);
  const isEmpty = async () => (await opened.cabinet.catalog.findHiddenTrees({})).length === 0;
  await eventually('everything that was removed is taken apart', isEmpty);
  await opened.close();
}

async function withService(
  environment: Record<string, string>,
  run: (dataFolder: string, service: () => Promise<StartedHere>) => Promise<void>,
): Promise<void> {
  const dataFolder = makeDataFolder();
  const started: StartedHere[] = [];
  try {
    await run(dataFolder, async () => {
      const service = await startServiceHere(dataFolder, { environment });
      started.push(service);
      return service;
    });
  } finally {
    for (const service of started) await service.stop();
    removeDataFolder(dataFolder);
  }
}

test('a file keeps the configured number of versions, and the bytes of others are released', async () => {
  await withService({ CABINET_VERSIONS_KEPT: '2' }, async (dataFolder, start) => {
    const service = await start();
    const caller = await addCaller(dataFolder, service.production, 'kept');
    let id = '';
    for (let n = 0; n < 5; n += 1)
      id = (await saveFile(caller, { FolderId: '', FileName: 'a' }, randomBytes(large))).File.Id;
    assert.deepEqual(await listVersions(caller, id), [5, 4]);
    assert.equal(await usedBytes(caller), 2 * large);
    assert.equal(countBlobs(dataFolder), 2);
    const own = `app:${caller.application.Name}`;
    const saved = [own, 'file.saved'];
    const dropped = [own, 'version.removed'];
    const expected = [[own, 'file.created'], saved, saved, dropped, saved, dropped, saved, dropped];
    assert.deepEqual(await listChanges(caller, id), expected);
  });
});

test('an old version is kept for the configured days after it was replaced', async () => {
  const environment = { CABINET_VERSION_DAYS: '10' };
  await withService(environment, async (dataFolder, start) => {
    let service = await start();
    const caller = await addCaller(dataFolder, service.production, 'aged');
    let id = '';
    for (let n = 0; n < 3; n += 1)
      id = (await saveFile(caller, { FolderId: '', FileName: 'a' }, randomBytes(large))).File.Id;
    await service.stop();
    await sweepLater(dataFolder, 9, environment);
    service = await start();
    const again = await signInAgain(caller, service);
    assert.deepEqual(await listVersions(again, id), [3, 2, 1]);
    await service.stop();
    await sweepLater(dataFolder, 11, environment);
    service = await start();
    const last = await signInAgain(caller, service);
    assert.deepEqual(await listVersions(last, id), [3]);
    assert.equal(await usedBytes(last), large);
    assert.equal(countBlobs(dataFolder), 1);
    const swept = ['operator', 'version.removed'];
    assert.deepEqual((await listChanges(last, id)).slice(3), [swept, swept]);
  });
});

test('entries in the trash are deleted permanently after the configured days, and not before', async () => {
  const environment = { CABINET_TRASH_DAYS: '7' };
  await withService(environment, async (dataFolder, start) => {
    let service = await start();
    const caller = await addCaller(dataFolder, service.production, 'trashed');
    const folder = await createFolder(caller, caller.application.RootFolderId, 'old');
    await saveFile(caller, { FolderId: folder.Id, FileName: 'a' }, randomBytes(large));
    assert.equal((await call(caller, `/entries/${folder.Id}`, { method: 'DELETE' })).status, 200);
    for (const { days, left } of [
      { days: 6, left: 1 },
      { days: 8, left: 0 },
    ]) {
      await service.stop();
      await sweepLater(dataFolder, days, environment);
      service = await start();
      const again = await signInAgain(caller, service);
      const { Entries } = await read<{ Entries: unknown[] }>(again, '/trash');
      assert.equal(Entries.length, left, `after ${days} days`);
      assert.equal(await usedBytes(again), left * large);
      assert.equal(countBlobs(dataFolder), left);
    }
  });
});
