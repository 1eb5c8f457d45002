// Reads of contents in the journal, where configured: durable before the first byte is sent.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { type Caller, CONTENT, call, createFolder, fetchToken, identity, saveFile } from '../interface/client.ts';
import { type Event, get } from '../interface/managing.ts';
import { cabinetJson } from './here.ts';
import { addCaller, makeDataFolder, type Registered, removeDataFolder, type Started, startService } from './service.ts';

const dataFolder = makeDataFolder();
const environment = { CABINET_AUDIT_READS: 'yes' } as const;
let service: Started;
let reader: Caller;

before(async () => {
  service = await startService(dataFolder, { environment });
  reader = await addCaller(dataFolder, service.production, 'reader');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

/** A token names its issuer, whose address is another one after each start. */
async function signInAgain(): Promise<void> {
  const base = service.production;
  reader = { ...reader, base, token: await fetchToken(base, reader.application) };
}

interface Row {
  by: string;
  entry: string;
  details: string;
  request: string;
}

/** By file, oldest first. */
function readsOf(id: string): Row[] {
  const database = new DatabaseSync(join(dataFolder, 'production/catalog.db'), { readOnly: true });
  const sql = `SELECT by, entry, details, request FROM journal WHERE action = 'file.read' AND entry = ? ORDER BY position`;
  const found = database.prepare(sql).all(id) as unknown as Row[];
  database.close();
  return found;
}

async function newFile(bytes: string | Uint8Array): Promise<string> {
  const folder = await createFolder(reader, '-root-', randomBytes(8).toString('hex'));
  return (await saveFile(reader, { FolderId: folder.Id, FileName: 'a' }, bytes)).File.Id;
}

const content = (id: string, headers = {}, method = 'GET') => call(reader, `/files/${id}/content`, { method, headers });

test('Each download is recorded once, with actor and tracking id; responses without bytes are not', async () => {
  for (const bytes of ['small', randomBytes(3 * 2 ** 20)]) {
    const id = await newFile(bytes);
    const whole = await content(id);
    assert.equal(whole.status, 200);
    const [read, ...others] = readsOf(id);
    assert.equal(others.length, 0);
    assert.deepEqual([read?.by, read?.request], ['app:reader', whole.headers.requesttrackingid]);
    assert.equal((await content(id, { Range: 'bytes=0-0,2-3' })).status, 206);
    assert.equal(readsOf(id).length, 2);
    assert.equal((await content(id, { 'If-None-Match': String(whole.headers.etag) })).status, 304);
    assert.equal((await content(id, { Range: 'bytes=99999999-' })).status, 416);
    assert.equal((await call(reader, `/entries/${id}`)).status, 200);
    assert.equal(readsOf(id).length, 2);
    assert.equal((await call(reader, `/files/${id}/content?version=1`)).status, 200);
    assert.equal(readsOf(id).at(-1)?.details, '{"version":1}');
  }
});

test('A file that is sent within a ZIP or through a link is recorded too', async () => {
  const folder = await createFolder(reader, '-root-', 'packed');
  const { File } = await saveFile(reader, { FolderId: folder.Id, FileName: 'a' }, 'inside');
  assert.equal((await call(reader, `/folders/${folder.Id}/archive`)).status, 200);
  assert.equal(readsOf(File.Id).length, 1);
  const link = await call(reader, `/files/${File.Id}/link`, { method: 'POST' });
  const { Url } = JSON.parse(link.body.toString()) as { Url: string };
  const fetched = await fetch(Url);
  assert.equal(await fetched.text(), 'inside');
  assert.equal(readsOf(File.Id).length, 2);
  assert.equal(readsOf(File.Id)[1]?.by, 'app:reader');
});

test('The row is durable when the first byte arrives', async () => {
  const id = await newFile(randomBytes(8 * 2 ** 20));
  const { hostname, port } = new URL(service.production);
  const path = `${CONTENT}/files/${id}/content`;
  await new Promise<void>((resolve, reject) => {
    const outgoing = request({ hostname, port, path, headers: identity(reader) as Record<string, string> });
    outgoing.on('error', () => undefined);
    outgoing.on('response', (incoming) => {
      incoming.on('error', () => undefined);
      incoming.once('data', () => {
        service.process.kill('SIGKILL');
        resolve();
      });
      incoming.once('end', () => reject(new Error('it was over before it could be killed')));
    });
    outgoing.end();
  });
  await service.stop();
  assert.equal(readsOf(id).length, 1);
  service = await startService(dataFolder, { environment });
  await signInAgain();
});

test('Managers see reads, followers do not', async () => {
  const registered = await cabinetJson<Registered>(dataFolder, [
    'app',
    'add',
    'auditor',
    '--space',
    'reader',
    '--scopes',
    'content.read content.admin',
  ]);
  const application = { Name: 'auditor', ...registered };
  const auditor = { base: service.production, application, token: await fetchToken(service.production, application) };
  const id = await newFile('x');
  await content(id);
  const { Events } = await get<{ Events: Event[] }>(auditor, `/audit?entry=${id}&action=file.read`);
  assert.equal(Events.length, 1);
  assert.equal(Events[0]?.By, 'app:reader');
  const { Changes } = await get<{ Changes: { Action: string }[] }>(auditor, '/changes?limit=1000');
  assert.ok(Changes.length > 0);
  assert.ok(!Changes.some(({ Action }) => Action === 'file.read'));
});

test('Nothing is recorded unless configured', async () => {
  const id = await newFile('x');
  await service.stop();
  service = await startService(dataFolder);
  await signInAgain();
  assert.equal((await content(id)).status, 200);
  assert.deepEqual(readsOf(id), []);
});
