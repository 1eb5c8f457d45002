// The service's side of `control.sock` in the data folder (`ask.ts` is the other). The request is one line of JSON; the response is lines of
// JSON, the last one with the result and those before it with progress. A client that closes its side interrupts
// the command. Only the owner of the folder can open the socket.

import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Config } from '../config/config.ts';
import { Refusal } from '../domain/refusal.ts';
import { type Reply, socketPath } from './ask.ts';
import type { Command, CommandContext, CommandObserver } from './command.ts';

const maxCommandBytes = 64 * 1024;

export class ControlSocket {
  readonly #path: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #running = new Set<Promise<void>>();

  constructor(config: Config, context: CommandContext) {
    this.#path = socketPath(config);
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      const replied = reply(socket, context).finally(() => this.#running.delete(replied));
      this.#running.add(replied);
    });
  }

  async listen(): Promise<void> {
    // We hold the lock of the folder, so an existing socket was left by a crash.
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

async function reply(socket: Socket, context: CommandContext): Promise<void> {
  socket.on('error', () => socket.destroy());
  const text = await readLine(socket, maxCommandBytes);
  if (text === null) {
    socket.destroy();
    return;
  }
  const gone = new AbortController();
  if (socket.readableEnded || socket.destroyed) gone.abort();
  for (const event of ['end', 'close']) socket.once(event, () => gone.abort());
  const toLine = (line: Reply) => `${JSON.stringify(line)}\n`;
  const progress = (progress: object) => {
    if (!socket.writable || socket.write(toLine({ progress }))) return;
    return new Promise<void>((resolve) => {
      for (const event of ['drain', 'close']) socket.once(event, () => resolve());
    });
  };
  socket.end(toLine(await execute(context, text, { progress, signal: gone.signal })));
}

async function execute(context: CommandContext, text: string, observer: CommandObserver): Promise<Reply> {
  try {
    return {
      result: await (await import('./commands.ts')).runCommand(context, JSON.parse(text) as Command, observer),
    };
  } catch (error) {
    return error instanceof Refusal ? { refusal: error.toPlain() } : { fault: String(error) };
  }
}

/** Null: the connection was closed, or the limit exceeded, before a line was complete. */
function readLine(socket: Socket, limitBytes: number): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      if (text.includes('\n')) return;
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
      else if (text.length > limitBytes) resolve(null);
    });
    for (const event of ['end', 'close']) socket.once(event, () => resolve(null));
  });
}
