// Attacks of one tenant on the disk that all share: unfinished uploads beside a quota, many bodies at once for the same free room,
// spaces without limit, and a disk at its reserve.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import {
  type Caller,
  CONTENT,
  call,
  download,
  fetchToken,
  identity,
  postFile,
  saveFile,
  send,
} from '../interface/client.ts';
import { get } from '../interface/managing.ts';
import { begin, createTus, patchTus, toMetadata, toPath } from '../interface/uploads.ts';
import { addUser, setRole } from '../service/operator.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { addPage, discover, signIn } from './people.ts';
import { tally } from './tally.ts';

const mib = 1024 * 1024;
const dataFolder = makeDataFolder();
let service: StartedHere;

before(async () => {
  const environment = { CABINET_SPACE_QUOTA: '4MiB', CABINET_SPACES_PER_PERSON: '3' };
  service = await startServiceHere(dataFolder, { environment });
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

/** Of a space of its own, which may hold 4 MiB. */
const newTenant = (name: string) => addCaller(dataFolder, service.production, name);

type Usage = { Space: { Bytes: number; Quota?: { Bytes: number } }; By: { Actor: string; Bytes: number }[] };
const usageOf = (caller: Caller) => get<Usage>(caller, '/usage');

const named = (filename: string) => ({ 'Upload-Metadata': toMetadata({ filename }) });

test('unfinished uploads of every protocol and kind count as used, and cannot pass the quota together', async () => {
  const tenant = await newTenant('parker');
  assert.equal((await usageOf(tenant)).Space.Quota?.Bytes, 4 * mib);
  const ways = [
    async () => {
      const created = await createTus(tenant, { 'Upload-Length': String(2 * mib), ...named('tus') });
      return created.status === 201 ? await patchTus(tenant, toPath(created), 0, randomBytes(mib)) : created;
    },
    async () => {
      const created = await createTus(tenant, { 'Upload-Length': String(mib), 'Upload-Concat': 'partial' });
      return created.status === 201 ? await patchTus(tenant, toPath(created), 0, randomBytes(mib)) : created;
    },
    async () => {
      const created = await createTus(tenant, { 'Upload-Defer-Length': '1', ...named('deferred') });
      return created.status === 201 ? await patchTus(tenant, toPath(created), 0, randomBytes(mib)) : created;
    },
    async () =>
      await begin(
        tenant,
        { FileName: 'draft', 'Upload-Complete': '?0', 'Upload-Draft-Interop-Version': '6' },
        randomBytes(mib),
      ),
  ];
  let refused = 0;
  for (let round = 0; round < 3; round += 1) {
    for (const way of ways) {
      const answer = await way();
      if (answer.status < 300) continue;
      assertRefusal(answer, 403, 'QuotaExceeded');
      refused += 1;
    }
  }
  const { Space, By } = await usageOf(tenant);
  assert.equal(Space.Bytes, 4 * mib, 'exactly what is allowed was parked');
  assert.deepEqual(
    By.map(({ Actor, Bytes }) => [Actor, Bytes]),
    [['app:parker', 4 * mib]],
  );
  assert.equal(refused, 8);
  assertRefusal(await postFile(tenant, { FileName: 'more' }, 'x'), 403, 'QuotaExceeded');
  tally('attacks of tenants', refused + 1);
});

test('what is parked becomes the file without counting twice, also when it is joined from parts', async () => {
  const tenant = await newTenant('joiner');
  const whole = await createTus(tenant, { 'Upload-Length': String(3 * mib), ...named('whole') });
  assert.equal((await patchTus(tenant, toPath(whole), 0, randomBytes(3 * mib))).status, 204);
  assert.equal((await usageOf(tenant)).Space.Bytes, 3 * mib);

  const other = await newTenant('joiner-of-parts');
  const parts: string[] = [];
  for (const size of [mib, 2 * mib]) {
    const part = await createTus(other, { 'Upload-Length': String(size), 'Upload-Concat': 'partial' });
    assert.equal((await patchTus(other, toPath(part), 0, randomBytes(size))).status, 204);
    parts.push(CONTENT + toPath(part));
  }
  const joined = await createTus(other, { 'Upload-Concat': `final;${parts.join(' ')}`, ...named('joined') });
  assert.equal(joined.status, 201, joined.body.toString());
  assert.equal((await usageOf(other)).Space.Bytes, 3 * mib);
});

test('a removed or refused upload gives its bytes back', async () => {
  const tenant = await newTenant('remover');
  const created = await createTus(tenant, { 'Upload-Defer-Length': '1', ...named('gone') });
  await patchTus(tenant, toPath(created), 0, randomBytes(mib));
  assert.equal((await usageOf(tenant)).Space.Bytes, mib);
  await call(tenant, toPath(created), { method: 'DELETE', headers: { 'Tus-Resumable': '1.0.0' } });
  assert.equal((await usageOf(tenant)).Space.Bytes, 0);
});

/** Sends chunked bytes without end until it is refused. Resolves to the status. */
function pour(caller: Caller, path: string, { method, headers }: { method: string; headers: object }) {
  const { hostname, port } = new URL(caller.base);
  const block = randomBytes(64 * 1024);
  return new Promise<number>((resolve) => {
    let sentBytes = 0;
    let isOver = false;
    const outgoing = httpRequest({
      hostname,
      port,
      path: CONTENT + path,
      method,
      headers: { ...identity(caller), ...headers },
    } as object);
    const end = (status: number) => {
      isOver = true;
      outgoing.destroy();
      resolve(status);
    };
    outgoing.on('response', ({ statusCode }) => end(statusCode ?? 0));
    outgoing.on('error', () => end(0));
    const send = () => {
      if (isOver) return;
      sentBytes += block.length;
      assert.ok(sentBytes < 128 * mib, 'all of it was taken');
      outgoing.write(block, () => setImmediate(send));
    };
    send();
  });
}

test('a body of unknown length is refused as soon as it passes the quota, not when it ends', async () => {
  const tenant = await newTenant('pourer');
  const saved = await pour(tenant, '/files', { method: 'POST', headers: { FileName: 'endless' } });
  assert.equal(saved, 403);
  const created = await createTus(tenant, { 'Upload-Defer-Length': '1', ...named('endless') });
  const headers = { 'Tus-Resumable': '1.0.0', 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
  const parked = await pour(tenant, toPath(created), { method: 'PATCH', headers });
  assert.equal(parked, 403);
  assert.ok((await usageOf(tenant)).Space.Bytes <= 4 * mib);
  tally('attacks of tenants', 2);
});

test('many bodies at once do not each get the same free room', async () => {
  const tenant = await newTenant('crowd');
  // None of them ends, so none has a record.
  const held = Array.from({ length: 6 }, () => holdOpen(tenant, 2 * mib));
  await eventually('most are refused', async () => held.filter(({ isRefused }) => isRefused()).length >= 4);
  for (const { close } of held) close();
  await eventually(
    'there is room again',
    async () => (await postFile(tenant, { FileName: 'after' }, randomBytes(3 * mib))).status === 200,
  );
  tally('attacks of tenants', 4);
});

/** Sends the bytes and no end. */
function holdOpen(caller: Caller, bytes: number) {
  const { hostname, port } = new URL(caller.base);
  const headers = {
    ...identity(caller),
    FileName: `held ${randomBytes(4).toString('hex')}`,
    'Content-Length': bytes + 1,
  };
  const outgoing = httpRequest({
    hostname,
    port,
    path: `${CONTENT}/files`,
    method: 'POST',
    headers,
  } as object);
  let isRefused = false;
  outgoing.on('response', ({ statusCode }) => {
    isRefused = statusCode === 403;
  });
  outgoing.on('error', () => undefined);
  outgoing.write(randomBytes(bytes));
  return { isRefused: () => isRefused, close: () => outgoing.destroy() };
}

test('a viewer parks nothing, and one person has one limit for all applications', async () => {
  await newTenant('viewed');
  const person = await addUser(dataFolder, 'vera');
  await setRole(dataFolder, 'vera', 'viewer', 'viewed');
  const page = await addPage(dataFolder, 'viewers');
  const { access_token: token } = await signIn(await discover(service.production, page), person);
  const vera = {
    base: service.production,
    application: { Name: '', ...page },
    token,
  };
  const part = await createTus(vera, { 'Upload-Length': '5', 'Upload-Concat': 'partial' });
  assertRefusal(part, 403, 'Forbidden');
  tally('attacks of tenants');
});

test('a person makes only so many spaces, and each has a quota from its first byte', async () => {
  await newTenant('made-by-operators');
  const person = await addUser(dataFolder, 'maker');
  await setRole(dataFolder, 'maker', 'manager', 'made-by-operators');
  const page = await addPage(dataFolder, 'makers');
  const { access_token: token } = await signIn(await discover(service.production, page), person);
  const maker = {
    base: service.production,
    application: { Name: '', ...page },
    token,
  };
  const make = (Name: string) =>
    call(maker, '/spaces', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ Name }),
    });
  const spaceIds: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    const answer = await make(name);
    assert.equal(answer.status, 200, answer.body.toString());
    spaceIds.push((JSON.parse(answer.body.toString()) as { Id: string }).Id);
  }
  assertRefusal(await make('four'), 403, 'QuotaExceeded');
  const SpaceId = spaceIds[0] ?? '';
  const save = (size: number) => postFile(maker, { FileName: 'a', SpaceId }, randomBytes(size));
  assertRefusal(await save(5 * mib), 403, 'QuotaExceeded');
  assert.equal((await save(3 * mib)).status, 200);
  tally('attacks of tenants', 2);
});

