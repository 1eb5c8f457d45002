// The server of tus with its file store, started as documented. Its own process: prints its address, ends with its parent.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

const [directory = ''] = process.argv.slice(2);
const uploads = new Server({ path: '/files', datastore: new FileStore({ directory }) });
const server = createServer((request, response) => {
  void uploads.handle(request, response);
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ Production: `http://127.0.0.1:${port}` })}\n`);
});

process.stdin.on('end', () => process.exit(0)).resume();
