// `--bwlimit`: all transfers of a command together send and receive no more than so many bytes a second.

import type { Cabinet, Fetch, FetchInit } from '@cabinet/client';
import { UsageError } from './exit-codes.ts';

/** The service drops connections that make too little progress, and several share the limit. */
const minRate = 64_000;
const pieceBytes = 16_384;
const factors: Record<string, number> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

/** `500k`, `10M`, `1.5M`: bytes a second. */
export function toRate(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([kmg]?)$/i.exec(text) ?? [];
  const rate = Number(number) * (factors[unit.toLowerCase()] ?? 0);
  if (number !== '' && rate >= minRate) return rate;
  throw new UsageError(`--bwlimit ${text}: use bytes per second, at least 64k, such as 500k or 10M.`);
}

export interface Pauses {
  nowMs(): number;
  pause(ms: number): Promise<void>;
}

const realPauses: Pauses = {
  nowMs: () => performance.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export class Bandwidth {
  readonly #bytesPerMs: number;
  readonly #pauses: Pauses;
  /** When all that was taken so far has been sent at the rate. */
  #freeAtMs = 0;

  constructor(bytesPerSecond: number, pauses: Pauses = realPauses) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#pauses = pauses;
  }

  /** Waits until so many bytes more are within the limit. */
  async take(bytes: number): Promise<void> {
    const now = this.#pauses.nowMs();
    const startMs = Math.max(now, this.#freeAtMs);
    this.#freeAtMs = startMs + bytes / this.#bytesPerMs;
    if (startMs > now) await this.#pauses.pause(startMs - now);
  }
}

/** Limits the bodies of requests and of answers. */
export function withBandwidth(cabinet: Cabinet, bandwidth: Bandwidth): Cabinet {
  const send: Fetch = async (url, init) => {
    const response = await cabinet.fetch(url, limitBody(init, bandwidth));
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(limitStream(response.body, bandwidth), { status, statusText, headers });
  };
  return { ...cabinet, fetch: send };
}

function limitBody(init: FetchInit, bandwidth: Bandwidth): FetchInit {
  const { body } = init;
  if (body === undefined || typeof body === 'string') return init;
  const stream = body instanceof ReadableStream ? body : new Blob([body]).stream();
  return { ...init, body: limitStream(stream, bandwidth), duplex: 'half' };
}

function limitStream(
  stream: ReadableStream<Uint8Array>,
  bandwidth: Bandwidth,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(limitPieces(stream, bandwidth)) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

async function* limitPieces(stream: ReadableStream<Uint8Array>, bandwidth: Bandwidth): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    for (let at = 0; at < chunk.byteLength; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes);
      await bandwidth.take(piece.byteLength);
      yield piece;
    }
  }
}
