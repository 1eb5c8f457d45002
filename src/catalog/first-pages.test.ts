import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { testCatalog } from '../../test/contracts/catalog.ts';
import { addApplication, fileIn, folderIn, inline } from '../../test/contracts/requests.ts';
import { testWays } from '../../test/contracts/ways.ts';
import { compareNameKeys } from '../domain/name.ts';
import { type Catalog, toCatalog } from './catalog.ts';
import { keepFirstPages } from './first-pages.ts';
import type { FolderPage } from './list-folder.ts';
import { openSqlite } from './sqlite.ts';

async function open(): Promise<{ bare: Catalog; catalog: Catalog; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-pages-'));
  const bare = toCatalog(await openSqlite({ path: join(folder, 'catalog.db'), onFatal: assert.fail }));
  return {
    bare,
    catalog: keepFirstPages(bare),
    async close() {
      await bare.close();
      rmSync(folder, { recursive: true });
    },
  };
}

testCatalog('SQLite with first pages kept', open);
testWays('SQLite with first pages kept', open);

test('names are compared as their UTF-8 bytes are', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\uffff', '\ue000', '😀', 'a', '\ud7ff', 'é'));
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(Math.sign(compareNameKeys(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 2000 },
  );
});

/** A kept page may be older than the journal: what was written since then was elsewhere. */
function shown(page: FolderPage | null): Omit<FolderPage, 'asOf' | 'isKept'> | null {
  if (page === null) return null;
  const { asOf: _, isKept: __, ...rest } = page;
  return rest;
}

/** Where something is done (0 is the root, the others are made as they are named), and what. */
const step = fc.record({
  where: fc.integer({ min: 0, max: 3 }),
  name: fc.integer({ min: 0, max: 140 }).map((index) => `n${index}`),
  what: fc.constantFrom('save', 'save', 'save', 'create', 'list'),
  sizeBytes: fc.integer({ min: 0, max: 50 }),
  isParallel: fc.boolean(),
});

test('a kept page is what the catalog would list, after any saves at any depth', async () => {
  const { bare, catalog, close } = await open();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 200 }), async (steps) => {
      runs += 1;
      const app = await addApplication(catalog, `app-${runs}`);
      const { space } = app;
      const ids = [app.rootId];
      for (const [index, parent] of [app.rootId, app.rootId, undefined].entries()) {
        const made = await catalog.createFolder(folderIn(app, `d${index}`, { parent: parent ?? (ids[1] as string) }));
        ids.push(made.folder.id);
      }
      let running: Promise<unknown>[] = [];
      for (const { where, name, what, sizeBytes, isParallel } of steps) {
        const folder = ids[where] as string;
        if (what === 'save')
          running.push(catalog.saveFile(fileIn(app, name, { folder, content: inline(randomBytes(sizeBytes)) })));
        if (what === 'create')
          running.push(catalog.createFolder(folderIn(app, `f-${name}`, { parent: folder, conflict: 'Existing' })));
        if (what === 'list') running.push(catalog.listFolder({ space, folder, limit: 100 }));
        if (isParallel) continue;
        await Promise.all(running);
        running = [];
        for (const asked of [
          { space, folder, limit: 99, exclude: folder },
          { space, folder, limit: 100 },
          { space, folder, limit: 3 },
        ]) {
          assert.deepEqual(shown(await catalog.listFolder(asked)), shown(await bare.listFolder(asked)));
        }
      }
      await Promise.all(running);
      for (const folder of ids) {
        const asked = { space, folder, limit: 100 };
        assert.deepEqual(shown(await catalog.listFolder(asked)), shown(await bare.listFolder(asked)));
      }
    }),
    { numRuns: 40 },
  );
  await close();
});

test('a folder of another space is not listed from what is kept', async () => {
  const { catalog, close } = await open();
  const [one, two] = [await addApplication(catalog, 'one'), await addApplication(catalog, 'two')];
  assert.notEqual(await catalog.listFolder({ space: one.space, folder: one.rootId, limit: 100 }), null);
  assert.equal(await catalog.listFolder({ space: two.space, folder: one.rootId, limit: 100 }), null);
  await close();
});

test('a page that was read after a commit is not set back when the outcome is told', async () => {
  const { bare, close } = await open();
  const tell = new Map<string, () => void>();
  // Commits at once, but tells only when the test says so: as when the writer is ahead of those who wait for it.
  const slow: Catalog = {
    ...bare,
    async saveFile(asked) {
      const saved = await bare.saveFile(asked);
      await new Promise<void>((resolve) => tell.set(asked.name, resolve));
      return saved;
    },
  };
  const catalog = keepFirstPages(slow);
  const app = await addApplication(catalog, 'app');
  const asked = { space: app.space, folder: app.rootId, limit: 100 };
  const save = (name: string) => catalog.saveFile(fileIn(app, name, { content: inline(Buffer.from('xx')) }));
  const saves = [save('a'), save('b')];
  while (tell.size < 2) await new Promise((resolve) => setImmediate(resolve));
  for (const name of ['a', 'b']) {
    const page = await catalog.listFolder(asked);
    assert.equal(page?.folder.sizeBytes, 4);
    assert.deepEqual(
      page?.children.map((child) => child.name),
      ['a', 'b'],
    );
    tell.get(name)?.();
    await saves.shift();
  }
  assert.equal((await catalog.listFolder(asked))?.folder.sizeBytes, 4);
  await close();
});
