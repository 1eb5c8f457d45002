// The contract of the catalog about what is managed: spaces, applications and people of one space, quotas, the journal.

import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { ListAudit } from '../../src/catalog/verbs/journal.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, fileIn, folderIn, type Registered, refuses, what } from './requests.ts';

const password = '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA';
const everything = { since: null, until: null, by: null, action: null, entry: null };

export function testManaging(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog about management`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;
    let left: Registered;
    let right: Registered;

    before(async () => {
      under = await open();
      catalog = under.catalog;
      left = await addApplication(catalog, 'left');
      right = await addApplication(catalog, 'right');
    });
    after(() => under.close());

    const addPerson = (id: string) => catalog.addUser({ id, name: id, password, ...what });
    const audit = (more: Partial<ListAudit> = {}) =>
      catalog.listAudit({ space: left.space, before: null, limit: 100, ...everything, ...more });

    describe('applications of a space', () => {
      it('are found only in their space, by AppKey', async () => {
        const ways = [
          (space: number, application: string) => catalog.rotateSecret({ ...secret, space, application, ...what }),
          (space: number, application: string) =>
            catalog.setApplicationState({ space, application, state: 'active', areTokensRevoked: false, ...what }),
          (space: number, application: string) => catalog.listCertificates({ space, application }),
        ];
        for (const ask of ways) {
          await ask(left.space, left.appKey);
          await assert.rejects(ask(left.space, right.appKey), refuses('ApplicationNotFound'));
          await assert.rejects(ask(left.space, left.name), refuses('ApplicationNotFound'));
        }
        assert.equal((await catalog.findApplication({ appKey: right.appKey }))?.secretSha256, right.secretSha256);
      });

      it('are listed by name, page by page, without removed ones and those of other spaces', async () => {
        const shared = await addApplication(catalog, 'm-0', 'many');
        for (const n of [3, 1, 2]) await addApplication(catalog, `m-${n}`, 'many');
        await catalog.setApplicationState({ application: 'm-2', state: 'removed', areTokensRevoked: false, ...what });
        const { space } = shared;
        const first = await catalog.listApplicationsOf({ space, after: null, limit: 2 });
        const second = await catalog.listApplicationsOf({ space, after: 'm-1', limit: 2 });
        const names = [...first, ...second].map((application) => application.name);
        assert.deepEqual(names, ['m-0', 'm-1', 'm-3']);
      });

      it('keep a certificate where one must be kept', async () => {
        const certificates = ['k1', 'k2'].map((thumbprint) => ({ thumbprint, subject: 'CN=k', notAfter: what.at }));
        const { name: application } = await addApplication(catalog, 'kept', null, { kind: 'server', certificates });
        const remove = (thumbprint: string, isOneKept: boolean) =>
          catalog.removeCertificate({ application, thumbprint, isOneKept, ...what });
        await remove('k1', true);
        await assert.rejects(remove('k2', true), refuses('Forbidden'));
        await remove('k2', false);
      });
    });

    describe('people of a space', () => {
      it('are its members only, by id, page by page', async () => {
        const { space } = await addApplication(catalog, 'club');
        for (const id of ['zoe', 'abe', 'mia']) {
          await addPerson(id);
          await catalog.setMember({ id, space, role: 'viewer', isManagerKept: false, ...what });
        }
        await addPerson('out');
        const first = await catalog.listMembers({ space, after: null, limit: 2 });
        const rest = await catalog.listMembers({ space, after: 'mia', limit: 2 });
        assert.deepEqual(
          [...first, ...rest].map(({ id }) => id),
          ['abe', 'mia', 'zoe'],
        );
        const [abe] = first;
        assert.deepEqual(abe, {
          id: 'abe',
          name: 'abe',
          state: 'active',
          role: 'viewer',
          createdAt: what.at,
          createdBy: what.by,
          hasSignedIn: false,
        });
      });

      it('get an account and a role together, or neither', async () => {
        const { space } = left;
        const setup = { hash: 'new', expiresAt: what.at + 1 };
        const member = { id: 'new', name: 'New', password, setup, space, role: 'editor', ...what } as const;
        await catalog.addMember(member);
        const spaces = await catalog.findPerson({ id: 'new', signIn: null, at: what.at });
        assert.deepEqual(spaces, [{ ...left.access, role: 'editor' }]);
        const again = catalog.addMember({ ...member, space: right.space, role: 'manager' });
        await assert.rejects(again, refuses('NameAlreadyExists'));
        assert.deepEqual(await catalog.findPerson({ id: 'new', signIn: null, at: what.at }), spaces);
      });

      it('can lose a role that they have', async () => {
        const [here, there] = [await addApplication(catalog, 'role-here'), await addApplication(catalog, 'role-there')];
        await addPerson('rita');
        const set = (space: number, role: 'viewer' | null) =>
          catalog.setMember({ id: 'rita', space, role, isManagerKept: true, ...what });
        await assert.rejects(set(here.space, null), refuses('UserNotFound'));
        await set(here.space, 'viewer');
        await set(there.space, 'viewer');
        assert.equal((await set(here.space, null)).role, null);
        const spaces = await catalog.findPerson({ id: 'rita', signIn: null, at: what.at });
        assert.deepEqual(
          spaces?.map(({ space }) => space),
          [there.space],
        );
        const nobody = catalog.setMember({
          id: 'nobody',
          space: here.space,
          role: 'viewer',
          isManagerKept: true,
          ...what,
        });
        await assert.rejects(nobody, refuses('UserNotFound'));
      });

      it('keep an active manager where one is required', async () => {
        const { space } = await addApplication(catalog, 'kept-manager');
        for (const id of ['m1', 'm2']) {
          await addPerson(id);
          await catalog.setMember({ id, space, role: 'manager', isManagerKept: true, ...what });
        }
        const demote = (id: string, role: 'viewer' | null, isManagerKept = true) =>
          catalog.setMember({ id, space, role, isManagerKept, ...what });
        await catalog.setUserState({ id: 'm2', state: 'disabled', ...what });
        await assert.rejects(demote('m1', null), refuses('LastManager'));
        await assert.rejects(demote('m1', 'viewer'), refuses('LastManager'));
        await catalog.setUserState({ id: 'm2', state: 'active', ...what });
        // Both at once: one of them stays.
        const settled = await Promise.allSettled([demote('m1', null), demote('m2', null)]);
        assert.deepEqual(settled.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
        const [last] = await catalog.listMembers({ space, after: null, limit: 10 });
        assert.equal(last?.role, 'manager');
        await demote(String(last?.id), null, false);
        assert.deepEqual(await catalog.listMembers({ space, after: null, limit: 10 }), []);
      });
    });

    describe('spaces', () => {
      it('that a person creates have that person as manager, and their own root', async () => {
        await addPerson('maker');
        const created = { name: 'made', spaceId: randomUUIDv7(), rootId: randomUUIDv7(), manager: 'maker', ...what };
        const access = await catalog.addSpace(created);
        assert.deepEqual(await catalog.findPerson({ id: 'maker', signIn: null, at: what.at }), [access]);
        await catalog.saveFile(fileIn({ ...left, space: access.space, rootId: access.rootId }, 'a'));
        assert.equal((await catalog.findUsage({ space: access.space, actor: '' })).entries, 1);
        const twice = catalog.addSpace({ ...created, spaceId: randomUUIDv7(), rootId: randomUUIDv7() });
        await assert.rejects(twice, refuses('NameAlreadyExists'));
      });

      it('are renamed to a free name, and applications can still join them', async () => {
        const { space } = await addApplication(catalog, 'before');
        const taken = catalog.renameSpace({ space, name: 'left', ...what });
        await assert.rejects(taken, refuses('NameAlreadyExists'));
        await catalog.renameSpace({ space, name: 'afterwards', ...what });
        const joined = await addApplication(catalog, 'joined', null, { space });
        assert.equal(joined.access?.spaceName, 'afterwards');
        assert.equal(joined.space, space);
      });
    });

    describe('quotas', () => {
      it('are changed one by one, and removed', async () => {
        const holder = { space: 'left', application: null, user: null, ...what };
        await catalog.setQuota({ ...holder, quota: { bytes: 100, requests: 5 } });
        await catalog.setQuota({ ...holder, quota: { entries: 7, requests: null } });
        const found = await catalog.findUsage({ space: left.space, actor: '' });
        assert.deepEqual(found.quota, { bytes: 100, entries: 7, requests: null });
        assert.ok((await catalog.listQuotas({ isWhole: false })).some(({ space }) => space === left.space));
        await catalog.setQuota({ ...holder, quota: { bytes: null, entries: null } });
        assert.deepEqual(await catalog.listQuotas({ isWhole: false }), []);
        assert.ok((await catalog.listQuotas({ isWhole: true })).some(({ space }) => space === left.space));
      });

      it('refuse exactly what exceeds the space or the actor, and nothing of others', async () => {
        const mine = await addApplication(catalog, 'mine', 'limited');
        const { space } = mine;
        const set = (of: { application: string | null }, quota: { bytes?: number; entries?: number }) =>
          catalog.setQuota({ space: 'limited', user: null, ...of, quota, ...what });
        const save = (name: string, bytes: string, by: string) =>
          catalog.saveFile(fileIn(mine, name, { content: inlineOf(bytes), by }));
        await set({ application: null }, { bytes: 10 });
        await set({ application: 'mine' }, { bytes: 6, entries: 2 });
        await save('a', '123456', 'app:mine');
        await assert.rejects(save('b', '7', 'app:mine'), refuses('QuotaExceeded'));
        await save('b', '7890', 'another');
        await assert.rejects(save('c', '1', 'another'), refuses('QuotaExceeded'));
        await catalog.createFolder(folderIn(mine, 'd', { by: 'app:mine' }));
        const third = catalog.createFolder(folderIn(mine, 'e', { by: 'app:mine' }));
        await assert.rejects(third, refuses('QuotaExceeded'));
        await catalog.createFolder(folderIn(mine, 'e', { by: 'another' }));
        const all = await catalog.listUsage({ space, after: null, limit: 10 });
        assert.deepEqual(
          all.map(({ actor, entries, bytes }) => [actor, entries, bytes]),
          [
            ['another', 2, 4],
            ['app:mine', 2, 6],
          ],
        );
        assert.equal(await catalog.findSizeOf({ space, folder: mine.rootId, nameKey: 'a' }), 6);
        assert.equal(await catalog.findSizeOf({ space, folder: mine.rootId, nameKey: 'd' }), null);
        assert.equal(await catalog.findSizeOf({ space: left.space, folder: mine.rootId, nameKey: 'a' }), null);
      });

      it('need an existing owner', async () => {
        const set = (more: object) =>
          catalog.setQuota({ space: null, application: null, user: null, quota: { bytes: 1 }, ...what, ...more });
        await assert.rejects(set({}), refuses('InvalidField'));
        await assert.rejects(set({ space: 'nowhere' }), refuses('SpaceNotFound'));
        await assert.rejects(set({ space: 'left', user: 'nobody' }), refuses('UserNotFound'));
        await assert.rejects(set({ application: 'nothing' }), refuses('ApplicationNotFound'));
        await assert.rejects(set({ application: 'right', space: 'left' }), refuses('InvalidField'));
      });
    });

    describe('the journal', () => {
      it('is listed per space, newest first, by every filter', async () => {
        const note = (at: number, by: string, entry: string, space = left.space) =>
          catalog.noteRead({ at, by, request: what.request, space, entry, version: 1 });
        const begun = what.at + 100_000_000;
        await note(begun, 'ann', 'e1');
        await note(begun + 1, 'bob', 'e2');
        await note(begun + 2, 'bob', 'e1', right.space);
        await note(begun + 3, 'bob', 'e1');
        const show = async (more: Partial<ListAudit>) =>
          (await audit({ action: 'file.read', ...more })).events.map(({ at }) => at - begun);
        assert.deepEqual(await show({}), [3, 1, 0]);
        assert.deepEqual(await show({ by: 'bob' }), [3, 1]);
        assert.deepEqual(await show({ entry: 'e1' }), [3, 0]);
        assert.deepEqual(await show({ since: begun + 1 }), [3, 1]);
        assert.deepEqual(await show({ until: begun + 1 }), [1, 0]);
        assert.deepEqual(await show({ since: begun + 1, until: begun + 2 }), [1]);
        assert.deepEqual(await show({ action: 'no.such' }), []);
        const [newest] = (await audit()).events;
        assert.deepEqual([newest?.by, newest?.details], ['bob', '{"version":1}']);
      });

      it('is listed page by page, each row once', async () => {
        const whole = (await audit({ limit: 1000 })).events;
        const seen: number[] = [];
        for (let before: number | null = null; ; ) {
          const { events, next } = await audit({ limit: 3, before });
          seen.push(...events.map(({ position }) => position));
          if (next === null) break;
          before = next;
        }
        assert.deepEqual(
          seen,
          whole.map(({ position }) => position),
        );
      });

      it('reads a limited number of rows per page, even if nothing matches', async () => {
        const { space } = await addApplication(catalog, 'busy');
        const note = (n: number) =>
          catalog.noteRead({ at: what.at + n, by: 'x', request: '', space, entry: String(n), version: null });
        await Promise.all(Array.from({ length: 2500 }, (_, n) => note(n)));
        const first = await audit({ space, entry: '3' });
        assert.equal(first.events.length, 0);
        assert.notEqual(first.next, null, 'the page ends, the list goes on');
        const second = await audit({ space, entry: '3', before: first.next });
        assert.deepEqual([second.events.length, second.next], [1, null]);
        const late = await audit({ space, since: what.at + 10 * 60 * 60 * 1000 });
        assert.deepEqual(late, { events: [], next: null }, 'what is before is older still');
      });

      it('is removed from its beginning, in slices, and never its newest row', async () => {
        const ends = await catalog.findJournalEnds({});
        assert.equal(ends?.first, 1);
        const last = Number(ends?.last);
        assert.equal(await catalog.forgetJournal({ upTo: 10, limit: 4 }), 4);
        assert.equal((await catalog.findJournalEnds({}))?.first, 5);
        const [first] = await catalog.listJournal({ from: 0, to: last, limit: 1 });
        assert.equal(first?.position, 5);
        assert.equal(await catalog.forgetJournal({ upTo: last + 10, limit: 1_000_000 }), last - 5);
        assert.deepEqual(await catalog.findJournalEnds({}), { first: last, last });
        assert.equal(await catalog.forgetJournal({ upTo: last + 10, limit: 10 }), 0);
      });
    });
  });
}

const secret = { secretSha256: 'x', previousUntil: 0, areTokensRevoked: false };

function inlineOf(text: string) {
  return fileIn({ space: 0, rootId: '' } as Registered, text).content;
}
