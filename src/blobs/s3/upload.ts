// One upload: a small content by one request, a larger one in parts, several of them at a time. It is stored as a whole, or
// nothing is left.
//
// Not `Upload` of @aws-sdk/lib-storage, because it has one size of parts (ten thousand of those that fit into memory
// end at 80 GiB), gathers all of them in memory, neither sends nor compares a checksum of each that every server knows, and
// takes a lost response to the last request for a failure although the object may exist.

import { Fault } from '../../domain/fault.ts';
import { type Bucket, toEtagOfParts } from './bucket.ts';
import { Part, type PartMemory } from './part.ts';

const mib = 1024 * 1024;
const firstPartBytes = 8 * mib;
const largestPartBytes = 5 * 1024 * mib;
/** What all parts together must be able to hold: 5 TiB. */
const largestBytes = 5 * 1024 * 1024 * mib;
/** Being sent, beside the one that is gathered: together 32 MiB. */
const partsAtOnce = 3;

/** The first half of the parts is small, which is up to 39 GiB where 10,000 are allowed; from there on each is larger than
 *  the one before, so that they reach 5 TiB: the size may not be known before. */
export function toPartBytes(number: number, maxParts: number): number {
  const half = Math.floor(maxParts / 2);
  const stepBytes = Math.ceil((2 * largestBytes) / half ** 2 / mib) * mib;
  return Math.min(largestPartBytes, firstPartBytes + Math.max(0, number - half) * stepBytes);
}

export async function upload(
  bucket: Bucket,
  key: string,
  blocks: AsyncIterable<readonly Uint8Array[]>,
  memory: PartMemory,
): Promise<void> {
  const run = new Upload(bucket, key, memory);
  try {
    for await (const block of blocks) await run.take(block);
    await run.finish();
  } catch (error) {
    await run.undo();
    throw error;
  }
}

/** A part that S3 has. */
export interface SentPart {
  number: number;
  etag: string;
  md5: Buffer;
}

class Upload {
  readonly #bucket: Bucket;
  readonly #key: string;
  readonly #memory: PartMemory;
  readonly #sent: SentPart[] = [];
  readonly #sending = new Set<Promise<void>>();
  #failure: { error: unknown } | null = null;
  #sizeBytes = 0;
  #number = 1;
  #part: Part;
  #uploadId: string | null = null;
  #isMade = false;

  constructor(bucket: Bucket, key: string, memory: PartMemory) {
    this.#bucket = bucket;
    this.#key = key;
    this.#memory = memory;
    this.#part = this.#newPart();
  }

  #newPart(): Part {
    return new Part(this.#memory, toPartBytes(this.#number, this.#bucket.traits.maxParts), this.#number > 1);
  }

  /** Copies the bytes: their memory may be reused when the next but one block is requested, long before they are sent. */
  async take(block: readonly Uint8Array[]): Promise<void> {
    for (const bytes of block) {
      for (let left = bytes; left.byteLength > 0; ) {
        if (this.#part.isFull) await this.#sendPart();
        const rest = await this.#part.take(left);
        this.#sizeBytes += left.byteLength - rest.byteLength;
        left = rest;
      }
    }
    this.#check();
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  async #sendPart(): Promise<void> {
    const { maxParts } = this.#bucket.traits;
    if (this.#number > maxParts) throw new Fault('other', `S3 takes ${maxParts} parts, which is not enough`);
    this.#uploadId ??= await this.#bucket.beginParts(this.#key);
    while (this.#sending.size >= (this.#memory.isScarce ? 1 : partsAtOnce)) await Promise.race(this.#sending);
    this.#check();
    const sending: Promise<void> = this.#put(this.#part, this.#number, this.#uploadId).finally(() => {
      this.#sending.delete(sending);
    });
    this.#sending.add(sending);
    this.#number += 1;
    this.#part = this.#newPart();
  }

  /** Never rejects: the next call finds the failure. */
  async #put(part: Part, number: number, uploadId: string): Promise<void> {
    try {
      const etag = await this.#bucket.putPart(this.#key, uploadId, number, part);
      this.#sent.push({ number, etag, md5: part.md5 });
      await part.close({ isSent: true });
    } catch (error) {
      this.#failure ??= { error };
      await part.close({ isSent: false });
    }
  }

  async finish(): Promise<void> {
    if (this.#uploadId === null) return await this.#putWhole();
    if (this.#part.sizeBytes > 0) await this.#sendPart();
    await Promise.all(this.#sending);
    this.#check();
    const sent = this.#sent.sort((a, b) => a.number - b.number);
    this.#isMade = true;
    await completeUpload(this.#bucket, this.#key, { uploadId: this.#uploadId, sent, sizeBytes: this.#sizeBytes });
    await this.#part.close({ isSent: true });
  }

  async #putWhole(): Promise<void> {
    this.#isMade = true;
    await this.#bucket.put(this.#key, this.#part);
    if (!this.#bucket.traits.hasMd5Etags) {
      const sizeBytes = await this.#bucket.findSize(this.#key);
      if (sizeBytes !== this.#sizeBytes) throw new Fault('other', `S3 has ${sizeBytes} of ${this.#sizeBytes} bytes`);
    }
    await this.#part.close({ isSent: true });
  }

  /** What cannot be removed now is removed by the sweeper. */
  async undo(): Promise<void> {
    await Promise.all(this.#sending);
    await this.#part.close({ isSent: false });
    if (this.#uploadId !== null) await this.#bucket.abortParts(this.#key, this.#uploadId, 0).catch(() => undefined);
    if (this.#isMade) await this.#bucket.remove(this.#key, 0).catch(() => undefined);
  }
}

export interface Parts {
  uploadId: string;
  sent: readonly SentPart[];
  sizeBytes: number;
}

/** Completes the object and checks that it is what was sent. */
export async function completeUpload(bucket: Bucket, key: string, { uploadId, sent, sizeBytes }: Parts): Promise<void> {
  const etag = await bucket.completeParts(key, uploadId, sent).catch(async (error) => {
    // The response may be lost although the object is complete; a repeated request is then refused. Nobody else writes this key.
    const isDone = (await bucket.findSize(key).catch(() => null)) === sizeBytes;
    if (!isDone) throw error;
    return null;
  });
  if (etag !== null && bucket.traits.hasMd5OfParts && etag !== toEtagOfParts(sent.map(({ md5 }) => md5))) {
    throw new Fault('other', 'S3 completed the upload with other bytes than were sent');
  }
  const found = await bucket.findSize(key);
  if (found !== sizeBytes) throw new Fault('other', `S3 has ${found ?? 'none'} of ${sizeBytes} bytes that were sent`);
}
