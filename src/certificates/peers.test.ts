import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { isInside, Peers } from './peers.ts';

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  return { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage;
}

test('X-Forwarded-For is believed from the named proxies only', () => {
  const peers = new Peers(['10.0.0.1', '192.168.0.0/16', 'fd00::/8']);
  assert.equal(peers.findClient(from('203.0.113.9', '198.51.100.1')), '203.0.113.9');
  assert.equal(peers.findClient(from('10.0.0.1', '198.51.100.1')), '198.51.100.1');
  assert.equal(peers.findClient(from('::ffff:10.0.0.1', '198.51.100.1')), '198.51.100.1');
  assert.equal(peers.findClient(from('fd12::1', '2001:db8::1')), '2001:db8::1');
});

test('of several forwarded addresses the last that is no proxy counts, for the ones before it anyone can send', () => {
  const peers = new Peers(['10.0.0.1', '192.168.0.0/16']);
  assert.equal(peers.findClient(from('10.0.0.1', '1.2.3.4, 198.51.100.1, 192.168.7.7')), '198.51.100.1');
  assert.equal(peers.findClient(from('10.0.0.1', 'nonsense')), '10.0.0.1');
  assert.equal(peers.findClient(from('10.0.0.1')), '10.0.0.1');
});

test('nobody is believed when nobody is named', () => {
  const peers = new Peers([]);
  assert.equal(peers.has('127.0.0.1'), false);
  assert.equal(peers.findClient(from('127.0.0.1', '198.51.100.1')), '127.0.0.1');
});

test('what is not an address or a network is a mistake', () => {
  assert.equal(Peers.findMistake(['10.0.0.1', '::1', '10.0.0.0/8', 'fd00::/8']), null);
  for (const wrong of ['localhost', '10.0.0.1/33', '::1/129', '', '10.0.0.1/', '10.0.0.1/8/8', '*']) {
    assert.equal(Peers.findMistake([wrong]), wrong);
  }
});

test('proxies that are not listed are believed to be some only from this machine and private networks', () => {
  for (const address of ['127.0.0.1', '10.0.0.7', '192.168.1.1', '172.31.0.1', '::1', 'fd00::1', '::ffff:10.1.2.3']) {
    assert.ok(isInside(address), address);
  }
  for (const address of ['203.0.113.1', '172.32.0.1', '2001:db8::1', '::ffff:8.8.8.8', '', undefined, 'unix']) {
    assert.ok(!isInside(address), String(address));
  }
});
