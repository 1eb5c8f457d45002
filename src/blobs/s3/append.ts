// Appends to a blob in S3: parts of one multipart upload, and after them a tail that is too small for a part, as an object of its own under
// <key>.<number>-<random>. So any number of bytes can be made durable, and parts never move.
//
// The state, as JSON: the upload's id, its parts in order, the last part number that may have been used, and the tail with its
// offset. A number is kept as used before its part is sent, so that two nodes never send different parts
// under the same number; numbers may therefore be skipped.

import { randomBytes } from 'node:crypto';
import { Fault } from '../../domain/fault.ts';
import { type Append, type AppendState, chunkBytes } from '../blobs.ts';
import { type Bucket, toBody } from './bucket.ts';
import { isMissing } from './faults.ts';
import { Part, type PartMemory } from './part.ts';
import { readChunks } from './read.ts';
import { completeUpload, type SentPart, toPartBytes } from './upload.ts';

interface State {
  uploadId: string | null;
  /** Number, bytes, ETag and MD5 (base64) of each. */
  parts: [number, number, string, string][];
  used: number;
  tail: { suffix: string; at: number; bytes: number } | null;
}

export interface GrowingObject {
  bucket: Bucket;
  key: string;
  memory: PartMemory;
}

export async function appendParts(object: GrowingObject, { from, blocks, keep }: Append): Promise<AppendState> {
  const growth = new Growth(object, from, keep);
  try {
    await growth.loadTail(from.sizeBytes);
    for await (const block of blocks) await growth.take(block);
    return await growth.finish();
  } catch (error) {
    await growth.stop();
    throw error;
  }
}

class Growth {
  readonly #object: GrowingObject;
  readonly #keep: Append['keep'];
  readonly #state: State;
  readonly #fromBytes: number;
  #sentBytes: number;
  #part: Part;
  #sending: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | null = null;

  constructor(object: GrowingObject, from: AppendState, keep: Append['keep']) {
    this.#object = object;
    this.#keep = keep;
    this.#state = readState(from);
    this.#fromBytes = from.sizeBytes;
    this.#sentBytes = sumOf(this.#state);
    this.#part = this.#newPart(false);
  }

