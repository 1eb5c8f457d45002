// The body of a request as it arrives: chunks with back-pressure, counted, digested where the client sent a digest, and
// believed to be whole only when it is (RFC 9112: all of Content-Length, or the last chunk). Uploads that stop making
// progress are ended; there is no limit on how long one may take.

import { createHash, type Hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../domain/refusal.ts';
import { Chunks } from '../runtime/chunks.ts';
import { type Clock, systemClock, type Timer } from '../runtime/clock.ts';
import { isExpecting } from './request.ts';

/** The client went away: there is nobody to answer. */
export class Aborted extends Error {
  constructor() {
    super('the client closed the connection before the request was whole');
    this.name = 'Aborted';
  }
}

/** Above this much waiting to be taken, the socket is paused. */
const highWaterBytes = 256 * 1024;

export interface BodyDigests {
  sha256: Buffer | null;
  md5: Buffer | null;
}

export class Body implements AsyncIterable<Buffer>, AsyncIterator<Buffer> {
  receivedBytes = 0;
  readonly #request: IncomingMessage;
  readonly #expected: { hash: Hash; digest: Buffer; header: string }[] = [];
  readonly #arrived = new Chunks();
  /** Taken over from what arrived, to be given one by one. */
  #chunks: Buffer[] = [];
  #given = 0;
  #waitingBytes = 0;
  #isEnded = false;
  #isAbandoned = false;
  #error: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, pace: Pace, digests: BodyDigests) {
    this.#request = request;
    if (digests.sha256) this.#expect('sha256', digests.sha256, 'Content-Digest');
    if (digests.md5) this.#expect('md5', digests.md5, 'Content-MD5');
    if (isExpecting(request)) response.writeContinue();
    const unwatch = pace.watch(this);
    request.on('data', (chunk: Buffer) => this.#take(chunk));
    request.on('end', () => {
      this.#isEnded = request.complete;
      this.#stop(request.complete ? null : new Aborted());
    });
    request.on('error', () => this.#stop(new Aborted()));
    request.on('close', () => {
      unwatch();
      if (!this.#isEnded) this.#stop(new Aborted());
    });
    // The client went away while something else was waited for: nothing will be told of it any more.
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

  #take(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    if (this.#isAbandoned) return;
    for (const { hash } of this.#expected) hash.update(chunk);
    this.#arrived.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > highWaterBytes) this.#request.pause();
    this.#wake?.();
  }

  #stop(error: Error | null): void {
    this.#error ??= error;
    this.#wake?.();
  }

  /** Ends the body from our side; whoever reads it gets the error. */
  fail(error: Error): void {
    this.#stop(error);
  }

  /** Can be read once. Leaving early drops what still comes. Written by hand: a generator costs more than the rest. */
  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    for (;;) {
      const chunk = this.#nextChunk();
      // What has come before a failure is given first: an upload that can be resumed keeps it.
      if (chunk !== undefined) return { done: false, value: this.#give(chunk) };
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
    if (this.#given === this.#chunks.length && this.#arrived.count > 0) {
      this.#chunks = this.#arrived.take();
      this.#given = 0;
    }
    return this.#chunks[this.#given];
  }

  #give(chunk: Buffer): Buffer {
    this.#given += 1;
    this.#waitingBytes -= chunk.length;
    if (this.#given === this.#chunks.length) {
      this.#chunks = [];
      this.#given = 0;
    }
    if (this.#request.isPaused() && this.#waitingBytes < highWaterBytes) this.#request.resume();
    return chunk;
  }

  async return(): Promise<IteratorResult<Buffer>> {
    this.#isAbandoned = true;
    this.#arrived.clear();
    this.#chunks = [];
    this.#given = 0;
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
const leastBytesPerWindow = 30 * 1024;
const lookEveryMs = 5_000;

/** Watches that bodies make progress: at least 1 KiB/s over 30 s, while it is the client we wait for. */
export class Pace {
  readonly #watched = new Map<Body, { since: number; bytes: number }>();
  readonly #clock: Clock;
  readonly #timer: Timer;

  constructor(clock = systemClock) {
    this.#clock = clock;
    this.#timer = clock.every(lookEveryMs, () => this.#look(clock.monotonic()));
  }

  watch(body: Body): () => void {
    this.#watched.set(body, { since: this.#clock.monotonic(), bytes: body.receivedBytes });
    return () => this.#watched.delete(body);
  }

  #look(now: number): void {
    for (const [body, window] of this.#watched) {
      if (!body.isWaitingForClient) {
        window.since = now;
        window.bytes = body.receivedBytes;
      } else if (now - window.since >= windowMs) {
        if (body.receivedBytes - window.bytes < leastBytesPerWindow) body.fail(uploadTooSlow());
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
  return new Refusal('UploadTooSlow', 'The body came slower than 1 KiB/s for 30 seconds. Nothing was saved.');
}
