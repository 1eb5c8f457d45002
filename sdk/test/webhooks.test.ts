// `verifyWebhook` against messages that `standardwebhooks` has signed, which is not ours.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../src/cabinet.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const body = JSON.stringify({ specversion: '1.0', id: 'space:1', type: 'cabinet.file.saved', data: { Path: '/ü 😀' } });

function sign(by = secret, at = new Date()): Record<string, string> {
  const signature = new Webhook(by).sign('space:1', at, body);
  return {
    'webhook-id': 'space:1',
    'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
    'webhook-signature': signature,
  };
}

test('verifyWebhook returns the event of a signed message, in whatever form it comes', async () => {
  const event = JSON.parse(body) as object;
  assert.deepEqual(await verifyWebhook(body, sign(), secret), event);
  assert.deepEqual(await verifyWebhook(new TextEncoder().encode(body), new Headers(sign()), [secret]), event);
  const upper = Object.fromEntries(Object.entries(sign()).map(([name, value]) => [name.toUpperCase(), value]));
  assert.deepEqual(await verifyWebhook(body, upper, [newSecret(), secret]), event);
  const both = {
    ...sign(),
    'webhook-signature': `v1a,x ${sign(newSecret())['webhook-signature']} ${sign()['webhook-signature']}`,
  };
  assert.deepEqual(await verifyWebhook(body, both, secret), event);
});

test('verifyWebhook refuses what is changed, old, unsigned or signed by others', async () => {
  const tooOld = new Date(Date.now() - 301_000);
  const wrong: [string, Record<string, string>][] = [
    [`${body} `, sign()],
    [body, sign(newSecret())],
    [body, sign(secret, tooOld)],
    [body, sign(secret, new Date(Date.now() + 310_000))],
    [body, { ...sign(), 'webhook-id': 'space:2' }],
    [body, { ...sign(), 'webhook-timestamp': `${Number(sign()['webhook-timestamp']) - 1}` }],
    [body, { ...sign(), 'webhook-timestamp': 'now' }],
    [body, { ...sign(), 'webhook-signature': 'v1,' }],
    [body, { ...sign(), 'webhook-signature': 'v1,not base64 at all' }],
    [body, { ...sign(), 'webhook-signature': (sign()['webhook-signature'] ?? '').replace('v1,', 'v2,') }],
    [body, {}],
  ];
  for (const [text, headers] of wrong)
    await assert.rejects(verifyWebhook(text, headers, secret), WebhookVerificationError, JSON.stringify(headers));
  assert.ok(await verifyWebhook(body, sign(secret, tooOld), secret, { toleranceSeconds: 600 }));
  await assert.rejects(verifyWebhook(body, sign(), []), WebhookVerificationError);
});
