import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MoveWebhook } from '../catalog/verbs/webhook-deliveries.ts';
import { WebhookPositions } from './webhook-positions.ts';

function toMove(webhook: string): MoveWebhook {
  return { webhook, revision: 1, position: 7, deliveries: [] };
}

/** A catalog that notes which webhooks move together, and refuses some. */
function noteGroups(broken: readonly string[] = []) {
  const groups: string[][] = [];
  const moveWebhooks = async ({ moves }: { moves: readonly MoveWebhook[] }) => {
    const ids = moves.map(({ webhook }) => webhook);
    groups.push(ids);
    await new Promise((resolve) => setImmediate(resolve));
    if (ids.some((id) => broken.includes(id))) throw new Error('it cannot be stored');
    return ids.filter((id) => id !== 'changed');
  };
  return { groups, positions: new WebhookPositions({ moveWebhooks }) };
}

test('Webhooks that move at the same moment share a transaction, and those that come meanwhile the next one', async () => {
  const { groups, positions } = noteGroups();
  const first = ['a', 'b', 'changed'].map((id) => positions.store(toMove(id)));
  assert.deepEqual(await Promise.race([Promise.all(first)]), [true, true, false]);
  const running = positions.store(toMove('a'));
  while (groups.length < 2) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([running, ...['b', 'c'].map((id) => positions.store(toMove(id)))]);
  assert.deepEqual(groups, [['a', 'b', 'changed'], ['a'], ['b', 'c']]);
});

test('One that cannot be stored holds no other', async () => {
  const { positions } = noteGroups(['broken']);
  const stored = await Promise.allSettled(['a', 'broken', 'b'].map((id) => positions.store(toMove(id))));
  assert.deepEqual(
    stored.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(await positions.store(toMove('a')), true);
});
