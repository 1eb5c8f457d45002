// Files over `node:http`, as plainly as Node allows it: a PUT goes to a file that is synced, a GET streams it. No records, nobody
// asked, nothing verified. Its own process: prints its address, ends with its parent.

import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [directory = ''] = process.argv.slice(2);

const server = createServer((request, response) => {
  const file = join(directory, basename(request.url ?? ''));
  const answer = request.method === 'PUT' ? save(file, request, response) : send(file, request, response);
  answer.catch((error: Error) => response.destroy(error));
});

async function save(file: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // `flush`: synced before it is closed.
  await pipeline(request, createWriteStream(file, { flush: true }));
  response.writeHead(201, { 'Content-Length': 0 }).end();
}

async function send(file: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (first !== undefined && last !== undefined) {
    response.writeHead(206, { 'Content-Length': Number(last) - Number(first) + 1 });
    createReadStream(file, { start: Number(first), end: Number(last) }).pipe(response);
    return;
  }
  const { size } = await stat(file);
  response.writeHead(200, { 'Content-Length': size });
  createReadStream(file).pipe(response);
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ Production: `http://127.0.0.1:${port}` })}\n`);
});

process.stdin.on('end', () => process.exit(0)).resume();
