// Lost connections: what is sent again, what is not, and that nothing is done twice.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { saveFiles } from '../src/batch.ts';
import { openFile, readFile } from '../src/downloads.ts';
import { changeEntry, copyEntry } from '../src/entries.ts';
import { CabinetError } from '../src/errors.ts';
import { saveFile, saveVersion } from '../src/files.ts';
import { createFolder, listChildren, showFolder } from '../src/folders.ts';
import { listVersions } from '../src/versions.ts';
import { gather, makeFolder, standOnService } from './ground.ts';
import { type Step, startProxy } from './proxy.ts';

const ground = await standOnService();
const proxy = await startProxy(ground.service.production);
const cabinet = ground.connect({ url: proxy.url });
after(() => proxy.close());

/** Runs with these faults, and gives what the proxy saw. */
async function withFaults<Result>(steps: Step[], run: () => Promise<Result>) {
  proxy.seen.length = 0;
  proxy.plan(...steps);
  const result = await run().finally(() => proxy.plan());
  return { result, seen: [...proxy.seen] };
}

const everyCut: Step[][] = [
  ['cut before'],
  ['cut after'],
  ['cut within'],
  ['cut after', 'cut before', 'cut within'],
  ['cut after', 'cut after', 'cut after', 'cut after'],
];

for (const steps of everyCut) {
  test(`a folder is created once though the connection is lost: ${steps.join(', ')}`, async () => {
    const parent = await makeFolder(cabinet);
    const { result, seen } = await withFaults(steps, () =>
      createFolder(cabinet, { parent, name: 'New', conflict: 'Rename' }),
    );
    assert.equal(result.Name, 'New');
    assert.deepEqual(
      (await gather(listChildren(cabinet, parent))).map(({ Id }) => Id),
      [result.Id],
    );
    assert.equal(seen.length, steps.length + 1);
    assert.equal(new Set(seen.map(({ key }) => key)).size, 1, 'one key for all attempts');
  });

  test(`a file is saved once though the connection is lost: ${steps.join(', ')}`, async () => {
    const folder = await makeFolder(cabinet);
    const content = randomBytes(200_000);
    const { result, seen } = await withFaults(steps, () =>
      saveFile(cabinet, { folder, name: 'a.bin', content, conflict: 'Rename' }),
    );
    assert.equal(result.Name, 'a.bin');
    const children = await gather(listChildren(cabinet, folder));
    assert.deepEqual(
      children.map(({ Id }) => Id),
      [result.Id],
    );
    assert.equal((await gather(listVersions(cabinet, children[0]?.Id ?? ''))).length, 1);
    assert.deepEqual(Buffer.from(await readFile(cabinet, children[0]?.Id ?? '')), content);
    assert.equal(seen.length, steps.length + 1);
  });
}

test('a batch is saved once though the connection is lost', async () => {
  const folder = await makeFolder(cabinet);
  const files = ['a', 'b', 'c'].map((name) => ({ name, content: name }));
  const { result } = await withFaults(['cut after', 'cut before', 'cut within'], () =>
    saveFiles(cabinet, { folder, files, conflict: 'Rename' }),
  );
  assert.equal(result.length, 3);
  const names = (await gather(listChildren(cabinet, folder))).map(({ Name }) => Name);
  assert.deepEqual(names, ['a', 'b', 'c']);
});

test('half a body leaves nothing, and the whole is sent again', async () => {
  const folder = await makeFolder(cabinet);
  const content = randomBytes(1_000_000);
  const told: number[] = [];
  const onProgress = (bytes: number) => told.push(bytes);
  const { result } = await withFaults(['cut body', 'cut body'], () =>
    saveFile(cabinet, { folder, name: 'half', content, conflict: 'Fail', onProgress }),
  );
  assert.deepEqual(Buffer.from(await readFile(cabinet, result.Id)), content);
  assert.equal((await gather(listChildren(cabinet, folder))).length, 1);
  assert.equal(told.at(-1), 1_000_000);
});

