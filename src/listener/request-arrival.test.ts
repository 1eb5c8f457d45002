import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { Peers } from '../certificates/peers.ts';
import { RequestArrival } from './request-arrival.ts';

function isShared(remoteAddress: string, headers: Record<string, string>): boolean {
  const request = { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
  return new RequestArrival(request, { mutualTls: null, proxies: new Peers(['10.0.0.1']) }).isShared;
}

test('a proxy that hides its clients is believed to be one only in a private network', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.7' };
  assert.ok(isShared('10.0.0.2', forwarded));
  assert.ok(isShared('127.0.0.1', { forwarded: 'for=203.0.113.7' }));
  assert.ok(!isShared('10.0.0.2', {}));
  assert.ok(!isShared('10.0.0.1', forwarded), 'a proxy that is listed tells its clients');
  assert.ok(!isShared('203.0.113.9', forwarded), 'a header from outside earns nothing');
});