test('at the reserve of the disk saves are refused, while reads, sign-ins and readiness for reads go on', async () => {
  const folder = makeDataFolder();
  let opened = await startServiceHere(folder);
  const caller = await addCaller(folder, opened.production, 'app');
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'kept' }, 'kept');
  const person = await addUser(folder, 'rita');
  await setRole(folder, 'rita', 'editor', 'app');
  const page = await addPage(folder, 'page');
  await opened.stop();
  // Less is free than the reserve, and more than its last part.
  const { bavail, bsize } = statfsSync(folder);
  opened = await startServiceHere(folder, { environment: { CABINET_RESERVE: String(bavail * bsize * 2) } });
  try {
    const token = await fetchToken(opened.production, caller.application);
    const here = { ...caller, base: opened.production, token };
    for (const [path, status] of [
      ['/health/live', 200],
      ['/health/ready', 200],
      ['/health/ready/write', 503],
    ] as const)
      assert.equal((await send(opened.production, path)).status, status, path);
    assert.equal((await download(here, File.Id)).toString(), 'kept');
    assertRefusal(await postFile(here, { FileName: 'more' }, 'more'), 500, 'StorageFull');
    assertRefusal(await createTus(here, { 'Upload-Length': '5', ...named('more') }), 500, 'StorageFull');
    const { access_token } = await signIn(await discover(opened.production, page), person);
    assert.equal(
      (await call({ ...here, application: { Name: '', ...page }, token: access_token }, '/folders/-root-')).status,
      200,
    );
    assert.equal((await call(here, `/entries/${File.Id}`, { method: 'DELETE' })).status, 200);
    tally('attacks of tenants', 2);
  } finally {
    await opened.stop();
    removeDataFolder(folder);
  }
});
