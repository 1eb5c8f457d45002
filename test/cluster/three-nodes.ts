// Three nodes for all tests of a file: to start them takes longer than most tests do. They start together on an empty database,
// behind a proxy. Whoever imports this gets them with the first test, and has applications of its own on them.

import { after, before } from 'node:test';
import { findGround, newStores } from './ground.ts';
import { type Node, type Nodes, startNodes } from './nodes.ts';

export const ground = await findGround();
export const maxConnections = 7;
export let nodes: Nodes;
export let all: [Node, Node, Node];
/** The names of the applications that each node knew when all had started. */
export let firstNames: string[][];

before(async () => {
  const environment = { ...(await newStores(ground)), CABINET_POSTGRES_CONNECTIONS: String(maxConnections) };
  nodes = await startNodes(3, { environment, isProxied: true });
  all = nodes.all as typeof all;
  firstNames = await Promise.all(all.map(listNames));
});

after(async () => {
  await nodes?.stop();
  await ground.stop();
});

async function listNames(node: Node): Promise<string[]> {
  const { Applications } = await node.cabinet<{ Applications: { Name: string }[] }>('app', 'list');
  return Applications.map(({ Name }) => Name);
}
