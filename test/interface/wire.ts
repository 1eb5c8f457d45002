// A bare socket: for requests that no HTTP client would send (malformed, cut off, never ending), and for seeing every
// answer as it comes, 100 Continue included.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Caller, CONTENT, type Headers, headerLines, identity } from './client.ts';
import { checkDescribed, type Requested } from './description.ts';

const ANSWER_TIMEOUT_MS = 60_000;

export class Wire {
  readonly #base: string;
  readonly #socket: Socket;
  readonly #requests: Requested[] = [];
  #received: Buffer = Buffer.alloc(0);
  #isOver = false;

  constructor(base: string, socket: Socket) {
    this.#base = base;
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    socket.on('error', () => {});
    socket.on('end', () => this.#finish());
    socket.on('close', () => this.#finish());
  }

  #finish(): void {
    this.#isOver = true;
    this.#socket.emit('over');
  }

  write(bytes: string | Uint8Array): void {
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes.subarray(0, 4096)).toString('latin1');
    // A body may be nothing but capital letters, of which the expression would try every one as the beginning of a method.
    if (text.includes(' HTTP/1.')) {
      for (const [, method = '', path = ''] of text.matchAll(/([A-Z]+) (\S+) HTTP\/1\.[01]\r?\n/g)) {
        this.#requests.push({ method, path });
      }
    }
    if (this.#socket.writable) this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Says that nothing more will be sent; the answer can still be read. */
  end(): void {
    this.#socket.end();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** For `using`: whatever becomes of the test, the connection does not outlive it. */
  [Symbol.dispose](): void {
    this.close();
  }

  hasReceived(): boolean {
    return this.#received.length > 0 || this.#isOver;
  }

  /** The next answer on this connection. Fails when the peer closes first or says nothing for too long. */
  async answer(timeoutMs = ANSWER_TIMEOUT_MS): Promise<Answer> {
    const deadline = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const parsed = takeAnswer(this.#received, this.#isOver);
      if (parsed !== null) {
        this.#received = parsed.rest;
        await checkDescribed(this.#base, this.#requests, parsed.answer);
        return parsed.answer;
      }
      assert.ok(!this.#isOver, `closed without a whole answer: ${JSON.stringify(this.#received.toString('latin1'))}`);
      const over = new AbortController();
      const signal = AbortSignal.any([deadline, over.signal]);
      await Promise.race([once(this.#socket, 'data', { signal }), once(this.#socket, 'over', { signal })])
        .catch(() => assert.fail(`no answer within ${timeoutMs} ms`))
        .finally(() => over.abort());
    }
  }

  /** Writes all of it before it reads anything, as many clients do. */
  async writeBeforeReading(bytes: Uint8Array): Promise<void> {
    this.#socket.pause();
    await new Promise<void>((done) => {
      this.#socket.once('close', done);
      this.#socket.write(bytes, () => done());
    });
    this.#socket.resume();
  }

  /** Writes until the peer answers, at most so many bytes; the pause lets its answer come in between. */
  async writeUntilAnswered(chunk: Uint8Array, atMostBytes: number): Promise<number> {
    let sent = 0;
    while (!this.hasReceived() && sent < atMostBytes) {
      this.write(chunk);
      sent += chunk.byteLength;
      await sleep(1);
      while (this.#socket.writableLength > 1 << 20 && !this.hasReceived()) await sleep(1);
    }
    return sent;
  }
}

export async function openWire(base: string): Promise<Wire> {
  const url = new URL(base);
  const socket = connect({ host: url.hostname, port: Number(url.port || 80), allowHalfOpen: true, noDelay: true });
  await once(socket, 'connect');
  return new Wire(base, socket);
}

/** Sends these bytes on a connection of their own and returns the first answer. */
export async function exchange(base: string, bytes: string | Uint8Array): Promise<Answer> {
  using wire = await openWire(base);
  wire.write(bytes);
  return await wire.answer();
}

/** The head of a request to the content interface in the caller's name, as text up to and with the empty line. */
export function contentHead(caller: Caller, method: string, path: string, headers: Headers): string {
  const lines = headerLines({ Host: new URL(caller.base).host, ...identity(caller), ...headers });
  return `${method} ${CONTENT}${path} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n`;
}

export function toChunk(bytes: string | Uint8Array): Buffer {
  const content = Buffer.from(bytes as string);
  return Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')]);
}

function takeAnswer(bytes: Buffer, isOver: boolean): { answer: Answer; rest: Buffer } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? assert.fail(`not an answer: ${statusLine}`));
  const headers: IncomingHttpHeaders = {};
  for (const line of lines) headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 2);
  const after = bytes.subarray(headEnd + 4);
  const body = takeBody(after, status, headers, isOver);
  return body && { answer: { status, headers, body: body.content }, rest: after.subarray(body.lengthBytes) };
}

function takeBody(
  bytes: Buffer,
  status: number,
  headers: IncomingHttpHeaders,
  isOver: boolean,
): { content: Buffer; lengthBytes: number } | null {
  if (status < 200 || status === 204 || status === 304) return { content: Buffer.alloc(0), lengthBytes: 0 };
  if (headers['transfer-encoding'] === 'chunked') return takeChunks(bytes);
  const length = headers['content-length'];
  if (length === undefined) return isOver ? { content: bytes, lengthBytes: bytes.length } : null;
  if (bytes.length < Number(length)) return null;
  return { content: bytes.subarray(0, Number(length)), lengthBytes: Number(length) };
}

function takeChunks(bytes: Buffer): { content: Buffer; lengthBytes: number } | null {
  const chunks: Buffer[] = [];
  for (let position = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', position);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', position, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return null;
    if (size === 0) return { content: Buffer.concat(chunks), lengthBytes: next };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    position = next;
  }
}
