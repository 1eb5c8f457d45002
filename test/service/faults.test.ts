// A failed sync is fatal: requests in flight fail, the process exits with 70, and what was answered before is there after
// the next start. A fault of the test environment does not affect production.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Caller, call, download, fetchToken, listFolder, postFile, saveFile, send } from '../interface/client.ts';
import { sized } from '../size.ts';
import { cabinetJson } from './here.ts';
import { addCaller, makeDataFolder, type Registered, removeDataFolder, startService } from './service.ts';
import { startServiceHere } from './service-here.ts';
import { failSyncs, withoutAttach } from './strace.ts';

const isSkipped = { skip: withoutAttach };
const large = 200_000;

async function tryToSave(caller: Caller, name: string, bytes: Buffer): Promise<number | null> {
  return await postFile(caller, { FileName: name }, bytes).then(
    ({ status }) => status,
    () => null,
  );
}

/** One after the other, each while those before it still wait for the disk. */
async function saveInTurn(caller: Caller, contents: readonly Buffer[]): Promise<(number | null)[]> {
  const saves: Promise<number | null>[] = [];
  for (const [index, bytes] of contents.entries()) {
    saves.push(tryToSave(caller, `lost-${index}`, bytes));
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  return await Promise.all(saves);
}

// Sizes and threads have nothing to do with each other: each of them once, and in the long run all pairs.
const ofEach = [
  ['small', 1000, 1],
  ['large', large, 3],
] as const;
const ofAllPairs = [...ofEach, ['large', large, 1], ['small', 1000, 3]] as const;

for (const [kind, sizeBytes, threads] of sized<readonly (typeof ofAllPairs)[number][]>(ofEach, ofAllPairs)) {
  test(
    `a failed sync during ${kind} saves ends the process with 70, and nothing answered is lost: HTTP threads ${threads}`,
    isSkipped,
    async (context) => {
      const dataFolder = makeDataFolder();
      const environment = { CABINET_LOG_LEVEL: 'silent', CABINET_HTTP_THREADS: String(threads) };
      const first = await startService(dataFolder, { environment });
      context.after(() => first.stop('SIGKILL'));
      context.after(() => removeDataFolder(dataFolder));
      const caller = await addCaller(dataFolder, first.production, 'app');
      const kept = randomBytes(sizeBytes);
      const { File } = await saveFile(caller, { FolderId: '', FileName: 'kept' }, kept);
      const exited = once(first.process, 'exit');
      const failing = await failSyncs(first.process.pid as number, join(dataFolder, 'production', 'catalog.db-wal'));
      const begun = performance.now();
      const lost = Array.from({ length: 8 }, () => randomBytes(sizeBytes));
      const statuses = await saveInTurn(caller, lost);
      assert.ok(
        statuses.every((status) => status === 500 || status === null),
        `answered ${statuses}`,
      );
      const [code] = (await exited) as [number];
      assert.equal(code, 70);
      assert.ok(performance.now() - begun < 20_000, 'it ends soon after the failure; tracing makes that longer');
      assert.equal(failing.mostByOneThread(), 1, 'nothing is committed after a sync has failed');

      await using second = await startServiceHere(dataFolder);
      const again = {
        ...caller,
        base: second.production,
        token: await fetchToken(second.production, caller.application),
      };
      assert.ok((await download(again, File.Id)).equals(kept));
      // A record may have survived although its save was not answered. Then its bytes did too.
      const sent = new Map([['kept', kept], ...lost.map((bytes, index) => [`lost-${index}`, bytes] as const)]);
      for (const { Name, Id } of await listFolder(again, '-root-')) {
        assert.ok((await download(again, Id)).equals(sent.get(Name) as Buffer), Name);
      }
    },
  );
}

for (const [what, file] of [
  ['commit', 'catalog.db-wal'],
  ['checkpoint', 'catalog.db'],
] as const) {
  test(
    `a failed sync of a ${what} in the test environment leaves production serving and stopping`,
    isSkipped,
    async (context) => {
      const dataFolder = makeDataFolder();
      const environment = { CABINET_TEST_PORT: '0', CABINET_LOG_LEVEL: 'silent' } as const;
      const service = await startService(dataFolder, { environment, hasClock: true });
      context.after(async () => {
        await service.stop('SIGKILL');
        removeDataFolder(dataFolder);
      });
      const production = await addCaller(dataFolder, service.production, 'app');
      const registered = await cabinetJson<Registered>(dataFolder, ['app', 'add', 'app', '--env', 'test'], environment);
      const application = { Name: 'app', ...registered };
      const base = service.test ?? '';
      const tester = { base, application, token: await fetchToken(base, application) };
      const failing = await failSyncs(service.process.pid as number, join(dataFolder, 'test', file));
      const hasFailed = async () => (await send(base, '/health/ready')).status === 503;
      const deadline = Date.now() + 60_000;
      while (!(await hasFailed())) {
        assert.ok(Date.now() < deadline, 'the failed sync was never noticed');
        await saveInTurn(
          tester,
          Array.from({ length: 12 }, () => randomBytes(10)),
        );
      }
      failing.stop();
      assert.equal((await send(base, '/health/live')).status, 200);
      // Longer than a process that means to end would take.
      await service.advance(600);
      await saveFile(production, { FolderId: '', FileName: 'still' }, 'here');
      assert.equal((await call(production, '/folders/-root-')).status, 200);
      assert.equal(await service.stop(), 0);
    },
  );
}
