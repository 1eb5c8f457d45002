import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { Refusal } from '../domain/refusal.ts';
import { MovableClock } from '../runtime/clock-for-tests.ts';
import { Aborted, Body, ProgressMonitor } from './body.ts';

type FakeRequest = PassThrough & { complete: boolean; headers: Record<string, string> };

function makeRequest(): FakeRequest {
  return Object.assign(new PassThrough(), { complete: false, headers: {} });
}

function makeBody(monitor = new ProgressMonitor(), sha256: Buffer | null = null, request = makeRequest()) {
  const exchange = { request: request as unknown as IncomingMessage, response: {} as ServerResponse };
  const body = new Body(exchange, monitor, { sha256, md5: null });
  return { request, body };
}

test('a body is delivered as it was sent, and ends after that', async () => {
  const { request, body } = makeBody();
  request.write('one');
  request.write('two');
  request.complete = true;
  request.end();
  assert.equal(Buffer.concat(await Array.fromAsync(body)).toString(), 'onetwo');
  assert.deepEqual(await body.next(), { done: true, value: undefined }, 'reading on changes nothing');
});

test('a request that ends before it is complete counts as aborted', async () => {
  const { request, body } = makeBody();
  request.end('half');
  await assert.rejects(Array.fromAsync(body), Aborted);
});

test('a closed connection counts as aborted', async () => {
  const { request, body } = makeBody();
  request.write('half');
  setImmediate(() => request.destroy());
  await assert.rejects(Array.fromAsync(body), Aborted);
});

test('a connection that was closed before the body was opened counts as aborted', { timeout: 60_000 }, async () => {
  const request = makeRequest();
  request.write('half');
  request.destroy();
  await new Promise((resolve) => request.once('close', resolve));
  const { body } = makeBody(new ProgressMonitor(), null, request);
  await assert.rejects(Array.fromAsync(body), Aborted);
});

test('a wrong digest is refused at the end of the body', async () => {
  const { request, body } = makeBody(new ProgressMonitor(), Buffer.alloc(32));
  request.complete = true;
  request.end('bytes');
  await assert.rejects(Array.fromAsync(body), (error) => error instanceof Refusal && error.code === 'DigestMismatch');
});

test('a body that nobody reads pauses the client instead of filling memory', async () => {
  const { request } = makeBody();
  for (let count = 0; count < 100 && !request.isPaused(); count += 1) {
    request.write(Buffer.alloc(64 * 1024));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(request.isPaused());
});

test('less than 1 KiB/s over 30 seconds ends a body; time spent paused does not count', async () => {
  const clock = new MovableClock();
  const monitor = new ProgressMonitor(clock);
  const [slow, steady, paused] = [makeBody(monitor), makeBody(monitor), makeBody(monitor)];
  const reading = Array.fromAsync(slow.body);
  reading.catch(() => undefined);
  paused.request.write(Buffer.alloc(600 * 1024));
  for (let second = 0; second < 40; second += 5) {
    slow.request.write('a trickle');
    steady.request.write(Buffer.alloc(6 * 1024));
    await clock.advance(5000);
  }
  await assert.rejects(reading, (error) => error instanceof Refusal && error.code === 'UploadTooSlow');
  for (const { request, body } of [steady, paused]) {
    request.complete = true;
    request.end();
    await Array.fromAsync(body);
  }
  monitor.close();
});
