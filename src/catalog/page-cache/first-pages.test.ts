import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/any-character.ts';
import { testCatalog } from '../../../test/contracts/catalog.ts';
import { addApplication, fileIn, folderIn, inline } from '../../../test/contracts/requests.ts';
import { testWays } from '../../../test/contracts/ways.ts';
import { sized } from '../../../test/size.ts';
import { compareNameKeys } from '../../domain/name.ts';
import { type Catalog, toCatalog } from '../catalog.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { attachSqlite } from '../sqlite/worker.ts';
import type { FolderPage } from '../verbs/list-folder.ts';
import { CommitCounter } from './commit-counter.ts';
import { FirstPages } from './first-pages.ts';
import type { PageChange } from './page-change.ts';
import { toChangeOf } from './to-change-of.ts';

interface Opened {
  /** Without the cache. */
  bare: Catalog;
  catalog: Catalog;
  /** In another thread. */
  worker: Catalog;
  close(): Promise<void>;
}

async function open(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-pages-'));
  const path = join(folder, 'catalog.db');
  const engine = await openSqlite({
    path,
    onFatal: assert.fail,
    onChanges: (changes, number) => pages.follow(changes, number),
  });
  const pages = new FirstPages(engine.commitCounter, 0);
  const workerPages = new FirstPages(new CommitCounter(engine.commitCounter.shared), null);
  const worker = attachSqlite({
    path,
    port: engine.openWorkerPort(),
    onFatal: assert.fail,
    onChanges: (changes, number) => workerPages.follow(changes, number),
  });
  const bare = toCatalog(engine);
  return {
    bare,
    catalog: pages.keep(bare),
    worker: workerPages.keep(toCatalog(worker)),
    async close() {
      await worker.close();
      await engine.close();
      rmSync(folder, { recursive: true });
    },
  };
}

testCatalog('SQLite with first pages kept', open);
testWays('SQLite with first pages kept', open);

test('names are compared by their UTF-8 bytes', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('\uffff', '\ue000', '😀', 'a', '\ud7ff', 'é'),
  );
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(Math.sign(compareNameKeys(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: sized(700, 2000) },
  );
});

/** A cached page may be older than the journal, if later changes were elsewhere. */
function shown(page: FolderPage | null): Omit<FolderPage, 'asOf' | 'isKept'> | null {
  if (page === null) return null;
  const { asOf: _, isKept: __, ...rest } = page;
  return rest;
}

/** The folder (0 is the root, the others are created when they are first used), and the action. */
const step = fc.record({
  where: fc.integer({ min: 0, max: 3 }),
  name: fc.integer({ min: 0, max: 140 }).map((index) => `n${index}`),
  what: fc.constantFrom('save', 'save', 'save', 'create', 'list'),
  sizeBytes: fc.integer({ min: 0, max: 50 }),
  isParallel: fc.boolean(),
  isWorker: fc.boolean(),
});

test('a cached page equals the listing of the catalog after any saves at any depth, in any thread', async (t) => {
  const { bare, catalog, worker, close } = await open();
  t.after(close);
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
      for (const { where, name, what, sizeBytes, isParallel, isWorker } of steps) {
        const folder = ids[where] as string;
        const by = isWorker ? worker : catalog;
        if (what === 'save')
          running.push(by.saveFile(fileIn(app, name, { folder, content: inline(randomBytes(sizeBytes)) })));
        if (what === 'create')
          running.push(by.createFolder(folderIn(app, `f-${name}`, { parent: folder, conflict: 'Existing' })));
        if (what === 'list') running.push(by.listFolder({ space, folder, limit: 100 }));
        if (isParallel) continue;
        await Promise.all(running);
        running = [];
        for (const input of [
          { space, folder, limit: 99, exclude: folder },
          { space, folder, limit: 100 },
          { space, folder, limit: 3 },
        ]) {
          const expected = shown(await bare.listFolder(input));
          assert.deepEqual(shown(await worker.listFolder(input)), expected);
          assert.deepEqual(shown(await catalog.listFolder(input)), expected);
        }
      }
      await Promise.all(running);
      for (const folder of ids) {
        const input = { space, folder, limit: 100 };
        const expected = shown(await bare.listFolder(input));
        assert.deepEqual(shown(await worker.listFolder(input)), expected);
        assert.deepEqual(shown(await catalog.listFolder(input)), expected);
      }
    }),
    { numRuns: sized(15, 40) },
  );
});

test('a folder of another space is not listed from the cache', async (t) => {
  const { catalog, close } = await open();
  t.after(close);
  const [one, two] = [await addApplication(catalog, 'one'), await addApplication(catalog, 'two')];
  assert.notEqual(await catalog.listFolder({ space: one.space, folder: one.rootId, limit: 100 }), null);
  assert.equal(await catalog.listFolder({ space: two.space, folder: one.rootId, limit: 100 }), null);
});

