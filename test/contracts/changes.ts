// The feed of a catalog, where the interface cannot reach: among very many lines that are not about the tree.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, fileIn, what } from './requests.ts';

export function testChanges(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} tells changes`, () => {
    let under: CatalogUnderTest;
    before(async () => {
      under = await open();
    });
    after(() => under.close());

    it('in short steps, however many lines are not about the tree', async () => {
      const { catalog } = under;
      const application = await addApplication(catalog, 'reads');
      const { space } = application;
      const { file } = await catalog.saveFile(fileIn(application, 'first'));
      const read = () => catalog.noteRead({ space, entry: file.id, version: 1, ...what });
      await Promise.all(Array.from({ length: 4500 }, read));
      await catalog.saveFile(fileIn(application, 'last'));
      const told: string[] = [];
      let pages = 0;
      for (let page = await catalog.listChanges({ space, after: null, limit: 100 }); ; ) {
        told.push(...page.changes.map(({ now }) => now?.entry.name ?? ''));
        pages += 1;
        if (!page.hasMore) break;
        page = await catalog.listChanges({ space, after: page.upTo, limit: 100 });
      }
      assert.deepEqual(told, ['first', 'last']);
      assert.equal(pages, 3);
    });
  });
}
