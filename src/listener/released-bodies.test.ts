// The memory of a body is freed when it was sent: never while the system, or OpenSSL, still reads it.

import assert from 'node:assert/strict';
import type { Server, ServerResponse } from 'node:http';
import { createServer as createHttpServer, get as getHttp } from 'node:http';
import { createServer as createHttpsServer, get as getHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeCertificate } from '../certificates/certificates-for-tests.ts';
import { freeMemory, ownMemory } from '../runtime/own-memory.ts';
import { send } from './answer.ts';

const clients = 10;

/** More than sockets hold, so that the system takes the rest later. */
function toSize(index: number): number {
  return 12_000_000 + index;
}

/** Bytes that tell the request; what takes their memory afterwards is other bytes. */
async function answer(index: number, response: ServerResponse): Promise<void> {
  const body = Buffer.allocUnsafeSlow(toSize(index)).fill(index + 1);
  ownMemory(body);
  const release = () => {
    freeMemory(body);
    Buffer.allocUnsafeSlow(toSize(index)).fill(255);
  };
  await send(response, { status: 200, headers: {}, body, release }, 'tracking');
}

type Get = typeof getHttp;

/** Reads nothing before `mayRead`, after it has got the headers. Every fifth client goes away in the middle: null. */
function read(get: Get, port: number, index: number, mayRead: () => Promise<void>): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: `/${index}`, rejectUnauthorized: false };
    const sent = get(options, async (response) => {
      await mayRead();
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (index % 5 === 0) response.destroy();
      });
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', () => resolve(null));
      response.on('close', () => resolve(null));
    });
    sent.on('error', reject);
  });
}

async function readAll(server: Server, get: Get): Promise<void> {
  server.on('request', ({ url = '' }, response) => void answer(Number(url.slice(1)), response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const all = Promise.withResolvers<void>();
  let begun = 0;
  const mayRead = () => {
    begun += 1;
    if (begun === clients) all.resolve();
    return all.promise;
  };
  const indexes = Array.from({ length: clients }, (_, index) => index);
  const bodies = await Promise.all(indexes.map((index) => read(get, port, index, mayRead)));
  for (const [index, body] of bodies.entries()) {
    if (index % 5 === 0 && body === null) continue;
    assert.ok(body?.equals(Buffer.alloc(toSize(index), index + 1)), `client ${index}`);
  }
  server.closeAllConnections();
  server.close();
}

test('clients get the bytes of their answers while those of others are freed', async () => {
  await readAll(createHttpServer(), getHttp);
});

test('so they do over TLS', async () => {
  const { pem, keyPem } = await makeCertificate({});
  await readAll(createHttpsServer({ key: keyPem, cert: pem }), getHttps as Get);
});
