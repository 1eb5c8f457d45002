// A full disk (docs/contract.md §7.5): saves fail and leave nothing, reads continue, the process stays, and saving works again
// without a restart. On a small file system of its own, which only root can mount.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { call, createFolder, download, fetchToken, listFolder, postFile, saveFile } from '../interface/client.ts';
import { sized } from '../size.ts';
import { skipWithoutMount } from './programs.ts';
import { addCaller, eventually, listIncoming, makeDataFolder, removeDataFolder, startService } from './service.ts';
import { startServiceHere } from './service-here.ts';

const withoutMount = skipWithoutMount('a full disk');

const mib = 1024 * 1024;

const quiet = { environment: { CABINET_RESERVE: '0', CABINET_LOG_LEVEL: 'silent' } } as const;

/** A service on a disk of 24 MiB with its reserve switched off, so that the disk itself says no. */
async function startOnSmallDisk() {
  const dataFolder = makeDataFolder();
  const disk = join(dirname(dataFolder), 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
  assert.equal(mounted.status, 0, mounted.stderr.toString());
  const onDisk = join(disk, 'data');
  const service = await startService(onDisk, quiet);
  const caller = await addCaller(onDisk, service.production, 'app');
  return {
    disk,
    dataFolder: onDisk,
    service,
    caller,
    async close() {
      await service.stop('SIGKILL');
      spawnSync('umount', ['-l', disk]);
      removeDataFolder(dataFolder);
    },
  };
}

for (const [kind, sizeBytes] of [
  ['small', 20_000],
  ['large', 400_000],
] as const) {
  test(`a full disk refuses ${kind} saves, keeps stored data, and recovers without a restart`, {
    skip: withoutMount,
  }, async (context) => {
    const { disk, dataFolder, service, caller, close } = await startOnSmallDisk();
    context.after(close);
    const filler = join(disk, 'filler');
    writeFileSync(filler, Buffer.alloc(sized(14, 8) * mib));
    const answered = new Map<string, Buffer>();
    let refusals = 0;
    // Long enough for several checkpoints to meet the full disk too.
    for (let index = 0; refusals < 40; index += 1) {
      assert.ok(index < 2000, 'the disk never got full');
      const bytes = randomBytes(sizeBytes);
      const answer = await postFile(caller, { FileName: `f${index}`, Prefer: 'return=minimal' }, bytes);
      if (answer.status === 200) answered.set(`f${index}`, bytes);
      else {
        assertRefusal(answer, 500, 'StorageFull');
        assert.ok(answer.headers['retry-after']);
        refusals += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    assert.ok(answered.size > 0);
    assert.equal(service.process.exitCode, null, 'the process stays');
    assert.deepEqual(listIncoming(dataFolder), []);
    const stored = await listFolder(caller, '-root-');
    assert.deepEqual(stored.map(({ Name }) => Name).sort(), [...answered.keys()].sort());
    for (const { Name, Id } of stored)
      assert.ok((await download(caller, Id)).equals(answered.get(Name) as Buffer), Name);

    rmSync(filler);
    const save = () => postFile(caller, { FileName: 'after' }, randomBytes(sizeBytes));
    await eventually('saving goes on', async () => (await save()).status === 200, 10_000);
    assert.equal((await call(caller, '/folders/-root-')).status, 200);
    await saveFile(caller, { FolderId: '', FileName: 'and on' }, 'small');
    assert.equal(await service.stop(), 0);
  });
}

/** Leaves not one byte. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  for (let piece = mib; piece >= 1; ) {
    try {
      if (writeSync(file, Buffer.alloc(piece, 1)) < piece) piece = Math.floor(piece / 2);
    } catch {
      piece = Math.floor(piece / 2);
    }
  }
  closeSync(file);
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`after ${signal} it starts on a completely full disk, serves stored data, and recovers without a restart`, {
    skip: withoutMount,
  }, async (context) => {
    const { disk, dataFolder, service, caller, close } = await startOnSmallDisk();
    context.after(close);
    const large = randomBytes(400_000);
    const stored = await saveFile(caller, { FolderId: '', FileName: 'large' }, large);
    await saveFile(caller, { FolderId: '', FileName: 'small' }, 'small');
    const filler = join(disk, 'filler');
    fill(filler);
    await service.stop(signal);
    fill(filler);
    const again = await startServiceHere(dataFolder, quiet);
    context.after(() => again.stop());
    const token = await fetchToken(again.production, caller.application);
    const reader = { ...caller, base: again.production, token };
    assert.ok((await download(reader, stored.File.Id)).equals(large));
    assert.equal((await listFolder(reader, '-root-')).length, 2);
    assertRefusal(await postFile(reader, { FileName: 'more' }, randomBytes(400_000)), 500, 'StorageFull');
    rmSync(filler);
    const save = () => postFile(reader, { FileName: 'after' }, randomBytes(400_000));
    await eventually('saving goes on', async () => (await save()).status === 200, 10_000);
    assert.equal(await again.stop(), 0);
  });
}

test('with less free space than the reserve nothing new is saved, and reads and deletions work', async (context) => {
  const dataFolder = makeDataFolder();
  const enough = await startServiceHere(dataFolder, quiet);
  const first = await addCaller(dataFolder, enough.production, 'app');
  const folder = await createFolder(first, '-root-', 'folder');
  await enough.stop();
  const service = await startServiceHere(dataFolder, {
    environment: { ...quiet.environment, CABINET_RESERVE: '8000TiB' },
  });
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  const base = service.production;
  const caller = { ...first, base, token: await fetchToken(base, first.application) };
  const headers = { 'Content-Type': 'application/json' };
  const post = (path: string, body: object) =>
    call(caller, path, { method: 'POST', headers, body: JSON.stringify(body) });
  for (const answer of [
    await postFile(caller, { FileName: 'a' }, 'x'),
    await post('/folders', { FolderName: 'another' }),
    await post(`/entries/${folder.Id}/copy`, { Name: 'copy' }),
  ]) {
    assertRefusal(answer, 500, 'StorageFull');
    assert.match(String(answer.headers['retry-after']), /^\d+$/);
  }
  assert.equal((await listFolder(caller, '-root-')).length, 1);
  assert.equal((await call(caller, `/entries/${folder.Id}?permanent=true`, { method: 'DELETE' })).status, 200);
});
