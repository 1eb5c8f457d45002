import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { skipWithout } from '../../test/service/programs.ts';
import { writeZip, type ZipEntry } from './zip.ts';
import { type ReadZip, readZip } from './zip-reader-for-tests.ts';
import { toCentralHeader, toEnd } from './zip-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'cabinet-zip-'));
after(() => rmSync(folder, { recursive: true }));

const withoutReaders = skipWithout('unzip', 'python3');
const at = Date.UTC(2024, 1, 29, 23, 59, 58);

function file(path: string[], bytes: Buffer, more: Partial<ZipEntry> = {}): ZipEntry {
  async function* read() {
    yield bytes;
  }
  return { path, isFolder: false, modifiedAtMs: at, sizeBytes: bytes.length, crc32: crc32(bytes), read, ...more };
}

function directory(path: string[]): ZipEntry {
  return file(path, Buffer.alloc(0), { isFolder: true });
}

async function* each(entries: Iterable<ZipEntry>): AsyncGenerator<ZipEntry> {
  yield* entries;
}

/** As a socket reads: one chunk is being sent while the next is requested, and its memory is reused after that. */
async function* later(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer | null = null;
  for await (const chunk of chunks) {
    if (held !== null) yield Buffer.from(held);
    held = chunk;
  }
  if (held !== null) yield Buffer.from(held);
}

async function write(entries: Iterable<ZipEntry>): Promise<{ zip: ReadZip; bytes: Map<string, Buffer> }> {
  const bytes = new Map<string, Buffer>();
  const zip = await readZip(later(writeZip(each(entries))), ({ name }, piece) =>
    bytes.set(name, Buffer.concat([bytes.get(name) ?? Buffer.alloc(0), piece])),
  );
  return { zip, bytes };
}

async function toFile(name: string, entries: Iterable<ZipEntry>): Promise<string> {
  const path = join(folder, name);
  const stream = createWriteStream(path);
  for await (const chunk of later(writeZip(each(entries)))) stream.write(chunk);
  await new Promise<void>((resolve) => stream.end(resolve));
  return path;
}

function assertOthersRead(path: string): void {
  assert.match(execFileSync('unzip', ['-tq', path]).toString(), /No errors detected/);
  assert.match(execFileSync('python3', ['-m', 'zipfile', '-t', path]).toString(), /Done testing/);
}

test('What is written is read back, whatever the sizes', async () => {
  // Bytes that are drawn one by one would take longer than everything else here.
  const content = fc
    .record({ length: fc.nat(200_000), first: fc.uint8Array({ minLength: 1, maxLength: 100 }) })
    .map(({ length, first }) => Buffer.alloc(length, first));
  await fc.assert(
    fc.asyncProperty(fc.array(content, { maxLength: 12 }), async (contents) => {
      const { zip, bytes } = await write(contents.map((one, index) => file([`ü${index}`, 'b.txt'], one)));
      assert.equal(zip.entries.length, contents.length);
      for (const [index, one] of contents.entries())
        assert.ok((bytes.get(`ü${index}/b.txt`) ?? Buffer.alloc(0)).equals(one));
    }),
    { numRuns: 30 },
  );
});

test('Names are UTF-8, folders end with a slash, times are exact in the extra field and even in the other', async () => {
  const { zip } = await write([directory(['Zoë']), file(['Zoë', '日本 😀.txt'], Buffer.from('x'))]);
  assert.deepEqual(
    zip.entries.map(({ name }) => name),
    ['Zoë/', 'Zoë/日本 😀.txt'],
  );
  assert.deepEqual(
    zip.entries.map(({ attributes }) => attributes >>> 16),
    [0o040755, 0o100644],
  );
  for (const { modifiedAt, dosTime } of zip.entries) {
    assert.equal(modifiedAt, at / 1000);
    assert.deepEqual(dosTime, [(44 << 9) | (2 << 5) | 29, (23 << 11) | (59 << 5) | 29]);
  }
});

