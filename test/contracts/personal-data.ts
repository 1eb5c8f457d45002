// The contract of the catalog about export and erasure of one person's data: every engine's own test file calls this too.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { Value } from '../../src/catalog/statement.ts';
import type { PersonalRow } from '../../src/catalog/verbs/personal-data.ts';
import { personalTables } from '../../src/catalog/verbs/personal-tables.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, folderIn, type Registered, refuses, what } from './requests.ts';

const password = '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA';
const expiresAt = what.at + 1_000_000;

export function testPersonalData(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog about one person's data`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;
    let space: Registered;

    before(async () => {
      under = await open();
      catalog = under.catalog;
      space = await addApplication(catalog, 'first');
    });
    after(() => under.close());

    /** All rows of a section. */
    async function list(id: string, section: string): Promise<PersonalRow[]> {
      const rows: PersonalRow[] = [];
      for (let next: readonly Value[] | null = null; ; ) {
        const slice: { rows: PersonalRow[]; next: readonly Value[] | null } = await catalog.listPersonalRows({
          id,
          section,
          after: next,
        });
        rows.push(...slice.rows);
        next = slice.next;
        if (next === null) return rows;
      }
    }

    async function countAll(id: string): Promise<Record<string, number>> {
      const counts: Record<string, number> = {};
      for (const { section } of personalTables) {
        if (section === null) continue;
        const { length } = await list(id, section);
        if (length > 0) counts[section] = length;
      }
      return counts;
    }

    async function star(user: string, count: number): Promise<void> {
      for (let index = 0; index < count; index += 1) {
        await catalog.starEntry({ user, space: space.space, id: `e${index}`, at: what.at });
      }
    }

    async function addPerson(id: string): Promise<void> {
      const { space: number } = space;
      await catalog.addUser({ id, name: `Name of ${id}`, password, ...what });
      await catalog.setRole({ id, space: 'first', role: 'editor', ...what });
      const { folder } = await catalog.createFolder(folderIn(space, `by ${id}`, { by: id }));
      await catalog.addGroup({ space: number, name: `of ${id}`, members: [id], ...what });
      const principal = { kind: 'user', name: id } as const;
      await catalog.putGrant({ space: number, id: folder.id, principal, role: 'viewer', ...what });
      await catalog.noteSignIn({
        ...{ user: id, outcome: 'succeeded', address: '192.0.2.1', application: null, reason: null },
        ...what,
      });
      const link = { id: `l-${id}`, space: number, entry: folder.id, version: 1, user: id, appKey: 'ak_first' };
      await catalog.addLink({ ...link, expiresAt, ...what });
      await catalog.giveConsent({ user: id, appKey: 'ak_first', scopes: ['content.read'], ...what });
      await catalog.noteRecent({ user: id, space: number, id: folder.id, at: what.at });
    }

    it('exports and erases one person, and leaves what others have', async () => {
      await addPerson('ann');
      await addPerson('ben');
      await star('ann', 1203);
      await star('ben', 2);
      const stars = await list('ann', 'Starred');
      assert.equal(new Set(stars.map(({ entry }) => entry)).size, 1203);
      const counts = { Roles: 1, Groups: 1, Grants: 1, Consents: 1, KnownAddresses: 1, TemporaryLinks: 1, Recent: 1 };
      assert.deepEqual(await countAll('ann'), { ...counts, Starred: 1203, Usage: 1 });
      const [grant] = await list('ann', 'Grants');
      assert.deepEqual([grant?.role, typeof grant?.entry], ['viewer', 'string']);
      assert.deepEqual((await list('ann', 'Usage'))[0]?.entries, 1);

      assert.equal(await catalog.erasePerson({ id: 'ann', ...what }), true);
      // As after a crash: the account is gone at once, the rest by the next attempt.
      assert.equal(await catalog.findPerson({ id: 'ann', signIn: null, at: what.at }), null);
      assert.equal(await catalog.erasePerson({ id: 'ann', ...what }), false);
      while ((await catalog.eraseRows({ id: 'ann' })) > 0);
      assert.deepEqual(await countAll('ann'), { Usage: 1 });
      assert.deepEqual(await countAll('ben'), { ...counts, Starred: 2, Usage: 1 });
      assert.equal(await catalog.eraseRows({ id: 'ben' }), 0, 'nothing of who was not erased');
      assert.deepEqual(await countAll('ben'), { ...counts, Starred: 2, Usage: 1 });
      assert.deepEqual(await catalog.listErased({ since: what.at - 1 }), ['ann']);

      const events = await catalog.listJournal({ from: 1, to: 1e9, limit: 1000 });
      const erased = events.filter(({ action }) => action === 'user.erased');
      assert.deepEqual(
        erased.map((row) => [row.space, row.by, row.entry, row.details]),
        [[space.space, 'operator', 'ann', '{}']],
      );
    });

    it('gives nobody the id, and the account no role, grant, group, quota, link or password', async () => {
      await addPerson('cem');
      await catalog.erasePerson({ id: 'cem', ...what });
      const { createdAt, name: shown, password: hash, state } = (await catalog.findUser({ id: 'cem' })) ?? {};
      assert.deepEqual([createdAt, shown, hash, state], [0, '', null, 'disabled']);
      const listed = (await catalog.listUsers({})).map(({ id }) => id);
      assert.ok(!listed.includes('cem') && listed.includes('ben'));
      assert.equal(await catalog.findMember({ space: space.space, id: 'cem' }), null);
      const again = catalog.addUser({ id: 'cem', name: 'Other', password, ...what });
      await assert.rejects(again, refuses('NameAlreadyExists'));
      const [setup, role] = [{ hash: 'h', expiresAt }, 'viewer'] as const;
      const { space: number } = space;
      const member = catalog.addMember({ id: 'cem', name: 'x', password, setup, space: number, role, ...what });
      await assert.rejects(member, refuses('NameAlreadyExists'));
      const { folder } = await catalog.createFolder(folderIn(space, 'shared'));
      const principal = { kind: 'user', name: 'cem' } as const;
      const quota = { entries: 1, bytes: null, requests: null };
      const changes = [
        () => catalog.setUserState({ id: 'cem', state: 'active', ...what }),
        () => catalog.setPassword({ id: 'cem', password, ...what }),
        () => catalog.setRole({ id: 'cem', space: 'first', role, ...what }),
        () => catalog.setMember({ id: 'cem', space: number, role, isManagerKept: true, ...what }),
        () => catalog.putGrant({ space: number, id: folder.id, principal, role, ...what }),
        () => catalog.addGroup({ space: number, name: 'g', members: ['cem'], ...what }),
        () => catalog.setQuota({ space: 'first', application: null, user: 'cem', quota, ...what }),
        () => catalog.addSetupLink({ user: 'cem', space: null, role: null, ...setup, ...what }),
      ];
      for (const change of changes) await assert.rejects(change(), refuses('UserNotFound'));
    });

    it('erases people of outside issuers, also those without a role', async () => {
      await catalog.noteRecent({ user: 'idp:Dan', space: space.space, id: 'e1', at: what.at });
      assert.equal((await catalog.findPerson({ id: 'idp:Dan', signIn: null, at: what.at }))?.length, 0);
      assert.equal(await catalog.erasePerson({ id: 'idp:Dan', ...what }), true);
      assert.deepEqual(await countAll('idp:Dan'), {});
      assert.equal(await catalog.findPerson({ id: 'idp:Dan', signIn: null, at: what.at }), null);
      for (const id of ['idp:nobody', 'nobody']) {
        await assert.rejects(catalog.erasePerson({ id, ...what }), refuses('UserNotFound'));
      }
    });
  });
}
