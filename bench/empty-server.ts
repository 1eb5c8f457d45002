// The baseline of Node: a `node:http` server that reads the whole body, stores nothing and answers JSON as long as the response
// to a minimal save. Runs as its own process, prints its address like `cabinet serve --json`, and ends with its parent.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const replySizeBytes = 600;
const frame = JSON.stringify({ Folder: {}, Children: [], Filler: '' });
const reply = JSON.stringify({ Folder: {}, Children: [], Filler: 'x'.repeat(replySizeBytes - frame.length) });

const server = createServer((request, response) => {
  let receivedBytes = 0;
  request.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
  });
  request.on('end', () => {
    const isWhole = receivedBytes === Number(request.headers['content-length']);
    response.writeHead(isWhole ? 200 : 400, { 'content-type': 'application/json', 'content-length': reply.length });
    response.end(reply);
  });
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ Production: `http://127.0.0.1:${port}` })}\n`);
});

process.stdin.on('end', () => process.exit(0)).resume();
