// The contract of the catalog about jobs that change many entries: every engine's own test file calls this.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CatalogUnderTest } from './catalog.ts';

const minuteMs = 60 * 1000;
const at = 1_750_000_000_000;

export function testEntryJobs(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} keeps jobs that change many entries`, () => {
    let under: CatalogUnderTest;
    before(async () => {
      under = await open();
    });
    after(() => under.close());

    const owner = { actor: 'ann', appKey: 'ak_1' };
    const add = (id: string) => under.catalog.addEntryJob({ id, ...owner, total: 10, at });
    const find = (id: string, when = at, by = owner) => under.catalog.findEntryJob({ id, ...by, at: when });

    it('shows a job to its owner until an hour after its end', async () => {
      await add('a');
      assert.deepEqual(await find('a'), { id: 'a', done: 0, total: 10, state: 'running', results: null });
      await under.catalog.noteEntryJob({ id: 'a', done: 10, state: 'done', results: '[]', at: at + minuteMs });
      const ended = { id: 'a', done: 10, total: 10, state: 'done', results: '[]' };
      assert.deepEqual(await find('a', at + 60 * minuteMs), ended);
      assert.equal(await find('a', at + 61 * minuteMs), null);
      assert.equal(await find('a', at, { ...owner, actor: 'bob' }), null);
      assert.equal(await find('a', at, { ...owner, appKey: 'ak_2' }), null);
    });

    it('calls a job interrupted that gives no sign of life', async () => {
      await add('b');
      await under.catalog.noteEntryJob({ id: 'b', done: 3, state: 'running', results: null, at: at + minuteMs });
      assert.equal((await find('b', at + 3 * minuteMs))?.state, 'running');
      assert.equal((await find('b', at + 3 * minuteMs + 1))?.state, 'interrupted');
    });

    it('forgets expired jobs', async () => {
      await add('c');
      await under.catalog.forgetEntryJobs({ at: at + 59 * minuteMs });
      assert.notEqual(await find('c'), null);
      await under.catalog.forgetEntryJobs({ at: at + 60 * minuteMs });
      assert.equal(await find('c'), null);
    });
  });
}
