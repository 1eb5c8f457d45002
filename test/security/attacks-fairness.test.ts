// Attacks of one tenant on what all share for a moment: slots for large bodies, batches and archives, and memory for
// bodies. Each holds all that it is given; another tenant must not notice.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import {
  type Caller,
  CONTENT,
  call,
  createFolder,
  identity,
  listFolder,
  postFile,
  saveFile,
  send,
} from '../interface/client.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { tally } from './tally.ts';

const mib = 1024 * 1024;
const dataFolder = makeDataFolder();
let service: StartedHere;
let hostile: Caller;
let normal: Caller;

before(async () => {
  service = await startServiceHere(dataFolder);
  hostile = await addCaller(dataFolder, service.production, 'hostile');
  normal = await addCaller(dataFolder, service.production, 'normal');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

interface Slow {
  /** 0: no answer yet. */
  status(): number;
  close(): void;
}

/** Sends all of the body but its last byte, and leaves the answer unread. */
function hold(caller: Caller, path: string, { headers = {}, body, method = 'POST' }: HoldOptions): Slow {
  const { hostname, port } = new URL(caller.base);
  let status = 0;
  const outgoing: ClientRequest = httpRequest({
    hostname,
    port,
    path: CONTENT + path,
    method,
    headers: { ...identity(caller), ...headers, ...(body && { 'Content-Length': body.length }) },
    agent: false,
  } as object);
  outgoing.on('response', (incoming) => {
    status = incoming.statusCode ?? 0;
    incoming.on('error', () => undefined);
  });
  outgoing.on('error', () => undefined);
  if (body === undefined) outgoing.end();
  else outgoing.write(body.subarray(0, -1));
  return { status: () => status, close: () => outgoing.destroy() };
}

interface HoldOptions {
  headers?: Record<string, string>;
  body?: Buffer;
  method?: string;
}

const toJsonFile = (bytes: number) => Buffer.from(JSON.stringify({ filename: randomBytes(bytes).toString('base64') }));
const asJson = { 'Content-Type': 'application/json' };

function toBatch(bytes: number): { headers: Record<string, string>; body: Buffer } {
  const head = '--b\r\nContent-Disposition: form-data; name="filename"; filename="f"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head), randomBytes(bytes), Buffer.from('\r\n--b--\r\n')]);
  return { headers: { 'Content-Type': 'multipart/form-data; boundary=b' }, body };
}

async function saveBatch(caller: Caller): Promise<number> {
  const { headers, body } = toBatch(2 * mib);
  return (await call(caller, '/files/batch', { method: 'POST', headers, body })).status;
}

async function saveJson(caller: Caller, bytes: number): Promise<number> {
  return (await postFile(caller, { FileName: 'json', ...asJson }, toJsonFile(bytes))).status;
}

test('slow base64 bodies and batches of one tenant refuse its own, and nobody else’s', async () => {
  const held = Array.from({ length: 12 }, (_, index) =>
    index % 2 === 0
      ? hold(hostile, '/files', { headers: { FileName: `slow ${index}`, ...asJson }, body: toJsonFile(2 * mib) })
      : hold(hostile, '/files/batch', toBatch(2 * mib)),
  );
  await eventually('its own are refused', async () => held.filter(({ status }) => status() === 403).length >= 4);
  assert.equal(await saveJson(normal, 2 * mib), 200);
  assert.equal(await saveBatch(normal), 200);
  assertRefusal(await postFile(hostile, { FileName: 'x', ...asJson }, toJsonFile(2 * mib)), 403, 'TooManyUploads');
  for (const { close } of held) close();
  await eventually('its own are taken again', async () => (await saveJson(hostile, 2 * mib)) === 200);
  tally('attacks of tenants', 12);
});

test('slow readers of archives of one tenant refuse its own, and nobody else’s', async () => {
  // More than sockets keep for who does not read.
  const { Id } = await createFolder(hostile, '-root-', 'archived');
  for (let index = 0; index < 3; index += 1) {
    await saveFile(hostile, { FolderId: Id, FileName: `f${index}` }, randomBytes(6 * mib));
  }
  const folder = await createFolder(normal, '-root-', 'archived');
  const path = `/folders/${Id}/archive`;
  const held = Array.from({ length: 20 }, () => hold(hostile, path, { method: 'GET' }));
  const count = (status: number) => held.filter((one) => one.status() === status).length;
  await eventually('all are answered', async () => count(200) + count(403) === held.length);
  assert.equal(count(200), 16);
  assert.equal((await call(normal, `/folders/${folder.Id}/archive`)).status, 200);
  for (const { close } of held) close();
  tally('attacks of tenants', 20);
});

/** Of the production environment. */
async function readHeldBytes(): Promise<number> {
  const { body } = await send(service.production, '/metrics');
  return Number(/^cabinet_body_memory_bytes\S* (\d+)$/m.exec(body.toString())?.[1]);
}

test('slow JSON bodies of one tenant take a bounded part of the memory, and another tenant’s are read at once', async () => {
  const body = Buffer.from(JSON.stringify({ FolderName: 'f', Properties: { a: 'x'.repeat(mib - 100) } }));
  const held = Array.from({ length: 150 }, () => hold(hostile, '/folders', { headers: asJson, body }));
  await eventually('they hold what they may', async () => (await readHeldBytes()) > 31 * mib);
  // Those that wait for memory are answered once others of theirs end: nothing of the others depends on it.
  for (let index = 0; index < 5; index += 1) {
    assert.equal(await saveJson(normal, 500_000), 200);
    await createFolder(normal, '-root-', `while they wait ${index}`, { Properties: { a: 'x'.repeat(4000) } });
  }
  assert.ok(held.every(({ status }) => status() === 0));
  assert.ok((await readHeldBytes()) <= 32 * mib, 'a quarter of all memory for bodies');
  assert.equal((await listFolder(hostile, '-root-')).length > 0, true, 'its own requests without large bodies go on');
  for (const { close } of held) close();
  tally('attacks of tenants', 150);
});

test('behind a proxy that hides addresses, one person who asks for page after page does not lock out the others', async () => {
  const ask = (client: string) =>
    send(service.production, '/oauth2/logout', { headers: { Accept: 'text/html', 'X-Forwarded-For': client } });
  for (let round = 0; round < 8; round += 1) {
    await Promise.all(Array.from({ length: 50 }, () => ask('192.0.2.1')));
  }
  assert.notEqual((await ask('192.0.2.2')).status, 403);
  tally('attacks of tenants');
});
