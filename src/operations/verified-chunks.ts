// The bytes of a blob from one position to another, each verified before it is returned: whole chunks are read, because a checksum
// covers a whole one, and cut to what is wanted.

import { crc32 } from 'node:zlib';
import { type BlobChunks, type Blobs, chunkBytes } from '../blobs/blobs.ts';
import { Fault } from '../domain/fault.ts';

/** The CRC-32 of each chunk of a small content: unsigned, little endian. */
export function toChecksums(bytes: Uint8Array): Buffer {
  const checksums = Buffer.allocUnsafe(4 * Math.ceil(bytes.length / chunkBytes));
  for (let at = 0, index = 0; at < bytes.length; at += chunkBytes, index += 1)
    checksums.writeUInt32LE(crc32(bytes.subarray(at, at + chunkBytes)), 4 * index);
  return checksums;
}

export interface StoredBlob {
  id: string;
  sizeBytes: number;
  /** As `toChecksums` makes them. */
  checksums: Uint8Array;
}

export class VerifiedChunks implements BlobChunks {
  readonly #blobs: Blobs;
  readonly #blob: StoredBlob;
  readonly #range: { start: number; end: number };
  readonly #checksums: DataView;
  #index: number;
  #chunks: BlobChunks | null = null;

  constructor(blobs: Blobs, blob: StoredBlob, range: { start: number; end: number }) {
    this.#blobs = blobs;
    this.#blob = blob;
    this.#range = range;
    const { buffer, byteOffset, byteLength } = blob.checksums;
    this.#checksums = new DataView(buffer, byteOffset, byteLength);
    this.#index = Math.floor(range.start / chunkBytes);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    this.#chunks ??= this.#open();
    const next = await this.#chunks.next();
    if (next.done === true) return { done: true, value: undefined };
    const index = this.#index++;
    if (crc32(next.value) !== this.#checksums.getUint32(4 * index, true)) {
      // Not released: the chunk before may still be on its way.
      await this.return();
      throw new Fault('other', `MiB ${index} of blob ${this.#blob.id} is corrupt`);
    }
    const at = index * chunkBytes;
    const { start, end } = this.#range;
    return { done: false, value: next.value.subarray(Math.max(0, start - at), Math.max(0, end - at)) };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    await this.#chunks?.return?.();
    return { done: true, value: undefined };
  }

  release(): void {
    this.#chunks?.release?.();
  }

  #open(): BlobChunks {
    const { id, sizeBytes } = this.#blob;
    const end = Math.min(sizeBytes, Math.ceil(this.#range.end / chunkBytes) * chunkBytes);
    return this.#blobs.open(id, this.#index * chunkBytes, end);
  }
}
