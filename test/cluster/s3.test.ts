// Blobs in a real S3: the contract, and what is particular to it: parts, memory, connections that break, answers that lie.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Blobs, newBlobId } from '../../src/blobs/blobs.ts';
import { Bucket, type S3Place } from '../../src/blobs/s3/bucket.ts';
import { s3Files } from '../../src/blobs/s3/file-store.ts';
import { PartMemory } from '../../src/blobs/s3/part.ts';
import { openS3Blobs, removeAll } from '../../src/blobs/s3/s3.ts';
import { upload } from '../../src/blobs/s3/upload.ts';
import { openJournalFiles } from '../../src/catalog/journal-files.ts';
import { Fault, type FaultKind } from '../../src/domain/fault.ts';
import { read, testBlobs, toAsync } from '../contracts/blobs.ts';
import { testGrowingBlobs } from '../contracts/growing-blobs.ts';
import { skipWithout } from '../service/programs.ts';
import { sized } from '../size.ts';
import { findGround } from './ground.ts';
import { type Meddle, Meddler } from './meddler.ts';

const mib = 1024 * 1024;
const partBytes = 8 * mib;
/** More than the memory that it may take. */
const largeMib = sized(72, 300);

const ground = await findGround();
after(() => ground.stop());
const { s3 } = ground;
if (s3 === null) it('keeps blobs in a real S3', { skip: skipWithout('swift') });
else {
  const s3Port = Number(new URL(s3.endpoint).port);
  const meddler = await Meddler.open(s3Port);
  after(() => meddler.close());

  const { region, accessKey: accessKeyId, secretKey: secretAccessKey, bucket } = s3;
  /** Others have their objects in the same bucket. */
  const own = `${newBlobId()}/`;
  const placeAt = (endpoint: string, folder: string): S3Place => ({
    bucket,
    prefix: `${own}${folder}`,
    endpoint,
    region,
    isPathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  const place = placeAt(s3.endpoint, 'plain/');
  const meddledPlace = placeAt(`http://127.0.0.1:${meddler.port}`, 'meddled/');
  const plain = await openS3Blobs(place);
  const meddled = await openS3Blobs({ ...meddledPlace, patienceMs: 500 });
  after(() => Promise.all([plain.close(), meddled.close()]));

  async function meddling(meddle: Meddle, work: () => Promise<void>): Promise<void> {
    meddler.meddle = meddle;
    try {
      await work();
    } finally {
      meddler.meddle = ({ chunk }) => chunk;
    }
  }

  /** Neither whole nor in parts. */
  async function assertNothingLeft(prefix: string, id: string): Promise<void> {
    const looked = new Bucket({ ...place, prefix });
    const keys = await Array.fromAsync(looked.list(prefix), ({ key }) => key);
    const unfinished = await Array.fromAsync(looked.listUnfinished(), ({ key }) => key);
    looked.close();
    assert.deepEqual(
      [...keys, ...unfinished].filter((key) => key.endsWith(id)),
      [],
    );
  }

  async function readHash(blobs: Blobs, id: string, size: number): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of blobs.open(id, 0, size)) hash.update(chunk);
    return hash.digest('hex');
  }

  const contractPlace = placeAt(s3.endpoint, 'contract/');
  const openForContract = async () => ({
    blobs: await openS3Blobs(contractPlace),
    close: () => removeAll(contractPlace),
  });
  testBlobs('S3', openForContract);
  testGrowingBlobs('S3', openForContract);

  describe('S3 stores contents of any size', () => {
    it('around the size of a part, and returns every range across parts', async () => {
      const whole = randomBytes(2 * partBytes + 17);
      for (const size of [partBytes - 1, partBytes, partBytes + 1, whole.length]) {
        const id = newBlobId();
        const bytes = whole.subarray(0, size);
        await plain.put(id, toAsync([[bytes.subarray(0, 5)], [bytes.subarray(5)]]));
        assert.ok((await read(plain, id, 0, size)).equals(bytes), `${size}`);
        await assert.rejects(read(plain, id, 0, size + 1), isFault('other'));
        const start = Math.min(partBytes, size) - 3;
        assert.ok((await read(plain, id, start, size)).equals(bytes.subarray(start)), `${size} from ${start}`);
        await plain.discard(id);
        await assertNothingLeft(place.prefix, id);
      }
    });

    it(`${largeMib} MiB, at flat memory`, async () => {
      const block = randomBytes(mib);
      const hash = createHash('sha256');
      let peakBytes = 0;
      const used = () => {
        const { heapUsed, external } = process.memoryUsage();
        return heapUsed + external;
      };
      collectGarbage();
      const idleBytes = used();
      const watch = setInterval(() => {
        peakBytes = Math.max(peakBytes, used() - idleBytes);
      }, 5);
      const blocks = async function* () {
        for (let index = 0; index < largeMib; index += 1) {
          block.writeUInt32LE(index, 0);
          hash.update(block);
          yield [block];
        }
      };
      const id = newBlobId();
      await plain.put(id, blocks());
      clearInterval(watch);
      console.log(`${largeMib} MiB went up with ${Math.round(peakBytes / mib)} MiB of memory`);
      assert.equal(await readHash(plain, id, largeMib * mib), hash.digest('hex'));
      await plain.discard(id);
      assert.ok(peakBytes < 64 * mib, `${Math.round(peakBytes / mib)} MiB`);
    });

    it('of many concurrent uploads beyond the memory limit, without leaving a file', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'cabinet-parts-'));
      const memory = new PartMemory(folder, 3 * mib);
      const target = new Bucket(placeAt(s3.endpoint, 'spooled/'));
      const toKey = (n: number) => `${target.prefix}${n}`;
      const contents = Array.from({ length: 4 }, () => randomBytes(partBytes + mib));
      let mostBytes = 0;
      const blocks = async function* (content: Buffer) {
        for (let at = 0; at < content.length; at += 300_000) {
          yield [content.subarray(at, at + 300_000)];
          mostBytes = Math.max(mostBytes, memory.usedBytes);
        }
      };
      await Promise.all(contents.map((content, n) => upload(target, toKey(n), blocks(content), memory)));
      for (const [n, content] of contents.entries()) {
        const pieces = await Array.fromAsync((await target.get(toKey(n), 0, content.length)) as AsyncIterable<Buffer>);
        assert.ok(Buffer.concat(pieces).equals(content), `${n}`);
      }
      assert.ok(mostBytes > 0 && mostBytes <= memory.maxBytes, `${mostBytes}`);
      assert.equal(memory.usedBytes, 0);
      assert.deepEqual(readdirSync(folder), []);
      rmSync(folder, { recursive: true });
      target.close();
      await removeAll(target.place);
    });
  });

  describe('S3 keeps nothing of an incomplete upload', () => {
    it('when the client disconnects between parts', async () => {
      const id = newBlobId();
      const cut = async function* () {
        for (let index = 0; index < 18; index += 1) yield [randomBytes(mib)];
        throw new Error('the client went away');
      };
      await assert.rejects(plain.put(id, cut()), /^Error: the client went away$/);
      await assertNothingLeft(place.prefix, id);
    });

    it('when bytes change in transit, which S3 detects by their checksum', async () => {
      const flip: Meddle = ({ direction, chunk, request, bytes }) => {
        if (direction === 'down' || !request.startsWith('PUT') || bytes < 100_000 || chunk.length < 1000) return chunk;
        const changed = Buffer.from(chunk);
        changed[500] = (changed[500] ?? 0) ^ 1;
        return changed;
      };
      for (const size of [mib, partBytes + mib]) {
        const id = newBlobId();
        await meddling(flip, () => assert.rejects(meddled.put(id, toAsync([[randomBytes(size)]])), isFault('other')));
        await assertNothingLeft(meddledPlace.prefix, id);
      }
    });

    it('when S3 reports another checksum', async () => {
      const lie: Meddle = ({ direction, chunk, request }) => {
        if (direction === 'up' || !request.startsWith('PUT')) return chunk;
        const text = chunk.toString('latin1').replace(/(etag: "?)[0-9a-f]{4}/i, '$1ffff');
        return Buffer.from(text, 'latin1');
      };
      for (const size of [mib, partBytes + mib]) {
        const id = newBlobId();
        await meddling(lie, () => assert.rejects(meddled.put(id, toAsync([[randomBytes(size)]])), /other bytes/));
        await assertNothingLeft(meddledPlace.prefix, id);
      }
    });

    it('when S3 reports another size', async () => {
      const lie: Meddle = ({ direction, chunk, request }) => {
        if (direction === 'up' || !request.startsWith('HEAD')) return chunk;
        return Buffer.from(chunk.toString('latin1').replace(/content-length: \d+/i, 'Content-Length: 5'), 'latin1');
      };
      const id = newBlobId();
      const put = () => meddled.put(id, toAsync([[randomBytes(partBytes)], [randomBytes(mib)]]));
      await meddling(lie, () => assert.rejects(put(), /S3 has 5 of 9437184 bytes/));
      await assertNothingLeft(meddledPlace.prefix, id);
    });

    it('when every connection is cut in the middle of a part, with a limited number of retries', async () => {
      let cuts = 0;
      const cut: Meddle = ({ direction, chunk, request, bytes }) => {
        if (direction === 'down' || !request.includes('partNumber=2') || bytes < mib) return chunk;
        cuts += 1;
        return null;
      };
      const id = newBlobId();
      const put = () =>
        meddled.put(id, toAsync([[randomBytes(partBytes)], [randomBytes(partBytes)], [randomBytes(5)]]));
      await meddling(cut, () => assert.rejects(put(), isFault('unavailable')));
      assert.ok(cuts > 1 && cuts < 10, `${cuts}`);
      await assertNothingLeft(meddledPlace.prefix, id);
    });

    it('when completing the upload returns 200 with an error in the body', async () => {
      const error = '<?xml version="1.0"?><Error><Code>InternalError</Code><Message>no</Message></Error>';
      for (const end of ['', '\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n']) {
        let requests = 0;
        const body = `${error}${end}`;
        const lie: Meddle = ({ direction, chunk, request, bytes, answer }) => {
          if (direction === 'down' || !/^POST \S+uploadId=/.test(request)) return chunk;
          if (bytes === chunk.length) {
            requests += 1;
            answer(`HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
          }
          return Buffer.alloc(0);
        };
        const id = newBlobId();
        const put = () => meddled.put(id, toAsync([[randomBytes(partBytes)], [randomBytes(mib)]]));
        await meddling(lie, () => assert.rejects(put(), isFault('unavailable')));
        assert.ok(requests > 1 && requests < 10, `${requests}`);
        await assertNothingLeft(meddledPlace.prefix, id);
      }
    });
  });

  describe('S3 requests are retried', () => {
    it('when a connection is cut in the middle of a part', async () => {
      const cutParts = new Set<string>();
      const cut: Meddle = ({ direction, chunk, request, bytes }) => {
        if (direction === 'down' || !request.startsWith('PUT') || bytes < mib || cutParts.has(request)) return chunk;
        cutParts.add(request);
        return null;
      };
      const id = newBlobId();
      const bytes = randomBytes(partBytes + 2 * mib);
      await meddling(cut, () => meddled.put(id, toAsync([[bytes]])));
      assert.equal(cutParts.size, 2);
      assert.ok((await read(meddled, id, 0, bytes.length)).equals(bytes));
    });

    it('when the answer to the last request of an upload is lost', async () => {
      let cuts = 0;
      const cut: Meddle = ({ direction, chunk, request }) => {
        if (direction === 'up' || !/^POST \S+uploadId=/.test(request)) return chunk;
        cuts += 1;
        return null;
      };
      const id = newBlobId();
      const bytes = randomBytes(partBytes + mib);
      await meddling(cut, () => meddled.put(id, toAsync([[bytes]])));
      assert.ok(cuts > 0);
      assert.ok((await read(meddled, id, 0, bytes.length)).equals(bytes));
    });

    it('when a read is cut now and then', async () => {
      const id = newBlobId();
      const bytes = randomBytes(5 * mib);
      await meddled.put(id, toAsync([[bytes]]));
      let cuts = 0;
      const cut: Meddle = ({ direction, chunk, request, bytes: passed }) => {
        if (direction === 'up' || !request.startsWith('GET') || passed < mib) return chunk;
        cuts += 1;
        return null;
      };
      await meddling(cut, async () => assert.ok((await read(meddled, id, 7, bytes.length)).equals(bytes.subarray(7))));
      assert.ok(cuts >= 4, `${cuts}`);
    });
  });

  describe('S3 that returns something else is a fault', () => {
    it('when every read is cut at the same place', async () => {
      const id = newBlobId();
      await meddled.put(id, toAsync([[randomBytes(mib)]]));
      const cut: Meddle = ({ direction, chunk, request }) => {
        if (direction === 'up' || !request.startsWith('GET')) return chunk;
        const head = chunk.indexOf('\r\n\r\n');
        return head < 0 ? null : chunk.subarray(0, head + 4);
      };
      await meddling(cut, () => assert.rejects(read(meddled, id, 0, mib), isFault('unavailable')));
    });

    it('when a blob is truncated or missing', async () => {
      const id = newBlobId();
      await plain.put(id, toAsync([[randomBytes(1000)]]));
      const target = new Bucket(place);
      const bytes = randomBytes(999);
      const md5 = createHash('md5').update(bytes).digest();
      await target.put(`${place.prefix}${id.slice(0, 2)}/${id}`, { sizeBytes: 999, md5, open: () => bytes });
      await assert.rejects(read(plain, id, 0, 1000), isFault('other'));
      await assert.rejects(read(plain, id, 999, 1000), isFault('other'));
      await target.remove(`${place.prefix}${id.slice(0, 2)}/${id}`);
      target.close();
      await assert.rejects(read(plain, id, 0, 1000), isFault('other'));
    });

    it('when it answers with another range than requested', async () => {
      const id = newBlobId();
      await meddled.put(id, toAsync([[randomBytes(1000)]]));
      const shift: Meddle = ({ direction, chunk }) =>
        direction === 'up'
          ? chunk
          : Buffer.from(chunk.toString('latin1').replace('bytes 10-19/', 'bytes 11-20/'), 'latin1');
      await meddling(shift, () => assert.rejects(read(meddled, id, 10, 20), isFault('other')));
    });
  });

  describe('S3 is cleaned up', () => {
    it('of abandoned uploads, and of no others', async () => {
      const target = new Bucket(place);
      const [left, wanted] = [newBlobId(), newBlobId()];
      for (const id of [left, wanted]) await target.beginParts(`${place.prefix}${id.slice(0, 2)}/${id}`);
      const unfinished = async () =>
        (await Array.fromAsync(target.listUnfinished(), ({ key }) => key.slice(-32))).sort();
      await plain.tidy?.(Date.now() - 60_000, async (ids) => ids);
      assert.deepEqual(await unfinished(), [left, wanted].sort());
      await plain.tidy?.(Date.now() + 60_000, async (ids) => ids.filter((id) => id !== wanted));
      assert.deepEqual(await unfinished(), [wanted]);
      await plain.tidy?.(Date.now() + 60_000, async (ids) => ids);
      assert.deepEqual(await unfinished(), []);
      target.close();
    });
  });

  describe('S3 keeps files of the journal', () => {
    it('and returns them', async () => {
      const files = openJournalFiles(s3Files(place, 'journal/'));
      const change = { at: 1, space: 1, by: 'app:x', action: 'file.created', entry: 'e', request: 'r', details: '{}' };
      const rows = [1, 2].map((position) => ({ ...change, position, link: `link ${position}` }));
      assert.deepEqual(await files.list(), []);
      await files.write({ first: 1, last: 2 }, rows);
      await files.write({ first: 3, last: 4 }, []);
      assert.deepEqual(await files.list(), [
        { first: 1, last: 2 },
        { first: 3, last: 4 },
      ]);
      assert.deepEqual(await files.read({ first: 1, last: 2 }), rows);
      await assert.rejects(files.read({ first: 5, last: 6 }), isFault('other'));
      assert.ok((await Array.fromAsync(plain.list())).every(({ id }) => /^[0-9a-f]{32}$/.test(id)));
    });
  });

  describe('S3 that is down', () => {
    it('is reported as unavailable, and used again when it is back', async () => {
      const id = newBlobId();
      const way = await Meddler.open(s3Port);
      const hasty = await openS3Blobs({ ...placeAt(`http://127.0.0.1:${way.port}`, 'away/'), patienceMs: 300 });
      await hasty.put(id, toAsync([[Buffer.from('before')]]));
      await way.close();
      await assert.rejects(hasty.put(newBlobId(), toAsync([[randomBytes(10)]])), isFault('unavailable'));
      await assert.rejects(hasty.put(newBlobId(), toAsync([[randomBytes(20 * mib)]])), isFault('unavailable'));
      await assert.rejects(read(hasty, id, 0, 6), isFault('unavailable'));
      await assert.rejects(hasty.discard(id), isFault('unavailable'));
      const again = await Meddler.open(s3Port, way.port);
      assert.equal((await read(hasty, id, 0, 6)).toString(), 'before');
      await hasty.close();
      await again.close();
    });
  });
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

function isFault(kind: FaultKind): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Fault, `${error}`);
    assert.equal(error.kind, kind, error.message);
    return true;
  };
}
