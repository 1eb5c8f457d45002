// Bytes that the disk has lost or changed: never served as valid, and never relied on by a new save.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, download, makeFolder, postFile, saveFile } from '../interface/client.ts';
import { addCaller, makeDataFolder, removeDataFolder } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let caller: Caller;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_LOG_LEVEL: 'silent' } });
  caller = await addCaller(dataFolder, service.production, 'app');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

function listBlobs(): string[] {
  const folder = join(dataFolder, 'production', 'blobs');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f]{32}$/.test(name))
    .map((name) => join(folder, name));
}

/** Saves bytes of which nobody else has a copy; returns the file that holds them. */
async function saveLarge(name: string, bytes: Buffer): Promise<{ id: string; path: string }> {
  const known = new Set(listBlobs());
  const { File } = await saveFile(caller, { FolderId: '', FileName: name }, bytes);
  return { id: File.Id, path: listBlobs().find((path) => !known.has(path)) as string };
}

test('a changed byte in the first MiB is a 500, and later a broken connection: never wrong bytes with a 200', async () => {
  const bytes = randomBytes(2_500_000);
  for (const at of [0, 500_000, 1_048_576, 2_499_999]) {
    const { id, path } = await saveLarge(`rot-${at}`, Buffer.concat([bytes, Buffer.from(String(at))]));
    const stored = readFileSync(path);
    stored[at] = (stored[at] as number) ^ 1;
    writeFileSync(path, stored);
    if (at < 1_048_576) assertRefusal(await call(caller, `/files/${id}/content`), 500, 'InternalError');
    else await assert.rejects(call(caller, `/files/${id}/content`));
  }
});

test('bytes that another space has are stored again: its own are neither read nor repaired', async () => {
  const bytes = randomBytes(300_000);
  const { id, path } = await saveLarge('rotten here', bytes);
  truncateSync(path, 1000);
  const other = await addCaller(dataFolder, service.production, 'other');
  const { File } = await saveFile(other, { FolderId: '', FileName: 'whole there' }, bytes);
  assert.ok((await download(other, File.Id)).equals(bytes));
  assertRefusal(await call(caller, `/files/${id}/content`), 500, 'InternalError');
});

test('a range is verified by its whole MiB, and ranges of other MiBs are served', async () => {
  const bytes = randomBytes(2_500_000);
  const { id, path } = await saveLarge('rotten-range', bytes);
  const stored = readFileSync(path);
  stored[1_500_000] = (stored[1_500_000] as number) ^ 1;
  writeFileSync(path, stored);
  const ask = (Range: string) => call(caller, `/files/${id}/content`, { headers: { Range } });
  for (const range of ['bytes=1500000-1500000', 'bytes=1048576-1048576', 'bytes=2000000-2000001']) {
    assertRefusal(await ask(range), 500, 'InternalError');
  }
  for (const [first, last] of [
    [0, 1_048_575],
    [2_097_152, 2_499_999],
  ] as const) {
    const answer = await ask(`bytes=${first}-${last}`);
    assert.equal(answer.status, 206);
    assert.ok(answer.body.equals(bytes.subarray(first, last + 1)));
  }
});

function flip(path: string): void {
  const stored = readFileSync(path);
  stored[1000] = (stored[1000] as number) ^ 1;
  writeFileSync(path, stored);
}

for (const [how, lose] of [
  ['lost', (path: string) => rmSync(path)],
  ['cut', (path: string) => truncateSync(path, 1000)],
  ['changed', flip],
] as const) {
  test(`saving the same bytes again repairs content that was ${how}`, async () => {
    const bytes = randomBytes(300_000);
    const { id, path } = await saveLarge(`${how}.bin`, bytes);
    lose(path);
    assertRefusal(await call(caller, `/files/${id}/content`), 500, 'InternalError');
    const again = await saveFile(caller, { FolderId: '', FileName: `${how} again.bin` }, bytes);
    assert.ok((await download(caller, again.File.Id)).equals(bytes));
    assert.ok((await download(caller, id)).equals(bytes), 'the old record has its bytes back too');
    lose(listBlobs().find((candidate) => candidate !== path && readFileSync(candidate).equals(bytes)) as string);
    await saveFile(caller, { FolderId: '', FileName: `${how}.bin` }, bytes);
    assert.ok((await download(caller, id)).equals(bytes), 'a blind retry mends it as well');
  });
}

