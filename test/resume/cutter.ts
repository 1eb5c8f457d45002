// The network between clients and the service as one that breaks: a TCP proxy that cuts connections at random bytes, in each of the
// ways in which they break in life. What it does follows from a seed.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** `reset` and `end`: both sides hear of it. `answer`: the request arrives whole, the answer does not. `silence`: nothing more
 *  passes, and nobody hears of it for a while. */
const ways = ['reset', 'end', 'answer', 'silence'] as const;
type Way = (typeof ways)[number];

const silenceMs = 400;

export type Random = () => number;

/** Mulberry32: numbers from 0 up to 1. */
export function toRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export interface CutterOptions {
  random: Random;
  /** How many of the connections are cut, 0 to 1. */
  share: number;
  /** Within how many bytes. */
  withinBytes: number;
}

export class Cutter {
  readonly url: string;
  /** Connections that were cut, by how. */
  readonly cuts: Record<Way, number> = { reset: 0, end: 0, answer: 0, silence: 0 };
  /** The port of the service; null: it is not there. */
  target: number | null = null;
  share: number;
  readonly #server: Server;
  readonly #options: CutterOptions;
  readonly #open = new Set<Socket>();

  private constructor(server: Server, options: CutterOptions) {
    this.#server = server;
    this.#options = options;
    this.share = options.share;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (near) => this.#join(near));
  }

  static async open(options: CutterOptions): Promise<Cutter> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Cutter(server, options);
  }

  get count(): number {
    return Object.values(this.cuts).reduce((sum, count) => sum + count, 0);
  }

  /** Cuts everything that is open. */
  cutAll(): void {
    for (const socket of this.#open) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    near.on('error', () => undefined);
    if (this.target === null) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(this.target, '127.0.0.1').on('error', () => undefined);
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    }
    near.once('close', () => far.destroySoon());
    far.once('close', () => near.destroySoon());
    const { random, withinBytes } = this.#options;
    const isCut = random() < this.share;
    const way = ways[Math.floor(random() * ways.length)] as Way;
    this.#carry(near, far, isCut ? { way, bytes: Math.floor(random() * withinBytes) } : null);
  }

  #carry(near: Socket, far: Socket, cut: { way: Way; bytes: number } | null): void {
    let left = cut === null || cut.way === 'answer' ? Number.POSITIVE_INFINITY : cut.bytes;
    near.on('data', (chunk: Buffer) => {
      if (left < 0) return;
      left -= chunk.length;
      if (left >= 0) return pass(chunk, near, far);
      far.write(chunk.subarray(0, chunk.length + left));
      this.#cut((cut as { way: Way }).way, near, far);
    });
    far.on('data', (chunk: Buffer) => {
      if (left < 0) return;
      // Requests for tokens and the like are answered; what is cut is the answer to bytes that were sent.
      if (cut?.way === 'answer' && near.bytesRead > cut.bytes) this.#cut('answer', near, far);
      else pass(chunk, far, near);
    });
    near.on('end', () => far.end());
    far.on('end', () => near.end());
  }

  #cut(way: Way, near: Socket, far: Socket): void {
    this.cuts[way] += 1;
    if (way === 'reset') for (const socket of [near, far]) socket.resetAndDestroy();
    else if (way === 'silence') setTimeout(() => near.resetAndDestroy(), silenceMs);
    else for (const socket of [near, far]) socket.destroySoon();
  }
}

function pass(chunk: Buffer, from: Socket, to: Socket): void {
  if (to.write(chunk)) return;
  from.pause();
  to.once('drain', () => from.resume());
}
