// The feed and the journal of three nodes: one order on every node; nothing is skipped or repeated, and long polls end soon.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Caller, createFolder, makeFolder, postFile, saveFile, send } from '../interface/client.ts';
import { type Change, Follower, inPathOrder, readChanges, readToEnd } from '../interface/follower.ts';
import { change, readTree, remove, trash } from '../interface/life.ts';
import { readMetrics, sumOf } from '../service/prometheus.ts';
import { eventually } from '../service/service.ts';
import { sized } from '../size.ts';
import { addCaller, at, type Node } from './nodes.ts';
import { all } from './three-nodes.ts';

/** Of what each client does in the storm. */
const rounds = sized(4, 8);

interface Verified {
  Verified: boolean;
  Rows: number;
  Head: string;
  Problems: unknown[];
}

export function testFeed(): void {
  describe('The feed and the journal of three nodes', () => {
    let main: Caller;
    let on: [Caller, Caller, Caller];

    before(async () => {
      main = await addCaller(all[0], 'feed');
      on = all.map((node) => at(main, node)) as typeof on;
    });

    const byCursor = (cursor: string) => `cursor=${encodeURIComponent(cursor)}`;

    /** Reads until it is stopped, each page from another node: a cursor is valid everywhere. */
    async function follow(cursor: string, first: number, isOver: () => boolean): Promise<Change[]> {
      const changes: Change[] = [];
      let next = cursor;
      for (let page = first, isLast = false; ; page += 1) {
        const wasOver = isOver();
        const { Changes, Cursor } = await readChanges(on[page % 3] as Caller, `${byCursor(next)}&limit=7&wait=1`);
        changes.push(...Changes);
        next = Cursor;
        if (Changes.length > 0) isLast = false;
        else if (isLast) return changes;
        else isLast = wasOver;
      }
    }

    it('Followers on all nodes get every answered change once, in one order, while all nodes save', async () => {
      const { Cursor } = await readChanges(on[1], 'from=now');
      const folder = await makeFolder(main);
      let isOver = false;
      const following = [0, 1, 2, 0, 1, 2].map((first) => follow(Cursor, first, () => isOver));
      const answered: string[] = [folder.Id];
      const storm = Array.from({ length: 18 }, async (_, index) => {
        const caller = on[index % 3] as Caller;
        for (let round = 0; round < rounds; round += 1) {
          const { File } = await saveFile(caller, { FolderId: folder.Id, FileName: `${index} ${round}` }, `${index}`);
          answered.push(File.Id);
          if (round % 4 === 1) answered.push((await createFolder(caller, folder.Id, `folder ${index} ${round}`)).Id);
          if (round % 4 === 2)
            answered.push((await change(caller, File.Id, { Name: `renamed ${index} ${round}` })).Entry.Id);
          if (round % 4 === 3) answered.push((await trash(caller, File.Id)).Entry.Id);
        }
      });
      await Promise.all(storm);
      isOver = true;
      const seen = await Promise.all(following);
      const { Changes } = await readToEnd(on[2], byCursor(Cursor));
      assert.deepEqual(Changes.map(({ EntryId }) => EntryId).sort(), answered.sort());
      const places = (changes: Change[]) => changes.map(({ Position, Action, EntryId }) => [Position, Action, EntryId]);
      for (const changes of seen) assert.deepEqual(places(changes), places(Changes));
      const positions = Changes.map(({ Position }) => Number(Position));
      assert.deepEqual(
        positions,
        positions.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(positions).size, positions.length);
      const known = new Follower().apply(Changes).toTree(folder.Id);
      assert.deepEqual(inPathOrder(known), inPathOrder(await readTree(on[0], folder.Id)));
    });

    it('An answered change is in the feed of every node at once', async () => {
      const folder = await makeFolder(main);
      for (let round = 0; round < 30; round += 1) {
        const [writer, reader] = [on[round % 3] as Caller, on[(round + 1 + (round % 2)) % 3] as Caller];
        const { Cursor } = await readChanges(reader, 'from=now');
        const { File } = await saveFile(writer, { FolderId: folder.Id, FileName: `${round}` }, 'x');
        const { Changes } = await readChanges(reader, byCursor(Cursor));
        assert.deepEqual(
          Changes.map(({ EntryId }) => EntryId),
          [File.Id],
        );
      }
    });

    /** Whether a request is under way there, beside this one. */
    async function isAsked({ base }: Caller): Promise<boolean> {
      const { body } = await send(base, '/metrics');
      return sumOf(readMetrics(body.toString()), 'cabinet_requests_in_progress') > 1;
    }

    it('A long poll on one node ends within a second of a save on another', async () => {
      const { Cursor } = await readChanges(main, 'from=now');
      let cursor = Cursor;
      for (const [writer, reader] of [
        [0, 1],
        [1, 2],
        [2, 0],
      ] as const) {
        const tookMs: number[] = [];
        // Without a notification a node polls after a second: an earlier response proves one. Retried if the machine was slow.
        while (!tookMs.some((ms) => ms < 1000)) {
          assert.ok(tookMs.length < 30, `answered after ${tookMs.map(Math.round)} ms`);
          const begun = performance.now();
          const waiting = readChanges(on[reader], `${byCursor(cursor)}&wait=20`);
          await eventually('it waits', () => isAsked(on[reader]));
          const name = `saved ${writer} ${tookMs.length}`;
          const { File } = await saveFile(on[writer], { FolderId: '-root-', FileName: name }, 'x');
          const { Changes, Cursor: next } = await waiting;
          tookMs.push(performance.now() - begun);
          assert.equal(Changes[0]?.EntryId, File.Id);
          cursor = next;
        }
      }
    });

    it('A long poll does not reveal activity of other spaces', async () => {
      const other = await addCaller(all[1], 'other');
      const { Cursor } = await readChanges(main, 'from=now');
      const waiting = readChanges(on[2], `${byCursor(Cursor)}&wait=1`);
      await saveFile(other, { FolderId: '-root-', FileName: 'elsewhere' }, 'x');
      assert.deepEqual((await waiting).Changes, []);
    });

    it('The chain of the journal is intact, and every node finds the same', async () => {
      const before = await verify(0);
      await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const caller = on[index % 3] as Caller;
          const { status, headers } = await postFile(caller, { FileName: `chained ${index}` }, `${index}`);
          assert.equal(status, 200);
          if (index % 5 === 0) await remove(caller, String(headers.entryid));
        }),
      );
      const [first, ...others] = [await verify(0), await verify(1), await verify(2)];
      for (const verified of [first, ...others]) {
        assert.equal(verified?.Verified, true, JSON.stringify(verified?.Problems));
        assert.ok((verified?.Rows ?? 0) >= before.Rows + 60 + 12);
      }
      const last = await all[2].cabinet<Verified>('audit', 'verify', '--expect', before.Head);
      assert.equal(last.Verified, true, 'what was there before is still where it was');
    });

    function verify(node: number): Promise<Verified> {
      return (all[node] as Node).cabinet<Verified>('audit', 'verify');
    }
  });
}
