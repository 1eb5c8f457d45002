import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { IdTokenAlgorithm } from './id-token-algorithms.ts';
import { keysInFolder, openKeys as openFrom, rotateKeys as rotateIn, toPublic } from './keys.ts';

const minuteMs = 60_000;
const startMs = 1_800_000_000_000;
let folder: string;
const openKeys = (of: string, idTokenAlgorithm: IdTokenAlgorithm = 'ES256') =>
  openFrom(keysInFolder(of), { idTokenAlgorithm });
const rotateKeys = (of: string, isOldRevoked: boolean, now?: number) => rotateIn(keysInFolder(of), isOldRevoked, now);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cabinet-keys-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Of the keys for access tokens. */
async function kids(): Promise<(string | undefined)[]> {
  return (await openKeys(folder)).signing.filter(({ alg }) => alg === 'ES256').map(({ kid }) => kid);
}

test('a key for RS256 is added once, when the settings want it, and the others stay as they are', async () => {
  const created = await openKeys(folder);
  const opened = await openKeys(folder, 'RS256');
  assert.deepEqual(opened.signing[0], created.signing[0]);
  assert.deepEqual([opened.cookies, opened.cursors], [created.cookies, created.cursors]);
  assert.deepEqual(
    opened.signing.map(({ alg }) => alg),
    ['ES256', 'RS256'],
  );
  for (const algorithm of ['RS256', 'ES256'] as const) assert.deepEqual(await openKeys(folder, algorithm), opened);
});

test('keys of both kinds are rotated together, and the retired ones are kept', async () => {
  const { signing } = await openKeys(folder, 'RS256');
  const rotated = await rotateKeys(folder, false, startMs);
  assert.deepEqual(
    rotated.signing.map(({ alg, retired }) => [alg, retired]),
    [
      ['ES256', undefined],
      ['RS256', undefined],
      ['ES256', startMs],
      ['RS256', startMs],
    ],
  );
  assert.deepEqual(
    rotated.signing.slice(2).map(({ kid }) => kid),
    signing.map(({ kid }) => kid),
  );
  assert.deepEqual(await openKeys(folder, 'RS256'), rotated);
});

test('keys are created once, stay the same, and are readable by their owner only', async () => {
  const made = await openKeys(folder);
  assert.deepEqual(await openKeys(folder), made);
  assert.deepEqual(
    made.signing.map(({ alg }) => alg),
    ['ES256'],
  );
  assert.deepEqual(readdirSync(folder), ['keys.json']);
  assert.equal(statSync(join(folder, 'keys.json')).mode & 0o777, 0o600);
});

test('two folders share no key', async () => {
  const [one, other] = [await openKeys(folder), await openKeys(mkdtempSync(join(folder, 'other-')))];
  assert.notEqual(one.signing[0]?.kid, other.signing[0]?.kid);
  assert.notEqual(one.signing[0]?.d, other.signing[0]?.d);
  assert.notEqual(one.cookies[0], other.cookies[0]);
  assert.notEqual(one.cursors, other.cursors);
});

test('a new key signs, the old one is kept with its time of retirement, and cursors stay valid', async () => {
  const made = await openKeys(folder);
  const rotated = await rotateKeys(folder, false, startMs);
  assert.deepEqual(await openKeys(folder), rotated);
  assert.equal(rotated.signing.length, 2);
  assert.equal(rotated.signing[0]?.retired, undefined);
  assert.deepEqual(rotated.signing[1], { ...made.signing[0], retired: startMs });
  assert.notEqual(rotated.signing[0]?.d, made.signing[0]?.d);
  assert.deepEqual(rotated.cookies, [rotated.cookies[0], made.cookies[0]]);
  assert.equal(rotated.cursors, made.cursors);
  assert.equal(statSync(join(folder, 'keys.json')).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['keys.json']);
});

test('a key is removed two hours after it retired, not before', async () => {
  const [first] = await kids();
  await rotateKeys(folder, false, startMs);
  const [second] = await kids();
  await rotateKeys(folder, false, startMs + 119 * minuteMs);
  const [third] = await kids();
  assert.deepEqual(await kids(), [third, second, first]);
  await rotateKeys(folder, false, startMs + 120 * minuteMs);
  const [fourth] = await kids();
  assert.deepEqual(await kids(), [fourth, third, second]);
  await rotateKeys(folder, false, startMs + 239 * minuteMs);
  assert.deepEqual((await kids()).slice(1), [fourth, third]);
  const text = readFileSync(join(folder, 'keys.json'), 'utf8');
  assert.ok(!text.includes(String(first)) && !text.includes(String(second)));
});

test('revoking the old keys leaves nothing of them behind', async () => {
  await rotateKeys(folder, false);
  const before = await openKeys(folder);
  const after = await rotateKeys(folder, true);
  assert.deepEqual([after.signing.length, after.cookies.length], [1, 1]);
  const text = readFileSync(join(folder, 'keys.json'), 'utf8');
  for (const { d, kid } of before.signing) assert.ok(!text.includes(String(d)) && !text.includes(String(kid)));
  for (const cookie of before.cookies) assert.ok(!text.includes(cookie));
});

test('cookies are signed with the newest of at most four keys', async () => {
  const seen = [(await openKeys(folder)).cookies[0]];
  for (let n = 0; n < 6; n += 1) {
    const { cookies } = await rotateKeys(folder, false, startMs + n);
    assert.ok(cookies.length <= 4);
    seen.unshift(cookies[0]);
    assert.deepEqual(cookies.slice(0, 2), seen.slice(0, 2));
  }
  assert.equal(new Set(seen).size, 7);
  assert.deepEqual((await openKeys(folder)).cookies, seen.slice(0, 4));
});

test('the published part of a key cannot sign and does not show when it retired', async () => {
  await openKeys(folder, 'RS256');
  const { signing } = await rotateKeys(folder, false);
  for (const key of signing) {
    const members =
      key.alg === 'RS256' ? ['alg', 'e', 'kid', 'kty', 'n', 'use'] : ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'];
    assert.deepEqual(Object.keys(toPublic(key)).sort(), members);
  }
});
