// Reads a ZIP back, strictly, while it streams by: what the local headers say, the bytes, and whether the central directory
// and its end say the same. Only what we write ourselves: stored, sizes first, no data descriptors.

import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';

interface ReadEntry {
  name: string;
  sizeBytes: number;
  crc32: number;
  /** Seconds since 1970, from the extended timestamp; null: there is none. */
  modifiedAt: number | null;
  dosTime: [date: number, time: number];
  offset: number;
  /** In the central directory. */
  attributes: number;
  neededVersion: number;
}

export interface ReadZip {
  entries: ReadEntry[];
  sizeBytes: number;
  hasZip64End: boolean;
}

/** `onBytes` gets what an entry holds; without it the bytes are only summed. */
export async function readZip(
  chunks: AsyncIterable<Buffer>,
  onBytes: (entry: ReadEntry, bytes: Buffer) => void = () => undefined,
): Promise<ReadZip> {
  const source = new Source(chunks);
  const entries: ReadEntry[] = [];
  let signature = await source.take(4);
  while (signature.readUInt32LE() === 0x04034b50) {
    entries.push(await readLocal(source, onBytes));
    signature = await source.take(4);
  }
  const centralOffset = source.position - 4;
  for (const entry of entries) {
    assert.equal(signature.readUInt32LE(), 0x02014b50, 'the central directory has too few entries');
    await checkCentral(source, entry);
    signature = await source.take(4);
  }
  const central = { offset: centralOffset, sizeBytes: source.position - 4 - centralOffset, count: entries.length };
  const hasZip64End = signature.readUInt32LE() === 0x06064b50;
  if (hasZip64End) signature = await checkZip64End(source, central);
  assert.equal(signature.readUInt32LE(), 0x06054b50);
  checkEnd(await source.take(18), central, hasZip64End);
  assert.ok(await source.isAtEnd(), 'something stands behind the end');
  return { entries, sizeBytes: source.position, hasZip64End };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readLocal(source: Source, onBytes: (entry: ReadEntry, bytes: Buffer) => void): Promise<ReadEntry> {
  const offset = source.position - 4;
  const head = await source.take(26);
  assert.equal(head.readUInt16LE(2), 0x0800, 'flags: UTF-8 names and nothing else');
  assert.equal(head.readUInt16LE(4), 0, 'stored');
  const name = utf8.decode(await source.take(head.readUInt16LE(22)));
  const extra = readExtra(await source.take(head.readUInt16LE(24)));
  const sizes = [head.readUInt32LE(14), head.readUInt32LE(18)].map((size) =>
    size === 0xffffffff ? takeZip64(extra) : size,
  );
  assert.equal(sizes[0], sizes[1]);
  assert.equal(extra.zip64.length, 0, 'more Zip64 fields than needed');
  const entry: ReadEntry = {
    name,
    sizeBytes: sizes[0] as number,
    crc32: head.readUInt32LE(10),
    modifiedAt: extra.modifiedAt,
    dosTime: [head.readUInt16LE(8), head.readUInt16LE(6)],
    offset,
    attributes: 0,
    neededVersion: head.readUInt16LE(0),
  };
  let sum = 0;
  for (let left = entry.sizeBytes; left > 0; ) {
    const bytes = await source.takeSome(left);
    left -= bytes.length;
    sum = crc32(bytes, sum);
    onBytes(entry, bytes);
  }
  assert.equal(sum, entry.crc32, `the checksum of ${name}`);
  return entry;
}

async function checkCentral(source: Source, entry: ReadEntry): Promise<void> {
  const head = await source.take(42);
  const name = (await source.take(head.readUInt16LE(24))).toString();
  const extra = readExtra(await source.take(head.readUInt16LE(26)));
  const wide = (value: number) => (value === 0xffffffff ? takeZip64(extra) : value);
  const [stored, whole, offset] = [
    wide(head.readUInt32LE(16)),
    wide(head.readUInt32LE(20)),
    wide(head.readUInt32LE(38)),
  ];
  // As text: comparing a hundred thousand times must be cheap.
  const dosTime = [head.readUInt16LE(10), head.readUInt16LE(8)];
  assert.equal(
    [name, head.readUInt32LE(12), stored, whole, offset, extra.modifiedAt, ...dosTime].join(' '),
    [entry.name, entry.crc32, entry.sizeBytes, entry.sizeBytes, entry.offset, entry.modifiedAt, ...entry.dosTime].join(
      ' ',
    ),
  );
  assert.equal(head.readUInt16LE(4), 0x0800);
  assert.equal(head.readUInt16LE(6), 0);
  assert.equal(extra.zip64.length, 0, 'more Zip64 fields than needed');
  entry.attributes = head.readUInt32LE(34);
  entry.neededVersion = Math.max(entry.neededVersion, head.readUInt16LE(2));
}

interface Central {
  offset: number;
  sizeBytes: number;
  count: number;
}

async function checkZip64End(source: Source, central: Central): Promise<Buffer> {
  const at = source.position - 4;
  const end = await source.take(52);
  const numbers = [end.readBigUInt64LE(20), end.readBigUInt64LE(28), end.readBigUInt64LE(36), end.readBigUInt64LE(44)];
  assert.equal(end.readBigUInt64LE(0), 44n);
  assert.deepEqual(numbers.map(Number), [central.count, central.count, central.sizeBytes, central.offset]);
  const locator = await source.take(20);
  assert.equal(locator.readUInt32LE(0), 0x07064b50);
  assert.equal(Number(locator.readBigUInt64LE(8)), at);
  assert.equal(locator.readUInt32LE(16), 1);
  return await source.take(4);
}

function checkEnd(end: Buffer, central: Central, isWide: boolean): void {
  const counts = [end.readUInt16LE(4), end.readUInt16LE(6)];
  const [size, offset] = [end.readUInt32LE(8), end.readUInt32LE(12)];
  assert.deepEqual([end.readUInt16LE(0), end.readUInt16LE(2), end.readUInt16LE(16)], [0, 0, 0]);
  const expected = [central.count, central.count].map((count) => Math.min(count, 0xffff));
  assert.deepEqual(counts, expected);
  assert.equal(size, Math.min(central.sizeBytes, 0xffffffff));
  assert.equal(offset, Math.min(central.offset, 0xffffffff));
  const mustBeWide = central.count >= 0xffff || central.sizeBytes >= 0xffffffff || central.offset >= 0xffffffff;
  assert.equal(isWide, mustBeWide);
}

interface Extra {
  modifiedAt: number | null;
  zip64: bigint[];
}

function readExtra(bytes: Buffer): Extra {
  const extra: Extra = { modifiedAt: null, zip64: [] };
  for (let at = 0; at < bytes.length; ) {
    const [id, size] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)];
    const field = bytes.subarray(at + 4, at + 4 + size);
    assert.equal(field.length, size);
    if (id === 0x5455) extra.modifiedAt = field.readInt32LE(1);
    else if (id === 0x0001) for (let of = 0; of < size; of += 8) extra.zip64.push(field.readBigUInt64LE(of));
    else assert.fail(`a field ${id.toString(16)} of which nobody spoke`);
    at += 4 + size;
  }
  return extra;
}

function takeZip64({ zip64 }: Extra): number {
  const value = zip64.shift();
  assert.ok(value !== undefined, 'a Zip64 value is missing');
  return Number(value);
}

class Source {
  position = 0;
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#held.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return true;
      this.#held = next.value;
    }
    return false;
  }

  /** At least one byte and at most `most`. */
  async takeSome(most: number): Promise<Buffer> {
    assert.ok(!(await this.isAtEnd()), 'the archive ends too early');
    const taken = this.#held.subarray(0, most);
    this.#held = this.#held.subarray(taken.length);
    this.position += taken.length;
    return taken;
  }

  /** A copy: the memory of chunks is used again. */
  async take(count: number): Promise<Buffer> {
    const taken = Buffer.alloc(count);
    for (let filled = 0; filled < count; ) filled += (await this.takeSome(count - filled)).copy(taken, filled);
    return taken;
  }
}