test('A time that no field can hold is left out of it, and clamped in the other', async () => {
  const times = [Date.UTC(1970), Date.UTC(1969), Date.UTC(2040), Date.UTC(9999, 11, 31)];
  const { zip } = await write(
    times.map((modifiedAtMs, index) => file([`${index}`], Buffer.alloc(0), { modifiedAtMs })),
  );
  assert.deepEqual(
    zip.entries.map(({ modifiedAt }) => modifiedAt),
    [0, -365 * 24 * 3600, null, null],
  );
  assert.deepEqual(
    zip.entries.map(({ dosTime: [date] }) => (date >> 9) + 1980),
    [1980, 1980, 2040, 2107],
  );
});

test('An archive of nothing is an archive', async () => {
  const { zip } = await write([]);
  assert.deepEqual(zip, { entries: [], sizeBytes: 22, hasZip64End: false });
});

test('From 65,535 entries on their number stands in the Zip64 end, and others read that', async () => {
  assert.equal(toEnd({ count: 65_534, sizeBytes: 0, offset: 0 }).length, 22);
  const count = 65_535;
  function* many() {
    for (let index = 0; index < count; index += 1) yield directory([`${index}`]);
  }
  const path = await toFile('many.zip', many());
  const whole = readFileSync(path);
  const last = whole.subarray(-98);
  assert.equal(last.readUInt32LE(0), 0x06064b50);
  assert.equal(last.readBigUInt64LE(32), BigInt(count));
  // Readers that find the end by searching would not notice a wrong way to it.
  assert.equal(last.readBigUInt64LE(64), BigInt(whole.length - 98));
  assert.equal(last.readUInt16LE(76 + 10), 0xffff);
  if (withoutReaders === false) assertOthersRead(path);
});

test('Sizes and offsets beyond 32 bits are in the Zip64 fields, each only where it is needed', () => {
  const facts = { name: Buffer.from('a'), isFolder: false, modifiedAtMs: at, crc32: 1 };
  const extraOf = (sizeBytes: number, offset: number) => {
    const header = toCentralHeader({ ...facts, sizeBytes }, offset);
    return header.subarray(47 + 9).toString('hex');
  };
  assert.equal(extraOf(0xfffffffe, 0xfffffffe), '');
  assert.equal(extraOf(0xffffffff, 0), '01001000ffffffff00000000ffffffff00000000');
  assert.equal(extraOf(1, 0xffffffff), '01000800ffffffff00000000');
  assert.equal(extraOf(2 ** 33, 2 ** 34), '01001800000000000200000000000000020000000000000004000000');
  assert.equal(toEnd({ count: 1, sizeBytes: 50, offset: 0xfffffffe }).length, 22);
  assert.equal(toEnd({ count: 1, sizeBytes: 50, offset: 0xffffffff }).length, 98);
});

test('Bytes that are fewer or more than was said break the archive off', async () => {
  for (const sizeBytes of [2, 4]) await assert.rejects(write([file(['a'], Buffer.from('abc'), { sizeBytes })]), /size/);
});

test('A name that would lead elsewhere is never written', async () => {
  const bad = [[], [''], ['.'], ['..'], ['a', '..', 'b'], ['/a'], ['a/b'], ['a\\b'], ['..\\b'], ['a\0']];
  for (const path of bad) await assert.rejects(write([file(path, Buffer.alloc(1))]), /elsewhere/, path.join('|'));
});

test('A path that is too long for a ZIP breaks it off', async () => {
  const name = 'é'.repeat(255);
  const path = Array.from({ length: 128 }, () => name);
  await write([file(path, Buffer.alloc(1))]);
  await assert.rejects(write([file([...path, name], Buffer.alloc(1))]), /does not fit/);
});

test('unzip and Python read it', { skip: withoutReaders }, async () => {
  const large = Buffer.alloc(3_000_000, 'large ');
  const path = await toFile('small.zip', [
    directory(['empty']),
    directory(['Zoë']),
    file(['Zoë', '日本.txt'], Buffer.from('hello')),
    file(['large'], large),
  ]);
  assertOthersRead(path);
  // It writes names as the locale says; that of the archive is UTF-8.
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  execFileSync('unzip', ['-q', path, '-d', join(folder, 'out')], { env });
  assert.equal(statSync(join(folder, 'out/Zoë/日本.txt')).mtimeMs, at);
  assert.ok(statSync(join(folder, 'out/empty')).isDirectory());
  assert.equal(statSync(join(folder, 'out/large')).size, large.length);
});
