// The contract of the catalog about people, certificates and sign-ins: every engine's own test file calls this too.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, folderIn, refuses, what } from './requests.ts';

const password = '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA';

function grantOf(user: string, id: string) {
  return {
    model: 'Grant',
    id,
    uid: null,
    grant: null,
    user,
    since: 100,
    payload: '{"a":1}',
    expiresAt: what.at + 1000,
  };
}

export function testPeople(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog about people`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;

    const find = (model: string, by: 'id' | 'uid', value: string) =>
      catalog.findIssuerRecord({ model, by, value, at: what.at });

    before(async () => {
      under = await open();
      catalog = under.catalog;
    });
    after(() => under.close());

    it('never reuses a user id', async () => {
      const made = await catalog.addUser({ id: 'ann', name: 'Ann', password, ...what });
      assert.deepEqual(await catalog.findUser({ id: 'ann' }), made);
      await catalog.setUserState({ id: 'ann', state: 'disabled', ...what });
      const again = catalog.addUser({ id: 'ann', name: 'Another', password, ...what });
      await assert.rejects(again, refuses('NameAlreadyExists'));
      assert.equal(await catalog.findUser({ id: 'bob' }), null);
      await assert.rejects(catalog.setUserState({ id: 'bob', state: 'active', ...what }), refuses('UserNotFound'));
    });

    it('lists the spaces of a person with one role in each', async () => {
      const [left, right] = [await addApplication(catalog, 'left'), await addApplication(catalog, 'right')];
      await catalog.addUser({ id: 'cleo', name: 'Cleo', password, ...what });
      await catalog.setRole({ id: 'cleo', space: 'right', role: 'viewer', ...what });
      await catalog.setRole({ id: 'cleo', space: 'left', role: 'viewer', ...what });
      const changed = await catalog.setRole({ id: 'cleo', space: 'left', role: 'manager', ...what });
      const spaces = [
        { ...left.access, role: 'manager' },
        { ...right.access, role: 'viewer' },
      ];
      assert.deepEqual(changed.spaces, spaces);
      const listed = (await catalog.listUsers({})).find(({ id }) => id === 'cleo');
      assert.deepEqual(listed?.spaces, spaces);
      await catalog.setRole({ id: 'cleo', space: 'left', role: null, ...what });
      const [only, ...others] = (await catalog.findPerson({ id: 'cleo', signIn: null, at: what.at })) ?? [];
      assert.deepEqual([only?.spaceName, others.length], ['right', 0]);
      const nowhere = catalog.setRole({ id: 'cleo', space: 'nowhere', role: 'viewer', ...what });
      await assert.rejects(nowhere, refuses('SpaceNotFound'));
      const nobody = catalog.setRole({ id: 'nobody', space: 'left', role: 'viewer', ...what });
      await assert.rejects(nobody, refuses('UserNotFound'));
    });

    it('allows roles for people of external issuers, who have none before', async () => {
      await addApplication(catalog, 'outside');
      assert.deepEqual(await catalog.findPerson({ id: 'corp:7', signIn: null, at: what.at }), []);
      await catalog.setRole({ id: 'corp:7', space: 'outside', role: 'viewer', ...what });
      assert.equal((await catalog.findPerson({ id: 'corp:7', signIn: null, at: what.at }))?.length, 1);
      await assert.rejects(catalog.setPassword({ id: 'corp:7', password, ...what }), refuses('InvalidField'));
      await catalog.setUserState({ id: 'corp:7', state: 'disabled', ...what });
      assert.equal(await catalog.findPerson({ id: 'corp:7', signIn: null, at: what.at }), null);
    });

    describe('sign-ins', () => {
      const signIn = { grant: 'g1', session: 'u1' };
      const second = Math.floor(what.at / 1000);
      const begin = async (user: string, since: number) => {
        await catalog.putIssuerRecord({ ...grantOf(user, 'g1'), since });
        await catalog.putIssuerRecord({ ...grantOf(user, 's1'), model: 'Session', uid: 'u1', since });
      };
      const isThere = async (id: string) => (await catalog.findPerson({ id, signIn, at: what.at })) !== null;

      it('of the person, with grant and session, are needed to find a person', async () => {
        await catalog.addUser({ id: 'dora', name: 'Dora', password, ...what });
        await catalog.addUser({ id: 'dirk', name: 'Dirk', password, ...what });
        assert.equal(await isThere('dora'), false);
        await begin('dora', second);
        assert.deepEqual([await isThere('dora'), await isThere('dirk')], [true, false]);
        assert.equal(await catalog.findPerson({ id: 'dora', signIn, at: what.at + 2000 }), null, 'it is over by then');
      });

      it('that were ended cannot be written again by an earlier request', async () => {
        for (const [model, id] of [
          ['Grant', 'g1'],
          ['Session', 's1'],
        ] as const) {
          await catalog.forgetIssuerRecords({ at: Number.MAX_SAFE_INTEGER });
          await begin('dora', second);
          assert.equal(await isThere('dora'), true);
          await catalog.endIssuerRecord({ model, id });
          assert.equal(await isThere('dora'), false);
          await begin('dora', second);
          assert.equal(await isThere('dora'), false, `${model} came back`);
        }
        await catalog.forgetIssuerRecords({ at: Number.MAX_SAFE_INTEGER });
      });

      it('from before a new password or a disabling are ended, even if written again; later ones are not', async () => {
        const changes = [
          () => catalog.setPassword({ id: 'dora', password, ...what }),
          () => catalog.setUserState({ id: 'dora', state: 'disabled', ...what }),
        ];
        let since = second;
        for (const change of changes) {
          await begin('dora', since);
          await change();
          await catalog.setUserState({ id: 'dora', state: 'active', ...what });
          await begin('dora', since);
          assert.equal(await isThere('dora'), false);
          // Twice within a second, a sign-in after the first is still before the second.
          since = ((await catalog.findUser({ id: 'dora' }))?.signedOutAt ?? 0) + 1;
          await begin('dora', since);
          assert.equal(await isThere('dora'), true);
        }
      });
    });

    it('consumes a record once, even concurrently', async () => {
      await catalog.putIssuerRecord({ ...grantOf('eve', 'r1'), model: 'RefreshToken', uid: 'u1', grant: 'g2' });
      const consumers = Array.from({ length: 16 }, () =>
        catalog.consumeIssuerRecord({ model: 'RefreshToken', id: 'r1', at: what.at }),
      );
      assert.equal((await Promise.all(consumers)).filter(Boolean).length, 1);
      const found = await find('RefreshToken', 'uid', 'u1');
      assert.deepEqual([found?.consumedAt, found?.payload], [what.at, '{"a":1}']);
      await catalog.endGrant({ model: 'AuthorizationCode', grant: 'g2' });
      assert.notEqual(await find('RefreshToken', 'id', 'r1'), null);
      await catalog.endGrant({ model: 'RefreshToken', grant: 'g2' });
      assert.equal(await find('RefreshToken', 'id', 'r1'), null);
    });

    it('tells a device that asks too often to wait longer each time, up to a maximum', async () => {
      const limits = { firstIntervalSeconds: 5, stepSeconds: 5, maxIntervalSeconds: 15, toleranceMs: 1000 };
      const poll = (id: string, seconds: number) => {
        const at = what.at + seconds * 1000;
        return catalog.notePoll({ id, at, expiresAt: at + 600_000, ...limits });
      };
      const outcome = async (seconds: number) => {
        const { isTooEarly, intervalSeconds } = await poll('device', seconds);
        return [isTooEarly, intervalSeconds];
      };
      assert.deepEqual(await outcome(0), [false, 5]);
      assert.deepEqual(await outcome(4.2), [false, 5], 'within the tolerance');
      assert.deepEqual(await outcome(7), [true, 10]);
      assert.deepEqual(await outcome(13), [true, 15], 'five seconds are no longer enough');
      assert.deepEqual(await outcome(28), [false, 15]);
      assert.deepEqual(await outcome(29), [true, 15]);
      assert.deepEqual(await outcome(43), [false, 15], 'at the maximum, what came too early is not counted');
      assert.deepEqual(await poll('another device', 43), { isTooEarly: false, intervalSeconds: 5 });
      const together = await Promise.all(Array.from({ length: 8 }, () => poll('at once', 0)));
      assert.equal(together.filter(({ isTooEarly }) => !isTooEarly).length, 1);
    });

    it('removes expired records, and only those', async () => {
      await catalog.putIssuerRecord(grantOf('finn', 'old'));
      await catalog.putIssuerRecord({ ...grantOf('finn', 'new'), expiresAt: what.at + 5000 });
      assert.ok((await catalog.forgetIssuerRecords({ at: what.at + 2000 })) >= 1);
      assert.equal(await find('Grant', 'id', 'old'), null);
      assert.notEqual(await find('Grant', 'id', 'new'), null);
    });

    it('registers a certificate with one application, until it is removed', async () => {
      const certificate = { thumbprint: 't1', subject: 'CN=a', notAfter: what.at };
      const [one, two] = [await addServer('server-1'), await addServer('server-2')];
      await catalog.addCertificate({ application: one.name, certificate, ...what });
      const twice = catalog.addCertificate({ application: two.name, certificate, ...what });
      await assert.rejects(twice, refuses('NameAlreadyExists'));
      assert.deepEqual((await catalog.findApplication({ appKey: one.appKey }))?.certificates, ['t1']);
      assert.deepEqual(await catalog.listCertificates({ application: one.name }), [
        { ...certificate, addedAt: what.at },
      ]);
      const wrong = catalog.removeCertificate({ application: two.name, thumbprint: 't1', isOneKept: false, ...what });
      await assert.rejects(wrong, refuses('CertificateNotFound'));
      await catalog.removeCertificate({ application: one.name, thumbprint: 't1', isOneKept: false, ...what });
      assert.deepEqual((await catalog.findApplication({ appKey: one.appKey }))?.certificates, []);
      const onClient = catalog.addCertificate({ application: 'left', certificate, ...what });
      await assert.rejects(onClient, refuses('InvalidField'));
    });

    it('registers nothing of an application whose certificate belongs to another', async () => {
      const certificate = { thumbprint: 't2', subject: 'CN=b', notAfter: what.at };
      await addServer('server-3', certificate);
      await assert.rejects(addServer('server-4', certificate), refuses('NameAlreadyExists'));
      assert.equal(await catalog.findApplication({ appKey: 'ak_server-4' }), null);
    });

    it('finds the space of an entry', async () => {
      const [here, there] = [await addApplication(catalog, 'here'), await addApplication(catalog, 'there')];
      const { folder } = await catalog.createFolder(folderIn(there, 'x'));
      assert.equal(await catalog.findSpaceOf({ id: folder.id, spaces: [here.space, there.space] }), there.space);
      assert.equal(await catalog.findSpaceOf({ id: folder.id, spaces: [here.space] }), null);
      assert.equal(await catalog.findSpaceOf({ id: 'nothing', spaces: [here.space, there.space] }), null);
    });

    async function addServer(
      named: string,
      ...certificates: { thumbprint: string; subject: string; notAfter: number }[]
    ) {
      return await addApplication(catalog, named, null, { kind: 'server', certificates });
    }
  });
}
