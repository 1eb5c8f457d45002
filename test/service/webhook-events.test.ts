// Every type of event that webhooks send, as receivers read it: `standardwebhooks` verifies it, `cloudevents` parses it, and so
// does the client.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyWebhook } from '@cabinet/client';
import { eventTypes, testAction, toEventType } from '../../src/domain/webhook-events.ts';
import { makeWebhookSecret, signMessage } from '../../src/operations/webhook-secrets.ts';
import { WebhookSender } from '../../src/operations/webhook-sender.ts';
import { renderWebhookEvent } from '../../src/rest/wire-webhooks.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { startReceiver } from './webhook-receiver.ts';

const spaceId = '0199b7c2-8d1e-7a64-b0f5-2c91e7d3a801';
const subject = '0199b7c4-0f3a-7d51-9b0e-6a2c54e1d7f0';

test('every event of the table is verified and parsed by libraries of others', async (context) => {
  const receiver = await startReceiver();
  context.after(() => receiver.close());
  const secrets = [makeWebhookSecret(), makeWebhookSecret()];
  receiver.secrets.push(...secrets);
  const sender = new WebhookSender({ clock: systemClock, resolve: async () => [], isAllowed: () => true });
  const actions = [...eventTypes, { action: testAction, details: {}, isOfEntry: false }];
  for (const [index, { action, details, isOfEntry }] of actions.entries()) {
    const body = renderWebhookEvent('https://cabinet.example/base', {
      ...{ id: `${spaceId}:${index + 1}`, spaceId, position: index + 1, at: Date.now(), by: 'zoë', action },
      ...{ subject: isOfEntry ? subject : '', details: JSON.stringify(toStored(details)), entry: null, path: null },
    });
    const id = `${spaceId}:${index + 1}`;
    const headers = {
      'Content-Type': 'application/cloudevents+json',
      ...signMessage(secrets, { id, atMs: Date.now(), body }),
    };
    const { status } = await sender.send({ url: receiver.url, headers, body, attempt: 1 });
    assert.equal(status, 204, action);
    const received = receiver.received.at(-1);
    assert.ok(received !== undefined);
    assert.deepEqual(received.verifiedBy, secrets, action);
    assert.equal(received.event.type, toEventType(action));
    assert.equal(received.event.source, `https://cabinet.example/base/v1/contentmanagement/spaces/${spaceId}`);
    assert.equal(received.event.subject, isOfEntry ? subject : undefined);
    assert.equal(received.event.data?.By, 'zoë');
    assert.deepEqual(Object.keys(received.event.data?.Details ?? {}), Object.keys(details), action);
    const verified = await verifyWebhook(received.body, received.headers, secrets);
    assert.equal(verified.data.Action, action);
  }
});

/** The journal has the fields of details with small initials. */
function toStored(details: Readonly<Record<string, unknown>>): object {
  const fields = Object.entries(details);
  return Object.fromEntries(fields.map(([name, value]) => [name.slice(0, 1).toLowerCase() + name.slice(1), value]));
}
