// Computes the SHA-256 of a content and a CRC-32 of each of its spans.

import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { chunkBytes } from '../blobs/blobs.ts';

export interface Digest {
  sha256: Uint8Array;
  /** CRC-32 of every span of `chunkBytes`, four bytes each, little-endian. */
  checksums: Uint8Array;
}

export class ContentDigest {
  readonly #sha256: Hash = createHash('sha256');
  readonly #checksums: number[] = [];
  #checksum = 0;
  #sizeBytes = 0;

  update(chunk: Uint8Array): void {
    this.#sha256.update(chunk);
    for (let at = 0; at < chunk.length; ) {
      const room = chunkBytes - (this.#sizeBytes % chunkBytes);
      const piece = chunk.subarray(at, at + room);
      this.#checksum = crc32(piece, this.#checksum);
      this.#sizeBytes += piece.length;
      at += piece.length;
      if (this.#sizeBytes % chunkBytes === 0) this.#closeSpan();
    }
  }

  #closeSpan(): void {
    this.#checksums.push(this.#checksum);
    this.#checksum = 0;
  }

  finish(): Digest {
    if (this.#sizeBytes % chunkBytes !== 0) this.#closeSpan();
    const checksums = Buffer.alloc(this.#checksums.length * 4);
    for (const [index, checksum] of this.#checksums.entries()) checksums.writeUInt32LE(checksum, index * 4);
    return { sha256: this.#sha256.digest(), checksums };
  }
}

/** Frees memory now instead of at the next garbage collection, which V8 delays until 64 MiB wait for it. Only when the chunk
 *  is the whole of its buffer, so that nobody else can be reading it. */
export function release(chunk: Uint8Array): void {
  const { buffer, byteLength } = chunk;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
