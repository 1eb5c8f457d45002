import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buckets, toLimitedAddress } from './buckets.ts';

test('a bucket allows its burst, then as much as it is refilled, and each key has its own', () => {
  let now = 0;
  const buckets = new Buckets({ burst: 3, perSecond: 0.5 }, () => now);
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

test('a clock that goes back takes nothing away', () => {
  let now = 10_000;
  const buckets = new Buckets({ burst: 2, perSecond: 1 }, () => now);
  buckets.take('a');
  now = 0;
  assert.equal(buckets.waitSeconds('a'), 0);
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
