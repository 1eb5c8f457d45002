// What a node on PostgreSQL and S3 tells of itself, beyond what every node tells.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { saveFile, send } from '../interface/client.ts';
import { type ReadFamily, readMetrics, sumOf } from '../service/prometheus.ts';
import { eventually } from '../service/service.ts';
import { findGround, newStores } from './ground.ts';
import { addCaller, type Node, type Nodes, startNodes } from './nodes.ts';

const ground = await findGround();
let nodes: Nodes;

before(async () => {
  nodes = await startNodes(2, { environment: { ...(await newStores(ground)), CABINET_POSTGRES_CONNECTIONS: '7' } });
});

after(async () => {
  await nodes.stop();
  await ground.stop();
});

async function scrape({ base }: Node): Promise<Map<string, ReadFamily>> {
  return readMetrics((await send(base, '/metrics')).body.toString());
}

test('a node tells of its connections, batches and blobs, and of the journal that all share', async () => {
  const [first, second] = nodes.all as [Node, Node];
  const caller = await addCaller(first, 'counted');
  for (let index = 0; index < 5; index += 1) {
    await saveFile(caller, { FolderId: '', FileName: `small ${index}` }, randomBytes(100));
  }
  await saveFile(caller, { FolderId: '', FileName: 'large' }, randomBytes(150_000));
  const read = await scrape(first);
  assert.equal(read.get('cabinet_build_info')?.samples[0]?.labels.catalog, 'postgres');
  assert.equal(read.get('cabinet_build_info')?.samples[0]?.labels.blobs, ground.s3 === null ? 'file' : 's3');
  const connections = (state: string) => sumOf(read, 'cabinet_postgres_connections', { state });
  assert.ok(connections('used') + connections('idle') >= 1);
  assert.ok(connections('used') + connections('idle') <= 7);
  assert.equal(sumOf(read, 'cabinet_postgres_waiting'), 0);
  assert.equal(sumOf(read, 'cabinet_saves_total'), 6);
  assert.equal(sumOf(read, 'cabinet_blob_put_bytes_total'), 150_000);
  assert.ok(sumOf(read, 'cabinet_catalog_batch_writes_sum') >= 6);
  assert.ok(sumOf(read, 'cabinet_catalog_batch_seconds_sum') > 0);
  assert.equal(sumOf(read, 'cabinet_ready'), 1);
  if (ground.s3 !== null) assert.ok(!read.has('cabinet_disk_free_bytes'), 'contents are on no disk of this node');
  const position = async (node: Node) => sumOf(await scrape(node), 'cabinet_journal_position');
  await eventually(
    'both know the same journal',
    async () => (await position(second)) === (await position(first)),
    30_000,
  );
  assert.equal(sumOf(await scrape(second), 'cabinet_saves_total'), 0, 'saves are told by the node that took them');
});
