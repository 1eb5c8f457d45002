// Resumable uploads across the life of the process: a kill or a stop in the middle, expiry, another token.

import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findFreePort } from '../free-ports.ts';
import { assertAnswer } from '../interface/assertions.ts';
import {
  assertEmptyFolder,
  type Caller,
  CONTENT,
  call,
  fetchToken,
  identity,
  makeFolder,
  send,
} from '../interface/client.ts';
import {
  append,
  assertSaved,
  begin,
  createTus,
  head,
  headTus,
  patchTus,
  toMetadata,
  toPath,
} from '../interface/uploads.ts';
import { readMetrics, sumOf } from './prometheus.ts';
import {
  addCaller,
  type Environment,
  eventually,
  makeDataFolder,
  removeDataFolder,
  type StartedWithClock,
  startService,
} from './service.ts';

const mib = 1024 * 1024;
const sweepEveryMs = 60 * 60 * 1000;
const uploadMs = sweepEveryMs / 2;
const dataFolder = makeDataFolder();
const bytes = randomBytes(5 * mib);
let environment: Environment;
let service: StartedWithClock;
let caller: Caller;

before(async () => {
  // The same port after each start: tokens are of one address.
  // Uploads expire long after any test is over, and before the first sweep.
  environment = { CABINET_PORT: String(await findFreePort()), CABINET_UPLOAD_HOURS: '0.5' };
  service = await startService(dataFolder, { environment, readyWithinMs: 180_000, hasClock: true });
  caller = await addCaller(dataFolder, service.production, 'resumer');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function restart(how: NodeJS.Signals): Promise<number | null> {
  const code = await service.stop(how);
  service = await startService(dataFolder, { environment, readyWithinMs: 180_000, hasClock: true });
  return code;
}

function listBlobs(): string[] {
  const folder = join(dataFolder, 'production/blobs');
  return readdirSync(folder).flatMap((shard) => readdirSync(join(folder, shard)));
}

async function countReceived(): Promise<number> {
  const { body } = await send(service.production, '/metrics');
  return sumOf(readMetrics(body.toString()), 'cabinet_received_bytes_total');
}

/** Sends part of what it says, and stays. */
async function sendSome(path: string, offset: number, some: Buffer): Promise<Socket> {
  const { hostname, port } = new URL(caller.base);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const { Authorization, AppKey } = identity(caller);
  socket.write(
    `PATCH ${CONTENT}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nAppKey: ${AppKey}\r\n` +
      `Upload-Offset: ${offset}\r\nUpload-Complete: ?1\r\nContent-Type: application/partial-upload\r\n` +
      `Content-Length: ${bytes.length - offset}\r\n\r\n`,
  );
  await new Promise<void>((resolve) => socket.write(some, () => resolve()));
  return socket;
}

async function beginHere() {
  const folder = await makeFolder(caller);
  const headers = {
    FolderId: folder.Id,
    FileName: 'a.bin',
    'Upload-Complete': '?0',
    'Upload-Length': `${bytes.length}`,
  };
  return { folder, path: toPath(await begin(caller, headers)) };
}

test('acknowledged bytes survive two kills, and the finished file has its digest', async () => {
  const { folder, path } = await beginHere();
  const first = await append(caller, path, { offset: 0, isLast: false }, bytes.subarray(0, mib + 7));
  assert.equal(first.headers['upload-offset'], String(mib + 7));
  const socket = await sendSome(path, mib + 7, bytes.subarray(mib + 7, 3 * mib));
  await restart('SIGKILL');
  socket.destroy();
  const offset = Number((await head(caller, path)).headers['upload-offset']);
  assert.ok(offset >= mib + 7 && offset <= 3 * mib, `${offset}`);
  await assertEmptyFolder(caller, folder);
  await append(caller, path, { offset, isLast: false }, bytes.subarray(offset, 4 * mib + 1));
  await restart('SIGKILL');
  const last = await append(caller, path, { offset: 4 * mib + 1, isLast: true }, bytes.subarray(4 * mib + 1));
  const id = await assertSaved(caller, last, bytes);
  const { Sha256 } = assertAnswer(await call(caller, `/entries/${id}`)) as { Sha256: string };
  assert.equal(Sha256, hash('sha256', bytes));
  await restart('SIGKILL');
  assert.equal((await head(caller, path)).headers.entryid, last.headers.entryid);
});

test('a stop keeps what has arrived, and exits cleanly', async () => {
  const { path } = await beginHere();
  const before = await countReceived();
  const socket = await sendSome(path, 0, bytes.subarray(0, 2 * mib));
  await eventually('it has arrived', async () => (await countReceived()) >= before + 2 * mib);
  const stopping = restart('SIGTERM');
  const isRefused = () =>
    send(service.production, '/health/live').then(
      () => false,
      () => true,
    );
  await eventually('no connection is taken any more', isRefused);
  socket.destroy();
  assert.equal(await stopping, 0);
  const offset = Number((await head(caller, path)).headers['upload-offset']);
  assert.equal(offset, 2 * mib);
  await assertSaved(caller, await append(caller, path, { offset, isLast: true }, bytes.subarray(offset)), bytes);
});

test('another token of the same application continues an upload', async () => {
  const { path } = await beginHere();
  await append(caller, path, { offset: 0, isLast: false }, bytes.subarray(0, mib));
  const other = { ...caller, token: await fetchToken(caller.base, caller.application) };
  assert.notEqual(other.token, caller.token);
  await assertSaved(other, await append(other, path, { offset: mib, isLast: true }, bytes.subarray(mib)), bytes);
});

test('bytes are written once, to their final place', async () => {
  const before = new Set(listBlobs());
  const { path } = await beginHere();
  const own = Buffer.concat([randomBytes(16), bytes.subarray(16)]);
  await append(caller, path, { offset: 0, isLast: false }, own.subarray(0, mib));
  const [blob, ...others] = listBlobs().filter((name) => !before.has(name));
  assert.equal(others.length, 0);
  await append(caller, path, { offset: mib, isLast: true }, own.subarray(mib));
  assert.deepEqual(
    listBlobs().filter((name) => !before.has(name)),
    [blob],
  );
});

test('unfinished uploads expire and are removed with their bytes; finished files stay', async () => {
  const folder = await makeFolder(caller);
  const kept = listBlobs().length;
  const named = { 'Upload-Metadata': toMetadata({ filename: 'late', folderid: folder.Id }) };
  const tus = toPath(await createTus(caller, { ...named, 'Upload-Length': '100000' }, bytes.subarray(0, 70_000)));
  const draft = await beginHere();
  const appended = await append(caller, draft.path, { offset: 0, isLast: false }, bytes.subarray(0, 70_000));
  assert.equal(appended.status, 204);
  assert.equal(listBlobs().length, kept + 2);
  assert.equal((await headTus(caller, tus)).status, 200);
  await service.advance(uploadMs + 1000);
  assert.equal((await headTus(caller, tus)).status, 410);
  assert.equal((await head(caller, draft.path)).status, 410);
  assert.equal((await patchTus(caller, tus, 70_000, bytes.subarray(70_000, 100_000))).status, 410);
  await service.advance(sweepEveryMs);
  await eventually('their bytes are gone', () => listBlobs().length === kept, 20_000);
  // By then the token had expired.
  await restart('SIGTERM');
  assert.equal((await headTus(caller, tus)).status, 404);
  await assertEmptyFolder(caller, folder);
});
