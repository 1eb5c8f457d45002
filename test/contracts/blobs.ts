// The contract of a blob store as tests: every engine's own test file calls this with a way to open one.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Blobs, newBlobId } from '../../src/blobs/blobs.ts';
import { Fault } from '../../src/domain/fault.ts';

export interface BlobsUnderTest {
  blobs: Blobs;
  close(): Promise<void>;
}

export function testBlobs(name: string, open: () => Promise<BlobsUnderTest>): void {
  describe(`${name} fulfils the contract of a blob store`, () => {
    let under: BlobsUnderTest;
    before(async () => {
      under = await open();
    });
    after(() => under.close());

    it('returns exactly the bytes that were put, in any blocks', async () => {
      const blocks = [
        [randomBytes(10), randomBytes(0)],
        [randomBytes(3 * 1024 * 1024 + 1)],
        [randomBytes(1), randomBytes(70_000)],
      ];
      const id = newBlobId();
      await under.blobs.put(id, toAsync(blocks));
      const whole = Buffer.concat(blocks.flat());
      assert.ok((await read(under.blobs, id, 0, whole.length)).equals(whole));
    });

    it('returns any range', async () => {
      const bytes = randomBytes(2 * 1024 * 1024 + 17);
      const id = newBlobId();
      await under.blobs.put(id, toAsync([[bytes]]));
      for (const [start, end] of [
        [0, 1],
        [5, 5],
        [1024 * 1024 - 1, 1024 * 1024 + 1],
        [bytes.length - 1, bytes.length],
      ] as const) {
        assert.ok((await read(under.blobs, id, start, end)).equals(bytes.subarray(start, end)), `${start}-${end}`);
      }
    });

    it('keeps an empty blob', async () => {
      const id = newBlobId();
      await under.blobs.put(id, toAsync([]));
      assert.equal((await read(under.blobs, id, 0, 0)).length, 0);
      assert.ok((await list(under.blobs)).has(id));
    });

    it('leaves nothing when the blocks end in an error', async () => {
      const id = newBlobId();
      const cut = async function* () {
        yield [randomBytes(100_000)];
        throw new Error('the client went away');
      };
      await assert.rejects(under.blobs.put(id, cut()), /the client went away/);
      assert.ok(!(await list(under.blobs)).has(id));
      await assert.rejects(read(under.blobs, id, 0, 1));
    });

    it('refuses a range beyond the blob', async () => {
      const id = newBlobId();
      await under.blobs.put(id, toAsync([[randomBytes(100)]]));
      await assert.rejects(read(under.blobs, id, 0, 101), Fault);
      await assert.rejects(read(under.blobs, newBlobId(), 0, 1));
    });

    it('removes a discarded blob, and ignores an unknown one', async () => {
      const id = newBlobId();
      await under.blobs.put(id, toAsync([[randomBytes(100)]]));
      await under.blobs.discard(id);
      await under.blobs.discard(id);
      assert.ok(!(await list(under.blobs)).has(id));
      await assert.rejects(read(under.blobs, id, 0, 1));
    });

    it('lists every complete blob once, with the time of its completion', async () => {
      const ids = Array.from({ length: 30 }, newBlobId);
      const begun = Date.now();
      await Promise.all(ids.map((id) => under.blobs.put(id, toAsync([[Buffer.from(id)]]))));
      const listed = await list(under.blobs);
      for (const id of ids) assert.ok((listed.get(id) ?? 0) >= begun - 2000, id);
    });

    it('refuses an invalid id', async () => {
      for (const id of ['', '../../etc/passwd', 'A'.repeat(32), '0'.repeat(31), `${'0'.repeat(32)}/`]) {
        await assert.rejects(under.blobs.put(id, toAsync([])), /not the id of a blob/);
        await assert.rejects(under.blobs.discard(id), /not the id of a blob/);
      }
    });
  });
}

export async function* toAsync<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

export async function read(blobs: Blobs, id: string, start: number, end: number): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(blobs.open(id, start, end), (chunk) => Buffer.from(chunk)));
}

async function list(blobs: Blobs): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { id, storedAtMs } of blobs.list()) {
    assert.ok(!found.has(id), 'listed twice');
    found.set(id, storedAtMs);
  }
  return found;
}
