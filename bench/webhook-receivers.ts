// Receivers of webhooks as a process of their own: every path takes what is sent, but `/hang` never answers. Prints its address like
// `cabinet serve --json`, and ends with its parent.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let taken = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ taken }));
    return;
  }
  if (request.url === '/hang') return;
  request.resume().on('end', () => {
    taken += 1;
    response.writeHead(204).end();
  });
});

// Longer than a measurement takes: the connection that asks for `taken` stays.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ Production: `http://127.0.0.1:${port}` })}\n`);
});

process.stdin.on('end', () => process.exit(0)).resume();
