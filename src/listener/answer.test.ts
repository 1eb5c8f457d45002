import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { endIfStalled, send } from './answer.ts';

async function answerOne(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [accepted] = await once(server, 'connection');
  return { server, socket, accepted };
}

/** Long enough for a busy machine to run everything in between. */
const stalledMs = 3000;

test('a client that stops reading loses its connection; a slow one does not', { timeout: 60_000 }, async (context) => {
  const body = 'x'.repeat(128 * 1024 * 1024);
  const { server, socket, accepted } = await answerOne((response) => {
    endIfStalled(response, stalledMs);
    response.end(body);
  });
  context.after(() => {
    socket.destroy();
    server.close();
  });
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 20);
  });
  socket.resume();
  // Node's own limit on sockets, which uses the system clock.
  await new Promise((resolve) => setTimeout(resolve, 1.5 * stalledMs));
  assert.ok(!accepted.destroyed, 'the client is still reading');
  assert.ok(received > 0 && received < body.length);
  socket.removeAllListeners('data');
  socket.pause();
  await once(accepted, 'close');
});

test('every answer is dropped after a minute without progress, also one of a single chunk', async () => {
  let timeoutMs: number | undefined;
  const { server, socket } = await answerOne((response) => {
    void send(response, { status: 200, headers: {}, body: '{}' }, 'tracking');
    timeoutMs = response.socket?.timeout;
  });
  socket.resume();
  await once(socket, 'data');
  assert.equal(timeoutMs, 60_000);
  socket.destroy();
  server.close();
});

test('a body is released when all of it was sent, and not while the client reads none of it', async (context) => {
  const body = Buffer.alloc(64 * 1024 * 1024);
  let releases = 0;
  const release = () => {
    releases += 1;
  };
  const { server, socket } = await answerOne((response) => {
    void send(response, { status: 200, headers: {}, body, release }, 'tracking');
  });
  context.after(() => {
    socket.destroy();
    server.close();
  });
  socket.resume();
  await once(socket, 'data');
  assert.equal(releases, 0);
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  while (releases === 0) await once(socket, 'data');
  assert.ok(received > 0);
  assert.equal(releases, 1);
});
