import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BlobChunks, type Blobs, chunkBytes } from '../blobs/blobs.ts';
import { Fault } from '../domain/fault.ts';
import { BoundedChunks, pieceBytes, ReadMemory } from './read-memory.ts';
import { type StoredBlob, toChecksums } from './verified-chunks.ts';

const boundBytes = 40 * chunkBytes;

/** A store in memory that hands out buffers like the local one: each reader has up to two, until it releases them. */
class MemoryBlobs {
  readonly #stored = new Map<string, Buffer>();
  /** Of readers that have not released them. */
  heldBytes = 0;
  peakBytes = 0;
  opened = 0;

  add(id: string, bytes: Buffer): StoredBlob {
    this.#stored.set(id, bytes);
    return { id, sizeBytes: bytes.length, checksums: toChecksums(bytes) };
  }

  damage(id: string, at: number): void {
    const bytes = this.#stored.get(id) as Buffer;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  }

  open(id: string, start: number, end: number): BlobChunks {
    this.opened += 1;
    const bytes = this.#stored.get(id) as Buffer;
    const buffers: Buffer[] = [];
    let position = start;
    const next = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (position >= end) return { done: true as const, value: undefined };
      const size = Math.min(chunkBytes, end - position);
      if (buffers.length < 2) {
        buffers.push(Buffer.alloc(size));
        this.heldBytes += size;
        this.peakBytes = Math.max(this.peakBytes, this.heldBytes);
      }
      const buffer = buffers.length < 2 ? (buffers[0] as Buffer) : (buffers.reverse()[0] as Buffer);
      bytes.copy(buffer, 0, position, position + size);
      position += size;
      return { done: false as const, value: buffer.subarray(0, size) };
    };
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next,
      return: async () => ({ done: true, value: undefined }),
      release: () => {
        for (const buffer of buffers.splice(0)) {
          this.heldBytes -= buffer.length;
          // What is used again must not be seen in what was sent.
          buffer.fill(0xee);
        }
      },
    };
  }
}

function open(blobs: MemoryBlobs) {
  return { readMemory: new ReadMemory(), blobs: blobs as unknown as Blobs };
}

/** No two chunks are the same: the period is a prime. */
function toBytes(length: number, seed: number): Buffer {
  const period = Uint8Array.from({ length: 4099 }, (_, at) => (at * 31 + (at >> 8) * 7 + seed) & 255);
  return Buffer.alloc(length, period);
}

async function readRest(chunks: BoundedChunks): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  await chunks.return();
  chunks.release();
  return Buffer.concat(parts);
}

test('two hundred clients that read nothing hold little memory, and get their bytes when they go on', async () => {
  const blobs = new MemoryBlobs();
  const cabinet = open(blobs);
  const contents = Array.from({ length: 10 }, (_, seed) => toBytes(chunkBytes + 212_345, seed));
  const stored = contents.map((bytes, index) => blobs.add(`blob ${index}`, bytes));
  const readers = Array.from({ length: 200 }, (_, index) => {
    const blob = stored[index % 10] as StoredBlob;
    return new BoundedChunks(cabinet, blob, { start: 0, end: blob.sizeBytes });
  });
  // What a connection of such a client has: a chunk on its way, and the next one.
  const begun = await Promise.all(
    readers.map(async (chunks) => {
      const two = [await chunks.next(), await chunks.next()].map(({ value }) => value ?? Buffer.alloc(0));
      return { chunks, two, copied: Buffer.concat(two) };
    }),
  );
  assert.ok(blobs.peakBytes <= boundBytes, `${blobs.peakBytes} bytes of chunks, at most ${boundBytes}`);
  const copies = begun.filter(({ two }) => two[0]?.length === pieceBytes);
  assert.ok(copies.length > 150, `${copies.length} have copies of pieces`);
  for (const [index, { chunks, copied }] of begun.entries()) {
    if (index % 7 !== 0) {
      await chunks.return();
      chunks.release();
      continue;
    }
    const whole = Buffer.concat([copied, await readRest(chunks)]);
    assert.ok(whole.equals(contents[index % 10] as Buffer), `reader ${index}`);
  }
  assert.equal(cabinet.readMemory.usedBytes, 0);
  assert.ok(blobs.heldBytes <= boundBytes);
  assert.ok(blobs.peakBytes <= boundBytes);
});

test('while there is memory, a download reads each chunk once and has its own', async () => {
  const blobs = new MemoryBlobs();
  const cabinet = open(blobs);
  const bytes = toBytes(5 * chunkBytes, 3);
  const blob = blobs.add('a', bytes);
  const chunks = new BoundedChunks(cabinet, blob, { start: 100, end: bytes.length - 100 });
  const first = await chunks.next();
  assert.equal(first.value?.length, chunkBytes - 100);
  assert.equal(cabinet.readMemory.usedBytes, 2 * chunkBytes);
  const read = Buffer.concat([Buffer.from(first.value ?? []), await readRest(chunks)]);
  assert.ok(read.equals(bytes.subarray(100, -100)));
  assert.equal(blobs.opened, 1);
});

