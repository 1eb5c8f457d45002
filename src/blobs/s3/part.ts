// A part of an upload, gathered until it can be sent: S3 needs the length in advance, and at least 5 MiB at a time. It is gathered in
// memory as long as all uploads together need little of it and the part is small, otherwise in an unlinked file, which
// ends with the process. So a thousand slow uploads do not need memory for a thousand parts.

import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Fault } from '../../domain/fault.ts';
import type { Body } from './bucket.ts';

const mib = 1024 * 1024;
const firstBytes = mib;
/** A larger part is always gathered in a file. */
const largestInMemoryBytes = 16 * mib;

/** What the parts of all uploads have in memory. */
export class PartMemory {
  usedBytes = 0;
  readonly maxBytes: number;
  readonly folder: string;

  /** `folder`: where files without a name are made. */
  constructor(folder: string, maxBytes: number) {
    this.folder = folder;
    this.maxBytes = maxBytes;
  }

  hasRoomFor(bytes: number): boolean {
    return this.usedBytes + bytes <= this.maxBytes;
  }

  /** Whether each upload should send only one part at a time. */
  get isScarce(): boolean {
    return this.usedBytes > this.maxBytes / 2;
  }
}

export class Part implements Body {
  sizeBytes = 0;
  readonly #memory: PartMemory;
  readonly #fullBytes: number;
  readonly #hash = createHash('md5');
  #md5: Buffer | null = null;
  #bytes: Buffer;
  #file: FileHandle | null = null;

  /** `isFull`: it is expected to become full, so that growing step by step would only cost time. */
  constructor(memory: PartMemory, fullBytes: number, isFull: boolean) {
    this.#memory = memory;
    this.#fullBytes = fullBytes;
    const isWhole = isFull && fullBytes <= largestInMemoryBytes && memory.hasRoomFor(fullBytes);
    this.#bytes = Buffer.allocUnsafeSlow(isWhole ? fullBytes : 0);
    memory.usedBytes += this.#bytes.length;
  }

  get isFull(): boolean {
    return this.sizeBytes === this.#fullBytes;
  }

  /** Takes as much as fits, and returns the rest. */
  async take(bytes: Uint8Array): Promise<Uint8Array> {
    const taken = bytes.subarray(0, this.#fullBytes - this.sizeBytes);
    this.#hash.update(taken);
    if (this.#file === null && !this.#grow(taken.byteLength)) await this.#moveToFile();
    if (this.#file === null) this.#bytes.set(taken, this.sizeBytes);
    else await write(this.#file, taken, this.sizeBytes);
    this.sizeBytes += taken.byteLength;
    return bytes.subarray(taken.byteLength);
  }

  /** False: not in memory. */
  #grow(byBytes: number): boolean {
    const neededBytes = this.sizeBytes + byBytes;
    if (neededBytes <= this.#bytes.length) return true;
    const wanted = Math.min(this.#fullBytes, Math.max(firstBytes, 2 * this.#bytes.length, neededBytes));
    const added = wanted - this.#bytes.length;
    if (wanted > largestInMemoryBytes || !this.#memory.hasRoomFor(added)) return false;
    const larger = Buffer.allocUnsafeSlow(wanted);
    larger.set(this.#bytes.subarray(0, this.sizeBytes));
    release(this.#bytes);
    this.#bytes = larger;
    this.#memory.usedBytes += added;
    return true;
  }

  async #moveToFile(): Promise<void> {
    const path = join(this.#memory.folder, `cabinet-part-${randomUUID()}`);
    this.#file = await open(path, 'wx+', 0o600).catch(toFault);
    await unlink(path);
    await write(this.#file, this.#bytes.subarray(0, this.sizeBytes), 0);
    this.#dropBytes();
  }

  get md5(): Buffer {
    this.#md5 ??= this.#hash.digest();
    return this.#md5;
  }

  open(): Uint8Array | Readable {
    if (this.#file === null) return this.#bytes.subarray(0, this.sizeBytes);
    return this.#file.createReadStream({
      start: 0,
      end: this.sizeBytes - 1,
      autoClose: false,
      highWaterMark: 256 * 1024,
    });
  }

  /** `isSent`: nobody reads its memory any more. Otherwise it is left to the garbage collector, because a failed connection
   *  may still use it. */
  async close({ isSent }: { isSent: boolean }): Promise<void> {
    this.#dropBytes(isSent);
    await this.#file?.close();
    this.#file = null;
  }

  #dropBytes(isSent = true): void {
    this.#memory.usedBytes -= this.#bytes.length;
    if (isSent) release(this.#bytes);
    this.#bytes = Buffer.alloc(0);
  }
}

/** Frees memory now instead of at the next garbage collection, which V8 defers until 64 MiB wait for it. */
function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > 0) buffer.transfer(0);
}

async function write(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, position + done).catch(toFault);
    done += bytesWritten;
  }
}

function toFault(cause: unknown): never {
  const { code } = cause as NodeJS.ErrnoException;
  const kind = code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'other';
  throw new Fault(kind, 'a part of an upload cannot be written to the disk', cause);
}
