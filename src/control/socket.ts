// `control.sock` in the data folder: how a command reaches the service that holds the folder. One line of JSON each way;
// the socket can be opened by the owner of the folder only.

import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import type { Config } from '../config.ts';
import { type PlainRefusal, Refusal } from '../domain/refusal.ts';
import { type Command, type Controlled, runCommand } from './commands.ts';

type Reply = { result: object } | { refusal: PlainRefusal } | { fault: string };

const mostCommandBytes = 64 * 1024;

/** Paths of sockets are limited to 107 bytes; the shorter of the two ways to say it is taken. */
function socketPath({ dataFolder }: Config): string {
  const absolute = join(dataFolder, 'control.sock');
  const near = relative(process.cwd(), absolute);
  return near.length < absolute.length ? near : absolute;
}

export async function serveControl(config: Config, controlled: Controlled): Promise<() => Promise<void>> {
  const path = socketPath(config);
  // The lock of the folder is ours, so a socket that is still there belongs to nobody.
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    void reply(socket, controlled);
  });
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => resolve());
    });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
}

async function reply(socket: Socket, controlled: Controlled): Promise<void> {
  socket.on('error', () => socket.destroy());
  const text = await readLine(socket, mostCommandBytes);
  if (text === null) return;
  socket.end(`${JSON.stringify(await carryOut(controlled, text))}\n`);
}

async function carryOut(controlled: Controlled, text: string): Promise<Reply> {
  try {
    return { result: await runCommand(controlled, JSON.parse(text) as Command) };
  } catch (error) {
    return error instanceof Refusal ? { refusal: error.toPlain() } : { fault: String(error) };
  }
}

/** Null when no service listens. */
export async function askService(config: Config, command: Command): Promise<object | null> {
  const socket = await open(socketPath(config));
  if (socket === null) return null;
  socket.write(`${JSON.stringify(command)}\n`);
  const text = await readLine(socket);
  if (text === null) throw new Error('The service closed the connection without an answer.');
  const answered = JSON.parse(text) as Reply;
  if ('refusal' in answered) throw Refusal.from(answered.refusal);
  if ('fault' in answered) throw new Error(answered.fault);
  return answered.result;
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

function readLine(socket: Socket, most = Number.POSITIVE_INFINITY): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
      else if (text.length > most) socket.destroy();
    });
    socket.once('close', () => resolve(null));
  });
}
