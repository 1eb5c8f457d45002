// Blobs that grow, as tests: every engine's own test file calls this with a way to open one.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Append, type AppendState, type Blobs, newBlobId } from '../../src/blobs/blobs.ts';
import { type BlobsUnderTest, read, toAsync } from './blobs.ts';

const mib = 1024 * 1024;
const nothing: AppendState = { sizeBytes: 0, state: '' };

export function testGrowingBlobs(name: string, open: () => Promise<BlobsUnderTest>): void {
  describe(`${name} stores growing blobs`, () => {
    let under: BlobsUnderTest;
    before(async () => {
      under = await open();
    });
    after(() => under.close());

    const append = (id: string, from: AppendState, bytes: Buffer, keep: Append['keep'] = async () => undefined) =>
      under.blobs.append(id, { from, blocks: toAsync(toBlocks(bytes)), keep });
    const assertWhole = async (id: string, grown: AppendState, expected: Buffer) => {
      assert.equal(grown.sizeBytes, expected.length);
      await under.blobs.complete(id, grown);
      assert.ok((await read(under.blobs, id, 0, expected.length)).equals(expected));
      assert.ok((await listIds(under.blobs)).has(id));
    };

    it('appends pieces of any size', async () => {
      for (const sizes of [[1], [10, 1, 100_000], [3 * mib, 6 * mib, 5], [9 * mib, 17 * mib + 3, 2, 8 * mib]]) {
        const pieces = sizes.map((size) => randomBytes(size));
        const id = newBlobId();
        let grown = nothing;
        for (const piece of pieces) grown = await append(id, grown, piece);
        await assertWhole(id, grown, Buffer.concat(pieces));
      }
    });

    it('can be completed twice, and can be empty', async () => {
      const id = newBlobId();
      const bytes = randomBytes(9 * mib);
      const grown = await append(id, nothing, bytes);
      await under.blobs.complete(id, grown);
      await assertWhole(id, grown, bytes);
      const empty = newBlobId();
      await assertWhole(empty, await append(empty, nothing, Buffer.alloc(0)), Buffer.alloc(0));
    });

    it('continues from the kept size, whatever was written after it', async () => {
      const id = newBlobId();
      const first = randomBytes(2 * mib);
      const grown = await append(id, nothing, first);
      await append(id, grown, randomBytes(20 * mib));
      await append(id, grown, randomBytes(100));
      const second = randomBytes(11 * mib);
      await assertWhole(id, await append(id, grown, second), Buffer.concat([first, second]));
    });

    it('continues from the last reported offset when the bytes break off', async () => {
      const id = newBlobId();
      const first = randomBytes(3 * mib);
      const bytes = randomBytes(72 * mib);
      const start = await append(id, nothing, first);
      let kept = start;
      const keep = async (grown: AppendState) => {
        assert.ok(grown.sizeBytes >= kept.sizeBytes, 'it never goes back');
        kept = grown;
      };
      const blocks = async function* () {
        yield* toBlocks(bytes);
        throw new Error('the client went away');
      };
      await assert.rejects(under.blobs.append(id, { from: start, blocks: blocks(), keep }), /the client went away/);
      const whole = Buffer.concat([first, bytes]);
      assert.ok(kept.sizeBytes > 60 * mib, `${kept.sizeBytes} were kept`);
      await assertWhole(id, await append(id, kept, whole.subarray(kept.sizeBytes)), whole);
    });

    it('stops when its turn is over, and does not affect the next writer', async () => {
      const id = newBlobId();
      const first = randomBytes(mib);
      const start = await append(id, nothing, first);
      const isOver = async () => {
        throw new Error('the turn is over');
      };
      await assert.rejects(append(id, start, randomBytes(72 * mib), isOver), /the turn is over/);
      const second = randomBytes(9 * mib);
      await assertWhole(id, await append(id, start, second), Buffer.concat([first, second]));
    });

    it('removes an abandoned blob, growing or complete, and ignores an unknown one', async () => {
      const growing = newBlobId();
      const grown = await append(growing, nothing, randomBytes(9 * mib));
      await under.blobs.abandon(growing, grown);
      await under.blobs.abandon(growing, grown);
      const whole = newBlobId();
      const completed = await append(whole, nothing, randomBytes(9 * mib));
      await under.blobs.complete(whole, completed);
      await under.blobs.abandon(whole, completed);
      await under.blobs.abandon(newBlobId(), nothing);
      const listed = await listIds(under.blobs);
      assert.ok(!listed.has(growing) && !listed.has(whole));
      await assert.rejects(read(under.blobs, whole, 0, 1));
    });

    it('refuses an invalid id', async () => {
      await assert.rejects(append('../../etc/passwd', nothing, Buffer.from('x')), /not the id of a blob/);
    });
  });
}

function toBlocks(bytes: Buffer): Buffer[][] {
  const blocks: Buffer[][] = [];
  for (let at = 0; at < bytes.length; at += mib) blocks.push([bytes.subarray(at, at + mib)]);
  return blocks;
}

async function listIds(blobs: Blobs): Promise<Set<string>> {
  return new Set(await Array.fromAsync(blobs.list(), ({ id }) => id));
}
