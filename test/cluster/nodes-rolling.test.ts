// A rolling restart: one node after the other is stopped and started again, under load, behind the proxy. No client notices.

import assert from 'node:assert/strict';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, call, download, listFolder, send } from '../interface/client.ts';
import { readMetrics, sumOf } from '../service/prometheus.ts';
import { eventually } from '../service/service.ts';
import { sized } from '../size.ts';
import { findGround, newStores } from './ground.ts';
import { addCaller, at, type Node, type Nodes, startNodes } from './nodes.ts';

const ground = await findGround();
/** How many of the three nodes go and come back. */
const restarts = sized(2, 3);
const clients = 8;
/** What is between two requests of a client, so that nodes have time to start. */
const thinkMs = sized(120, 40);
let nodes: Nodes;
let caller: Caller;

before(async () => {
  const environment = { ...(await newStores(ground)), CABINET_DRAIN_SECONDS: '5' };
  nodes = await startNodes(3, { environment, isProxied: true });
  caller = at(await addCaller(nodes.all[0] as Node, 'rolling'), nodes);
});

after(async () => {
  await nodes.stop();
  await ground.stop();
});

const isReady = async ({ base }: { base: string }) => (await fetch(`${base}/health/ready`)).status === 200;

interface Load {
  requests: number;
  failures: string[];
  saved: Map<string, string>;
  isOver: boolean;
}

/** Saves, reads what was saved, waits for changes: whatever fails is noted. */
async function work(load: Load): Promise<void> {
  let id = '';
  for (let round = 0; !load.isOver; round += 1) {
    const name = randomUUID();
    const bytes = randomBytes(ground.s3 !== null && round % 16 === 5 ? 150_000 : 1 + (round % 3000));
    const [path, request] = [
      ['/files', { method: 'POST', headers: { FileName: name, Prefer: 'return=minimal' }, body: bytes }],
      [`/files/${id}/content`, {}],
      ['/folders/-root-?limit=1', {}],
      ['/changes?from=now&wait=1', {}],
    ][id === '' ? 0 : round % 4] as [string, object];
    load.requests += 1;
    try {
      const answer = await call(caller, path, request);
      if (answer.status !== 200) load.failures.push(`${path}: ${answer.status} ${answer.body.toString()}`);
      else if (path === '/files') {
        id = String(answer.headers.entryid);
        load.saved.set(name, hash('sha256', bytes));
      }
    } catch (error) {
      load.failures.push(`${path}: ${error}`);
    }
    await sleep(thinkMs);
  }
}

/** Whether a node has saved anything since it was started. */
async function hasSaved({ base }: Node): Promise<boolean> {
  const { body } = await send(base, '/metrics');
  return sumOf(readMetrics(body.toString()), 'cabinet_saves_total') > 0;
}

test('A rolling restart fails no request and loses nothing', async (t) => {
  if (!nodes.hasProxy) {
    t.skip('there is no HAProxy');
    return;
  }
  await eventually('the proxy is ready', () => isReady(nodes));
  const load: Load = { requests: 0, failures: [], saved: new Map(), isOver: false };
  const working = Array.from({ length: clients }, () => work(load));
  await eventually('all work', () => load.saved.size > 3 * clients);
  for (const node of nodes.all.slice(0, restarts)) {
    assert.equal(await node.stop('SIGTERM'), 0, node.said);
    await node.start();
    await eventually('it is ready', () => isReady(node));
    // The proxy has to see it too before the next one goes.
    await eventually('the proxy sends saves to it', () => hasSaved(node));
  }
  await eventually('much was saved', () => load.saved.size > sized(60, 100));
  load.isOver = true;
  await Promise.all(working);
  t.diagnostic(`${load.requests} requests, ${load.saved.size} saves, ${load.failures.length} failed`);
  assert.deepEqual(load.failures, []);
  const entries = await listFolder(caller, '-root-');
  assert.equal(entries.length, load.saved.size);
  for (const { Name, Id } of entries.slice(0, 200)) {
    assert.equal(hash('sha256', await download(caller, Id)), load.saved.get(Name));
  }
});
