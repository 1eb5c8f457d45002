// Sends or fetches large files over raw sockets, some at a time: its own process, which only moves bytes, so that the server is what
// is measured. One job on standard input, one result on standard output.

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseHead } from './answer.ts';

export type Transfer = {
  port: number;
  method: 'POST' | 'PUT' | 'GET';
  /** One each at a time. */
  paths: string[];
  headers: Record<string, string>;
  sizeBytes: number;
  status: number;
};

export type Transferred = { ms: number; failure: string | null };

/** The same bytes again and again; the receiver hashes or writes them all the same. */
export const block = Buffer.alloc(1024 * 1024, 'the same bytes again and again. ');

function isSame(piece: Buffer, from: number): boolean {
  for (let at = 0; at < piece.length; ) {
    const start = (from + at) % block.length;
    const length = Math.min(piece.length - at, block.length - start);
    if (piece.compare(block, start, start + length, at, at + length) !== 0) return false;
    at += length;
  }
  return true;
}

function send({ port, method, headers, sizeBytes, status }: Transfer, path: string): Promise<string | null> {
  const isSaved = method !== 'GET';
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let received = Buffer.alloc(0);
    let bodyBytes = 0;
    let wantedBytes: number | null = null;
    let left = isSaved ? sizeBytes : 0;
    const end = (failure: string | null) => {
      socket.destroy();
      resolve(failure);
    };
    const write = () => {
      while (left > 0) {
        const piece = block.subarray(0, Math.min(left, block.length));
        left -= piece.length;
        if (!socket.write(piece)) return;
      }
    };
    const readHead = (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      const head = parseHead(received);
      if (head === null) return;
      if (head.status !== status)
        return end(`status ${head.status}, wanted ${status}: ${received.toString().slice(0, 400)}`);
      wantedBytes = head.end - head.bodyStart;
      take(received.subarray(head.bodyStart));
    };
    /** What is downloaded must be what was saved. */
    const take = (piece: Buffer) => {
      if (!isSaved && !isSame(piece, bodyBytes)) end(`other bytes behind ${bodyBytes}`);
      bodyBytes += piece.length;
    };
    socket.on('connect', () => {
      const all = { Host: '127.0.0.1', ...(isSaved ? { 'Content-Length': String(sizeBytes) } : {}), ...headers };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
      write();
    });
    socket.on('drain', write);
    socket.on('data', (piece: Buffer) => {
      if (wantedBytes === null) readHead(piece);
      else take(piece);
      if (wantedBytes === null || bodyBytes < wantedBytes) return;
      const isWhole = isSaved || bodyBytes === sizeBytes;
      end(isWhole ? null : `${bodyBytes} bytes came, wanted ${sizeBytes}`);
    });
    socket.on('error', (error) => end(error.message));
    socket.on('close', () => end('the connection was closed before the whole answer came'));
  });
}

if (import.meta.main) {
  const transfer = JSON.parse(await text(process.stdin)) as Transfer;
  const begun = performance.now();
  const failures = await Promise.all(transfer.paths.map((path) => send(transfer, path)));
  const ms = performance.now() - begun;
  const result: Transferred = { ms, failure: failures.find((failure) => failure !== null) ?? null };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
