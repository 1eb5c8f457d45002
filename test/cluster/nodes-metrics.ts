// What a node on PostgreSQL and S3 tells of itself, beyond what every node tells.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { saveFile, send } from '../interface/client.ts';
import { readChanges, readToEnd } from '../interface/follower.ts';
import { type ReadFamily, readMetrics, sumOf } from '../service/prometheus.ts';
import { eventually } from '../service/service.ts';
import { addCaller, type Node } from './nodes.ts';
import { all, ground, maxConnections } from './three-nodes.ts';

async function scrape({ base }: Node): Promise<Map<string, ReadFamily>> {
  return readMetrics((await send(base, '/metrics')).body.toString());
}

export function testMetrics(): void {
  describe('A node on PostgreSQL and S3', () => {
    it('has metrics of its connections, batches and blobs, and of the shared journal', async () => {
      const [first, second] = all;
      const caller = await addCaller(first, 'counted');
      const [before, secondBefore] = [await scrape(first), await scrape(second)];
      for (let index = 0; index < 5; index += 1) {
        await saveFile(caller, { FolderId: '', FileName: `small ${index}` }, randomBytes(100));
      }
      await saveFile(caller, { FolderId: '', FileName: 'large' }, randomBytes(150_000));
      const read = await scrape(first);
      assert.equal(read.get('cabinet_build_info')?.samples[0]?.labels.catalog, 'postgres');
      assert.equal(read.get('cabinet_build_info')?.samples[0]?.labels.blobs, ground.s3 === null ? 'file' : 's3');
      const connections = (state: string) => sumOf(read, 'cabinet_postgres_connections', { state });
      assert.ok(connections('used') + connections('idle') >= 1);
      assert.ok(connections('used') + connections('idle') <= maxConnections);
      assert.equal(sumOf(read, 'cabinet_postgres_waiting'), 0);
      const grown = (name: string) => sumOf(read, name) - sumOf(before, name);
      assert.equal(grown('cabinet_saves_total'), 6);
      assert.equal(grown('cabinet_blob_put_bytes_total'), 150_000);
      assert.ok(grown('cabinet_catalog_batch_writes_sum') >= 6);
      assert.ok(grown('cabinet_catalog_batch_seconds_sum') > 0);
      assert.equal(sumOf(read, 'cabinet_ready'), 1);
      if (ground.s3 !== null) assert.ok(!read.has('cabinet_disk_free_bytes'), 'contents are on no disk of this node');
      const position = async (node: Node) => sumOf(await scrape(node), 'cabinet_journal_position');
      const { Changes, Cursor } = await readToEnd(caller, '');
      const last = Number(Changes.at(-1)?.Position);
      const knowsAll = async (node: Node) => {
        if ((await position(node)) >= last) return true;
        // It looks once in ten seconds: until then we wait for a change, of which there is none.
        await readChanges(caller, `cursor=${encodeURIComponent(Cursor)}&wait=1`);
        return false;
      };
      for (const node of [first, second]) await eventually('it knows the whole journal', () => knowsAll(node), 60_000);
      const saves = [secondBefore, await scrape(second)].map((families) => sumOf(families, 'cabinet_saves_total'));
      assert.equal(saves[1], saves[0], 'saves are counted by the node that received them');
    });
  });
}
