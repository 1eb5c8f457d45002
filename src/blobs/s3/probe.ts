// Tries everything that we need of an S3 server before we rely on it, with small objects below `<prefix>probe/`, and reports what is
// wrong. It also detects in what servers differ.

import { randomBytes, randomUUID } from 'node:crypto';
import { Fault } from '../../domain/fault.ts';
import { type Bucket, toBody, toEtagOfParts } from './bucket.ts';
import { explain, type ServerContext, tellSkew } from './faults.ts';

const dayMs = 24 * 60 * 60 * 1000;
const listPatienceMs = 3000;
const tolerableSkewMs = 60_000;
/** Amazon's limit and Swift's default. */
const partLimits = [10_000, 1000];

/** Rejects with a `Fault` whose message is for operators. `onNotice` gets what works but should be changed. */
export async function probe(bucket: Bucket, onNotice: (text: string) => void): Promise<void> {
  const key = `${bucket.prefix}probe/${randomUUID()}`;
  let doing = 'store an object';
  const step = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    doing = what;
    return await work();
  };
  try {
    await step('store an object', () => tryObject(bucket, key));
    await step('read a range', () => tryRange(bucket, key));
    await step('list objects', () => tryList(bucket, key, onNotice));
    bucket.traits.maxParts = await step('take parts', () => findMostParts(bucket, key));
    await step('upload in parts', () => tryParts(bucket, key));
    const isVersioned = await step('remove an object', () => bucket.remove(key));
    if (isVersioned) {
      onNotice('The bucket keeps old versions: space is freed only when its lifecycle rules remove them.');
    }
  } catch (error) {
    await bucket.remove(key).catch(() => undefined);
    const cause = error instanceof Fault && error.cause !== undefined ? error.cause : error;
    throw explain(cause, doing, await surroundings(bucket));
  }
  const { server, clockOffsetMs } = await surroundings(bucket);
  if (Math.abs(clockOffsetMs) > tolerableSkewMs) onNotice(tellSkew(server, clockOffsetMs));
}

async function surroundings(bucket: Bucket): Promise<ServerContext> {
  const { config } = bucket.client;
  const { endpoint, bucket: name, region } = bucket.place;
  const accessKey = await config.credentials().then(
    ({ accessKeyId }) => accessKeyId,
    () => null,
  );
  const server = endpoint ?? `Amazon${region === null ? '' : ` (${region})`}`;
  return { server, bucket: name, accessKey, clockOffsetMs: config.systemClockOffset };
}

const content = randomBytes(64);

async function tryObject(bucket: Bucket, key: string): Promise<void> {
  const body = toBody(content);
  const etag = await bucket.put(key, body);
  bucket.traits.hasMd5Etags = etag === body.md5.toString('hex');
}

async function tryRange(bucket: Bucket, key: string): Promise<void> {
  const pieces = await Array.fromAsync((await bucket.get(key, 10, 20)) as AsyncIterable<Buffer>);
  if (!Buffer.concat(pieces).equals(content.subarray(10, 20)))
    throw new Fault('other', 'S3 returns other bytes than were stored');
}

/** Some servers list new objects a little later. Nothing depends on it, but what is never listed is never swept. */
async function tryList(bucket: Bucket, key: string, onNotice: (text: string) => void): Promise<void> {
  const { clock } = bucket;
  for (const until = clock.monotonic() + listPatienceMs; ; await clock.sleep(200)) {
    let isListed = false;
    for await (const found of bucket.list(`${bucket.prefix}probe/`)) {
      isListed ||= found.key === key;
      // What an earlier start could not remove.
      if (found.key !== key && found.atMs < clock.now() - dayMs) await bucket.remove(found.key);
    }
    if (isListed) return;
    if (clock.monotonic() > until) return onNotice('S3 does not list objects that were just stored.');
  }
}

/** Parts need not be numbered one after the other, so one is enough to see how far they may go. */
async function findMostParts(bucket: Bucket, key: string): Promise<number> {
  const uploadId = await bucket.beginParts(key);
  try {
    for (const [index, limit] of partLimits.entries()) {
      try {
        await bucket.putPart(key, uploadId, limit, toBody(content));
        return limit;
      } catch (error) {
        if (index === partLimits.length - 1 || (error as Fault).kind !== 'other') throw error;
      }
    }
    return 0;
  } finally {
    await bucket.abortParts(key, uploadId);
  }
}

async function tryParts(bucket: Bucket, key: string): Promise<void> {
  const body = toBody(content);
  const uploadId = await bucket.beginParts(key);
  try {
    const part = await bucket.putPart(key, uploadId, 1, body);
    const etag = await bucket.completeParts(key, uploadId, [{ etag: part, number: 1 }]);
    bucket.traits.hasMd5OfParts = etag === toEtagOfParts([body.md5]);
  } catch (error) {
    await bucket.abortParts(key, uploadId).catch(() => undefined);
    throw error;
  }
  if ((await bucket.findSize(key)) !== content.length)
    throw new Fault('other', 'S3 did not complete the multipart upload');
}
