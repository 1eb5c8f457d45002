// A sync that fails while the service stops: it exits with 70, not with 0, nothing is synced again, and what was answered
// before is there after the next start. The service can be stopped as soon as it is ready.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { download, fetchToken, saveFile } from '../interface/client.ts';
import { sized } from '../size.ts';
import {
  addCaller,
  cabinetProgram,
  eventually,
  makeDataFolder,
  removeDataFolder,
  startService,
  toVariables,
} from './service.ts';
import { startServiceHere } from './service-here.ts';
import { failAllSyncs, failSyncs, withoutAttach } from './strace.ts';

const quiet = { environment: { CABINET_LOG_LEVEL: 'silent' } } as const;

/** Until the checkpointer has nothing more to do: what is synced from now on is synced by stopping. */
async function untilQuiet(dataFolder: string): Promise<void> {
  const files = ['catalog.db', 'catalog.db-wal'].map((name) => join(dataFolder, 'production', name));
  const look = () => files.map((file) => statSync(file).mtimeMs).join();
  let [seen, since] = [look(), Date.now()];
  const isUnchanged = () => {
    const now = look();
    if (now !== seen) [seen, since] = [now, Date.now()];
    return Date.now() - since > 1500;
  };
  await eventually('nothing is written any more', isUnchanged, 60_000);
}

for (const what of ['every file', 'catalog.db-wal', 'catalog.db']) {
  test(`a failed sync of ${what} during the stop is tried once and ends with 70`, {
    skip: withoutAttach,
  }, async (context) => {
    const dataFolder = makeDataFolder();
    const service = await startService(dataFolder, quiet);
    context.after(() => service.stop('SIGKILL'));
    context.after(() => removeDataFolder(dataFolder));
    const caller = await addCaller(dataFolder, service.production, 'app');
    const { File } = await saveFile(caller, { FolderId: '', FileName: 'kept' }, 'kept');
    await untilQuiet(dataFolder);
    const pid = service.process.pid as number;
    const failing =
      what === 'every file'
        ? await failAllSyncs(pid, join(dataFolder, 'trace'))
        : await failSyncs(pid, join(dataFolder, 'production', what));
    assert.equal(await service.stop(), 70);
    assert.deepEqual(failing.tried().length, 1, failing.tried().join(' '));

    await using again = await startServiceHere(dataFolder);
    const token = await fetchToken(again.production, caller.application);
    assert.equal((await download({ ...caller, base: again.production, token }, File.Id)).toString(), 'kept');
  });
}

test('after a failed sync of the log the checkpointer syncs nothing, nor does stopping', {
  skip: withoutAttach,
}, async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startService(dataFolder, quiet);
  context.after(() => service.stop('SIGKILL'));
  context.after(() => removeDataFolder(dataFolder));
  const caller = await addCaller(dataFolder, service.production, 'app');
  await untilQuiet(dataFolder);
  const failing = await failAllSyncs(service.process.pid as number, join(dataFolder, 'trace'));
  const exited = once(service.process, 'exit');
  await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => saveFile(caller, { FolderId: '', FileName: `lost-${index}` }, 'lost')),
  );
  assert.deepEqual(await exited, [70, null]);
  assert.deepEqual(failing.tried(), [join(dataFolder, 'production', 'catalog.db-wal')]);
});

test('SIGTERM at the moment of readiness stops it in order', async (context) => {
  const dataFolder = makeDataFolder();
  context.after(() => removeDataFolder(dataFolder));
  const variables = toVariables(dataFolder);
  for (let round = 0; round < sized(2, 6); round += 1) {
    const child = spawn(cabinetProgram, ['serve', '--json'], { env: variables, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => child.kill('SIGTERM'));
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  }
});
