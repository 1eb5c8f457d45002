// Requests that one connection sends without waiting for answers are handled one at a time: what the second one opens is not
// held while the answer to the first one is being sent.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that sends more requests without reading an answer is an attack. */
const maxPipelined = 100;

export class Pipeline {
  /** How many responses each connection is owed, and the last of them. */
  readonly #owed = new Map<Socket, { count: number; last: ServerResponse }>();

  /** Resolves when the responses before this one are finished. Null: there are none. */
  enter({ socket }: IncomingMessage, response: ServerResponse): Promise<void> | null {
    const owed = this.#owed.get(socket) ?? { count: 0, last: response };
    const before = owed.count === 0 ? null : owed.last;
    this.#owed.set(socket, { count: owed.count + 1, last: response });
    if (before === null) return null;
    if (owed.count >= maxPipelined) socket.destroy();
    if (before.closed || socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => before.once('close', () => resolve()));
  }

  leave(socket: Socket): void {
    const owed = this.#owed.get(socket);
    if (owed === undefined) return;
    owed.count -= 1;
    if (owed.count === 0) this.#owed.delete(socket);
  }
}
