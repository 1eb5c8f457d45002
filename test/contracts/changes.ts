// The feed of a catalog, where the interface cannot reach: among very many lines that are not about the tree, and of what
// goes by itself.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, fileIn, inline, what } from './requests.ts';

export function testChanges(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} lists changes`, () => {
    let under: CatalogUnderTest;
    before(async () => {
      under = await open();
    });
    after(() => under.close());

    it('in short steps, however many rows do not concern the tree', async () => {
      const { catalog } = under;
      const application = await addApplication(catalog, 'reads');
      const { space } = application;
      const { file } = await catalog.saveFile(fileIn(application, 'first'));
      const read = () => catalog.noteRead({ space, entry: file.id, version: 1, ...what });
      await Promise.all(Array.from({ length: 4500 }, read));
      await catalog.saveFile(fileIn(application, 'last'));
      const names: string[] = [];
      let pages = 0;
      for (let page = await catalog.listChanges({ space, after: null, limit: 100 }); ; ) {
        names.push(...page.changes.map(({ now }) => now?.entry.name ?? ''));
        pages += 1;
        if (!page.hasMore) break;
        page = await catalog.listChanges({ space, after: page.upTo, limit: 100 });
      }
      assert.deepEqual(names, ['first', 'last']);
      assert.equal(pages, 3);
    });

    it('of every version that is removed by a save, after that save', async () => {
      const { catalog } = under;
      const application = await addApplication(catalog, 'keeps');
      const { space } = application;
      const save = (text: string, more: object = {}) =>
        catalog.saveFile(fileIn(application, 'file', { content: inline(Buffer.from(text)), keptVersions: 2, ...more }));
      const { file } = await save('1');
      await save('2');
      const { position } = await save('3');
      await save('3');
      const restored = { space, file: file.id, keptVersions: 2, ...what, by: 'app:restorer' };
      await catalog.restoreVersion({ ...restored, version: 2 });
      await catalog.expireVersions({ before: what.at + 1, ...what });
      const expected = [
        ['file.created', 'app:contract', 1],
        ['file.saved', 'app:contract', 2],
        ['file.saved', 'app:contract', 3],
        ['version.removed', 'app:contract', 1],
        ['version.restored', 'app:restorer', 4],
        ['version.removed', 'app:restorer', 2],
        ['version.removed', 'operator', 3],
      ];
      const { changes } = await catalog.listChanges({ space, after: null, limit: 100 });
      assert.deepEqual(
        changes.map(({ action, by }) => [action, by]),
        expected.map(([action, by]) => [action, by]),
      );
      // Engines that assign positions after the commit return none.
      if (position !== 0) assert.equal(position, changes[2]?.position);
      const rows = await catalog.listJournal({ from: 0, to: Number.MAX_SAFE_INTEGER, limit: 10_000 });
      assert.deepEqual(
        rows
          .filter(({ entry }) => entry === file.id)
          .map(({ details }) => (JSON.parse(details) as { version: number }).version),
        expected.map(([, , version]) => version),
      );
    });
  });
}
