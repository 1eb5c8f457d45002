// Pages of a folder that begin with any child, and the way back from there: the same on every engine, in every order.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { FolderPage } from '../../src/catalog/verbs/list-folder.ts';
import { type Order, orders } from '../../src/domain/entry.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, fileIn, folderIn, type Registered } from './requests.ts';

const offsets = [0, 1, 2, 3, 6, 7, 9, -1, -5, -6, -7, -9];
const folders = ['b', 'a'];
const files = ['file 10', 'File 9', 'x', 'y', 'z'];
const count = folders.length + files.length;
const limit = 2;

export function testFolderPages(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} shows folders from any child on`, () => {
    let under: CatalogUnderTest;
    let filled: Registered;
    before(async () => {
      under = await open();
      filled = await addApplication(under.catalog, 'folder pages');
      for (const folder of folders) await under.catalog.createFolder(folderIn(filled, folder));
      for (const file of files) await under.catalog.saveFile(fileIn(filled, file));
    });
    after(() => under.close());

    for (const order of orders) {
      it(`by ${order}, counted from either end, and back to the start`, async () => {
        const pages = toPages(under.catalog, filled, order);
        const all = toNames(await pages.from({ limit: 10 }));
        assert.equal(all.length, count);
        for (const offset of offsets) {
          const start = offset < 0 ? Math.max(0, count + offset) : offset;
          const page = await pages.from({ offset, limit });
          assert.deepEqual(toNames(page), all.slice(start, start + limit), `from ${offset}`);
          assert.equal(page?.next !== null, start + limit < count, `after ${offset}`);
          assert.deepEqual(await pages.before(page), start < count ? all.slice(0, start) : [], `before ${offset}`);
        }
      });
    }

    it('and forward again from a page that was reached backward', async () => {
      const pages = toPages(under.catalog, filled, 'natural');
      const all = toNames(await pages.from({ limit: 10 }));
      const last = await pages.from({ offset: -1, limit });
      const page = await pages.from({ before: last?.previous ?? assert.fail(), limit });
      const next = await pages.from({ after: page?.next ?? assert.fail(), limit });
      assert.deepEqual([...toNames(page), ...toNames(next)], all.slice(-1 - limit));
    });
  });
}

function toNames(page: FolderPage | null): string[] {
  return page?.children.map(({ name }) => name) ?? [];
}

function toPages(catalog: Catalog, { space, rootId: folder }: Registered, order: Order) {
  const from = (request: Omit<Parameters<Catalog['listFolder']>[0], 'space' | 'folder' | 'order'>) =>
    catalog.listFolder({ space, folder, order, ...request });
  return {
    from,
    /** All names before a page, by the links of each. */
    async before(page: FolderPage | null): Promise<string[]> {
      const names: string[] = [];
      for (let found = page; found?.previous; ) {
        found = await from({ before: found.previous, limit });
        names.unshift(...toNames(found));
      }
      return names;
    },
  };
}
