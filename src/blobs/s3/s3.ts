// Blobs as objects of an S3 server. A blob's key is <prefix><ab>/<id>, where <ab> are the first two digits of the id; each is
// written once. What S3 has confirmed is durable; nothing is stored on this machine.

import { tmpdir } from 'node:os';
import type { Clock } from '../../runtime/clock.ts';
import { type Append, type AppendState, type BlobChunks, type BlobInfo, type Blobs, chunkBytes } from '../blobs.ts';
import { abandonParts, appendParts, completeParts, type GrowingObject } from './append.ts';
import { Bucket, type S3Place } from './bucket.ts';
import { PartMemory } from './part.ts';
import { probe } from './probe.ts';
import { readChunks } from './read.ts';
import { upload } from './upload.ts';

const removedAtOnce = 16;

const maxPartMemory = 128 * 1024 * 1024;

export interface S3Options extends S3Place {
  /** Where unlinked files are created for parts that memory has no room for; by default the system's temporary folder. */
  spoolFolder?: string;
  /** Called with what works but should be changed. */
  onNotice?: (text: string) => void;
  /** How many threads share the memory for parts. */
  threads?: number;
  /** How long requests are retried while S3 is unreachable or busy. */
  patienceMs?: number;
  clock?: Clock;
}

/** Rejects with a `Fault` that says what is wrong if anything that we need does not work. */
export async function openS3Blobs({
  spoolFolder,
  onNotice,
  threads = 1,
  patienceMs,
  clock,
  ...place
}: S3Options): Promise<Blobs> {
  const bucket = new Bucket(place, {
    ...(patienceMs !== undefined && { patienceMs }),
    ...(clock !== undefined && { clock }),
  });
  try {
    await probe(bucket, onNotice ?? (() => undefined));
  } catch (error) {
    bucket.close();
    throw error;
  }
  return new S3Blobs(bucket, new PartMemory(spoolFolder ?? tmpdir(), maxPartMemory / threads));
}

class S3Blobs implements Blobs {
  readonly #bucket: Bucket;
  readonly #memory: PartMemory;

  constructor(bucket: Bucket, memory: PartMemory) {
    this.#bucket = bucket;
    this.#memory = memory;
  }

  async put(id: string, blocks: AsyncIterable<readonly Uint8Array[]>): Promise<void> {
    await upload(this.#bucket, this.#toKey(id), blocks, this.#memory);
  }

  async append(id: string, append: Append): Promise<AppendState> {
    return await appendParts(this.#toGrowing(id), append);
  }

  async complete(id: string, grown: AppendState): Promise<void> {
    await completeParts(this.#toGrowing(id), grown);
  }

  async abandon(id: string, grown: AppendState): Promise<void> {
    await abandonParts(this.#toGrowing(id), grown);
  }

  #toGrowing(id: string): GrowingObject {
    return { bucket: this.#bucket, key: this.#toKey(id), memory: this.#memory };
  }

  open(id: string, start: number, end: number): BlobChunks {
    return readChunks(this.#bucket, this.#toKey(id), { start, end, chunkBytes });
  }

  async discard(id: string): Promise<void> {
    await this.#bucket.remove(this.#toKey(id));
  }

  async *list(): AsyncIterable<BlobInfo> {
    for await (const { key, atMs } of this.#bucket.list(this.#bucket.prefix)) {
      const id = this.#toId(key);
      if (id !== null) yield { id, storedAtMs: atMs };
    }
  }

  async tidy(beforeMs: number, choose: (ids: string[]) => Promise<string[]>): Promise<void> {
    const left = new Map<string, string[]>();
    for await (const { key, uploadId, atMs } of this.#bucket.listUnfinished()) {
      // Those of the probe belong to no blob.
      const id = this.#toId(key);
      if (atMs >= beforeMs) continue;
      if (id === null) await this.#bucket.abortParts(key, uploadId);
      else left.set(id, [...(left.get(id) ?? []), uploadId]);
    }
    const tails = await this.#findTails(beforeMs);
    const ids = [...new Set([...left.keys(), ...tails.keys()])];
    if (ids.length === 0) return;
    for (const id of await choose(ids)) {
      for (const uploadId of left.get(id) ?? []) await this.#bucket.abortParts(this.#toKey(id), uploadId);
      for (const key of tails.get(id) ?? []) await this.#bucket.remove(key);
    }
  }

  /** The keys of old tails of incomplete blobs, by blob. */
  async #findTails(beforeMs: number): Promise<Map<string, string[]>> {
    const tails = new Map<string, string[]>();
    for await (const { key, atMs } of this.#bucket.list(this.#bucket.prefix)) {
      const id = this.#toId(key.replace(/\.\d+-[0-9a-f]{12}$/, ''));
      if (id !== null && key !== this.#toKey(id) && atMs < beforeMs) tails.set(id, [...(tails.get(id) ?? []), key]);
    }
    return tails;
  }

  async close(): Promise<void> {
    this.#bucket.close();
  }

  #toKey(id: string): string {
    if (!/^[0-9a-f]{32}$/.test(id)) throw new Error(`${JSON.stringify(id)} is not the id of a blob`);
    return `${this.#bucket.prefix}${id.slice(0, 2)}/${id}`;
  }

  #toId(key: string): string | null {
    const [, shard, id] = /^([0-9a-f]{2})\/([0-9a-f]{32})$/.exec(key.slice(this.#bucket.prefix.length)) ?? [];
    return id?.startsWith(shard ?? '') ? id : null;
  }
}

/** Removes everything whose key begins with the prefix, unfinished uploads included. */
export async function removeAll(place: S3Place): Promise<void> {
  const bucket = new Bucket(place);
  try {
    for await (const { key, uploadId } of bucket.listUnfinished()) await bucket.abortParts(key, uploadId);
    const removing = new Set<Promise<unknown>>();
    for await (const { key } of bucket.list(place.prefix)) {
      const removal: Promise<unknown> = bucket.remove(key).finally(() => removing.delete(removal));
      removing.add(removal);
      if (removing.size >= removedAtOnce) await Promise.race(removing);
    }
    await Promise.all(removing);
  } finally {
    bucket.close();
  }
}
