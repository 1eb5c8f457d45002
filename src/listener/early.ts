// Answers that are sent before a request has arrived whole, or instead of one. They bypass Node's own response, which would
// close the connection at once: a client that is still sending would be reset and never see its answer. What it still sends
// is read and dropped for a while.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../runtime/clock.ts';
import { type Answer, send, toHeaders } from './answer.ts';
import { STATUS_CODES } from './node-http.ts';
import { isExpecting } from './request.ts';

const lingerMs = 5000;
const lingerBytes = 64 * 1024 * 1024;
/** A rest this small is simply read; the connection stays. */
const smallRestBytes = 64 * 1024;
/** How long a socket may take to read an answer to what was no request. */
const lastAnswerMs = 1000;

export function sendEarly(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  { requestId, clock }: { requestId: string; clock: Clock },
): void {
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const isWaiting = isExpecting(request);
  const isSmall = request.complete || (!isChunked && !(declared > smallRestBytes) && !isWaiting);
  // Without a socket of its own yet, the response waits behind those to earlier requests of the same connection.
  if (isSmall || response.socket === null) {
    if (!isSmall) response.setHeader('Connection', 'close');
    void send(response, answer, requestId);
    request.resume();
    return;
  }
  request.socket.end(renderRaw(answer, requestId));
  dropRest(request, clock);
}

function dropRest(request: IncomingMessage, clock: Clock): void {
  const { socket } = request;
  const timer = clock.after(lingerMs, () => socket.destroy());
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > lingerBytes) socket.destroy();
  });
  request.once('end', () => socket.destroy());
  request.once('error', () => socket.destroy());
  socket.once('close', () => timer.cancel());
  request.resume();
}

/** Answers a socket on which no request was understood, after the `pending` responses to those that were. */
export function refuseSocket(
  socket: Socket,
  answer: Answer,
  { requestId, pending, clock }: { requestId: string; pending: ServerResponse | undefined; clock: Clock },
): void {
  socket.on('error', () => socket.destroy());
  const finish = () => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(renderRaw(answer, requestId));
    clock.after(lastAnswerMs, () => socket.destroy());
  };
  if (pending === undefined) finish();
  else pending.once('close', finish);
}

function renderRaw(answer: Answer, requestId: string): string {
  const body = String(answer.body);
  const headers = { ...toHeaders(answer, requestId, Buffer.byteLength(body)), Date: new Date().toUTCString() };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = `${answer.status} ${STATUS_CODES[answer.status]}`;
  return `HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`;
}
