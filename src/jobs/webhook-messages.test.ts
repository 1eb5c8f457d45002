import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebhookWork } from '../catalog/verbs/webhook-deliveries.ts';
import { MovableClock } from '../runtime/clock-for-tests.ts';
import { WebhookMessages } from './webhook-messages.ts';

const work: WebhookWork = {
  ...{ id: 'w', space: 1, spaceId: 's', url: 'https://example.com/', events: ['*'], folderId: null, state: 'active' },
  ...{ secret: '', previousSecret: null, previousUntil: null, position: 0, revision: 1 },
  ...{ attempts: 0, failingSince: null, retryAt: null },
};
const change = { position: 7, at: 0, by: 'ann', action: 'file.saved', entry: 'e', details: '{}' };

test('A message is made once for all webhooks that send it at about the same time', async () => {
  const clock = new MovableClock();
  let lookups = 0;
  const catalog = {
    async showSubject() {
      lookups += 1;
      return { entry: null, path: `/${lookups}` };
    },
  };
  const messages = new WebhookMessages({ clock, catalog }, ({ id, path }) => `${id} ${path}`);
  const bodyOf = async (more: Partial<WebhookWork> = {}, position = 7) =>
    (await messages.find({ ...work, ...more }, { ...change, position })).body;
  assert.deepEqual(await Promise.all([bodyOf(), bodyOf({ id: 'other' })]), ['s:7 /1', 's:7 /1']);
  assert.equal(await bodyOf({ spaceId: 't' }), 't:7 /2');
  assert.equal(await bodyOf({}, 8), 's:8 /3');
  // A retry says how things are now, and later ones do too.
  assert.equal(await bodyOf({ attempts: 1 }), 's:7 /4');
  await clock.advance(100);
  assert.equal(await bodyOf(), 's:7 /5');
});