test('a download that began with pieces goes on with chunks of its own when others have ended', async () => {
  const blobs = new MemoryBlobs();
  const cabinet = open(blobs);
  const bytes = toBytes(3 * chunkBytes, 5);
  const blob = blobs.add('a', bytes);
  const taken = 31 * chunkBytes;
  assert.ok(cabinet.readMemory.take(taken));
  const chunks = new BoundedChunks(cabinet, blob, { start: 1, end: bytes.length });
  const first = await chunks.next();
  assert.equal(first.value?.length, pieceBytes);
  const copied = Buffer.from(first.value);
  cabinet.readMemory.giveBack(taken);
  const rest = await readRest(chunks);
  assert.ok(Buffer.concat([copied, rest]).equals(bytes.subarray(1)));
  assert.equal(blobs.opened, 2, 'once for the first chunk, once for the others');
});

test('pieces of a damaged chunk are never returned, and neither are those of a chunk that cannot be read', async () => {
  const blobs = new MemoryBlobs();
  const cabinet = open(blobs);
  const bytes = toBytes(2 * chunkBytes, 7);
  const blob = blobs.add('a', bytes);
  blobs.damage('a', chunkBytes + 5);
  assert.ok(cabinet.readMemory.take(31 * chunkBytes));
  const range = { start: chunkBytes, end: chunkBytes + 10 };
  const [one, two] = [new BoundedChunks(cabinet, blob, range), new BoundedChunks(cabinet, blob, range)];
  const results = await Promise.allSettled([one.next(), two.next()]);
  for (const result of results) assert.ok(result.status === 'rejected' && result.reason instanceof Fault);
  blobs.damage('a', chunkBytes + 5);
  assert.equal((await new BoundedChunks(cabinet, blob, range).next()).value?.length, 10);
});

function readRange(cabinet: ReturnType<typeof open>, blob: StoredBlob, start: number, end: number): Promise<Buffer> {
  return readRest(new BoundedChunks(cabinet, blob, { start, end }));
}

test('small ranges of one chunk, at once or one after another, have it read once, and take no memory of downloads', async () => {
  const blobs = new MemoryBlobs();
  const cabinet = open(blobs);
  const bytes = toBytes(3 * chunkBytes, 11);
  const blob = blobs.add('a', bytes);
  const starts = Array.from({ length: 16 }, (_, index) => chunkBytes + index * pieceBytes);
  for (let round = 0; round < 2; round += 1) {
    const parts = await Promise.all(starts.map((start) => readRange(cabinet, blob, start, start + pieceBytes)));
    assert.ok(Buffer.concat(parts).equals(bytes.subarray(chunkBytes, 2 * chunkBytes)));
  }
  assert.equal(blobs.opened, 1);
  assert.equal(cabinet.readMemory.usedBytes, 0);
});

test('the memory of a small range is freed when it was sent', async () => {
  const blobs = new MemoryBlobs();
  const chunks = new BoundedChunks(open(blobs), blobs.add('a', toBytes(chunkBytes, 23)), { start: 5, end: 105 });
  const { value } = await chunks.next();
  assert.equal(value?.length, 100);
  await chunks.return();
  assert.equal(value.length, 100, 'not yet');
  chunks.release();
  assert.equal(value.length, 0);
});

test('chunks for small ranges are bounded, and no client sees the bytes of another range', async () => {
  const blobs = new MemoryBlobs();
  const cabinet = open(blobs);
  const bytes = toBytes(30 * chunkBytes, 13);
  const blob = blobs.add('a', bytes);
  const starts = Array.from({ length: 120 }, (_, index) => ((index * 7) % 30) * chunkBytes + index);
  const parts = await Promise.all(starts.map((start) => readRange(cabinet, blob, start, start + 1000)));
  for (const [index, start] of starts.entries()) {
    assert.ok(parts[index]?.equals(bytes.subarray(start, start + 1000)), `from ${start}`);
  }
  assert.ok(blobs.peakBytes <= 8 * chunkBytes, `${blobs.peakBytes}`);
});

test('a larger range, one across two chunks, and one of a small blob are read for themselves', async () => {
  const blobs = new MemoryBlobs();
  const cabinet = open(blobs);
  const large = blobs.add('large', toBytes(2 * chunkBytes, 17));
  const small = blobs.add('small', toBytes(3 * pieceBytes, 19));
  for (const [blob, start, end] of [
    [large, 0, pieceBytes + 1],
    [large, chunkBytes - 1, chunkBytes + 1],
    [small, 1, 2],
  ] as const) {
    const before = blobs.opened;
    for (let time = 0; time < 2; time += 1)
      assert.equal((await readRange(cabinet, blob, start, end)).length, end - start);
    assert.equal(blobs.opened, before + 2);
  }
});