test('a blob that was found whole a moment ago is read again once it was touched', async () => {
  for (const [how, lose] of [
    ['lost', (path: string) => rmSync(path)],
    ['cut', (path: string) => truncateSync(path, 1000)],
    ['changed', flip],
  ] as const) {
    const bytes = randomBytes(300_000);
    const { id, path } = await saveLarge(`touched-${how}`, bytes);
    for (const name of ['second', 'third']) await saveFile(caller, { FolderId: '', FileName: `${how} ${name}` }, bytes);
    lose(path);
    await saveFile(caller, { FolderId: '', FileName: `${how} fourth` }, bytes);
    assert.ok((await download(caller, id)).equals(bytes), how);
  }
});

/** As a disk would change it: past the service. */
function change(sql: string, ...values: string[]): void {
  const database = new DatabaseSync(join(dataFolder, 'production', 'catalog.db'), { timeout: 5000 });
  database.prepare(sql).run(...values);
  database.close();
}

test('saving the same bytes again repairs changed checksums', async () => {
  const bytes = randomBytes(300_000);
  const { id, path } = await saveLarge('checksums', bytes);
  const blob = path.slice(-32);
  change(`UPDATE contents SET checksums = x'00000000' WHERE blob = ?`, blob);
  assertRefusal(await call(caller, `/files/${id}/content`), 500, 'InternalError');
  await saveFile(caller, { FolderId: '', FileName: 'checksums again' }, bytes);
  assert.ok((await download(caller, id)).equals(bytes));
});

test('a changed small content is a 500, and a retry of its save repairs it', async () => {
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'small' }, 'small');
  change(
    `UPDATE contents SET bytes = x'736d616c6d' WHERE content =
       (SELECT content FROM versions JOIN entries USING (entry) WHERE id = ?)`,
    File.Id,
  );
  assertRefusal(await call(caller, `/files/${File.Id}/content`), 500, 'InternalError');
  await saveFile(caller, { FolderId: '', FileName: 'small' }, 'small');
  assert.equal((await download(caller, File.Id)).toString(), 'small');
});

test('a file that points to other bytes or another version is a 500, even after a change of its record', async () => {
  const one = await saveFile(caller, { FolderId: '', FileName: 'pointing-1' }, 'the first');
  const two = await saveFile(caller, { FolderId: '', FileName: 'pointing-2' }, 'other');
  const content = 'SELECT content FROM versions JOIN entries USING (entry) WHERE id = ?';
  const entry = '(SELECT entry FROM entries WHERE id = ?)';
  change(`UPDATE versions SET content = (${content}) WHERE entry = ${entry}`, two.File.Id, one.File.Id);
  assertRefusal(await call(caller, `/files/${one.File.Id}/content`), 500, 'InternalError');

  await saveFile(caller, { FolderId: '', FileName: 'pointing-2' }, 'newer');
  change('UPDATE entries SET version = 1, size = 5 WHERE id = ?', two.File.Id);
  assertRefusal(await call(caller, `/files/${two.File.Id}/content`), 500, 'InternalError');
  const renamed = { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: '{"Name":"renamed"}' };
  assert.equal((await call(caller, `/entries/${two.File.Id}`, renamed)).status, 200);
  assertRefusal(await call(caller, `/files/${two.File.Id}/content`), 500, 'InternalError');
});

test("folders that are each other's parents are a 500 and hold nobody up", { timeout: 120_000 }, async () => {
  const outer = await makeFolder(caller);
  const inner = await makeFolder(caller);
  change('UPDATE entries SET parent = (SELECT entry FROM entries WHERE id = ?) WHERE id = ?', outer.Id, inner.Id);
  change('UPDATE entries SET parent = (SELECT entry FROM entries WHERE id = ?) WHERE id = ?', inner.Id, outer.Id);
  assertRefusal(await call(caller, `/folders/${inner.Id}`), 500, 'InternalError');
  assertRefusal(await postFile(caller, { FolderId: inner.Id, FileName: 'x' }, 'x'), 500, 'InternalError');
  await saveFile(caller, { FolderId: '', FileName: 'others' }, 'go on');
});
