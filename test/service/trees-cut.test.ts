// A large tree is copied and removed in many commits; the process may end between any two of them. Afterwards half a copy is
// never visible, its remains are removed, and sizes and usage are exact.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Entry, must } from '../interface/assertions.ts';
import { type Caller, createFolder, fetchToken, listFolder, readFolder, saveFile } from '../interface/client.ts';
import { Follower, inPathOrder, readToEnd } from '../interface/follower.ts';
import { askCopy, askRemove, copy, listTrash, readTree, trash } from '../interface/life.ts';
import { sized } from '../size.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder, startService } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';
import { assertUsageIsExact, countEntries, countHidden, countTrees } from './usage.ts';

const folders = sized(14, 40);
const filesInFolder = 100;
const entriesInSource = folders * (filesInFolder + 1);

/** Many folders of 100 files, most of it made by copying. */
async function makeSource(caller: Caller): Promise<Entry> {
  const source = await createFolder(caller, '-root-', 'source');
  const first = await createFolder(caller, source.Id, 'folder 0');
  const names = Array.from({ length: filesInFolder }, (_, index) => `file ${index}`);
  await Promise.all(
    names.map((name) => saveFile(caller, { FolderId: first.Id, FileName: name, Prefer: 'return=minimal' }, name)),
  );
  for (let number = 1; number < folders; number += 1) {
    await copy(caller, first.Id, { ParentFolderId: source.Id, Name: `folder ${number}` });
  }
  return (await readFolder(caller, source.Id, '?limit=1')).Folder;
}

/** Whether it was answered with success before the process ended. */
async function isAnswered(asking: Promise<{ status: number }>): Promise<boolean> {
  try {
    return (await asking).status === 200;
  } catch {
    return false;
  }
}

async function assertAllExact(caller: Caller, source: Entry): Promise<void> {
  const tree = await readTree(caller, caller.application.RootFolderId);
  for (const [path, entry] of tree) {
    if (entry.Type !== 'folder') continue;
    const beneath = [...tree].filter(([other, { Type }]) => Type === 'file' && other.startsWith(`${path}/`));
    assert.equal(
      entry.Size,
      beneath.reduce((sum, [, { Size }]) => sum + Size, 0),
      `the size of ${path}`,
    );
    if (path.split('/').length === 3 && path.startsWith('/target/')) {
      assert.equal(entry.Size, source.Size, `${path} is half a copy`);
      assert.equal([...tree.keys()].filter((other) => other.startsWith(`${path}/`)).length, entriesInSource);
    }
  }
  const { Changes } = await readToEnd(caller, '');
  assert.deepEqual(
    inPathOrder(new Follower().apply(Changes).toTree(caller.application.RootFolderId)),
    inPathOrder(tree),
  );
}

test('a copy interrupted by SIGKILL is complete or absent, and its remains are removed', async () => {
  const dataFolder = makeDataFolder();
  let killed = await startService(dataFolder);
  let service: StartedHere = killed;
  let caller = await addCaller(dataFolder, service.production, 'app');
  const source = await makeSource(caller);
  const target = await createFolder(caller, '-root-', 'target');
  let cut = 0;
  const isEnough = (rounds: number) => rounds >= sized(2, 6) && (cut > 0 || rounds >= 30);
  for (let round = 0; !isEnough(round); round += 1) {
    const Name = `copy ${round}`;
    const asking = isAnswered(askCopy(caller, source.Id, { ParentFolderId: target.Id, Name }));
    await sleep(20 + round * 40);
    await killed.stop('SIGKILL');
    const answered = await asking;
    cut += countTrees(dataFolder);
    if (isEnough(round + 1)) service = await startServiceHere(dataFolder);
    else service = killed = await startService(dataFolder);
    caller = { ...caller, base: service.production, token: await fetchToken(service.production, caller.application) };
    const found = (await listFolder(caller, target.Id)).find((entry) => entry.Name === Name);
    assert.ok(found !== undefined || !answered, 'a copy that was answered is lost');
    if (found !== undefined) assert.equal(found.Size, source.Size, 'half a copy is visible');
  }
  assert.ok(cut > 0, 'no copy was cut off half-made: the tree is too small, or the waits too long');
  await eventually('what was half-made is taken away', () => countTrees(dataFolder) === 0, 60_000);
  await assertAllExact(caller, source);
  assert.equal(await service.stop(), 0);
  assert.equal(countHidden(dataFolder).strays, 0);
  assertUsageIsExact(dataFolder);
  removeDataFolder(dataFolder);
});

test('a tree whose removal SIGKILL interrupts is gone at once, and its rows and bytes soon after', async () => {
  const dataFolder = makeDataFolder();
  let killed = await startService(dataFolder);
  let service: StartedHere = killed;
  let caller = await addCaller(dataFolder, service.production, 'app');
  const source = await makeSource(caller);
  const { Entry: second } = await copy(caller, source.Id, { ParentFolderId: '-root-', Name: 'second' });
  await trash(caller, second.Id);
  for (const [round, id] of [second.Id, source.Id].entries()) {
    const answered = isAnswered(askRemove(caller, id));
    if (round === 1) assert.ok(await answered);
    else await sleep(30);
    await killed.stop('SIGKILL');
    await answered;
    if (round === 1) service = await startServiceHere(dataFolder);
    else service = killed = await startService(dataFolder);
    caller = { ...caller, base: service.production, token: await fetchToken(service.production, caller.application) };
  }
  const left = await listFolder(caller, '-root-');
  assert.deepEqual(left, [], 'what was answered as removed is there');
  assert.equal((await readFolder(caller, '-root-')).Folder.Size, 0);
  const inTrash = await listTrash(caller);
  for (const { Entry: entry } of inTrash) {
    assert.equal(must(entry, 'entry').Size, source.Size, 'half a tree is in the trash');
    assert.equal((await askRemove(caller, entry.Id)).status, 200);
  }
  await eventually('all rows are taken away', () => countEntries(dataFolder) === 0, 60_000);
  assert.equal(await service.stop(), 0);
  assert.deepEqual(countHidden(dataFolder), { trees: 0, strays: 0, entries: 0 });
  assertUsageIsExact(dataFolder);
  removeDataFolder(dataFolder);
});
