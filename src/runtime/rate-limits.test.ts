import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';
import { Buckets, toLimitedAddress } from './rate-limits.ts';
import { SharedNumbers } from './shared-counters.ts';

test('a bucket allows its burst, then as much as it is refilled, and each key has its own', () => {
  let now = 0;
  const buckets = new Buckets({ name: 'tests', burst: 3, perSecond: 0.5 }, new SharedNumbers(), {
    ...systemClock,
    monotonic: () => now,
  });
  for (let n = 0; n < 3; n += 1) {
    assert.equal(buckets.waitSeconds('a'), 0);
    buckets.take('a');
  }
  assert.equal(buckets.waitSeconds('a'), 2);
  assert.equal(buckets.waitSeconds('b'), 0);
  now = 1000;
  assert.equal(buckets.waitSeconds('a'), 1);
  now = 2000;
  assert.equal(buckets.waitSeconds('a'), 0);
  buckets.take('a');
  assert.equal(buckets.waitSeconds('a'), 2);
  now = 1_000_000;
  for (let n = 0; n < 3; n += 1) buckets.take('a');
  assert.equal(buckets.waitSeconds('a'), 2, 'never more than the burst is saved up');
});

test('what is given back can be taken again, and no more than was taken', () => {
  const buckets = new Buckets({ name: 'tests', burst: 1, perSecond: 1 }, new SharedNumbers(), {
    ...systemClock,
    monotonic: () => 5000,
  });
  buckets.take('a');
  assert.equal(buckets.waitSeconds('a'), 1);
  buckets.giveBack('a');
  buckets.giveBack('a');
  assert.equal(buckets.waitSeconds('a'), 0);
  buckets.take('a');
  assert.equal(buckets.waitSeconds('a'), 1);
});

test('threads take from the same buckets, by what they are named', () => {
  const { shared } = new SharedNumbers();
  const rules = { name: 'sign-ins', burst: 2, perSecond: 0.001 };
  const [first, second] = [
    new Buckets(rules, new SharedNumbers(shared)),
    new Buckets(rules, new SharedNumbers(shared)),
  ];
  first.take('a');
  second.take('a');
  assert.ok(first.waitSeconds('a') > 0);
  assert.equal(new Buckets({ ...rules, name: 'pages' }, new SharedNumbers(shared)).waitSeconds('a'), 0);
});

test('the addresses of one IPv6 network are limited together, IPv4 addresses each', () => {
  assert.equal(toLimitedAddress('192.0.2.1'), '192.0.2.1');
  assert.equal(toLimitedAddress('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(toLimitedAddress('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(toLimitedAddress('2001:db8:1:2::9'), '2001:db8:1:2::/64');
  assert.equal(toLimitedAddress('2001:0DB8:0001:0002::9'), '2001:db8:1:2::/64');
  assert.equal(toLimitedAddress('::1'), '0:0:0:0::/64');
  assert.notEqual(toLimitedAddress('2001:db8:1:3::9'), toLimitedAddress('2001:db8:1:2::9'));
});
