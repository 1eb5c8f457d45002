// Sends a command to the service that holds the data folder, through `control.sock` in it. Loads nothing of the service
// itself, so that a command takes little longer than the start of Node.

import { connect, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Config } from '../config/config.ts';
import { type PlainRefusal, Refusal } from '../domain/refusal.ts';
import { type Command, type CommandObserver, nobody } from './command.ts';

export type Reply = { progress: object } | { result: object } | { refusal: PlainRefusal } | { fault: string };

/** Socket paths are limited to 107 bytes: the shorter of the relative and the absolute path. */
export function socketPath({ dataFolder }: Config): string {
  const absolute = join(dataFolder, 'control.sock');
  const fromHere = relative(process.cwd(), absolute);
  return fromHere.length < absolute.length ? fromHere : absolute;
}

/** Null: no service is listening. */
export async function askService(config: Config, command: Command, observer = nobody): Promise<object | null> {
  const socket = await open(socketPath(config));
  if (socket === null) return null;
  socket.on('error', () => socket.destroy());
  const interrupt = () => socket.end();
  observer.signal.addEventListener('abort', interrupt);
  try {
    socket.write(`${JSON.stringify(command)}\n`);
    return await readReplies(socket, observer);
  } finally {
    observer.signal.removeEventListener('abort', interrupt);
    socket.destroy();
  }
}

async function readReplies(socket: Socket, { progress }: CommandObserver): Promise<object> {
  const lines = createInterface({ input: socket });
  socket.once('close', () => lines.close());
  for await (const line of lines) {
    const reply = JSON.parse(line) as Reply;
    if ('refusal' in reply) throw Refusal.from(reply.refusal);
    if ('fault' in reply) throw new Error(reply.fault);
    if ('result' in reply) return reply.result;
    await progress(reply.progress);
  }
  throw new Error('The service closed the connection without an answer.');
}

function open(path: string): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null);
      else reject(error);
    });
  });
}
