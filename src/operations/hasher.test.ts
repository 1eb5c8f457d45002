import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { chunkBytes } from '../blobs/blobs.ts';
import type { Digest } from './content-digest.ts';
import { Hasher, type StreamDigest } from './hasher.ts';

const mebibyte = 1024 * 1024;

/** Blocks of chunks that are whole buffers, as a socket delivers them. */
function toBlocks(bytes: Buffer, blockBytes: number, pieceBytes = 64 * 1024): Buffer[][] {
  const blocks: Buffer[][] = [];
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes);
    const pieces = Array.from({ length: Math.ceil(block.length / pieceBytes) }, (_, index) =>
      block.subarray(index * pieceBytes, (index + 1) * pieceBytes),
    );
    blocks.push(pieces.map((piece) => Buffer.from(Uint8Array.from(piece).buffer)));
  }
  return blocks;
}

function toExpected(bytes: Buffer): Digest {
  const spans = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  const checksums = Buffer.alloc(spans.length * 4);
  for (const [index, span] of spans.entries()) checksums.writeUInt32LE(crc32(span), index * 4);
  return { sha256: createHash('sha256').update(bytes).digest(), checksums };
}

/** Like a blob store: pulls the next block while the last one is being written. */
async function store(digest: StreamDigest, blocks: Buffer[][]): Promise<Buffer> {
  const written: Buffer[] = [];
  const write = async (block: Buffer[]) => {
    await new Promise((resolve) => setImmediate(resolve));
    written.push(Buffer.concat(block));
  };
  let writing = Promise.resolve();
  for await (const block of digest.observe(toStream(blocks))) {
    await writing;
    writing = write(block);
  }
  await writing;
  return Buffer.concat(written);
}

async function* toStream(blocks: Buffer[][]): AsyncGenerator<Buffer[]> {
  yield* blocks;
}

function assertSame({ sha256, checksums }: Digest, bytes: Buffer): void {
  const expected = toExpected(bytes);
  assert.equal(Buffer.from(sha256).toString('hex'), Buffer.from(expected.sha256).toString('hex'));
  assert.deepEqual(Buffer.from(checksums), Buffer.from(expected.checksums));
}

test('contents of every size are hashed and written unchanged', async (t) => {
  const hasher = new Hasher();
  t.after(() => hasher.close());
  for (const size of [0, 1, 100_000, mebibyte - 1, mebibyte, mebibyte + 1, 20 * mebibyte + 7]) {
    const bytes = randomBytes(size);
    const digest = hasher.begin();
    assert.deepEqual(await store(digest, toBlocks(bytes, mebibyte)), bytes, `${size} bytes as they were written`);
    assert.equal(digest.sizeBytes, size);
    assertSame(await digest.finish(), bytes);
  }
});

test('concurrent digests do not mix, and dropped ones do not affect others', async (t) => {
  const hasher = new Hasher();
  t.after(() => hasher.close());
  const contents = Array.from({ length: 12 }, (_, index) => randomBytes(2 * mebibyte + index * 300_000));
  await Promise.all(
    contents.map(async (bytes, index) => {
      const digest = hasher.begin();
      await store(digest, toBlocks(bytes, mebibyte));
      if (index % 3 === 0) digest.drop();
      else assertSame(await digest.finish(), bytes);
    }),
  );
});

test('a content that arrives in several requests holds no memory between them', async (t) => {
  const hasher = new Hasher();
  t.after(() => hasher.close());
  const bytes = randomBytes(5 * mebibyte);
  const digest = hasher.begin();
  for (const part of [bytes.subarray(0, 3 * mebibyte), bytes.subarray(3 * mebibyte)]) {
    const blocks = toBlocks(part, mebibyte);
    await store(digest, blocks);
    await digest.settle();
    assert.ok(
      blocks.flat().every(({ byteLength }) => byteLength === 0),
      'the memory of every block was released',
    );
  }
  assertSame(await digest.finish(), bytes);
});

test('a slice of a larger buffer is not released', async (t) => {
  const hasher = new Hasher();
  t.after(() => hasher.close());
  const bytes = randomBytes(3 * mebibyte);
  const blocks = [[bytes.subarray(0, 2 * mebibyte)], [bytes.subarray(2 * mebibyte)]];
  const digest = hasher.begin();
  await store(digest, blocks);
  assertSame(await digest.finish(), bytes);
});

test('a thread that ends fails its contents, and the next content gets a new thread', async (t) => {
  const hasher = new Hasher();
  t.after(() => hasher.close());
  const bytes = randomBytes(2 * mebibyte);
  const lost = hasher.begin();
  await store(lost, toBlocks(bytes, mebibyte));
  await hasher.close();
  await assert.rejects(lost.finish(), /hasher thread ended/);
  const digest = hasher.begin();
  await store(digest, toBlocks(bytes, mebibyte));
  assertSame(await digest.finish(), bytes);
});

test('a write that waits for capacity fails when the thread ends', async () => {
  const hasher = new Hasher();
  const digest = hasher.begin();
  const storing = store(digest, toBlocks(randomBytes(64 * mebibyte), mebibyte));
  const rejected = assert.rejects(storing, /hasher thread ended/);
  await new Promise((resolve) => setImmediate(resolve));
  await hasher.close();
  await rejected;
});

test('a thread that is ending does not affect the next one', async (t) => {
  const hasher = new Hasher();
  t.after(() => hasher.close());
  const bytes = randomBytes(2 * mebibyte);
  const first = hasher.begin();
  await store(first, toBlocks(bytes, mebibyte));
  assertSame(await first.finish(), bytes);
  const ending = hasher.close();
  const next = hasher.begin();
  await store(next, toBlocks(bytes, mebibyte));
  await ending;
  assertSame(await next.finish(), bytes);
});
