// The drill: a backup under load, the service killed, the backup restored elsewhere, and every record and byte compared with
// what was answered before the backup began. Also what backup and restore refuse.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkBackup } from '../../src/maintenance/backup/restore.ts';
import { type Caller, call, download, fetchToken, listFolder, makeFolder, saveFile } from '../interface/client.ts';
import { sized } from '../size.ts';
import { cabinet, cabinetJson } from './here.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder, startService } from './service.ts';
import { startServiceHere } from './service-here.ts';

interface Made {
  Environments: { Name: string; Contents: number; Copied: number }[];
  Lost: unknown[];
}
interface Restored {
  Restored: boolean;
  Problems: { What: string; Problem: string; Entries: { Path: string }[] }[];
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** Saves, versions and deletions until it is stopped; returns what was answered. */
function makeLoad(caller: Caller, folder: string) {
  const answered = new Map<string, Buffer>();
  let isWanted = true;
  const work = async (worker: number) => {
    for (let index = 0; isWanted; index += 1) {
      const name = `w${worker}-${index}`;
      const bytes = randomBytes(index % 3 === 0 ? 150_000 : 500);
      const { File } = await saveFile(caller, { FolderId: folder, FileName: name }, bytes);
      answered.set(File.Id, bytes);
      // What is removed for good gives its blob back, also while a backup is made.
      if (index % 5 === 4) {
        answered.delete(File.Id);
        await call(caller, `/entries/${File.Id}?permanent=true`, { method: 'DELETE' });
      }
    }
  };
  // The service is killed under it in the end.
  const running = Promise.all([0, 1, 2, 3].map(work)).catch(() => undefined);
  return {
    answered,
    async stop() {
      isWanted = false;
      await running;
    },
  };
}

test('a backup under load, restored after a kill, has every record and byte from its start', {
  timeout: 300_000,
}, async (context) => {
  const dataFolder = makeDataFolder();
  const restoredFolder = makeDataFolder();
  const directory = join(dirname(dataFolder), 'backup');
  const service = await startService(dataFolder);
  context.after(() => service.stop('SIGKILL'));
  context.after(() => [dataFolder, restoredFolder].forEach(removeDataFolder));
  const caller = await addCaller(dataFolder, service.production, 'app');
  const folder = await makeFolder(caller);
  const load = makeLoad(caller, folder.Id);
  await eventually('much was answered', () => load.answered.size > sized(40, 100), 120_000);
  const before = new Map(load.answered);
  const first = await cabinetJson<Made>(dataFolder, ['backup', directory]);
  assert.deepEqual(first.Lost, []);
  assert.ok((first.Environments[0]?.Copied ?? 0) > 0);
  const second = await cabinetJson<Made>(dataFolder, ['backup', directory]);
  const [again] = second.Environments;
  assert.ok((again?.Copied ?? 0) < (again?.Contents ?? 0), 'only what is new is copied the second time');
  await service.stop('SIGKILL');
  await load.stop();

  const { Restored, Problems } = await cabinetJson<Restored>(restoredFolder, ['restore', directory]);
  assert.ok(Restored);
  assert.deepEqual(Problems, []);
  await using restored = await startServiceHere(restoredFolder);
  // The same keys: what was issued before is still good, if only the address is the same.
  const token = await fetchToken(restored.production, caller.application);
  const reader = { ...caller, base: restored.production, token };
  const there = new Map((await listFolder(reader, folder.Id)).map((entry) => [entry.Id, entry]));
  for (const [id, bytes] of before) {
    // Removed by the load after we looked, and before the backup did.
    if (!load.answered.has(id)) continue;
    assert.equal(there.get(id)?.Size, bytes.length);
    assert.ok((await download(reader, id)).equals(bytes));
  }
  for (const id of there.keys()) {
    const bytes = before.has(id) ? undefined : load.answered.get(id);
    if (bytes !== undefined) assert.ok((await download(reader, id)).equals(bytes));
  }
  assert.equal((await cabinetJson<{ Verified: boolean }>(restoredFolder, ['verify'])).Verified, true);
  console.log(`${before.size} files before, ${there.size} restored`);
});

test('restore refuses a folder that is in use or not empty, finds any damage, and can be repeated after an interruption', {
  timeout: 300_000,
}, async (context) => {
  const dataFolder = makeDataFolder();
  const base = dirname(dataFolder);
  const service = await startServiceHere(dataFolder);
  context.after(() => service.stop());
  context.after(() => removeDataFolder(dataFolder));
  const caller = await addCaller(dataFolder, service.production, 'app');
  const large = randomBytes(200_000);
  await saveFile(caller, { FolderId: '', FileName: 'large.bin' }, large);
  await saveFile(caller, { FolderId: '', FileName: 'small.txt' }, 'small');
  const directory = join(base, 'backup');
  const inside = await cabinet(dataFolder, ['backup', join(dataFolder, 'b'), '--json']);
  assert.equal(inside.code, 1);
  assert.match(inside.stdout, /outside the data folder/);
  await cabinetJson<Made>(dataFolder, ['backup', directory]);

  const running = await cabinet(dataFolder, ['restore', directory]);
  assert.equal(running.code, 1);
  assert.match(running.stderr, /is in use by process \d+ \(cabinet serve, started /);
  await service.stop();
  assert.match((await cabinet(dataFolder, ['restore', directory])).stderr, /is not empty/);
  await assert.rejects(checkBackup(base, { onProgress: () => undefined, key: null }), /no finished backup/);
  const foreign = join(base, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'mine'), 'x');
  assert.match((await cabinet(dataFolder, ['backup', foreign])).stderr, /holds no backup/);

  // Every kind of file, damaged in turn.
  const isKind = (name: string) => /catalog\.db$|keys\.json$|manifest\.json$|[0-9a-f]{32}$/.test(name);
  for (const path of listFiles(directory).filter(isKind)) {
    const bytes = readFileSync(path);
    const damaged = Buffer.from(bytes);
    damaged[bytes.length >> 1] = (damaged[bytes.length >> 1] as number) ^ 4;
    writeFileSync(path, damaged);
    const problems = await checkBackup(directory, { onProgress: () => undefined, key: null }).then(
      (checked) => checked.problems.length,
      () => 1,
    );
    assert.ok(problems > 0, `${path} was changed, and nobody noticed`);
    writeFileSync(path, bytes);
  }
  const blob = listFiles(directory).find((name) => /[0-9a-f]{32}$/.test(name)) as string;
  rmSync(blob);
  const refused = await cabinet(join(base, 'new'), ['restore', directory, '--json']);
  assert.equal(refused.code, 1);
  const [problem] = (JSON.parse(refused.stdout) as Restored).Problems;
  assert.equal(problem?.Problem, 'it is missing');
  assert.deepEqual(
    problem?.Entries.map(({ Path }) => Path),
    ['/large.bin'],
  );
  assert.ok(!existsSync(join(base, 'new', 'production')), 'nothing is made visible');
  writeFileSync(blob, large);

  // Cut before everything was there, and between the moves.
  const target = join(base, 'new');
  mkdirSync(join(target, 'restoring', 'production', 'blobs'), { recursive: true });
  assert.match((await cabinet(target, ['app', 'list'])).stderr, /was not finished\. Run cabinet restore again/);
  const { Restored } = await cabinetJson<Restored>(target, ['restore', directory]);
  assert.ok(Restored);
  const found = await cabinetJson<{ Applications: { Name: string }[] }>(target, ['app', 'list']);
  assert.ok(found.Applications.some(({ Name }) => Name === 'app'));
  mkdirSync(join(target, 'restoring'));
  writeFileSync(join(target, 'restoring', 'complete'), '');
  assert.ok((await cabinetJson<Restored>(target, ['restore', directory])).Restored);
  assert.ok(!existsSync(join(target, 'restoring')));
});

test('on PostgreSQL the commands name the alternative', async (context) => {
  const dataFolder = makeDataFolder();
  context.after(() => removeDataFolder(dataFolder));
  const environment = { CABINET_CATALOG: 'postgres://cabinet@127.0.0.1:1/cabinet' };
  for (const words of [
    ['backup', '/nowhere'],
    ['restore', '/nowhere'],
  ]) {
    const { code, stderr } = await cabinet(dataFolder, words, environment);
    assert.equal(code, 1);
    assert.match(stderr, /pg_basebackup.*docs\/backup\.md/);
  }
});