test('a page that was read after a commit is not reverted when the commit is reported', async (t) => {
  const { bare, close } = await open();
  t.after(close);
  const pages = new FirstPages(new CommitCounter(), 0);
  const catalog = pages.keep(bare);
  const app = await addApplication(bare, 'app');
  const input = { space: app.space, folder: app.rootId, limit: 100 };
  const save = (name: string) => bare.saveFile(fileIn(app, name, { content: inline(Buffer.from('xx')) }));
  // Committed but not yet reported, as when the writer is ahead of those who wait for it.
  const late = [await save('a'), await save('b')];
  for (const saved of [null, ...late]) {
    if (saved !== null) pages.follow([toChangeOf('saveFile', saved) as PageChange], 0);
    const page = await catalog.listFolder(input);
    assert.equal(page?.isKept === true, saved !== null);
    assert.equal(page?.folder.sizeBytes, 4);
    assert.deepEqual(
      page?.children.map((child) => child.name),
      ['a', 'b'],
    );
  }
});

test('a page is not cached if a commit was reported while it was read', async (t) => {
  const { bare, close } = await open();
  t.after(close);
  const pages = new FirstPages(new CommitCounter(), 0);
  const app = await addApplication(bare, 'app');
  const catalog = pages.keep({
    ...bare,
    async listFolder(input) {
      const page = await bare.listFolder(input);
      const saved = await bare.saveFile(fileIn(app, 'meanwhile'));
      const change = toChangeOf('saveFile', saved);
      if (change !== null) pages.follow([change], 0);
      return page;
    },
  });
  const input = { space: app.space, folder: app.rootId, limit: 100 };
  assert.deepEqual((await catalog.listFolder(input))?.children, []);
  assert.equal((await catalog.listFolder(input))?.children.length, 1);
});

test('what another thread has answered is visible before its commit is reported', async (t) => {
  const { bare, close } = await open();
  t.after(close);
  const counter = new CommitCounter();
  const pages = new FirstPages(counter, 0);
  const catalog = pages.keep(bare);
  const app = await addApplication(bare, 'app');
  const input = { space: app.space, folder: app.rootId, limit: 100 };
  const names = (page: FolderPage | null) => page?.children.map((child) => child.name);
  await catalog.listFolder(input);
  assert.ok(counter.isWatched);
  const first = await bare.saveFile(fileIn(app, 'a'));
  const number = counter.next();
  assert.deepEqual(names(await catalog.listFolder(input)), ['a'], 'its commit is counted');
  // Read again, so it contains what is reported now.
  pages.follow([toChangeOf('saveFile', first) as PageChange], number);
  assert.equal((await catalog.listFolder(input))?.isKept, true);

  counter.next();
  const enough = { ...input, atLeast: first.position };
  assert.equal((await catalog.listFolder(enough))?.isKept, true, 'up to date as of the requested position');
  assert.notEqual((await catalog.listFolder({ ...enough, atLeast: (first.position ?? 0) + 1 }))?.isKept, true);
});

test('no page is cached before the writer reports its commits', async (t) => {
  const { bare, close } = await open();
  t.after(close);
  const counter = new CommitCounter();
  const pages = new FirstPages(counter, null);
  const catalog = pages.keep(bare);
  const app = await addApplication(bare, 'app');
  const input = { space: app.space, folder: app.rootId, limit: 100 };
  for (const name of ['a', 'b']) {
    await catalog.listFolder(input);
    await bare.saveFile(fileIn(app, name));
  }
  assert.equal((await catalog.listFolder(input))?.children.length, 2);
  pages.follow([], 0);
  for (const isKept of [undefined, true]) assert.equal((await catalog.listFolder(input))?.isKept, isKept);
});

test('a page with many properties is not cached, whether they exist or are added', async (t) => {
  const { catalog, worker, close } = await open();
  t.after(close);
  const app = await addApplication(catalog, 'app');
  const input = { space: app.space, folder: app.rootId, limit: 100 };
  const isKept = async (by: Catalog) => {
    await by.listFolder(input);
    return (await by.listFolder(input))?.isKept === true;
  };
  await worker.saveFile(fileIn(app, 'light', { properties: { Note: 'x' } }));
  for (const by of [catalog, worker]) assert.equal(await isKept(by), true);
  await worker.saveFile(fileIn(app, 'heavy', { properties: { Note: 'x'.repeat(3000) } }));
  for (const by of [catalog, worker]) {
    assert.equal(await isKept(by), false);
    assert.deepEqual(
      (await by.listFolder(input))?.children.map(({ name }) => name),
      ['heavy', 'light'],
    );
  }
});

test('writes of others are not reported before a page is cached', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-pages-'));
  const path = join(folder, 'catalog.db');
  const reported: number[] = [];
  const engine = await openSqlite({
    path,
    onFatal: assert.fail,
    onChanges: (changes) => reported.push(changes.length),
  });
  const port = engine.openWorkerPort();
  const workerEngine = attachSqlite({ path, port, onFatal: assert.fail });
  const worker = toCatalog(workerEngine);
  const app = await addApplication(worker, 'app');
  await worker.saveFile(fileIn(app, 'a'));
  engine.commitCounter.watch();
  await worker.saveFile(fileIn(app, 'b'));
  // The writer reports in order.
  await toCatalog(engine).saveFile(fileIn(app, 'c'));
  assert.deepEqual(reported, [1, 1]);
  await workerEngine.close();
  await engine.close();
  rmSync(folder, { recursive: true });
});
