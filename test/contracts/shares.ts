// The contract of the catalog about links to entries: every engine's own test file calls this too.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { AddShare } from '../../src/catalog/verbs/shares.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, folderIn, type Registered, what } from './requests.ts';

const dayMs = 24 * 60 * 60 * 1000;
const hourMs = 60 * 60 * 1000;

export function testShares(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog about links to entries`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;
    let at: Registered;
    let folder: string;
    const now = what.at;

    before(async () => {
      under = await open();
      catalog = under.catalog;
      at = await addApplication(catalog, 'linking', null, { scopes: ['content.write'] });
      folder = (await catalog.createFolder(folderIn(at, 'shared'))).folder.id;
    });
    after(() => under.close());

    const add = (id: string, more: Partial<AddShare> = {}) =>
      catalog.addShare({
        ...{ id, secretHash: `hash of ${id}`, secret: 'encrypted', space: at.space, entry: folder, access: 'read' },
        ...{ name: null, note: null, password: null, expiresAt: now + dayMs, maxDownloads: null, user: null },
        appKey: at.appKey,
        ...what,
        ...more,
      });
    const setState = (state: 'active' | 'disabled') =>
      catalog.setApplicationState({ application: at.appKey, space: at.space, state, areTokensRevoked: false, ...what });
    const use = (id: string, when = now) => ({ ...what, id, space: at.space, entry: folder, address: '::1', at: when });
    const stateOf = async (id: string, when = now) => (await catalog.findShare({ id, at: when }))?.state;
    const find = (id: string, when = now, isExhaustedMeant = false) =>
      catalog.openShare({ hash: `hash of ${id}`, isExhaustedMeant, at: when });

    it('finds a share by the hash of its secret, until it has ended', async () => {
      await add('a');
      assert.equal((await find('a'))?.share.id, 'a');
      assert.equal((await find('a'))?.entry.id, folder);
      assert.equal(await find('unknown'), null);
      assert.equal(await find('a', now + dayMs), null);
      assert.equal(await stateOf('a', now + dayMs), 'expired');
      await catalog.revokeShare({ id: 'a', space: at.space, ...what });
      assert.equal(await find('a'), null);
      assert.equal(await stateOf('a'), 'revoked');
    });

    it('counts downloads exactly, however many begin at once', async () => {
      await add('b', { maxDownloads: 3 });
      const counted = await Promise.all(
        Array.from({ length: 10 }, () => catalog.countDownload({ ...use('b'), isResumable: true })),
      );
      assert.equal(counted.filter(Boolean).length, 3);
      assert.equal(await stateOf('b'), 'exhausted');
      assert.equal(await find('b'), null);
      assert.equal((await find('b', now, true))?.share.downloads, 3);
      const begun = { id: 'b', entry: folder, address: '::1' };
      assert.equal(await catalog.isDownloadBegun({ ...begun, at: now + hourMs - 1 }), true);
      assert.equal(await catalog.isDownloadBegun({ ...begun, at: now + hourMs }), false);
      assert.equal(await catalog.isDownloadBegun({ ...begun, address: '::2', at: now }), false);
      await catalog.forgetShareDownloads({ at: now + hourMs });
      assert.equal(await catalog.isDownloadBegun({ ...begun, at: now }), false);
    });

    it('suspends a share while its entry is in the trash or its maker is disabled', async () => {
      await add('c');
      const entry = { space: at.space, id: folder };
      assert.equal((await catalog.findBeneath({ space: at.space, top: folder, id: folder }))?.id, folder);
      assert.equal(await catalog.findBeneath({ space: at.space, top: folder, id: at.rootId }), null);
      await setState('disabled');
      assert.equal(await stateOf('c'), 'suspended');
      assert.equal(await find('c'), null);
      await setState('active');
      assert.equal((await find('c'))?.entry.id, entry.id);
    });

    it('lists the newest first, and forgets what ended 30 days ago', async () => {
      const list = (when: number, after: string | null = null, limit = 10) =>
        catalog.listShares({ spaces: [at.space], entry: folder, maker: null, after, limit, at: when });
      const ids = async (...given: Parameters<typeof list>) => (await list(...given)).map(({ id }) => id);
      assert.deepEqual(await ids(now), ['c', 'b', 'a']);
      assert.deepEqual(await ids(now, 'c', 1), ['b']);
      assert.deepEqual(await ids(now + 30 * dayMs), ['c', 'b']);
      assert.deepEqual(await ids(now + 31 * dayMs), []);
      await catalog.forgetShares({ at: now + 30 * dayMs });
      assert.deepEqual(await ids(now), ['c', 'b']);
      await catalog.forgetShares({ at: now + 31 * dayMs });
      assert.deepEqual(await ids(now), []);
    });

    it('keeps the rules of a space, and suspends its shares while it has switched them off', async () => {
      await add('ruled');
      const { space } = at;
      const none = { isOn: null, makers: null, isPasswordRequired: null, maxDays: null };
      assert.deepEqual(await catalog.findShareRules({ space }), none);
      const rules = { isOn: false, makers: 'managers', isPasswordRequired: true, maxDays: 7 } as const;
      assert.deepEqual(await catalog.setShareRules({ space, rules, ...what }), rules);
      assert.deepEqual(await catalog.findShareRules({ space }), rules);
      assert.deepEqual([await find('ruled'), await stateOf('ruled')], [null, 'suspended']);
      const changed = await catalog.setShareRules({ space, rules: { isOn: null, maxDays: 8 }, ...what });
      assert.deepEqual(changed, { ...rules, isOn: null, maxDays: 8 });
      assert.equal((await find('ruled'))?.share.state, 'active');
      assert.deepEqual(await catalog.setShareRules({ space, rules: none, ...what }), none);
    });
  });
}
