import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encryptLink, type Link, openLink, toLinkKeys } from './links.ts';

const keys = toLinkKeys(['first', 'second']);
const now = Date.UTC(2026, 0, 1);
const link: Link = {
  appKey: 'ak_a',
  person: 'vera',
  actor: 'vera',
  space: 7,
  fileId: 'f',
  version: 3,
  expiresAt: now + 60_000,
  disposition: 'inline',
  id: 'id',
  signIn: { grant: 'g', session: 's' },
};

test('A link that is opened has what was encrypted, and nothing of it can be read from outside', () => {
  const token = encryptLink(keys, link);
  assert.deepEqual(openLink(keys, token, now), link);
  assert.match(token, /^[A-Za-z0-9_-]+$/);
  assert.doesNotMatch(Buffer.from(token, 'base64url').toString('latin1'), /ak_a|vera/);
  assert.notEqual(encryptLink(keys, link), token);
});

test('A link expires at its exact millisecond', () => {
  const token = encryptLink(keys, link);
  assert.notEqual(openLink(keys, token, link.expiresAt - 1), null);
  assert.equal(openLink(keys, token, link.expiresAt), null);
});

test('A link is opened by an older key while that is kept, and by no other', () => {
  const [first, second] = keys as [Buffer, Buffer];
  const token = encryptLink([second], link);
  assert.deepEqual(openLink([first, second], token, now), link);
  assert.equal(openLink([first], token, now), null);
  assert.equal(openLink([], token, now), null);
  assert.equal(openLink(toLinkKeys(['third']), token, now), null);
});

test('Any changed, added or removed character is refused', () => {
  const token = encryptLink(keys, link);
  for (let at = 0; at < token.length; at += 1) {
    for (const other of ['A', 'B', '_', '.', '=', ' ']) {
      const edited = token.slice(0, at) + other + token.slice(at + 1);
      if (edited !== token) assert.equal(openLink(keys, edited, now), null, edited);
    }
    assert.equal(openLink(keys, token.slice(0, at), now), null);
  }
  const longer = [`${token}=`, `${token}A`, ` ${token}`, `${token}\n`, `${token}.${token}`, 'x'.repeat(100_000), ''];
  for (const wrong of longer) assert.equal(openLink(keys, wrong, now), null);
});
