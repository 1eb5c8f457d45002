import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Blobs } from '../blobs/blobs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { actingForItself, type Caller } from '../domain/caller.ts';
import { Fault } from '../domain/fault.ts';
import { sweep } from '../jobs/sweep.ts';
import { MovableClock } from '../runtime/clock-for-tests.ts';
import { type Cabinet, UploadMemory } from './cabinet.ts';
import { Hasher } from './hasher.ts';
import { localLeases, sharedLeases } from './leases.ts';
import { receiveContent } from './receive-content.ts';
import { saveFile } from './save-file.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Records the calls, in order; a test passes in what it is about. */
function makeCabinet(catalog: Record<string, unknown>, blobs: Partial<Blobs> = {}) {
  const done: string[] = [];
  const note = (what: string) => async (input: { blob?: string } | string) => {
    done.push(`${what} ${typeof input === 'string' ? input : input.blob}`);
  };
  const verbs = { leaseBlob: note('lease'), endLease: note('end'), ...catalog } as unknown as Catalog;
  const kept: Partial<Blobs> = {
    async put(_, blocks) {
      for await (const _ of blocks);
    },
    discard: note('discard'),
    ...blobs,
  };
  const clock = new MovableClock({ now: 1_000_000 });
  const leases = sharedLeases(verbs, undefined, clock);
  const limits = {
    inlineBytes: 10,
    fileBytes: 1e9,
    versionMs: null,
    trashMs: null,
    journalMs: null,
    keptVersions: null,
    reserveBytes: 0,
  };
  const cabinet = {
    clock,
    catalog: verbs,
    blobs: kept,
    leases,
    limits,
    uploadMemory: new UploadMemory(),
    hasher: new Hasher(),
    names: 'any',
    thumbnails: { deleteOld: async () => undefined },
    freeBytes: () => 1e12,
  };
  return { cabinet: { ...cabinet, purger: { nudge: () => undefined } } as unknown as Cabinet, done, leases, clock };
}

async function* bytesOf(...sizes: number[]): AsyncGenerator<Buffer> {
  for (const size of sizes) yield randomBytes(size);
}

const access = { space: 1, spaceId: 's', spaceName: 's', rootId: 'r', role: null };
const caller: Caller = {
  appKey: 'k',
  actor: 'app:a',
  ...actingForItself,
  scopes: ['content.write'],
  spaces: [access],
  spaceId: null,
  requestId: 'q',
};

async function save(cabinet: Cabinet) {
  const received = await receiveContent(cabinet, bytesOf(100));
  const request = { fileName: 'f', contentType: null, objectType: null, properties: null, comment: null };
  const destination = { access, folder: 'r' };
  const { blob } = received.content;
  const saving = saveFile(cabinet, caller, {
    ...request,
    destination,
    conflict: 'Fail',
    idempotencyKey: null,
    received,
  });
  return { blob: blob as string, saving };
}

test('a large content is marked as leased where nodes share the catalog', async () => {
  const { cabinet, done, leases } = makeCabinet({});
  const { content } = await receiveContent(cabinet, bytesOf(100));
  assert.equal(content.isLeased, true);
  assert.deepEqual(done, [`lease ${content.blob}`]);
  const alone = { ...cabinet, leases: localLeases() };
  const { content: own } = await receiveContent(alone, bytesOf(100));
  assert.equal(own.isLeased, false);
  assert.equal(alone.leases.has(own.blob as string), true);
  await leases.close();
});

test('receiving stops once the blob cannot be leased', async () => {
  const leaseBlob = async () => Promise.reject(new Fault('unavailable', 'no lease'));
  const { cabinet, done, leases } = makeCabinet({ leaseBlob });
  let given = 0;
  const endless = async function* () {
    for (; given < 1000; given += 1) {
      await turn();
      yield randomBytes(1024 * 1024);
    }
  };
  await assert.rejects(receiveContent(cabinet, endless()), /no lease/);
  assert.ok(given < 10, `${given}`);
  assert.match(done.join(), /^end \w{32}$/);
  await leases.close();
});

test('a blob whose lease fails after the last byte is discarded', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const { cabinet, done, leases } = makeCabinet({ leaseBlob: () => promise });
  const receiving = receiveContent(cabinet, bytesOf(100));
  await turn();
  reject(new Fault('unavailable', 'no lease'));
  await assert.rejects(receiving, /no lease/);
  assert.match(done.join(), /^discard (\w{32}),end \1$/);
  await leases.close();
});

