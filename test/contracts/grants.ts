// The contract of the catalog about grants and groups: every engine's own test file calls this too.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { GrantRole } from '../../src/domain/caller.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, folderIn, type Registered, refuses, what } from './requests.ts';

const password = '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA';

export function testGrants(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog about grants`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;
    let at: Registered;
    /** `/outer/inner/deep`, by name. */
    const ids: Record<string, string> = {};

    const grant = (entry: string, principal: string, role: GrantRole | null) => {
      const [kind = '', ...rest] = principal.split(':');
      const to = { kind: kind as 'user' | 'group', name: rest.join(':') };
      return catalog.putGrant({ space: at.space, id: ids[entry] ?? entry, principal: to, role, ...what });
    };
    const resolve = (entry: string, ...principals: string[]) =>
      catalog.resolveGrants({ space: at.space, id: ids[entry] ?? entry, principals });
    const addFolder = async (folder: string, parent: string) => {
      const made = await catalog.createFolder(folderIn(at, folder, { parent: ids[parent] ?? parent }));
      ids[folder] = made.folder.id;
    };

    before(async () => {
      under = await open();
      catalog = under.catalog;
      at = await addApplication(catalog, 'granting');
      for (const id of ['ann', 'bob']) await catalog.addUser({ id, name: id, password, ...what });
      await addFolder('outer', at.rootId);
      await addFolder('inner', 'outer');
      await addFolder('deep', 'inner');
    });
    after(() => under.close());

    it('a grant holds for the entry and everything beneath it, with paths from there', async () => {
      await grant('inner', 'user:ann', 'viewer');
      assert.equal(await resolve('outer', 'user:ann'), null);
      assert.equal(await resolve('inner', 'user:bob'), null);
      const inner = await resolve('inner', 'user:ann');
      const { role, parentRole, path, isTrashed } = inner ?? {};
      assert.deepEqual(
        { role, parentRole, path, isTrashed },
        { role: 'viewer', parentRole: null, path: '/inner', isTrashed: false },
      );
      await grant('deep', 'user:ann', 'editor');
      const deep = await resolve('deep', 'user:ann');
      assert.deepEqual([deep?.role, deep?.parentRole, deep?.path], ['editor', 'viewer', '/inner/deep']);
      await grant('deep', 'user:ann', null);
      assert.equal((await resolve('deep', 'user:ann'))?.role, 'viewer');
    });

    it('the spaces of grants are those of the person and of their groups, also by the claim of an issuer', async () => {
      const of = async (user: string, groups: string[] = []) =>
        (await catalog.findGrantedSpaces({ user, groups })).map(({ space, role, principals }) => [
          space,
          role,
          principals,
        ]);
      assert.deepEqual(await of('ann'), [[at.space, 'viewer', ['user:ann']]]);
      assert.deepEqual(await of('bob'), []);
      const group = await catalog.addGroup({ space: at.space, name: 'legal', members: ['bob', 'bob'], ...what });
      assert.deepEqual(group, { name: 'legal', members: ['bob'] });
      assert.deepEqual(await of('bob'), [], 'nothing was granted to the group');
      await grant('deep', 'group:legal', 'editor');
      assert.deepEqual(await of('bob'), [[at.space, 'editor', ['group:legal']]]);
      assert.deepEqual(await of('corp:7', ['legal', 'other']), [[at.space, 'editor', ['group:legal']]]);
      await catalog.changeGroup({ space: at.space, name: 'legal', add: ['ann'], remove: ['bob'], ...what });
      assert.deepEqual(await of('bob'), []);
      assert.deepEqual(await of('ann'), [[at.space, 'editor', ['user:ann', 'group:legal']]]);
      assert.equal((await catalog.removeGroup({ space: at.space, name: 'legal', ...what })).name, 'legal');
      assert.deepEqual(await of('ann'), [[at.space, 'viewer', ['user:ann']]]);
      assert.equal(await resolve('deep', 'group:legal'), null, 'its grants ended with it');
    });

    it('what is unknown is refused, and so is a grant on the root', async () => {
      await assert.rejects(grant('inner', 'user:nobody', 'viewer'), refuses('UserNotFound'));
      await assert.rejects(grant('inner', 'user:nobody', null), refuses('UserNotFound'));
      await assert.rejects(grant('inner', 'group:nobody', 'viewer'), refuses('GroupNotFound'));
      await assert.rejects(grant(at.rootId, 'user:ann', 'viewer'), refuses('InvalidField'));
      await assert.rejects(grant('nowhere', 'user:ann', 'viewer'), refuses('EntryNotFound'));
      const other = { space: at.space, name: 'nobody', ...what };
      await assert.rejects(catalog.changeGroup({ ...other, add: [], remove: [] }), refuses('GroupNotFound'));
      await assert.rejects(catalog.removeGroup(other), refuses('GroupNotFound'));
      await assert.rejects(catalog.addGroup({ ...other, members: ['nobody'] }), refuses('UserNotFound'));
      await grant('inner', 'user:bob', null);
    });

    it('says who may see an entry and why', async () => {
      await catalog.setRole({ id: 'bob', space: 'granting', role: 'manager', ...what });
      const lines = await catalog.listAccess({ space: at.space, id: ids.deep ?? '', principals: null });
      assert.deepEqual(lines, [
        { principal: 'user:ann', role: 'viewer', from: { id: ids.inner, path: '/outer/inner' } },
        { principal: 'user:bob', role: 'manager', from: null },
      ]);
      const own = await catalog.listAccess({ space: at.space, id: ids.deep ?? '', principals: ['user:ann'] });
      assert.deepEqual(own, [{ principal: 'user:ann', role: 'viewer', from: { id: ids.inner, path: '/inner' } }]);
    });

    it('lists what is shared, each entry once, with the largest role', async () => {
      await catalog.addGroup({ space: at.space, name: 'all', members: ['ann'], ...what });
      await grant('inner', 'group:all', 'editor');
      const spaces = [{ space: at.space, principals: ['user:ann', 'group:all'] }];
      const shared = await catalog.listShared({ spaces, after: 0, limit: 10 });
      assert.deepEqual(
        shared.map(({ entry, role }) => [entry.id, role]),
        [[ids.inner, 'editor']],
      );
      assert.deepEqual(await catalog.listShared({ spaces, after: shared[0]?.number ?? 0, limit: 10 }), []);
      assert.deepEqual(await catalog.listShared({ spaces: [], after: 0, limit: 10 }), []);
      await catalog.removeGroup({ space: at.space, name: 'all', ...what });
    });

    it('grants survive the trash, are not copied, and end when the entry is removed for good', async () => {
      await addFolder('kept', at.rootId);
      await addFolder('child', 'kept');
      await grant('kept', 'user:ann', 'editor');
      await catalog.trashEntry({ space: at.space, id: ids.child ?? '', ...what });
      const child = await resolve('child', 'user:ann');
      assert.deepEqual([child?.isTrashed, child?.parentRole, child?.path], [true, 'editor', '/kept/child']);
      await catalog.trashEntry({ space: at.space, id: ids.kept ?? '', ...what });
      assert.equal((await resolve('kept', 'user:ann'))?.isTrashed, true);
      await catalog.restoreEntry({
        space: at.space,
        id: ids.kept ?? '',
        parent: null,
        name: null,
        conflict: 'Fail',
        ...what,
      });
      assert.equal((await resolve('kept', 'user:ann'))?.isTrashed, false);
      await catalog.removeEntry({ space: at.space, id: ids.kept ?? '', ...what });
      assert.equal(await resolve('kept', 'user:ann'), null);
    });

    it('an entry in the trash with a folder above what was granted is not shown', async () => {
      await addFolder('above', at.rootId);
      await addFolder('granted', 'above');
      await grant('granted', 'user:ann', 'editor');
      await catalog.trashEntry({ space: at.space, id: ids.above ?? '', ...what });
      assert.equal(await resolve('granted', 'user:ann'), null);
      const tops = await catalog.listGrantTops({ space: at.space, principals: ['user:ann'] });
      assert.deepEqual(
        tops.map(({ id }) => id),
        [ids.inner],
      );
    });
  });
}
