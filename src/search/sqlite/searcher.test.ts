import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Search } from '../search.ts';
import { IndexStore, toDocument } from './index-store.ts';
import { openSqliteSearch } from './search.ts';

function openIndex(context: TestContext): { search: Search; store: IndexStore } {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-search-'));
  const indexPath = join(folder, 'search.db');
  const store = IndexStore.open(indexPath);
  const search = openSqliteSearch({
    catalogPath: join(folder, 'none.db'),
    indexPath,
    reserveBytes: 0,
    extractTimeoutMs: 1000,
    blobs: {} as Blobs,
    onBackgroundError: (error) => assert.fail(String(error)),
  });
  context.after(async () => {
    await search.close();
    store.close();
    rmSync(folder, { recursive: true });
  });
  return { search, store };
}

function put(
  store: IndexStore,
  space: number,
  entries: readonly number[],
  toName = (entry: number) => `n${entry}`,
): void {
  store.transact(() => {
    for (const entry of entries) {
      const record = {
        document: toDocument(space, entry),
        name: toName(entry),
        properties: '',
        content: null,
        readable: null,
      };
      store.put(record, { state: 'indexed', text: `needle ${'x '.repeat(entry % 7)}` });
    }
  });
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

/** Every entry that is proposed, slice after slice. */
async function collect(search: Search, space: number, q: string): Promise<number[]> {
  const query = search.parse(q);
  const all: number[] = [];
  for (let stage = 0; stage < 2; stage += 1) {
    for (let before: number | null = null; ; ) {
      const ranked = await search.rank({ space, query, stage, before });
      all.push(...ranked.entries.map(({ entry }) => entry));
      stage = ranked.stage;
      if (ranked.next === null) break;
      before = ranked.next;
    }
  }
  return all;
}

test('slices have every entry of the space once, and none of another', async (context) => {
  const { search, store } = openIndex(context);
  const far = [600_000, 600_001, 2_000_000];
  put(store, 1, range(1, 50));
  put(store, 2, [...range(1, 1000), ...far], (entry) => (entry % 3 === 0 ? `needle ${entry}` : `n${entry}`));
  put(store, 3, range(1, 400));
  const found = await collect(search, 2, 'needle');
  assert.equal(new Set(found).size, found.length);
  assert.deepEqual(
    found.toSorted((a, b) => a - b),
    [...range(1, 1000), ...far],
  );
  assert.ok(
    found.slice(0, 334).every((entry) => entry % 3 === 0),
    'those with the word in their names come first',
  );
  assert.equal((await collect(search, 1, 'needle')).length, 49);
  assert.deepEqual(await collect(search, 4, 'needle'), []);
});

test('a slice stays the same when newer entries are added', async (context) => {
  const { search, store } = openIndex(context);
  put(store, 1, range(1, 700));
  const query = search.parse('needle');
  const first = await search.rank({ space: 1, query, stage: 1, before: null });
  put(store, 1, range(700, 900));
  const again = await search.rank({ space: 1, query, stage: 1, before: first.before });
  assert.deepEqual(again, first);
});

test('a slice begins at its own window, however long the search before it took', async (context) => {
  const { search, store } = openIndex(context);
  put(store, 1, range(1, 5));
  put(store, 1, [2_000_000], () => 'far');
  const query = search.parse('n3');
  const slice = await search.rank({ space: 1, query, stage: 0, before: null });
  assert.ok(slice.before < 300_000, `${slice.before}`);
  assert.deepEqual(await search.rank({ space: 1, query, stage: 0, before: slice.before }), slice);
});
