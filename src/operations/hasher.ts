// Hashes contents as they stream to the blob store. Large contents are hashed in a worker thread, so that this thread can go on
// receiving bytes. The worker starts with the first large content and ends after a while without one.

import { Worker } from 'node:worker_threads';
import { Fault } from '../domain/fault.ts';
import { type Clock, systemClock, type Timer } from '../runtime/clock.ts';
import { ContentDigest, type Digest, release } from './content-digest.ts';
import type { FromHasher, ToHasher } from './hasher-thread.ts';

/** A content whose first block is smaller than this is small, or arrives slowly. */
const minWorkerBytes = 1024 * 1024;
/** Bytes of all contents that may wait for the worker. Beyond it, the streams are paused. */
const maxWaitingBytes = 2 * 1024 * 1024;
const idleMs = 10_000;

export class Hasher {
  readonly #clock: Clock;
  #thread: HasherThread | null = null;

  constructor(clock = systemClock) {
    this.#clock = clock;
  }

  begin(): StreamDigest {
    return new StreamDigest((isLarge) => (isLarge ? this.#requireThread().begin() : new LocalDigest()));
  }

  #requireThread(): HasherThread {
    this.#thread ??= new HasherThread(this.#clock, (ended) => {
      if (this.#thread === ended) this.#thread = null;
    });
    return this.#thread;
  }

  async close(): Promise<void> {
    await this.#thread?.end();
  }
}

/** The digest of a stream of blocks, in one request or in several. */
export class StreamDigest {
  /** Bytes observed so far. */
  sizeBytes = 0;
  readonly #begin: (isLarge: boolean) => DigestBackend;
  #backend: DigestBackend | null = null;
  #last: readonly Buffer[] = [];

  constructor(begin: (isLarge: boolean) => DigestBackend) {
    this.#begin = begin;
  }

  /** Passes blocks through. Their memory is released when they are written and hashed. */
  async *observe(blocks: AsyncIterable<Buffer[]>): AsyncGenerator<Buffer[]> {
    for await (const block of blocks) {
      const blockBytes = block.reduce((sum, { length }) => sum + length, 0);
      this.#backend ??= this.#begin(blockBytes >= minWorkerBytes);
      this.sizeBytes += blockBytes;
      yield block;
      this.#backend.onWriteStarted(block);
      // The consumer pulls the next block only after it has written the previous one.
      await this.settle();
      this.#last = block;
    }
  }

  /** Requires that all observed blocks are written. Holds no memory afterwards. */
  async settle(): Promise<void> {
    const last = this.#last;
    this.#last = [];
    await this.#backend?.onWritten(last);
  }

  /** Requires that all observed blocks are written. */
  async finish(): Promise<Digest> {
    await this.settle();
    return await (this.#backend ?? new LocalDigest()).finish();
  }

  /** The digest is no longer needed. */
  drop(): void {
    this.#backend?.drop();
  }
}

interface DigestBackend {
  /** The block is being written, and can be read meanwhile. */
  onWriteStarted(block: readonly Buffer[]): void;
  /** The block is written; its memory may be released or transferred. */
  onWritten(block: readonly Buffer[]): Promise<void> | void;
  finish(): Promise<Digest> | Digest;
  drop(): void;
}

/** Hashes in this thread, while the block is being written. */
class LocalDigest implements DigestBackend {
  readonly #digest = new ContentDigest();

  onWriteStarted(block: readonly Buffer[]): void {
    for (const chunk of block) this.#digest.update(chunk);
  }

  onWritten(block: readonly Buffer[]): void {
    for (const chunk of block) release(chunk);
  }

  finish(): Digest {
    return this.#digest.finish();
  }

  drop(): void {}
}

/** Hashes in the worker thread. */
class WorkerDigest implements DigestBackend {
  readonly #thread: HasherThread;
  readonly #content: number;

  constructor(thread: HasherThread, content: number) {
    this.#thread = thread;
    this.#content = content;
  }

  onWriteStarted(): void {}

  async onWritten(block: readonly Buffer[]): Promise<void> {
    await this.#thread.hash(this.#content, block);
  }

