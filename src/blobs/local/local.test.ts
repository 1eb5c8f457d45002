import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { read, testBlobs, toAsync } from '../../../test/contracts/blobs.ts';
import { testGrowingBlobs } from '../../../test/contracts/growing-blobs.ts';
import { Fault } from '../../domain/fault.ts';
import { SyncGuard } from '../../runtime/sync-guard.ts';
import { newBlobId } from '../blobs.ts';
import { openLocalBlobs } from './local.ts';

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'cabinet-blobs-'));
}

async function openForContract() {
  const folder = makeFolder();
  const blobs = await openLocalBlobs({ folder, onFatal: assert.fail });
  return { blobs, close: async () => rmSync(folder, { recursive: true }) };
}

testBlobs('the local disk', openForContract);
testGrowingBlobs('the local disk', openForContract);

test('what an earlier life left half written is removed at the start, whole blobs stay', async () => {
  const folder = makeFolder();
  const first = await openLocalBlobs({ folder, onFatal: assert.fail });
  const id = newBlobId();
  await first.put(id, toAsync([[randomBytes(10)]]));
  writeFileSync(join(folder, 'incoming', `${newBlobId()}.part`), 'half');
  const second = await openLocalBlobs({ folder, onFatal: assert.fail });
  assert.deepEqual(readdirSync(join(folder, 'incoming')), []);
  assert.deepEqual(await Array.fromAsync(second.list(), (blob) => blob.id), [id]);
  rmSync(folder, { recursive: true });
});

test('blobs can be read by their owner only', async () => {
  const folder = makeFolder();
  const blobs = await openLocalBlobs({ folder, onFatal: assert.fail });
  const id = newBlobId();
  await blobs.put(id, toAsync([[randomBytes(10)]]));
  assert.equal(statSync(join(folder, 'blobs', id.slice(0, 2), id)).mode & 0o777, 0o600);
  rmSync(folder, { recursive: true });
});

function failingSync() {
  let syncs = 0;
  const fail = async () => {
    syncs += 1;
    throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
  return { fail, count: () => syncs };
}

/** Replaces a method of every open file for the time of one call. */
async function withBrokenFile(method: string, broken: unknown, run: () => Promise<void>): Promise<void> {
  const file = await open('/dev/null', 'r');
  const prototype = Object.getPrototypeOf(file) as Record<string, () => unknown>;
  await file.close();
  const mocked = mock.method(prototype, method, broken as () => unknown);
  try {
    await run();
  } finally {
    mocked.mock.restore();
  }
}

test('a sync that fails while bytes still arrive is fatal, is tried once, and is reported although the client went away', {
  timeout: 30_000,
}, async () => {
  const block = Buffer.alloc(16 * 1024 * 1024);
  for (const isAborted of [false, true]) {
    const folder = makeFolder();
    const fatal: Fault[] = [];
    const blobs = await openLocalBlobs({ folder, onFatal: (fault) => fatal.push(fault) });
    const { fail, count } = failingSync();
    async function* arrive() {
      for (let index = 0; index < 4; index += 1) yield [block];
      // Reported at once, not when the next bytes come.
      while (fatal.length === 0) await new Promise((resolve) => setImmediate(resolve));
      if (isAborted) throw new Error('the client went away');
    }
    await withBrokenFile('datasync', fail, async () => {
      const put = blobs.put(newBlobId(), arrive());
      await assert.rejects(put, (error) => error instanceof Fault && error.kind === 'fatal');
    });
    assert.deepEqual([count(), fatal.length], [1, 1]);
    assert.deepEqual(readdirSync(join(folder, 'incoming')), []);
    rmSync(folder, { recursive: true });
  }
});

test('a failed sync is fatal, is tried once, and leaves nothing', async () => {
  const folder = makeFolder();
  const fatal: Fault[] = [];
  const blobs = await openLocalBlobs({ folder, onFatal: (fault) => fatal.push(fault) });
  const { fail, count } = failingSync();
  await withBrokenFile('datasync', fail, async () => {
    const put = blobs.put(newBlobId(), toAsync([[randomBytes(10)]]));
    await assert.rejects(put, (error) => error instanceof Fault && error.kind === 'fatal');
  });
  assert.equal(count(), 1);
  assert.equal(fatal.length, 1);
  assert.deepEqual(await Array.fromAsync(blobs.list()), []);
  assert.deepEqual(readdirSync(join(folder, 'incoming')), []);
  rmSync(folder, { recursive: true });
});

test('a full disk is said to be full and leaves nothing', async () => {
  const folder = makeFolder();
  const blobs = await openLocalBlobs({ folder, onFatal: assert.fail });
  const fail = async () => {
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  };
  await withBrokenFile('writev', fail, async () => {
    const put = blobs.put(newBlobId(), toAsync([[randomBytes(10)], [randomBytes(10)]]));
    await assert.rejects(put, (error) => error instanceof Fault && error.kind === 'full');
  });
  assert.deepEqual(readdirSync(join(folder, 'incoming')), []);
  rmSync(folder, { recursive: true });
});

test('short writes are repeated with what is left', async () => {
  const folder = makeFolder();
  const blobs = await openLocalBlobs({ folder, onFatal: assert.fail });
  const file = await open('/dev/null', 'r');
  const prototype = Object.getPrototypeOf(file) as { write(...args: unknown[]): Promise<{ bytesWritten: number }> };
  await file.close();
  const { write } = prototype;
  const short = async function (this: unknown, buffers: Uint8Array[], position: number) {
    const first = buffers[0] as Uint8Array;
    return await write.call(this, first, 0, Math.max(1, first.byteLength >> 1), position);
  };
  const id = newBlobId();
  const bytes = [randomBytes(1000), randomBytes(1), randomBytes(333)];
  await withBrokenFile('writev', short, () => blobs.put(id, toAsync([bytes])));
  const whole = Buffer.concat(bytes);
  assert.ok((await read(blobs, id, 0, whole.length)).equals(whole));
  rmSync(folder, { recursive: true });
});

test('the next block is requested while the last one is being written, and no further one', async () => {
  const folder = makeFolder();
  const blobs = await openLocalBlobs({ folder, onFatal: assert.fail });
  const events: string[] = [];
  let written = 0;
  const slow = async (buffers: Uint8Array[]) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    events.push(`written ${written}`);
    written += 1;
    return { bytesWritten: buffers.reduce((sum, { byteLength }) => sum + byteLength, 0), buffers };
  };
  const blocks = async function* () {
    for (let index = 0; index < 4; index += 1) {
      events.push(`requested ${index}`);
      yield [randomBytes(10)];
    }
  };
  await withBrokenFile('writev', slow, () => blobs.put(newBlobId(), blocks()));
  const expected = [
    'requested 0',
    'requested 1',
    'written 0',
    'requested 2',
    'written 1',
    'requested 3',
    'written 2',
    'written 3',
  ];
  assert.deepEqual(events, expected);
  rmSync(folder, { recursive: true });
});

test('once a sync of the environment has failed, no blob is synced, and none is left', async () => {
  const folder = makeFolder();
  const syncGuard = new SyncGuard();
  const blobs = await openLocalBlobs({ folder, syncGuard, onFatal: () => undefined });
  syncGuard.fail();
  await withBrokenFile('datasync', assert.fail, async () => {
    await assert.rejects(blobs.put(newBlobId(), toAsync([[randomBytes(10)]])), /an earlier fsync failed/);
  });
  assert.deepEqual(readdirSync(join(folder, 'incoming')), []);
  rmSync(folder, { recursive: true });
});
