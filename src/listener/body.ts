// The body of a request as a stream of chunks, with back-pressure and digest checks. It counts as complete only when all of
// it has arrived (RFC 9112: all of Content-Length, or the last chunk). Uploads that stop making progress are ended; an upload
// may take any time otherwise.

import { createHash, type Hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '../domain/refusal.ts';
import { Chunks } from '../runtime/chunks.ts';
import { type Clock, systemClock, type Timer } from '../runtime/clock.ts';
import { expectsContinue } from './request.ts';

/** The client closed the connection: there is nobody to answer. */
export class Aborted extends Error {
  constructor() {
    super('the client closed the connection before the request was complete');
    this.name = 'Aborted';
  }
}

/** The socket is paused while more than this is buffered. */
const highWaterBytes = 256 * 1024;

export interface BodyDigests {
  sha256: Buffer | null;
  md5: Buffer | null;
}

export class Body implements AsyncIterable<Buffer>, AsyncIterator<Buffer> {
  receivedBytes = 0;
  readonly #request: IncomingMessage;
  readonly #expected: { hash: Hash; digest: Buffer; header: string }[] = [];
  readonly #received = new Chunks();
  /** Taken from `#received` in one go, and delivered one by one. */
  #chunks: Buffer[] = [];
  #nextIndex = 0;
  #bufferedBytes = 0;
  #isEnded = false;
  #isAbandoned = false;
  #error: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    monitor: ProgressMonitor,
    digests: BodyDigests,
  ) {
    this.#request = request;
    if (digests.sha256) this.#expect('sha256', digests.sha256, 'Content-Digest');
    if (digests.md5) this.#expect('md5', digests.md5, 'Content-MD5');
    if (expectsContinue(request)) response.writeContinue();
    const unwatch = monitor.watch(this);
    request.on('data', (chunk: Buffer) => this.#receive(chunk));
    request.on('end', () => {
      this.#isEnded = request.complete;
      this.#stop(request.complete ? null : new Aborted());
    });
    request.on('error', () => this.#stop(new Aborted()));
    request.on('close', () => {
      unwatch();
      if (!this.#isEnded) this.#stop(new Aborted());
    });
    // The connection was closed before the body was opened: no event will follow.
    if (request.destroyed) {
      unwatch();
      this.#stop(new Aborted());
    }
  }

  #expect(algorithm: string, digest: Buffer, header: string): void {
    this.#expected.push({ hash: createHash(algorithm), digest, header });
  }

  get isWaitingForClient(): boolean {
    return !this.#isEnded && !this.#request.isPaused();
  }

  #receive(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    if (this.#isAbandoned) return;
    for (const { hash } of this.#expected) hash.update(chunk);
    this.#received.push(chunk);
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes > highWaterBytes) this.#request.pause();
    this.#wake?.();
  }

  #stop(error: Error | null): void {
    this.#error ??= error;
    this.#wake?.();
  }

  /** Ends the body from our side; its reader gets the error. */
  fail(error: Error): void {
    this.#stop(error);
  }

  /** Can be read once. Leaving early drops the rest. Written by hand: a generator would cost more than all else here. */
  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    for (;;) {
      const chunk = this.#nextChunk();
      // Bytes that arrived before a failure are delivered first: a resumable upload keeps them.
      if (chunk !== undefined) return { done: false, value: this.#deliver(chunk) };
      if (this.#error !== null) throw this.#error;
      if (this.#isEnded) {
        this.#checkDigests();
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
  }

  #nextChunk(): Buffer | undefined {
    if (this.#nextIndex === this.#chunks.length && this.#received.count > 0) {
      this.#chunks = this.#received.take();
      this.#nextIndex = 0;
    }
    return this.#chunks[this.#nextIndex];
  }

  #deliver(chunk: Buffer): Buffer {
    this.#nextIndex += 1;
    this.#bufferedBytes -= chunk.length;
    if (this.#nextIndex === this.#chunks.length) {
      this.#chunks = [];
      this.#nextIndex = 0;
    }
    if (this.#request.isPaused() && this.#bufferedBytes < highWaterBytes) this.#request.resume();
    return chunk;
  }

  async return(): Promise<IteratorResult<Buffer>> {
    this.#isAbandoned = true;
    this.#received.clear();
    this.#chunks = [];
    this.#nextIndex = 0;
    this.#request.resume();
    return { done: true, value: undefined };
  }

  #checkDigests(): void {
    for (const { hash, digest, header } of this.#expected.splice(0)) {
      const actual = hash.digest();
      if (actual.length === digest.length && timingSafeEqual(actual, digest)) continue;
      throw digestMismatch(header, 'the body that arrived');
    }
  }
}

export function digestMismatch(header: string, what: string): Refusal {
  return new Refusal('DigestMismatch', `${header} is not the digest of ${what}. Nothing was saved.`, {
    target: header,
    hint: 'Send the request again; if it fails again, compute the digest anew.',
  });
}

const windowMs = 30_000;
const minBytesPerWindow = 30 * 1024;
const checkIntervalMs = 5_000;

/** Something that is to arrive. */
interface Arriving {
  readonly receivedBytes: number;
  readonly isWaitingForClient: boolean;
  fail(error: Error): void;
}

/** The rest of a body that nobody reads, behind an answer that was sent. It is dropped as it arrives. */
class UnreadRest implements Arriving {
  readonly isWaitingForClient = true;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get receivedBytes(): number {
    return this.#socket.bytesRead;
  }

  fail(): void {
    this.#socket.destroy();
  }
}

/** Ends bodies that arrive slower than 1 KiB/s over 30 s. Only time spent waiting for the client counts. */
export class ProgressMonitor {
  readonly #watched = new Map<Arriving, { since: number; bytes: number }>();
  readonly #clock: Clock;
  readonly #timer: Timer;

  constructor(clock = systemClock) {
    this.#clock = clock;
    this.#timer = clock.every(checkIntervalMs, () => this.#check(clock.monotonic()));
  }

  watch(body: Arriving): () => void {
    this.#watched.set(body, { since: this.#clock.monotonic(), bytes: body.receivedBytes });
    return () => this.#watched.delete(body);
  }

  /** For a request that has its answer, and did not arrive whole. */
  watchRest(request: IncomingMessage): void {
    const { socket } = request;
    const unwatch = this.watch(new UnreadRest(socket));
    const end = () => {
      unwatch();
      socket.off('close', end);
    };
    request.once('close', end);
    socket.once('close', end);
  }

  #check(now: number): void {
    for (const [body, window] of this.#watched) {
      if (!body.isWaitingForClient) {
        window.since = now;
        window.bytes = body.receivedBytes;
      } else if (now - window.since >= windowMs) {
        if (body.receivedBytes - window.bytes < minBytesPerWindow) body.fail(uploadTooSlow());
        window.since = now;
        window.bytes = body.receivedBytes;
      }
    }
  }

  close(): void {
    this.#timer.cancel();
  }
}

function uploadTooSlow(): Refusal {
  return new Refusal('UploadTooSlow', 'The body arrived more slowly than 1 KiB/s for 30 seconds.');
}
