// A TCP proxy on the way to an HTTP server that meddles with what passes: it can change it, cut it off, or answer in the
// server's place.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Passing {
  direction: 'up' | 'down';
  chunk: Buffer;
  /** The first line of the request that it belongs to. */
  request: string;
  /** What has passed in this direction since that line, this chunk included. */
  bytes: number;
  /** Sends this to the client instead of the response of the server. */
  answer(text: string): void;
}

/** What shall pass; null: the connection is cut. */
export type Meddle = (passing: Passing) => Buffer | null;

export class Meddler {
  readonly port: number;
  meddle: Meddle = ({ chunk }) => chunk;
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (near) => this.#join(near));
  }

  /** `port`: where another one, closed since, has listened; else any. */
  static async open(target: number, port = 0): Promise<Meddler> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new Meddler(server, target);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    const far = connect(this.#target, '127.0.0.1');
    const state = { request: '', up: 0, down: 0 };
    for (const [from, to, direction] of [
      [near, far, 'up'],
      [far, near, 'down'],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk: Buffer) => {
        const line = direction === 'up' ? /^[A-Z]+ \S+ HTTP\/1\.1/.exec(chunk.toString('latin1', 0, 2000)) : null;
        if (line !== null) Object.assign(state, { request: line[0], up: 0, down: 0 });
        state[direction] += chunk.length;
        const answer = (text: string) => near.write(text);
        const passed = this.meddle({ direction, chunk, request: state.request, bytes: state[direction], answer });
        if (passed === null) near.resetAndDestroy();
        else if (!to.write(passed)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
    }
  }
}