test('an upload that fails before its lease is written still ends the lease', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const put = async () => Promise.reject(new Fault('unavailable', 'no upload'));
  const { cabinet, done, leases } = makeCabinet({ leaseBlob: () => promise }, { put });
  const receiving = assert.rejects(receiveContent(cabinet, bytesOf(100)), /no upload/);
  await turn();
  assert.deepEqual(done, []);
  resolve();
  await receiving;
  assert.match(done.join(), /^end \w{32}$/);
  await leases.close();
});

test('a referenced blob is kept; an unreferenced one is discarded before its lease ends', async () => {
  const used = makeCabinet({ saveFile: async () => ({ file: { id: 'f' }, isBlobUsed: true, freedBlobs: [] }) });
  const saved = await save(used.cabinet);
  await saved.saving;
  assert.deepEqual(used.done, [`lease ${saved.blob}`]);
  assert.equal(used.leases.has(saved.blob), false);
  const saveTwin = async () => ({ file: { id: 'f' }, isBlobUsed: false, freedBlobs: [] });
  const twin = makeCabinet({ saveFile: saveTwin, findBlob: async () => null });
  const other = await save(twin.cabinet);
  await other.saving;
  assert.deepEqual(twin.done, [`lease ${other.blob}`, `discard ${other.blob}`, `end ${other.blob}`]);
  for (const { leases } of [used, twin]) await leases.close();
});

test('bytes stay while it is unknown whether a record references them, and their lease is not renewed', async () => {
  for (const [kind, isKept] of [
    ['unsure', true],
    ['fatal', true],
    ['unavailable', false],
    ['other', false],
  ] as const) {
    const { cabinet, done, leases } = makeCabinet({ saveFile: async () => Promise.reject(new Fault(kind, 'no')) });
    const { blob, saving } = await save(cabinet);
    await assert.rejects(saving, Fault);
    assert.deepEqual(done.slice(1), isKept ? [] : [`discard ${blob}`, `end ${blob}`], kind);
    assert.equal(leases.has(blob), false);
    await leases.close();
  }
});

test('leases are renewed while they are held', async () => {
  const renewed: { blobs: string[]; until: number }[] = [];
  const renewLeases = async (renewal: { blobs: string[]; until: number }) => {
    renewed.push(renewal);
    return [];
  };
  const { leases, clock } = makeCabinet({ renewLeases });
  await leases.begin('a');
  await leases.begin('b');
  await clock.advance(10 * 60 * 1000);
  leases.forget('a');
  await clock.advance(10 * 60 * 1000);
  await leases.close();
  await clock.advance(dayMs);
  assert.deepEqual(
    renewed.map(({ blobs }) => blobs),
    [['a', 'b'], ['b']],
  );
  assert.ok(renewed.every(({ until }, index) => until === 1_000_000 + (index + 1) * 600_000 + dayMs / 2));
});

test('the sweeper expires leases first, then removes old blobs that are neither leased nor referenced', async () => {
  const now = Date.now();
  const swept: string[] = [];
  const listed = { held: 2 * dayMs, old: 2 * dayMs, wanted: 2 * dayMs, young: dayMs / 2 };
  const queries: string[][] = [];
  const none = async () => 0;
  const { cabinet, leases } = makeCabinet(
    {
      abandonCopies: none,
      forgetResults: none,
      forgetIssuerRecords: none,
      forgetSetupLinks: none,
      forgetSessions: none,
      forgetLinks: none,
      forgetShares: none,
      forgetShareDownloads: none,
      forgetEntryJobs: none,
      forgetPersonal: none,
      listErased: () => Promise.resolve([]),
      forgetDeliveries: none,
      expireLeases: async ({ at }: { at: number }) => {
        swept.push(`leases before ${at - now}`);
        return swept.length < 3 ? 1 : 0;
      },
      expireUploads: async () => ({ count: 0, left: [] }),
      findUnreferencedBlobs: async ({ blobs }: { blobs: string[] }) => {
        queries.push(blobs);
        return blobs.filter((blob) => blob !== 'wanted');
      },
    },
    {
      async *list() {
        for (const [id, ageMs] of Object.entries(listed)) yield { id, storedAtMs: now - ageMs };
      },
      async tidy(beforeMs, choose) {
        swept.push(`unfinished before ${beforeMs - now}: ${await choose(['held', 'wanted', 'left'])}`);
      },
      async discard(id) {
        swept.push(id);
      },
    },
  );
  await leases.begin('held');
  assert.equal((await sweep(cabinet, now)).blobs, 1);
  const over = 'leases before 0';
  assert.deepEqual(swept, [over, over, over, `unfinished before ${-dayMs}: left`, 'old']);
  assert.deepEqual(queries, [
    ['wanted', 'left'],
    ['old', 'wanted'],
  ]);
  await leases.close();
});
