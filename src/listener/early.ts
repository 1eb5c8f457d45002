// Answers that are sent before a request has arrived completely, or to input that is not a request. They bypass Node's own
// response, which would close the connection at once: a client that is still sending would be reset and never see its
// answer. So the rest of the request is read and dropped, within limits.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../runtime/clock.ts';
import { type Answer, send, toHeaders } from './answer.ts';
import { STATUS_CODES } from './node-http.ts';
import { expectsContinue } from './request.ts';

const lingerMs = 5000;
const lingerBytes = 64 * 1024 * 1024;
/** A rest this small is read in full, and the connection stays open. */
const smallRestBytes = 64 * 1024;
/** How long a client may take to read the answer to malformed input. */
const lastAnswerMs = 1000;

export function sendEarly(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  answer: Answer,
  { requestId, clock }: { requestId: string; clock: Clock },
): void {
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const isWaiting = expectsContinue(request);
  const isSmall = request.complete || (!isChunked && !(declared > smallRestBytes) && !isWaiting);
  // A response without a socket is queued behind the responses to earlier requests of the same connection.
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

/** Answers malformed input on a socket, after the `pending` response to an earlier request. */
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
