// The network between a node and what it stands on, as one that can fail: a small TCP proxy through which all passes, or is
// refused, is late, vanishes without a word, or breaks off in the middle of an answer.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** `refused`: open connections are reset, new ones too. `silent`: nothing passes, without an error; what was sent arrives when
 *  it is over, as TCP sees to it. `late`: everything takes longer. */
export type State = 'well' | 'refused' | 'silent' | 'late';

const lateMs = 300;

interface Pair {
  near: Socket;
  far: Socket;
  /** The far side is gone, and the near one never hears of it. */
  isForgotten: boolean;
}

export class Line {
  readonly port: number;
  readonly #server: Server;
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  #state: State = 'well';
  #isOver: { promise: Promise<void>; resolve: () => void } = Promise.withResolvers<void>();
  #breaking = 0;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (near) => this.#join(near));
  }

  static async open(target: number): Promise<Line> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Line(server, target);
  }

  set(state: State): void {
    this.#state = state;
    if (state === 'refused') for (const { near, far } of this.#pairs) reset(near, far);
    if (state === 'silent') return;
    this.#isOver.resolve();
    this.#isOver = Promise.withResolvers<void>();
  }

  /** The next answers break off in the middle, each with its connection. */
  breakOff(answers: number): void {
    this.#breaking = answers;
  }

  /** What is open is dead, as behind a restarted firewall: without an error, and only new connections work. */
  forget(): void {
    for (const pair of this.#pairs) {
      pair.isForgotten = true;
      pair.far.destroy();
    }
  }

  async close(): Promise<void> {
    for (const { near, far } of this.#pairs) reset(near, far);
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    if (this.#state === 'refused') {
      near.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const far = connect(this.#target, '127.0.0.1');
    const pair: Pair = { near, far, isForgotten: false };
    this.#pairs.add(pair);
    near.setNoDelay(true);
    far.setNoDelay(true);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => this.#onClose(pair, from, to));
      void this.#carry(pair, from, to);
    }
  }

  #onClose(pair: Pair, from: Socket, to: Socket): void {
    if (pair.isForgotten && from === pair.far) return;
    this.#pairs.delete(pair);
    // Whatever is still on its way arrives before the end does.
    if (!to.destroyed) to.destroySoon();
  }

  async #carry(pair: Pair, from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        while (this.#state === 'silent') await this.#isOver.promise;
        if (this.#state === 'late') await pause(lateMs);
        if (pair.isForgotten) continue;
        if (from === pair.far && this.#breaking > 0) {
          this.#breaking -= 1;
          to.write(chunk.subarray(0, Math.ceil(chunk.length / 2)));
          await pause(5);
          reset(from, to);
          return;
        }
        if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      }
      if (!pair.isForgotten) to.end();
    } catch {
      // It was reset: the other side hears of it by the event.
    }
  }
}

function reset(...sockets: Socket[]): void {
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    if (!socket.destroyed) socket.resetAndDestroy();
  }
}
