import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { addApplication, fileIn, inline, what } from '../../../test/contracts/requests.ts';
import { freeMemory } from '../../runtime/own-memory.ts';
import { toCatalog } from '../catalog.ts';
import { openSqlite } from './sqlite.ts';
import { attachSqlite } from './worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'cabinet-kept-reads-'));
const path = join(folder, 'catalog.db');
const engine = await openSqlite({ path, onFatal: assert.fail });
const catalog = toCatalog(engine);
const other = toCatalog(attachSqlite({ path, port: engine.openWorkerPort(), onFatal: assert.fail }));
after(async () => {
  await other.close();
  await catalog.close();
  rmSync(folder, { recursive: true });
});

const application = await addApplication(catalog, 'app');
const { space } = application;

async function save(name: string, text: string): Promise<string> {
  const content = inline(Buffer.from(text));
  const { file } = await catalog.saveFile(fileIn(application, name, { content, conflict: 'Version' }));
  return file.id;
}

test('a content is kept until the next commit, by whichever thread, and is then read again', async () => {
  const id = await save('kept.txt', 'one');
  for (const reader of [catalog, other]) {
    const first = await reader.findContent({ space, id, version: null });
    assert.equal(await reader.findContent({ space, id, version: null }), first, 'the same object');
    await save(`by the way ${reader === other}.txt`, 'x');
    const again = await reader.findContent({ space, id, version: null });
    assert.notEqual(again, first);
    assert.deepEqual(again, first);
  }
});

test('what a commit changed or removed is never read as it was', async () => {
  const id = await save('changing.txt', 'one');
  for (let round = 0; round < 20; round += 1) {
    const [before] = await Promise.all([
      catalog.findContent({ space, id, version: null }),
      other.findDetails({ space, id }),
    ]);
    assert.equal(before?.version, round + 1);
    await save('changing.txt', `round ${round}`);
    assert.equal((await catalog.findContent({ space, id, version: null }))?.version, round + 2);
    assert.equal((await other.findDetails({ space, id }))?.version, round + 2);
  }
  await catalog.trashEntry({ space, id, ...what });
  assert.equal(await catalog.findContent({ space, id, version: null }), null);
  assert.equal(await other.findDetails({ space, id }), null);
});

test('another space does not get what is kept', async () => {
  const id = await save('ours.txt', 'ours');
  const { space: theirs } = await addApplication(catalog, 'others');
  assert.notEqual(await catalog.findContent({ space, id, version: null }), null);
  assert.equal(await catalog.findContent({ space: theirs, id, version: null }), null);
});

async function saveLarge(name: string): Promise<string> {
  return await save(name, name.padEnd(largeBytes));
}

async function readBytes(id: string): Promise<Uint8Array> {
  const content = await catalog.findContent({ space, id, version: null });
  return content?.bytes ?? assert.fail();
}

const largeBytes = 60 * 1024;

test('a larger content belongs to whoever reads it first, and is kept when it is read again', async () => {
  const id = await saveLarge('larger');
  const own = await readBytes(id);
  freeMemory(own);
  assert.equal(own.byteLength, 0);
  const kept = await readBytes(id);
  assert.equal(kept.byteLength, largeBytes);
  freeMemory(kept);
  assert.equal(await readBytes(id), kept);
  assert.equal(kept.byteLength, largeBytes);
});

test('contents that are read in turns and are more than is kept drive nothing out, and none of them is kept', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 200; index += 1) ids.push(await saveLarge(`in turns ${index}`));
  const hot = await saveLarge('hot');
  const small = await save('small', 'small');
  await readBytes(hot);
  const kept = [await readBytes(hot), await readBytes(small)];
  for (let round = 0; round < 3; round += 1) {
    for (const id of ids) {
      const bytes = await readBytes(id);
      freeMemory(bytes);
      assert.equal(bytes.byteLength, 0);
    }
  }
  assert.equal(await readBytes(hot), kept[0]);
  assert.equal(await readBytes(small), kept[1]);
});

test('what is kept is bounded: contents that are read twice drive out what was read before', async () => {
  const first = await saveLarge('first');
  const ids: string[] = [];
  for (let index = 0; index < 200; index += 1) ids.push(await saveLarge(`twice ${index}`));
  await readBytes(first);
  const kept = await readBytes(first);
  assert.equal(await readBytes(first), kept);
  for (const id of ids) for (let time = 0; time < 2; time += 1) await readBytes(id);
  assert.notEqual(await readBytes(first), kept);
});
