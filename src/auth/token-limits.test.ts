import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { systemClock } from '../runtime/clock.ts';
import { SharedNumbers } from '../runtime/shared-counters.ts';
import { TokenLimits } from './token-limits.ts';

let limits: TokenLimits;
let now: number;

beforeEach(() => {
  now = 1_000_000;
  limits = new TokenLimits('test', new SharedNumbers(), { ...systemClock, monotonic: () => now });
});

/** Wrong credentials until an address must wait; how many were free, and how long it must wait. */
function exhaust(address: string, toClient: (n: number) => string): { free: number; wait: number } {
  for (let free = 0; free < 10_000; free += 1) {
    const wait = limits.wrong(address, toClient(free));
    if (wait > 0) return { free, wait };
  }
  throw new Error('there is no limit');
}

test('an address may send wrong credentials of one client a hundred times, then once a second', () => {
  assert.deepEqual(
    exhaust('192.0.2.1', () => 'one'),
    { free: 100, wait: 1 },
  );
  now += 999;
  assert.equal(limits.wrong('192.0.2.1', 'one'), 1);
  now += 2000;
  assert.deepEqual(
    exhaust('192.0.2.1', () => 'one'),
    { free: 2, wait: 1 },
  );
});

test('wrong credentials of one address affect neither other addresses nor other clients', () => {
  exhaust('192.0.2.1', () => 'one');
  assert.equal(limits.wrong('192.0.2.2', 'one'), 0);
  assert.equal(limits.wrong('192.0.2.1', 'two'), 0);
});

test('an address may send wrong credentials six hundred times in all, then ten times a second', () => {
  assert.deepEqual(
    exhaust('192.0.2.1', (n) => `client ${n}`),
    { free: 600, wait: 1 },
  );
  assert.equal(limits.wrong('192.0.2.2', 'client 1'), 0);
  now += 1000;
  assert.deepEqual(
    exhaust('192.0.2.1', (n) => `another ${n}`),
    { free: 10, wait: 1 },
  );
});

test('the addresses of one IPv6 network are one, and so are the two ways to write an IPv4 address', () => {
  exhaust('2001:db8:1:2::1', () => 'one');
  assert.equal(limits.wrong('2001:db8:1:2:ffff::9', 'one'), 1);
  assert.equal(limits.wrong('2001:db8:1:3::1', 'one'), 0);
  exhaust('192.0.2.1', () => 'one');
  assert.equal(limits.wrong('::ffff:192.0.2.1', 'one'), 1);
});

test('a client gets a thousand tokens at once, then fifty a second, regardless of wrong credentials', () => {
  exhaust('192.0.2.1', () => 'one');
  for (let n = 0; n < 1000; n += 1) assert.equal(limits.given('one'), 0);
  assert.equal(limits.given('one'), 1);
  assert.equal(limits.given('two'), 0);
  now += 1000;
  for (let n = 0; n < 50; n += 1) assert.equal(limits.given('one'), 0);
  assert.equal(limits.given('one'), 1);
});

test('requests during the wait do not prolong it', () => {
  for (let n = 0; n < 1000; n += 1) limits.given('one');
  for (let n = 0; n < 1000; n += 1) assert.equal(limits.given('one'), 1);
  now += 20;
  assert.equal(limits.given('one'), 0);
});
