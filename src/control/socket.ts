// `control.sock` in the data folder, on the side of the service that holds the folder (`ask.ts` is the other). One line of JSON there; lines of
// JSON back, of which the last is the answer and those before it tell how far it is. Who closes his side, or goes away, wants
// no more to be done. The socket can be opened by the owner of the folder only.

import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Config } from '../config/config.ts';
import { Refusal } from '../domain/refusal.ts';
import { type Reply, socketPath } from './ask.ts';
import type { Command, Controlled, Watcher } from './command.ts';

const mostCommandBytes = 64 * 1024;

export class ControlSocket {
  readonly #path: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #running = new Set<Promise<void>>();

  constructor(config: Config, controlled: Controlled) {
    this.#path = socketPath(config);
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      const replied = reply(socket, controlled).finally(() => this.#running.delete(replied));
      this.#running.add(replied);
    });
  }

  async listen(): Promise<void> {
    // The lock of the folder is ours, so a socket that is still there was left behind.
    rmSync(this.#path, { force: true });
    const mask = process.umask(0o177);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen(this.#path, () => resolve());
      });
    } finally {
      process.umask(mask);
    }
    chmodSync(this.#path, 0o600);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    // Commands that are running still need the environments.
    await Promise.all(this.#running);
  }
}

async function reply(socket: Socket, controlled: Controlled): Promise<void> {
  socket.on('error', () => socket.destroy());
  const text = await readLine(socket, mostCommandBytes);
  if (text === null) {
    socket.destroy();
    return;
  }
  const gone = new AbortController();
  if (socket.readableEnded || socket.destroyed) gone.abort();
  for (const event of ['end', 'close']) socket.once(event, () => gone.abort());
  const say = (line: Reply) => `${JSON.stringify(line)}\n`;
  const progress = (told: object) => {
    if (socket.writable) socket.write(say({ progress: told }));
  };
  socket.end(say(await carryOut(controlled, text, { progress, signal: gone.signal })));
}

async function carryOut(controlled: Controlled, text: string, watcher: Watcher): Promise<Reply> {
  try {
    return {
      result: await (await import('./commands.ts')).runCommand(controlled, JSON.parse(text) as Command, watcher),
    };
  } catch (error) {
    return error instanceof Refusal ? { refusal: error.toPlain() } : { fault: String(error) };
  }
}

/** Null: the other side closed, or sent more than it may, before there was a line. */
function readLine(socket: Socket, most: number): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      if (text.includes('\n')) return;
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
      else if (text.length > most) resolve(null);
    });
    for (const event of ['end', 'close']) socket.once(event, () => resolve(null));
  });
}
