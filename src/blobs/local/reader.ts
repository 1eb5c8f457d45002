// Reads a part of a file in chunks, into two buffers that are used in turn. Plain descriptors and callbacks: for a chunk that is in
// the page cache, opening a `FileHandle` and closing it in the thread pool cost as much as reading.

import { closeSync, open, read } from 'node:fs';
import { Fault } from '../../domain/fault.ts';
import { type BlobChunks, chunkBytes } from '../blobs.ts';
import type { BufferPool } from './buffer-pool.ts';

export class LocalReader implements BlobChunks {
  readonly #path: string;
  readonly #pool: BufferPool;
  readonly #end: number;
  #position: number;
  #descriptor: number | null = null;
  #isOver = false;
  /** The last chunk is in the first of them. */
  readonly #buffers: Buffer[] = [];

  constructor(path: string, pool: BufferPool, { start, end }: { start: number; end: number }) {
    this.#path = path;
    this.#pool = pool;
    this.#position = start;
    this.#end = end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    if (this.#isOver) return { done: true, value: undefined };
    try {
      this.#descriptor ??= await openFile(this.#path);
      const size = Math.min(chunkBytes, this.#end - this.#position);
      if (size > 0) {
        const chunk = this.#nextBuffer(size);
        await readFully(this.#descriptor, chunk, this.#position);
        this.#position += size;
        if (this.#position >= this.#end) this.#close();
        return { done: false, value: chunk };
      }
    } catch (error) {
      this.#close();
      throw error;
    }
    this.#close();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#close();
    return { done: true, value: undefined };
  }

  release(): void {
    this.#close();
    for (const buffer of this.#buffers.splice(0)) this.#pool.giveBack(buffer);
  }

  #nextBuffer(size: number): Buffer {
    // The first chunk is the largest.
    const buffer = this.#buffers.length < 2 ? this.#pool.take(size) : (this.#buffers.pop() as Buffer);
    this.#buffers.unshift(buffer);
    return buffer.subarray(0, size);
  }

  /** Closing a file that was only read waits for nothing. */
  #close(): void {
    this.#isOver = true;
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}

function openFile(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (error, descriptor) => (error === null ? resolve(descriptor) : reject(error)));
  });
}

async function readFully(descriptor: number, buffer: Buffer, position: number): Promise<void> {
  for (let filled = 0; filled < buffer.length; ) {
    const bytes = await readOnce(descriptor, buffer.subarray(filled), position + filled);
    if (bytes === 0) throw new Fault('other', `a blob ends at ${position + filled}`);
    filled += bytes;
  }
}

function readOnce(descriptor: number, into: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, into, 0, into.length, position, (error, bytes) => {
      if (error === null) resolve(bytes);
      else reject(error);
    });
  });
}
