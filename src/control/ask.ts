// How a command reaches the service that holds the data folder, through `control.sock` in it. Nothing of the service itself is loaded
// for that: a command is answered in the time of a Node that starts.

import { connect, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Config } from '../config/config.ts';
import { type PlainRefusal, Refusal } from '../domain/refusal.ts';
import { type Command, nobody, type Watcher } from './command.ts';

export type Reply = { progress: object } | { result: object } | { refusal: PlainRefusal } | { fault: string };

/** Paths of sockets are limited to 107 bytes; the shorter of the two ways to say it is taken. */
export function socketPath({ dataFolder }: Config): string {
  const absolute = join(dataFolder, 'control.sock');
  const near = relative(process.cwd(), absolute);
  return near.length < absolute.length ? near : absolute;
}

/** Null when no service listens. */
export async function askService(config: Config, command: Command, watcher = nobody): Promise<object | null> {
  const socket = await open(socketPath(config));
  if (socket === null) return null;
  socket.on('error', () => socket.destroy());
  const breakOff = () => socket.end();
  watcher.signal.addEventListener('abort', breakOff);
  try {
    socket.write(`${JSON.stringify(command)}\n`);
    return await readAnswer(socket, watcher);
  } finally {
    watcher.signal.removeEventListener('abort', breakOff);
    socket.destroy();
  }
}

async function readAnswer(socket: Socket, { progress }: Watcher): Promise<object> {
  const lines = createInterface({ input: socket });
  socket.once('close', () => lines.close());
  for await (const line of lines) {
    const answered = JSON.parse(line) as Reply;
    if ('refusal' in answered) throw Refusal.from(answered.refusal);
    if ('fault' in answered) throw new Error(answered.fault);
    if ('result' in answered) return answered.result;
    progress(answered.progress);
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
