// The memory that downloads hold for bytes that their clients have not taken yet. A download has two chunks of a MiB in memory; for
// a client that reads nothing they stay there. So only so many downloads have that much; the others share a few chunks, of which each
// gets a copy of a small piece at a time. A chunk that was dropped meanwhile is read, and verified, again. Small ranges are copied from
// the same chunks: whoever asks for many of one file, a viewer or a player, has each chunk read and verified once.

import { type BlobChunks, type Blobs, chunkBytes } from '../blobs/blobs.ts';
import { freeMemory, ownMemory } from '../runtime/own-memory.ts';
import { type StoredBlob, VerifiedChunks } from './verified-chunks.ts';

const highMemoryBytes = 32 * 1024 * 1024;
const sharedChunks = 8;
/** A client that reads nothing has two of these in memory: one on its way, one read ahead. */
export const pieceBytes = 64 * 1024;
/** Of a chunk that is not much larger than the range, copying would save little. */
const leastChunkBytes = 4 * pieceBytes;

interface SharedChunk {
  chunks: BlobChunks;
  first: Promise<IteratorResult<Buffer, undefined>>;
  users: number;
}

/** One for each thread and environment. */
export class ReadMemory {
  /** Chunks of downloads that have their own. */
  usedBytes = 0;
  readonly #highBytes: number;
  /** By blob and number of the chunk; the least recently used first. */
  readonly #shared = new Map<string, SharedChunk>();
  readonly #waiting: (() => void)[] = [];

  constructor(threads = 1) {
    this.#highBytes = highMemoryBytes / threads;
  }

  /** Whether there is room for that many bytes, which are counted until `giveBack`. */
  take(bytes: number): boolean {
    if (this.usedBytes + bytes > this.#highBytes) return false;
    this.usedBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.usedBytes -= bytes;
  }

  /** A copy of verified bytes that lie in one chunk, which belongs to the caller. */
  async copy(blobs: Blobs, blob: StoredBlob, { start, end }: { start: number; end: number }): Promise<Buffer> {
    const index = Math.floor(start / chunkBytes);
    const key = `${blob.id} ${index}`;
    const chunk = await this.#use(key, () => openChunk(blobs, blob, index));
    try {
      const { value } = await chunk.first;
      return toOwnCopy(value?.subarray(start - index * chunkBytes, end - index * chunkBytes));
    } catch (error) {
      if (this.#shared.get(key) === chunk) this.#shared.delete(key);
      throw error;
    } finally {
      chunk.users -= 1;
      if (chunk.users === 0) this.#waiting.shift()?.();
    }
  }

  /** Waits while all shared chunks are being read or copied. */
  async #use(key: string, open: () => SharedChunk): Promise<SharedChunk> {
    for (;;) {
      const known = this.#shared.get(key);
      const chunk = known ?? (this.#makeRoom() ? open() : null);
      if (chunk !== null) {
        chunk.users += 1;
        this.#shared.delete(key);
        this.#shared.set(key, chunk);
        return chunk;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #makeRoom(): boolean {
    if (this.#shared.size < sharedChunks) return true;
    const idle = [...this.#shared].find(([, { users }]) => users === 0);
    if (idle === undefined) return false;
    const [key, { chunks }] = idle;
    this.#shared.delete(key);
    // Only copies of it were sent.
    chunks.release?.();
    return true;
  }
}

function toOwnCopy(bytes: Buffer | undefined): Buffer {
  // Slow: not a part of memory that small buffers share.
  const copy = Buffer.allocUnsafeSlow(bytes?.length ?? 0);
  bytes?.copy(copy);
  ownMemory(copy);
  return copy;
}

function openChunk(blobs: Blobs, blob: StoredBlob, index: number): SharedChunk {
  const start = index * chunkBytes;
  const chunks = new VerifiedChunks(blobs, blob, { start, end: Math.min(blob.sizeBytes, start + chunkBytes) });
  const first = chunks.next().finally(() => chunks.return());
  return { chunks, first, users: 0 };
}

/** The bytes of a blob, in chunks of its own while there is memory for them, otherwise in copies of pieces. Whoever reads it calls
 *  `return` when none of the chunks is used any more, also after the last one. */
export class BoundedChunks implements AsyncIterableIterator<Buffer> {
  readonly #memory: ReadMemory;
  readonly #blobs: Blobs;
  readonly #blob: StoredBlob;
  readonly #end: number;
  #position: number;
  #hasBegun = false;
  #own: VerifiedChunks | null = null;
  #takenBytes = 0;
  /** The first one; of a small range there are no others. */
  #piece: Buffer | null = null;

  constructor(
    { readMemory, blobs }: { readMemory: ReadMemory; blobs: Blobs },
    blob: StoredBlob,
    range: { start: number; end: number },
  ) {
    this.#memory = readMemory;
    this.#blobs = blobs;
    this.#blob = blob;
    this.#position = range.start;
    this.#end = range.end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    this.#own ??= this.#openOwn();
    if (this.#own !== null) return await this.#own.next();
    if (this.#position >= this.#end) return { done: true, value: undefined };
    const start = this.#position;
    const nextChunk = (Math.floor(start / chunkBytes) + 1) * chunkBytes;
    this.#position = Math.min(start + pieceBytes, nextChunk, this.#end);
    const piece = await this.#memory.copy(this.#blobs, this.#blob, { start, end: this.#position });
    this.#piece ??= piece;
    return { done: false, value: piece };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    await this.#own?.return();
    this.#memory.giveBack(this.#takenBytes);
    this.#takenBytes = 0;
    this.#position = this.#end;
    return { done: true, value: undefined };
  }

  release(): void {
    this.#own?.release();
    if (this.#piece !== null) freeMemory(this.#piece);
  }

  /** At the beginning, and where a chunk begins: what was copied of one is not read again. */
  #openOwn(): VerifiedChunks | null {
    const start = this.#position;
    if (start >= this.#end || (this.#hasBegun && start % chunkBytes !== 0)) return null;
    if (!this.#hasBegun && isSmallPart(this.#blob, { start, end: this.#end })) return null;
    this.#hasBegun = true;
    const chunks = Math.ceil(this.#end / chunkBytes) - Math.floor(start / chunkBytes);
    const bytes = Math.min(chunks, 2) * Math.min(chunkBytes, this.#blob.sizeBytes);
    if (!this.#memory.take(bytes)) return null;
    this.#takenBytes = bytes;
    return new VerifiedChunks(this.#blobs, this.#blob, { start, end: this.#end });
  }
}

/** Whether the range is one piece of one chunk that is much larger. */
function isSmallPart({ sizeBytes }: StoredBlob, { start, end }: { start: number; end: number }): boolean {
  const chunkStart = start - (start % chunkBytes);
  const sizeOfChunk = Math.min(chunkBytes, sizeBytes - chunkStart);
  return end - start <= pieceBytes && end <= chunkStart + chunkBytes && sizeOfChunk >= leastChunkBytes;
}