  #newPart(isFull: boolean): Part {
    const { bucket, memory } = this.#object;
    return new Part(memory, toPartBytes(this.#state.used + 1, bucket.traits.maxParts), isFull);
  }

  async loadTail(toBytes: number): Promise<void> {
    for await (const chunk of readTail(this.#object, this.#state, toBytes)) await this.take([chunk]);
  }

  /** Copies the bytes: their memory may be reused when the next but one block is requested. */
  async take(block: readonly Uint8Array[]): Promise<void> {
    for (const bytes of block) {
      for (let left = bytes; left.byteLength > 0; ) {
        if (this.#part.isFull) await this.#sendPart();
        left = await this.#part.take(left);
      }
    }
  }

  /** One part is sent while the next is gathered. */
  async #sendPart(): Promise<void> {
    await this.#settle();
    const { bucket, key } = this.#object;
    const number = this.#state.used + 1;
    if (number > bucket.traits.maxParts) {
      throw new Fault('other', `S3 takes ${bucket.traits.maxParts} parts, which is not enough`);
    }
    this.#state.uploadId ??= await bucket.beginParts(key);
    this.#state.used = number;
    // Until a part includes the earlier tail, that one counts.
    const sizeBytes = Math.max(this.#sentBytes, this.#fromBytes);
    await this.#keep({ sizeBytes, state: JSON.stringify(this.#state) });
    this.#sending = this.#put(this.#part, number, this.#state.uploadId);
    this.#part = this.#newPart(true);
  }

  /** Never rejects: the next call finds the failure. */
  async #put(part: Part, number: number, uploadId: string): Promise<void> {
    try {
      const etag = await this.#object.bucket.putPart(this.#object.key, uploadId, number, part);
      this.#state.parts.push([number, part.sizeBytes, etag, part.md5.toString('base64')]);
      this.#sentBytes += part.sizeBytes;
      await part.close({ isSent: true });
    } catch (error) {
      this.#failure = { error };
      await part.close({ isSent: false });
    }
  }

  async #settle(): Promise<void> {
    await this.#sending;
    if (this.#failure !== null) throw this.#failure.error;
  }

  async finish(): Promise<AppendState> {
    await this.#settle();
    const { bucket, key } = this.#object;
    const { sizeBytes } = this.#part;
    // The earlier tail stays: it counts until the new state is stored.
    if (sizeBytes > 0) {
      const suffix = `${this.#state.used}-${randomBytes(6).toString('hex')}`;
      await bucket.put(`${key}.${suffix}`, this.#part);
      this.#state.tail = { suffix, at: this.#sentBytes, bytes: sizeBytes };
    }
    await this.#part.close({ isSent: true });
    return { sizeBytes: this.#sentBytes + sizeBytes, state: JSON.stringify(this.#state) };
  }

  async stop(): Promise<void> {
    await this.#sending;
    await this.#part.close({ isSent: false });
  }
}

/** The state at that size: parts that were sent beyond it do not count. */
function readState({ sizeBytes, state }: AppendState): State {
  const empty: State = { uploadId: null, parts: [], used: 0, tail: null };
  const read = state === '' ? empty : (JSON.parse(state) as State);
  const parts: State['parts'] = [];
  let end = 0;
  for (const part of read.parts) {
    end += part[1];
    if (end > sizeBytes) break;
    parts.push(part);
  }
  return { ...read, parts };
}

function sumOf({ parts }: State): number {
  return parts.reduce((sum, [, bytes]) => sum + bytes, 0);
}

async function* readTail({ bucket, key }: GrowingObject, state: State, toBytes: number): AsyncGenerator<Buffer> {
  const at = sumOf(state);
  const bytes = toBytes - at;
  if (bytes === 0) return;
  const { tail } = state;
  if (tail === null || tail.at !== at || tail.bytes < bytes) {
    throw new Fault('other', `an incomplete blob has ${at} of ${toBytes} bytes in S3`);
  }
  yield* readChunks(bucket, `${key}.${tail.suffix}`, { start: 0, end: bytes, chunkBytes });
}

export async function completeParts(object: GrowingObject, grown: AppendState): Promise<void> {
  const { bucket, key } = object;
  try {
    await makeObject(object, grown);
  } catch (error) {
    // Done before by a request whose response was lost: then the upload no longer exists, and its parts may be gone.
    if ((await bucket.findSize(key)) !== grown.sizeBytes) throw error;
  }
  await removeTails(bucket, key);
}

async function makeObject(object: GrowingObject, { sizeBytes, state }: AppendState): Promise<void> {
  const { bucket, key } = object;
  const read = readState({ sizeBytes, state });
  const chunks = await Array.fromAsync(readTail(object, read, sizeBytes), (chunk) => Buffer.from(chunk));
  const tail = toBody(Buffer.concat(chunks));
  const { uploadId, used } = read;
  if (uploadId === null || read.parts.length === 0) {
    await bucket.put(key, tail);
    if (uploadId !== null) await bucket.abortParts(key, uploadId);
    return;
  }
  const sent: SentPart[] = read.parts.map(([number, , etag, md5]) => ({
    number,
    etag,
    md5: Buffer.from(md5, 'base64'),
  }));
  if (tail.sizeBytes > 0) {
    const etag = await bucket.putPart(key, uploadId, used + 1, tail);
    sent.push({ number: used + 1, etag, md5: tail.md5 });
  }
  await completeUpload(bucket, key, { uploadId, sent, sizeBytes });
}

export async function abandonParts({ bucket, key }: GrowingObject, grown: AppendState): Promise<void> {
  const { uploadId } = readState(grown);
  if (uploadId !== null) await bucket.abortParts(key, uploadId).catch(unlessMissing);
  await bucket.remove(key);
  await removeTails(bucket, key);
}

/** Some servers forget the key with the upload. */
function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

async function removeTails(bucket: Bucket, key: string): Promise<void> {
  for await (const tail of bucket.list(`${key}.`)) await bucket.remove(tail.key);
}
