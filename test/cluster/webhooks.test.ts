// Two nodes on one PostgreSQL: when the one that delivers events is killed, the other goes on, and no receiver misses any.

import { after, test } from 'node:test';
import { sized } from '../size.ts';
import { findGround, newStores } from './ground.ts';
import { addCaller, everyScope, startNodes } from './nodes.ts';
import { tell } from './webhook-story.ts';

const ground = await findGround();
after(() => ground.stop());

test('saves beside failing receivers, and a node is killed: every event arrives in order, and none is missing', async (context) => {
  const environment = { ...(await newStores(ground)), CABINET_WEBHOOK_NETWORKS: '127.0.0.0/8' };
  const nodes = await startNodes(2, { environment, isTroubled: true });
  context.after(() => nodes.stop());
  const [first, second] = nodes.all;
  if (first === undefined || second === undefined) throw new Error('no nodes were started');
  const caller = await addCaller(first, 'saver', ...everyScope);
  const killFirst = async () => {
    await first.stop('SIGKILL');
    return second;
  };
  /** Whichever of the two delivers, it is killed once. */
  const killSecond = async () => {
    await first.start();
    await second.stop('SIGKILL');
    return first;
  };
  await tell({ caller, saves: sized(200, 10_000), blows: [killFirst, killSecond] });
});
