// When a sync fails, nothing more is promised: what is in flight fails, the process ends with exit code 70, and what was
// answered before is there after the next start. The test environment's faults are its own.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { type Caller, call, download, fetchToken, postFile, saveFile, send } from '../interface/client.ts';
import { addCaller, cabinetJson, makeDataFolder, type Registered, removeDataFolder, startService } from './service.ts';
import { canTrace, failSyncs } from './strace.ts';

const isSkipped = { skip: !canTrace };
const large = 200_000;

async function tryToSave(caller: Caller, name: string, bytes: Buffer): Promise<number | null> {
  return await postFile(caller, { FileName: name }, bytes).then(
    ({ status }) => status,
    () => null,
  );
}

for (const [kind, sizeBytes] of [
  ['small', 1000],
  ['large', large],
] as const) {
  test(
    `a failed sync of a ${kind} save ends the process with 70, and nothing answered is lost`,
    isSkipped,
    async (context) => {
      const dataFolder = makeDataFolder();
      context.after(() => removeDataFolder(dataFolder));
      const first = await startService(dataFolder, { environment: { CABINET_LOG_LEVEL: 'silent' } });
      const caller = await addCaller(dataFolder, first.production, 'app');
      const kept = randomBytes(sizeBytes);
      const { File } = await saveFile(caller, { FolderId: '', FileName: 'kept' }, kept);
      const exited = once(first.process, 'exit');
      await failSyncs(first.process.pid as number);
      const begun = performance.now();
      const lost = Array.from({ length: 8 }, () => randomBytes(sizeBytes));
      const statuses = await Promise.all(lost.map((bytes, index) => tryToSave(caller, `lost-${index}`, bytes)));
      assert.ok(
        statuses.every((status) => status === 500 || status === null),
        `answered ${statuses}`,
      );
      const [code] = (await exited) as [number];
      assert.equal(code, 70);
      assert.ok(performance.now() - begun < 4000, 'it ends within a second; tracing makes that longer');

      const second = await startService(dataFolder);
      context.after(() => second.stop());
      const again = {
        ...caller,
        base: second.production,
        token: await fetchToken(second.production, caller.application),
      };
      assert.ok((await download(again, File.Id)).equals(kept));
      // A record may have survived although nobody was told so. Then its bytes did too, and a repeated save is true.
      for (const [index, bytes] of lost.entries()) {
        const repeated = await saveFile(again, { FolderId: '', FileName: `lost-${index}` }, bytes);
        assert.ok((await download(again, repeated.File.Id)).equals(bytes));
      }
    },
  );
}

test('a failed sync in the test environment leaves production serving', isSkipped, async (context) => {
  const dataFolder = makeDataFolder();
  const environment = { CABINET_TEST_PORT: '0', CABINET_LOG_LEVEL: 'silent' } as const;
  const service = await startService(dataFolder, { environment });
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  const production = await addCaller(dataFolder, service.production, 'app');
  const registered = await cabinetJson<Registered>(dataFolder, ['app', 'add', 'app', '--env', 'test'], environment);
  const application = { Name: 'app', ...registered };
  const base = service.test ?? '';
  const tester = { base, application, token: await fetchToken(base, application) };
  const stop = await failSyncs(service.process.pid as number);
  const statuses = await Promise.all(
    Array.from({ length: 12 }, (_, index) => tryToSave(tester, `t${index}`, randomBytes(10))),
  );
  assert.ok(
    statuses.every((status) => status === 500),
    `answered ${statuses}`,
  );
  stop();
  assert.equal((await send(base, '/health/live')).status, 500);
  await saveFile(production, { FolderId: '', FileName: 'still' }, 'here');
  assert.equal((await call(production, '/folders/-root-')).status, 200);
  assert.equal(await service.stop(), 0);
});