test('a version saved by its id is one version, however often it is sent', async () => {
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, { folder, name: 'v', content: 'one' });
  const id = saved.Id;
  await withFaults(['cut after', 'cut within'], () => saveVersion(cabinet, { id, content: 'two' }));
  assert.equal((await gather(listVersions(cabinet, id))).length, 2);
});

test('what would be done twice is not sent again once it may have arrived', async () => {
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, { folder, name: 'a', content: 'a' });
  const id = saved.Id;
  for (const step of ['cut before', 'cut after', 'cut within'] as const) {
    const request = { id, parent: folder, name: `copy ${step}`, conflict: 'Rename' as const };
    await assert.rejects(
      withFaults([step], () => copyEntry(cabinet, request)),
      (error) => error instanceof CabinetError && error.code === 'Unreachable' && error.status === 0,
    );
    assert.equal(proxy.seen.length, 1, step);
  }
  const names = (await gather(listChildren(cabinet, folder))).map(({ Name }) => Name);
  assert.deepEqual(names.toSorted(), ['a', 'copy cut after', 'copy cut within']);
});

test('a change is sent again, but not under a condition that it breaks itself', async () => {
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, { folder, name: 'a', content: 'a' });
  const id = saved.Id;
  const { result } = await withFaults(['cut after'], () => changeEntry(cabinet, { id, name: 'b' }));
  assert.equal(result.Entry.Name, 'b');
  const conditional = withFaults(['cut after'], () => changeEntry(cabinet, { id, name: 'c', ifMatch: result.ETag }));
  await assert.rejects(conditional, { code: 'Unreachable' });
});

test('a short stream is sent again: what was read of it is kept', async () => {
  const folder = await makeFolder(cabinet);
  const content = new Blob(['streamed']).stream();
  const { result } = await withFaults(['cut before', 'cut after'], () =>
    saveFile(cabinet, { folder, name: 's', content }),
  );
  assert.equal(result.Size, 8);
});

test('a download goes on where it was, and is verified as a whole', async () => {
  const folder = await makeFolder(cabinet);
  const content = randomBytes(2_000_000);
  const saved = await saveFile(cabinet, { folder, name: 'd', content });
  const id = saved.Id;
  const told: number[] = [];
  const { result, seen } = await withFaults(['cut within', 'cut before', 'cut within', 'cut after', 'cut within'], () =>
    readFile(cabinet, id, { onProgress: (bytes) => told.push(bytes) }),
  );
  assert.deepEqual(Buffer.from(result), content);
  assert.deepEqual(
    seen.map(({ status }) => status),
    [200, null, 206, 206, 206, 206],
  );
  assert.deepEqual(
    told,
    told.toSorted((a, b) => a - b),
  );
});

test('a part of a file goes on where it was, too', async () => {
  const folder = await makeFolder(cabinet);
  const content = randomBytes(1_000_000);
  const saved = await saveFile(cabinet, { folder, name: 'd', content });
  const range = { start: 300_000, end: 900_000 };
  const { result } = await withFaults(['cut within', 'cut within'], () => readFile(cabinet, saved.Id, range));
  assert.deepEqual(Buffer.from(result), content.subarray(300_000, 900_000));
});

test('a file that is changed while it is read is not mixed with what it was', async () => {
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, { folder, name: 'd', content: randomBytes(1_000_000) });
  const id = saved.Id;
  proxy.plan('cut within');
  const { stream } = await openFile(cabinet, id);
  await saveFile(ground.connect(), { folder, name: 'd', content: randomBytes(1_000_000) });
  await assert.rejects(new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(), {
    code: 'PreconditionFailed',
  });
});

test('a service that is gone is unreachable, after the retries', async () => {
  const gone = ground.connect({ url: 'http://127.0.0.1:9', token: async () => 't', retries: 2 });
  await assert.rejects(showFolder(gone, '-root-'), (error) => {
    assert.ok(error instanceof CabinetError);
    assert.equal(error.code, 'Unreachable');
    assert.match(error.message, /127\.0\.0\.1:9/);
    return true;
  });
});
