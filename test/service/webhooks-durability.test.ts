// Every event arrives at every webhook, in order, though receivers fail and the service is killed.

import { test } from 'node:test';
import { addCaller, everyScope, startNodes } from '../cluster/nodes.ts';
import { tell } from '../cluster/webhook-story.ts';
import { sized } from '../size.ts';

test('saves beside failing receivers and three kills: every event arrives in order, and none is missing', async (context) => {
  const environment = { CABINET_WEBHOOK_NETWORKS: '127.0.0.0/8' };
  const nodes = await startNodes(1, { environment, isTroubled: true });
  context.after(() => nodes.stop());
  const [node] = nodes.all;
  if (node === undefined) throw new Error('no node was started');
  const caller = await addCaller(node, 'saver', ...everyScope);
  const kill = async () => {
    await node.stop('SIGKILL');
    await node.start();
    return node;
  };
  await tell({ caller, saves: sized(160, 10_000), blows: [kill, kill, kill] });
});
