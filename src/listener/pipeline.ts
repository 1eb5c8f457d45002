// Pipelined requests of one connection are handled one at a time, so that the second one holds no resources while the answer
// to the first one is being sent.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that sends more requests than this without reading an answer is an attacker. */
const maxPipelined = 100;

export class Pipeline {
  /** By connection: how many responses are pending, and the last of them. */
  readonly #pending = new Map<Socket, { count: number; last: ServerResponse }>();

  /** Resolves when the earlier responses of the connection are finished. Null: there are none. */
  enter({ socket }: IncomingMessage, response: ServerResponse): Promise<void> | null {
    const pending = this.#pending.get(socket) ?? { count: 0, last: response };
    const before = pending.count === 0 ? null : pending.last;
    this.#pending.set(socket, { count: pending.count + 1, last: response });
    if (before === null) return null;
    if (pending.count >= maxPipelined) socket.destroy();
    if (before.closed || socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => before.once('close', () => resolve()));
  }

  leave(socket: Socket): void {
    const pending = this.#pending.get(socket);
    if (pending === undefined) return;
    pending.count -= 1;
    if (pending.count === 0) this.#pending.delete(socket);
  }
}
