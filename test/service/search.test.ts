// The search index beside the running service: it can be lost, the process can die at any moment, and documents can be
// hostile; saved files are found, and the service stays.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeDocx, makeEndlessPdf, makePdf } from '../../src/search/extract/documents-for-tests.ts';
import { type Caller, call, createFolder, fetchToken, saveFile } from '../interface/client.ts';
import { sized } from '../size.ts';
import { cabinetJson } from './here.ts';
import { addCaller, type Environment, eventually, makeDataFolder, removeDataFolder, startService } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

const patienceMs = 120_000;

interface Status {
  Indexed: number;
  Waiting: number;
  Behind: number;
  Building: boolean;
  Skipped: number;
  SkippedDocuments: { EntryId: string; Name: string; Reason: string }[];
}

async function countFound(caller: Caller, q: string): Promise<number> {
  const answer = await call(caller, `/search?limit=1000&q=${encodeURIComponent(q)}`);
  assert.equal(answer.status, 200, answer.body.toString());
  return (JSON.parse(answer.body.toString()) as { Results: unknown[] }).Results.length;
}

async function untilFound(caller: Caller, q: string, count: number): Promise<void> {
  await eventually(`${q} is found ${count} times`, async () => (await countFound(caller, q)) === count, patienceMs);
}

async function renew(caller: Caller, { production }: StartedHere): Promise<Caller> {
  return { ...caller, base: production, token: await fetchToken(production, caller.application) };
}

async function open(context: TestContext) {
  const dataFolder = makeDataFolder();
  const service = await startService(dataFolder);
  context.after(async () => {
    await service.stop('SIGKILL');
    removeDataFolder(dataFolder);
  });
  return { dataFolder, service, caller: await addCaller(dataFolder, service.production, 'app') };
}

/** In this process. */
async function openHere(context: TestContext, environment: Environment = {}) {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder, { environment });
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  return { dataFolder, service, caller: await addCaller(dataFolder, service.production, 'app') };
}

async function startAgain(context: TestContext, dataFolder: string): Promise<StartedHere> {
  const service = await startServiceHere(dataFolder);
  context.after(() => service.stop());
  return service;
}

function readStatus(dataFolder: string): Promise<Status> {
  return cabinetJson<Status>(dataFolder, ['search', 'status']);
}

test('a deleted or damaged index is rebuilt at the next start', async (context) => {
  const { dataFolder, service, caller } = await openHere(context);
  const folder = await createFolder(caller, caller.application.RootFolderId, 'kept folder');
  for (const name of ['one', 'two', 'three']) {
    await saveFile(caller, { FolderId: folder.Id, FileName: `${name}.docx` }, makeDocx(['kept text']));
  }
  await untilFound(caller, 'kept', 4);
  await service.stop();
  const index = join(dataFolder, 'production', 'search.db');
  const remove = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(index + suffix, { force: true });
  };
  for (const spoil of [remove, () => writeFileSync(index, Buffer.alloc(20_000, 'x'))]) {
    spoil();
    const again = await startServiceHere(dataFolder);
    await untilFound(await renew(caller, again), 'kept', 4);
    await again.stop();
  }
});

test('a process that is killed while indexing resumes', async (context) => {
  const { dataFolder, service, caller } = await open(context);
  let current = caller;
  let running = service;
  let saved = 0;
  for (let left = sized(2, 3); left > 0; left -= 1) {
    const saves = Array.from({ length: sized(75, 150) }, (_, index) =>
      saveFile(current, { FolderId: '', FileName: `${left}-${index}.txt` }, `endurance ${'word '.repeat(200)}`),
    );
    await Promise.all(saves);
    saved += saves.length;
    await running.stop('SIGKILL');
    if (left === 1) break;
    running = await startService(dataFolder);
    context.after(() => running.stop('SIGKILL'));
    current = await renew(caller, running);
  }
  const last = await startAgain(context, dataFolder);
  await untilFound(await renew(caller, last), 'endurance', saved);
  // Before the folder is removed.
  await last.stop();
});

test('documents that hang or are damaged are skipped and reported; other documents are found', async (context) => {
  const { dataFolder, service, caller } = await openHere(context, { CABINET_SEARCH_SECONDS: '1' });
  const untilRead = () =>
    eventually('all are read', async () => (await readStatus(dataFolder)).Waiting === 0, 2 * patienceMs);
  const saveAs = async (now: StartedHere, documents: Record<string, Buffer>) => {
    const current = await renew(caller, now);
    for (const [FileName, bytes] of Object.entries(documents))
      await saveFile(current, { FolderId: '', FileName }, bytes);
    return current;
  };
  await saveAs(service, { 'endless.pdf': makeEndlessPdf(), 'good.txt': Buffer.from('survivor') });
  await untilFound(caller, 'survivor', 1);
  await untilFound(caller, 'endless', 1);
  await untilRead();
  await service.stop();
  const patient = await startAgain(context, dataFolder);
  assert.equal((await readStatus(dataFolder)).Waiting, 0, 'what was skipped is not tried again');
  const current = await saveAs(patient, {
    'broken.docx': makeDocx(['x']).subarray(0, 200),
    'good.pdf': makePdf('survivor'),
  });
  await untilFound(current, 'survivor', 2);
  await untilRead();
  const { Skipped, SkippedDocuments } = await readStatus(dataFolder);
  assert.equal(Skipped, 2);
  const reasons = Object.fromEntries(SkippedDocuments.map(({ Name, Reason }) => [Name, Reason]));
  assert.deepEqual(reasons, {
    'endless.pdf': 'it took longer than 1 s',
    'broken.docx': 'it is damaged',
  });
  await patient.stop();
  const again = await startAgain(context, dataFolder);
  assert.equal((await readStatus(dataFolder)).Waiting, 0, 'what was skipped is not tried again');
  await untilFound(await renew(caller, again), 'survivor', 2);
  assert.equal(await again.stop(), 0);
});

test('cabinet search rebuild rebuilds the index, with and without the service', async (context) => {
  const { dataFolder, service, caller } = await openHere(context);
  await saveFile(caller, { FolderId: '', FileName: 'a.txt' }, 'rebuilt');
  await saveFile(caller, { FolderId: '', FileName: 'b.docx' }, makeDocx(['rebuilt']));
  await untilFound(caller, 'rebuilt', 2);
  const done = { Indexed: 2, Waiting: 0, Behind: 0, Building: false, Skipped: 0, SkippedDocuments: [] };
  assert.deepEqual(await cabinetJson(dataFolder, ['search', 'rebuild']), done);
  assert.equal(await countFound(caller, 'rebuilt'), 2);
  await service.stop();
  assert.deepEqual(await readStatus(dataFolder), done);
  assert.deepEqual(await cabinetJson(dataFolder, ['search', 'rebuild']), done);
  rmSync(join(dataFolder, 'production', 'search.db'));
  assert.ok((await readStatus(dataFolder)).Behind > 0);
  assert.deepEqual(await cabinetJson(dataFolder, ['search', 'rebuild']), done);
});

test('the service stops in order while a document is extracted', async (context) => {
  const { dataFolder, service, caller } = await openHere(context);
  await saveFile(caller, { FolderId: '', FileName: 'endless.pdf' }, makeEndlessPdf());
  await eventually('it waits', async () => (await readStatus(dataFolder)).Waiting === 1);
  const begun = performance.now();
  assert.equal(await service.stop(), 0);
  assert.ok(performance.now() - begun < 10_000);
});
