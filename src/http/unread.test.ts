import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { makeCa } from '../certificates/make-certificate.ts';
import { isUnused, type UnreadError } from './unread.ts';

const hasty = { headersTimeout: 50, requestTimeout: 0, connectionsCheckingInterval: 10 };
const { certificatePem, keyPem } = await makeCa();

for (const [what, server] of [
  ['plain', createServer(hasty)],
  ['TLS', createTlsServer({ ...hasty, cert: certificatePem, key: keyPem })],
] as const) {
  test(`a ${what} connection on which nothing came is unused, one with half a request is not`, async () => {
    const port = await listen(server);
    for (const [sent, expected] of [
      ['', true],
      ['GET / HTTP/1.1\r\nHost: x\r\n', false],
    ] as const) {
      const told = once(server, 'clientError');
      const client =
        what === 'TLS' ? connectTls(port, '127.0.0.1', { rejectUnauthorized: false }) : connect(port, '127.0.0.1');
      client.on('error', () => undefined);
      if (sent !== '') client.write(sent);
      const [error, socket] = (await told) as [UnreadError, Parameters<typeof isUnused>[1]];
      assert.equal(isUnused(error, socket), expected);
      socket.destroy();
      client.destroy();
    }
  });
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}
