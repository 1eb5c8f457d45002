// Counts the syncs of the real process with strace: one for each group of saves, none skipped. A kill alone would never show a
// missing sync, because the page cache survives it.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { saveFile } from '../interface/client.ts';
import { addCaller, makeDataFolder, removeDataFolder, startService } from './service.ts';
import { withoutTrace } from './strace.ts';

test('every group of saves is synced once before its responses', { skip: withoutTrace }, async (context) => {
  const dataFolder = makeDataFolder();
  const trace = join(dataFolder, '..', 'syncs');
  const under = ['strace', '-f', '-qq', '-y', '-e', 'trace=fsync,fdatasync', '-o', trace];
  const service = await startService(dataFolder, { under });
  const [pid] = readFileSync(`/proc/${service.process.pid}/task/${service.process.pid}/children`, 'utf8').split(' ');
  context.after(async () => {
    process.kill(Number(pid), 'SIGTERM');
    await new Promise((resolve) => service.process.once('exit', resolve));
    removeDataFolder(dataFolder);
  });
  const caller = await addCaller(dataFolder, service.production, 'app');
  const countSyncs = (what: RegExp) =>
    readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => what.test(line)).length;
  const log = /f(data)?sync\(\d+<[^>]*catalog\.db-wal>/;
  const save = (name: string, sizeBytes: number) =>
    saveFile(caller, { FolderId: '', FileName: name }, randomBytes(sizeBytes));

  let before = countSyncs(log);
  for (let index = 0; index < 20; index += 1) await save(`alone-${index}`, 1000);
  const alone = countSyncs(log) - before;
  assert.ok(alone >= 20, `20 saves one after the other, ${alone} syncs of the log`);

  before = countSyncs(log);
  await Promise.all(Array.from({ length: 320 }, (_, index) => save(`together-${index}`, 1000)));
  const together = countSyncs(log) - before;
  assert.ok(together >= 1 && together < 320, `320 saves at once, ${together} syncs of the log`);

  before = countSyncs(/fdatasync\(\d+<[^>]*\.part>/);
  const foldersBefore = countSyncs(/fsync\(\d+<[^>]*\/blobs\/[0-9a-f]{2}>/);
  for (let index = 0; index < 5; index += 1) await save(`large-${index}`, 200_000);
  assert.equal(countSyncs(/fdatasync\(\d+<[^>]*\.part>/) - before, 5, 'each large content is synced');
  assert.equal(
    countSyncs(/fsync\(\d+<[^>]*\/blobs\/[0-9a-f]{2}>/) - foldersBefore,
    5,
    'and so is the folder of its name',
  );
  console.log(`20 saves in turn: ${alone} syncs; 320 at once: ${together} syncs`);
});