  async finish(): Promise<Digest> {
    return await this.#thread.finish(this.#content);
  }

  drop(): void {
    this.#thread.drop(this.#content);
  }
}

class HasherThread {
  readonly #worker: Worker;
  readonly #onEnded: (thread: HasherThread) => void;
  /** Contents that are neither finished nor dropped, with the promise of the digest once it is requested. */
  readonly #open = new Map<number, PromiseWithResolvers<Digest> | null>();
  #contents = 0;
  #waitingBytes = 0;
  #capacity: PromiseWithResolvers<void> | null = null;
  #fault: Fault | null = null;
  #idle: Timer | null = null;
  readonly #clock: Clock;

  constructor(clock: Clock, onEnded: (thread: HasherThread) => void) {
    this.#clock = clock;
    this.#onEnded = onEnded;
    // The worker allocates next to nothing: without this limit V8 would reserve a large young generation for it.
    const resourceLimits = { maxYoungGenerationSizeMb: 1 };
    this.#worker = new Worker(new URL('./hasher-thread.ts', import.meta.url), { resourceLimits });
    this.#worker.on('message', (message: FromHasher) => {
      if ('digest' in message) this.#settle(message.content, message.digest);
      else this.#freeCapacity(message.hashedBytes);
    });
    this.#worker.on('error', (error) => this.#fail(new Fault('other', 'hasher thread failed', error)));
    this.#worker.on('exit', () => this.#fail(new Fault('other', 'hasher thread ended')));
  }

  begin(): DigestBackend {
    this.#stopIdling();
    this.#contents += 1;
    this.#open.set(this.#contents, null);
    return new WorkerDigest(this, this.#contents);
  }

  async hash(content: number, block: readonly Buffer[]): Promise<void> {
    if (block.length === 0) return;
    while (this.#fault === null && this.#waitingBytes >= maxWaitingBytes) await this.#waitForCapacity();
    if (this.#fault !== null) throw this.#fault;
    // One buffer instead of many small ones: each transferred buffer has a cost in time and memory.
    const bytes = joinBlock(block);
    this.#waitingBytes += bytes.length;
    this.#post({ content, bytes }, [bytes.buffer]);
  }

  #waitForCapacity(): Promise<void> {
    this.#capacity ??= Promise.withResolvers();
    return this.#capacity.promise;
  }

  #freeCapacity(bytes: number): void {
    this.#waitingBytes -= bytes;
    this.#capacity?.resolve();
    this.#capacity = null;
  }

  async finish(content: number): Promise<Digest> {
    if (this.#fault !== null) throw this.#fault;
    const waiting = Promise.withResolvers<Digest>();
    this.#open.set(content, waiting);
    this.#post({ content, isFinished: true });
    return await waiting.promise;
  }

  #settle(content: number, digest: Digest): void {
    this.#open.get(content)?.resolve(digest);
    this.#forget(content);
  }

  drop(content: number): void {
    if (!this.#open.has(content)) return;
    this.#post({ content, isDropped: true });
    this.#forget(content);
  }

  #forget(content: number): void {
    this.#open.delete(content);
    if (this.#open.size > 0) return;
    this.#stopIdling();
    this.#idle = this.#clock.after(idleMs, () => void this.end());
  }

  #post(message: ToHasher, transferred: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  #fail(fault: Fault): void {
    if (this.#fault !== null) return;
    this.#fault = fault;
    this.#stopIdling();
    this.#onEnded(this);
    for (const waiting of this.#open.values()) waiting?.reject(fault);
    this.#open.clear();
    this.#freeCapacity(0);
  }

  #stopIdling(): void {
    this.#idle?.cancel();
    this.#idle = null;
  }

  async end(): Promise<void> {
    this.#stopIdling();
    this.#onEnded(this);
    await this.#worker.terminate();
  }
}

function joinBlock(block: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const joined = Buffer.allocUnsafeSlow(block.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of block) {
    joined.set(chunk, at);
    at += chunk.length;
    release(chunk);
  }
  return joined;
}
