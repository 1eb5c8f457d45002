// Uploads that a test cuts at a given byte: every form of body, complete with its framing.

import { once } from 'node:events';
import { connect } from 'node:net';
import { type Caller, identity } from '../interface/client.ts';

const boundary = 'x-cut-x';
const multipart = `multipart/form-data; boundary=${boundary}`;

export interface Form {
  type: string;
  framing: string;
  bytes: Buffer;
}

function toPart(bytes: Buffer): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="filename"; filename="a.bin"\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

function toChunked(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 50_000) {
    const piece = bytes.subarray(at, at + 50_000);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

function withLength(type: string, bytes: Buffer): Form {
  return { type, framing: `Content-Length: ${bytes.length}`, bytes };
}

function inChunks(type: string, bytes: Buffer): Form {
  return { type, framing: 'Transfer-Encoding: chunked', bytes: toChunked(bytes) };
}

/** Of a content that is too large for the catalog. */
export function toForms(content: Buffer): Record<string, Form> {
  return {
    'raw, small': withLength('text/plain', Buffer.from('small enough for the catalog')),
    'raw, large': withLength('application/octet-stream', content),
    'raw, chunked': inChunks('application/octet-stream', content),
    multipart: withLength(multipart, toPart(content)),
    'multipart, chunked': inChunks(multipart, toPart(content)),
    'base64 in JSON': withLength(
      'application/json',
      Buffer.from(JSON.stringify({ filename: content.toString('base64') })),
    ),
  };
}

export interface Cut {
  form: Form;
  atByte: number;
  how: 'end' | 'reset';
  /** How long the service has to take in what was sent before. */
  restMs: number;
  /** The request line's target and more headers. */
  target: { line: string; headers: Record<string, string> };
}

/** Resolves when the connection is gone. */
export async function sendCut(caller: Caller, { form, atByte, how, restMs, target }: Cut): Promise<void> {
  const { hostname, port } = new URL(caller.base);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const headers = { Host: 'x', ...identity(caller), ...target.headers, 'Content-Type': form.type };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${target.line} HTTP/1.1\r\n${lines.join('')}${form.framing}\r\n\r\n`);
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.write(form.bytes.subarray(0, atByte), () => resolve());
  });
  await new Promise((resolve) => setTimeout(resolve, restMs));
  if (socket.closed) return;
  const closed = once(socket, 'close');
  if (how === 'reset') socket.resetAndDestroy();
  else {
    socket.end();
    socket.resume();
  }
  await closed;
}
