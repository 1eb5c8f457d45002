import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { decryptSecret, encryptSecret } from './encrypted-secrets.ts';
import { makeWebhookSecret, signMessage } from './webhook-secrets.ts';

test('a secret is stored encrypted, for one webhook and one key', () => {
  const [key, secret] = [randomBytes(32), makeWebhookSecret()];
  const stored = encryptSecret(key, 'one', secret);
  assert.equal(decryptSecret(key, 'one', stored), secret);
  assert.ok(!stored.includes(secret.slice(6, 20)));
  assert.notEqual(encryptSecret(key, 'one', secret), stored);
  assert.throws(() => decryptSecret(key, 'other', stored));
  assert.throws(() => decryptSecret(randomBytes(32), 'one', stored));
  const changed = Buffer.from(stored, 'base64url');
  changed[20] = (changed[20] ?? 0) ^ 1;
  assert.throws(() => decryptSecret(key, 'one', changed.toString('base64url')));
});

test('every secret signs as Standard Webhooks says', () => {
  const secrets = [makeWebhookSecret(), makeWebhookSecret()];
  const body = JSON.stringify({ name: 'ü 😀' });
  const headers = signMessage(secrets, { id: 'space:1', atMs: Date.now(), body });
  for (const secret of secrets) new Webhook(secret).verify(body, headers);
  assert.throws(() => new Webhook(makeWebhookSecret()).verify(body, headers));
  assert.throws(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers));
});
