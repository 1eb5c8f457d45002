// The answer of a face, and how it is sent: whole or streamed, with the headers that every answer has.

import type { ServerResponse } from 'node:http';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** A stream is sent chunked unless `headers` has its `Content-Length`. */
  body: string | Buffer | Chunks;
  /** Called when nothing uses the body any more, not even the system. Whether it is called for a connection that was closed is open. */
  release?(): void;
}

/** `release` is called when no chunk is used any more, if everything was sent. */
interface Chunks extends AsyncIterable<Buffer> {
  release?(): void;
}

/** `no-store` by default: records belong to the caller alone. An answer can override it. */
export function toHeaders(answer: Answer, requestId: string, length: number | null): Record<string, string | number> {
  return {
    ...(length !== null && { 'Content-Length': length }),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    requesttrackingid: requestId,
    ...answer.headers,
  };
}

/** A client that reads nothing for this long has probably gone away. */
const stalledReaderMs = 60_000;

/** Drops a connection whose client stops reading. Node watches what leaves the socket, so a slow client is not dropped. */
export function endIfStalled(response: ServerResponse, afterMs = stalledReaderMs): void {
  response.setTimeout(afterMs, () => response.destroy());
}

export async function send(response: ServerResponse, answer: Answer, requestId: string): Promise<void> {
  const { status, body } = answer;
  endIfStalled(response);
  if (typeof body === 'string') {
    // RFC 9110, 8.6: no Content-Length in a 204.
    const length = status === 204 ? null : Buffer.byteLength(body);
    response.writeHead(status, toHeaders(answer, requestId, length));
    response.end(body);
    answer.release?.();
    return;
  }
  const isBodyWanted = response.req.method !== 'HEAD';
  if (!isBodyWanted || Buffer.isBuffer(body)) {
    response.writeHead(status, toHeaders(answer, requestId, Buffer.isBuffer(body) ? body.length : null));
    sendWhole(response, isBodyWanted ? body : undefined, answer.release);
    return;
  }
  const chunks = body[Symbol.asyncIterator]();
  try {
    // The first chunk is read, and so verified, before the status line is sent.
    let next = await chunks.next();
    response.writeHead(status, toHeaders(answer, requestId, null));
    // One chunk is sent while the next is read, so at most two are in memory.
    let writing = Promise.resolve();
    while (!next.done && !response.destroyed) {
      await writing;
      writing = write(response, next.value);
      next = await chunks.next();
    }
    await writing;
    response.end();
    if (!response.destroyed) {
      body.release?.();
      answer.release?.();
    }
  } finally {
    await chunks.return?.();
  }
}

function sendWhole(response: ServerResponse, body: unknown, release: (() => void) | undefined): void {
  if (release === undefined) response.end(body);
  else
    response.end(body, () => {
      if (!response.destroyed) release();
    });
}

/** Resolves when the chunk was handed to the system, which has a copy then, or the connection is closed. */
function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write(chunk, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}
