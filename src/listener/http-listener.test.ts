import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Peers } from '../certificates/peers.ts';
import { Refusal } from '../domain/refusal.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { MovableClock } from '../runtime/clock-for-tests.ts';
import { openShared } from '../runtime/shared-counters.ts';
import { Registry } from '../telemetry/metrics.ts';
import { RequestMetrics } from '../telemetry/request-metrics.ts';
import type { Exchange, Face } from './face.ts';
import { listen } from './http-listener.ts';

const helloMatch = { route: { method: 'any', path: '/hello' } };

/** Answers every method but DELETE at `/hello`, and renders refusals in a format of its own. */
const hello: Face = {
  match(method, path) {
    if (path !== '/hello') return null;
    return method === 'DELETE' ? new Refusal('MethodNotAllowed', 'not here') : helloMatch;
  },
  async handle({ request, queryString, openBody }: Exchange) {
    if (queryString === 'refuse') throw new Refusal('Forbidden', 'not you');
    if (queryString === 'fail') throw new Error('broken');
    const chunks: Buffer[] = [];
    if (queryString === 'ignore') return { status: 200, headers: {}, body: 'ignored' };
    if (queryString === 'after-end') await once(request.socket, 'end');
    for await (const chunk of openBody()) chunks.push(chunk);
    return {
      status: 207,
      headers: { 'Content-Type': 'text/plain' },
      body: `hello ${request.method} ${chunks.join('')}`,
    };
  },
  renderRefusal: ({ code, message }) => ({ status: 418, headers: {}, body: `hello refuses ${code}: ${message}` }),
};

const last: Face = {
  match: () => new Refusal('RouteNotFound', 'nothing'),
  handle: async () => null,
  renderRefusal: ({ code }) => ({ status: 400, headers: {}, body: `last: ${code}` }),
};

async function open(faults: unknown[] = [], clock: Clock = systemClock) {
  const registry = new Registry();
  const listener = await listen({
    clock,
    host: '127.0.0.1',
    port: 0,
    tls: null,
    strictTransport: 'max-age=1',
    ticketKeys: Buffer.alloc(48),
    mutualTls: null,
    proxies: new Peers([]),
    maxConnections: 10,
    maxConnectionsPerPeer: 10,
    isPortShared: false,
    name: 'test',
    shared: openShared(),
    observers: { metrics: new RequestMetrics(registry), tracer: null, onRequestEnd: null },
    faces: [hello, last],
    publicUrl: () => undefined,
    basePath: '/base',
    toExtraHeaders: () => ({ 'X-Extra': 'yes' }),
    onFault: (fault) => faults.push(fault),
  });
  return { ...listener, registry };
}

/** Sends raw bytes, and returns everything that comes back. */
async function exchangeRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.end(text);
  await once(socket, 'close');
  return received;
}

test('a face answers with its own methods, statuses and bodies', async () => {
  const { url, drain, registry } = await open();
  const answer = await fetch(`${url}/hello`, { method: 'PROPFIND', body: 'you' });
  assert.equal(answer.status, 207);
  assert.equal(answer.headers.get('x-extra'), 'yes');
  assert.equal(answer.headers.get('content-type'), 'text/plain');
  assert.match(answer.headers.get('requesttrackingid') ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(await answer.text(), 'hello PROPFIND you');
  await drain();
  assert.match(await registry.render(), /cabinet_requests_total\{route="\/hello",method="any",status="207"\} 1/);
});

test('a path is the same with and without the base path; one that only begins like it is another', async (context) => {
  const { url, drain } = await open();
  context.after(drain);
  for (const path of ['/hello', '/base/hello']) {
    const answer = await fetch(url + path, { method: 'PROPFIND' });
    assert.equal(answer.status, 207, path);
    assert.match(await answer.text(), /^hello PROPFIND /);
  }
  for (const path of ['/based/hello', '/base/base/hello', '/base']) {
    assert.equal(await (await fetch(url + path)).text(), 'last: RouteNotFound', path);
  }
});

test('a face renders its own refusals and faults', async () => {
  const faults: unknown[] = [];
  const { url, drain } = await open(faults);
  const refused = await fetch(`${url}/hello?refuse`);
  assert.equal(refused.status, 418);
  assert.equal(await refused.text(), 'hello refuses Forbidden: not you');
  const failed = await fetch(`${url}/hello?fail`);
  assert.match(await failed.text(), /^hello refuses InternalError: /);
  assert.equal(String(faults), 'Error: broken');
  const notAllowed = await fetch(`${url}/hello`, { method: 'DELETE' });
  assert.equal(await notAllowed.text(), 'hello refuses MethodNotAllowed: not here');
  await drain();
});

test('the last face answers when no other face matches, or the input is not HTTP', async () => {
  const { url, drain } = await open();
  assert.equal(await (await fetch(`${url}/elsewhere`)).text(), 'last: RouteNotFound');
  assert.match(await exchangeRaw(url, 'nonsense\r\n\r\n'), /\r\n\r\nlast: MalformedRequest$/);
  // RFC 9112: an HTTP/1.1 request needs a Host header.
  assert.match(await exchangeRaw(url, 'GET /hello HTTP/1.1\r\n\r\n'), /\r\n\r\nlast: MalformedRequest$/);
  await drain();
});

test('a method that the parser does not know is still matched by its path', async () => {
  const { url, drain } = await open();
  assert.match(await exchangeRaw(url, 'FETCH /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n'), /last: RouteNotFound$/);
  await drain();
});

test('a client that has closed its side still gets its answer', async () => {
  const { url, drain } = await open();
  const text = 'POST /hello?after-end HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nyou';
  assert.match(await exchangeRaw(url, text), /^HTTP\/1\.1 207 .*hello POST you$/s);
  await drain();
});

test('a connection on which nothing arrives is closed without an answer; one with half a request gets one', async (context) => {
  const { url, drain } = await open();
  context.after(drain);
  const { hostname, port } = new URL(url);
  const [silent, half] = ['', 'GET /hello HTTP/1.1\r\nHost: x\r\n'].map(async (text) => {
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(text);
    await once(socket, 'close');
    return received;
  });
  assert.equal(await silent, '');
  assert.match(String(await half), /^HTTP\/1\.1 400 .*last: MalformedRequest$/s);
});

for (const [what, length] of [
  ['a small', 1000],
  ['a large', 10_000_000],
] as const) {
  test(`${what} body that nobody reads is ended when it makes no progress`, { timeout: 60_000 }, async () => {
    const clock = new MovableClock();
    const { url, drain } = await open([], clock);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    socket.write(`GET /hello?ignore HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\nx`);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /ignored$/);
    const closed = once(socket, 'close');
    // The first check begins a window, a later one ends it.
    for (let seconds = 0; seconds <= 40; seconds += 5) await clock.advance(5000);
    await closed;
    await drain();
  });
}

test('a body that nobody reads may arrive slowly, and the connection serves the next request', async () => {
  const clock = new MovableClock();
  const { url, drain } = await open([], clock);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  const part = 'x'.repeat(20 * 1024);
  socket.write(`GET /hello?ignore HTTP/1.1\r\nHost: x\r\nContent-Length: ${3 * part.length}\r\n\r\n`);
  await once(socket, 'data');
  for (let count = 0; count < 3; count += 1) {
    await new Promise((resolve) => socket.write(part, resolve));
    await clock.advance(10_000);
  }
  socket.write('GET /hello HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(String(await once(socket, 'data')), /hello GET/);
  socket.destroy();
  await drain();
});
