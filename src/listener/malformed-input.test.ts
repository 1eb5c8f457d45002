import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { makeCa } from '../certificates/make-certificate.ts';
import { isUnused, type ParserError } from './malformed-input.ts';

const { certificatePem, keyPem } = await makeCa();
const tls = { cert: certificatePem, key: keyPem };
const hasty = { headersTimeout: 20, requestTimeout: 0, connectionsCheckingInterval: 10 };

for (const isSecure of [false, true]) {
  const start = (options: object) => (isSecure ? createTlsServer({ ...options, ...tls }) : createServer(options));
  const arrival = isSecure ? 'secureConnection' : 'connection';

  /** Resolves to both ends of a connection, and a function that closes everything. */
  async function open(server: ReturnType<typeof start>) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const arrived = once(server, arrival) as Promise<[Socket]>;
    const client = isSecure ? connectTls(port, '127.0.0.1', { rejectUnauthorized: false }) : connect(port, '127.0.0.1');
    client.on('error', () => undefined);
    const close = (socket: Socket) => {
      client.destroy();
      socket.destroy();
      server.close();
    };
    return { client, arrived, close };
  }

  test(`a connection on which nothing arrives in time is unused${isSecure ? ', with TLS too' : ''}`, async () => {
    const server = start(hasty);
    const failed = once(server, 'clientError') as Promise<[ParserError, Socket]>;
    const { close } = await open(server);
    const [error, socket] = await failed;
    assert.ok(isUnused(error, socket));
    close(socket);
  });

  test(`a connection with half a request is not unused${isSecure ? ', with TLS too' : ''}`, async () => {
    const { client, arrived, close } = await open(start({}));
    const [socket] = await arrived;
    client.write('GET / HTTP/1.1\r\nHost: x\r\n');
    while (socket.bytesRead === 0) await new Promise(setImmediate);
    const late = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    assert.ok(!isUnused(late, socket));
    close(socket);
  });
}
