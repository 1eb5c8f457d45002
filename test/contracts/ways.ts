// What is made on the way to something: folders of a path, and files of a batch. In one step or not at all, also where many
// ask at once.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { Idempotency } from '../../src/catalog/verbs/idempotency.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, asBlob, fileIn, inline, pathIn, type Registered, refuses, what } from './requests.ts';

export function testWays(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} creates the missing folders of a path`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;
    let count = 0;
    const newApplication = () => {
      count += 1;
      return addApplication(catalog, `ways-${count}`);
    };
    const pathOf = async ({ space }: Registered, id: string) => (await catalog.findDetails({ space, id }))?.path;
    const usageOf = async ({ space }: Registered) => {
      const { entries, bytes } = await catalog.findUsage({ space, actor: '' });
      return { entries, bytes };
    };

    before(async () => {
      under = await open();
      catalog = under.catalog;
    });
    after(() => under.close());

    it('and uses existing ones', async () => {
      const app = await newApplication();
      const before = await usageOf(app);
      const first = await catalog.createFolder(pathIn(app, 'a/b/c'));
      assert.deepEqual(
        first.made.map(({ folder }) => folder.name),
        ['a', 'b', 'c'],
      );
      const [a, b] = first.made;
      assert.deepEqual(
        first.made.map(({ holder }) => holder),
        [app.rootId, a?.folder.id, b?.folder.id],
      );
      const second = await catalog.createFolder(pathIn(app, 'a/b/d'));
      assert.equal(second.made.length, 1);
      assert.equal(await pathOf(app, second.folder.id), '/a/b/d');
      const again = await catalog.createFolder(pathIn(app, 'a/b/c'));
      assert.deepEqual([again.isExisting, again.folder, again.made], [true, first.folder, []]);
      assert.deepEqual(await usageOf(app), { ...before, entries: before.entries + 4 });
    });

    it('all of them or none', async () => {
      const app = await newApplication();
      const { file } = await catalog.saveFile(fileIn(app, 'file'));
      const before = await usageOf(app);
      await assert.rejects(catalog.createFolder(pathIn(app, 'file/b/c')), (error) => {
        assert.ok(error instanceof Refusal && error.code === 'NameAlreadyExists');
        assert.deepEqual(error.details.conflicts, [file]);
        return true;
      });
      const deep = Array.from({ length: 101 }, (_, level) => `l${level}`).join('/');
      await assert.rejects(catalog.createFolder(pathIn(app, deep)), refuses('TooDeep'));
      const quota = { entries: before.entries + 2 };
      const space = app.access?.spaceName ?? '';
      await catalog.setQuota({ space, application: null, user: null, quota, ...what });
      await assert.rejects(catalog.createFolder(pathIn(app, 'x/y/z')), refuses('QuotaExceeded'));
      assert.deepEqual(await usageOf(app), before);
      await catalog.createFolder(pathIn(app, 'x/y'));
      const page = await catalog.listFolder({ space: app.space, folder: app.rootId, limit: 10 });
      assert.deepEqual(
        page?.children.map((child) => child.name),
        ['x', 'file'],
      );
    });

    it('once, even concurrently', async () => {
      const app = await newApplication();
      const before = await usageOf(app);
      const paths = ['a', 'a/b', 'a/b/c', 'a/b/d', 'a/e', 'f/g', 'f/h', 'f'];
      const repeated = Array.from({ length: 5 }, () => paths).flat();
      const [made, saved] = await Promise.all([
        Promise.all(repeated.map(async (path) => (await catalog.createFolder(pathIn(app, path))).folder.id)),
        Promise.all(
          repeated.map((_, n) => catalog.saveFile(fileIn(app, `${n}.txt`, { content: inline(Buffer.alloc(3)) }))),
        ),
      ]);
      const found = await Promise.all(made.map((id) => pathOf(app, id)));
      assert.deepEqual(
        found,
        repeated.map((path) => `/${path}`),
      );
      assert.equal(new Set(made).size, paths.length);
      assert.equal(new Set(saved.map(({ file }) => file.id)).size, repeated.length);
      const entries = before.entries + paths.length + repeated.length;
      assert.deepEqual(await usageOf(app), { entries, bytes: before.bytes + repeated.length * 3 });
    });

    it('with a depth that refuses a tree moved there later if it would be too deep', async () => {
      const app = await newApplication();
      const path = (count: number, letter: string) =>
        Array.from({ length: count }, (_, level) => `${letter}${level}`).join('/');
      const { made } = await catalog.createFolder(pathIn(app, path(60, 'a')));
      const { folder } = await catalog.createFolder(pathIn(app, path(50, 'b')));
      const move = {
        space: app.space,
        id: made[0]?.folder.id ?? '',
        name: null,
        parent: folder.id,
        properties: null,
        objectType: null,
        conflict: 'Fail' as const,
        ...what,
      };
      await assert.rejects(catalog.changeEntry(move), refuses('TooDeep'));
    });

    it('and shows a saved file as a later look-up does', async () => {
      const app = await newApplication();
      const { folder } = await catalog.createFolder(pathIn(app, 'a/b'));
      const in_ = { folder: folder.id, isShown: true as const };
      const wrong = [
        fileIn(app, 'new', in_),
        fileIn(app, 'new', { ...in_, content: inline(Buffer.from('changed')) }),
        fileIn(app, 'new', { ...in_, content: inline(Buffer.from('changed')), properties: { k: 'v' } }),
        fileIn(app, 'new', { ...in_, conflict: 'Existing' }),
        fileIn(app, 'new', { ...in_, conflict: 'Rename' }),
        fileIn(app, 'large', { ...in_, content: asBlob(Buffer.from('large')) }),
      ];
      for (const one of wrong) {
        const { file, details } = await catalog.saveFile(one);
        assert.deepEqual(details, await catalog.findDetails({ space: app.space, id: file.id }));
      }
      assert.equal((await catalog.saveFile(fileIn(app, 'plain'))).details, undefined);
    });

    it('and returns what was saved of a batch, and detects the key of another batch', async () => {
      const app = await newApplication();
      const key: Idempotency = {
        appKey: app.appKey,
        operation: 'save-batch',
        key: 'k',
        fingerprint: hash('sha256', 'one'),
      };
      const at = what.at + 1;
      const recall = (other: Partial<Idempotency>, now = at) =>
        catalog.recallBatch({ idempotency: { ...key, ...other }, at: now });
      const save = (place: number) =>
        catalog.saveFile(fileIn(app, `${place}`, { idempotency: { ...key, key: `k ${place}` }, isShown: true }));
      assert.deepEqual(await recall({}), []);
      for (const place of [7, 12]) await save(place);
      const recalled = new Map(await recall({}));
      assert.deepEqual(new Set(recalled.keys()), new Set([7, 12]));
      for (const [place, saved] of recalled) assert.deepEqual(saved, await save(place));
      assert.deepEqual(await recall({ key: 'k2', fingerprint: 'other' }), []);
      assert.deepEqual(await recall({ operation: 'save-file', fingerprint: 'other' }), []);
      assert.deepEqual(await recall({ fingerprint: 'other' }, at + 25 * 60 * 60 * 1000), []);
      await assert.rejects(recall({ fingerprint: 'other' }), refuses('IdempotencyKeyReused'));
    });
  });
}
