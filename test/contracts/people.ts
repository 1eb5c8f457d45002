// The contract of the catalog about people, certificates and sign-ins: every engine's own test file calls this too.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, folderIn, refuses, what } from './requests.ts';

const password = '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA';

function grantOf(user: string, id: string) {
  return { model: 'Grant', id, uid: null, grant: null, user, payload: '{"a":1}', expiresAt: what.at + 1000 };
}

export function testPeople(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} keeps the contract of the catalog about people`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;

    before(async () => {
      under = await open();
      catalog = under.catalog;
    });
    after(() => under.close());

    it('gives a user id once, for ever', async () => {
      const made = await catalog.addUser({ id: 'ann', name: 'Ann', password, ...what });
      assert.deepEqual(await catalog.findUser({ id: 'ann' }), made);
      await catalog.setUserState({ id: 'ann', state: 'disabled', ...what });
      const again = catalog.addUser({ id: 'ann', name: 'Another', password, ...what });
      await assert.rejects(again, refuses('NameAlreadyExists'));
      assert.equal(await catalog.findUser({ id: 'bob' }), null);
      await assert.rejects(catalog.setUserState({ id: 'bob', state: 'active', ...what }), refuses('UserNotFound'));
    });

    it('knows the spaces of a person by their roles, one in each', async () => {
      const [left, right] = [await addApplication(catalog, 'left'), await addApplication(catalog, 'right')];
      await catalog.addUser({ id: 'cleo', name: 'Cleo', password, ...what });
      await catalog.setRole({ id: 'cleo', space: 'right', role: 'viewer', ...what });
      await catalog.setRole({ id: 'cleo', space: 'left', role: 'viewer', ...what });
      const changed = await catalog.setRole({ id: 'cleo', space: 'left', role: 'manager', ...what });
      const seats = [
        { ...left.seat, role: 'manager' },
        { ...right.seat, role: 'viewer' },
      ];
      assert.deepEqual(changed.seats, seats);
      const listed = (await catalog.listUsers({})).find(({ id }) => id === 'cleo');
      assert.deepEqual(listed?.seats, seats);
      await catalog.setRole({ id: 'cleo', space: 'left', role: null, ...what });
      const [only, ...others] = (await catalog.findPerson({ id: 'cleo', grant: null })) ?? [];
      assert.deepEqual([only?.spaceName, others.length], ['right', 0]);
      const nowhere = catalog.setRole({ id: 'cleo', space: 'nowhere', role: 'viewer', ...what });
      await assert.rejects(nowhere, refuses('SpaceNotFound'));
      const nobody = catalog.setRole({ id: 'nobody', space: 'left', role: 'viewer', ...what });
      await assert.rejects(nobody, refuses('UserNotFound'));
    });

    it('lets people of outside issuers be given roles, and have none before', async () => {
      await addApplication(catalog, 'outside');
      assert.deepEqual(await catalog.findPerson({ id: 'corp:7', grant: null }), []);
      await catalog.setRole({ id: 'corp:7', space: 'outside', role: 'viewer', ...what });
      assert.equal((await catalog.findPerson({ id: 'corp:7', grant: null }))?.length, 1);
      await assert.rejects(catalog.setPassword({ id: 'corp:7', password, ...what }), refuses('InvalidField'));
      await catalog.setUserState({ id: 'corp:7', state: 'disabled', ...what });
      assert.equal(await catalog.findPerson({ id: 'corp:7', grant: null }), null);
    });

    it('knows a person only while the sign-in lives; disabling and a new password end it', async () => {
      await catalog.addUser({ id: 'dora', name: 'Dora', password, ...what });
      const isThere = async () => (await catalog.findPerson({ id: 'dora', grant: 'g1' })) !== null;
      assert.equal(await isThere(), false);
      for (const end of [
        () => catalog.dropIssuerRecord({ model: 'Grant', id: 'g1' }),
        () => catalog.setPassword({ id: 'dora', password, ...what }),
        () => catalog.setUserState({ id: 'dora', state: 'disabled', ...what }),
      ]) {
        await catalog.putIssuerRecord(grantOf('dora', 'g1'));
        assert.equal(await isThere(), true);
        await end();
        assert.equal(await isThere(), false);
      }
      await catalog.setUserState({ id: 'dora', state: 'active', ...what });
      assert.equal(await isThere(), false, 'who is let in again signs in again');
    });

    it('consumes a record once, however many ask at once', async () => {
      await catalog.putIssuerRecord({ ...grantOf('eve', 'r1'), model: 'RefreshToken', uid: 'u1', grant: 'g2' });
      const asked = Array.from({ length: 16 }, () =>
        catalog.consumeIssuerRecord({ model: 'RefreshToken', id: 'r1', at: what.at }),
      );
      assert.equal((await Promise.all(asked)).filter(Boolean).length, 1);
      const found = await catalog.findIssuerRecord({ model: 'RefreshToken', by: 'uid', value: 'u1' });
      assert.deepEqual([found?.consumedAt, found?.payload], [what.at, '{"a":1}']);
      await catalog.dropGrant({ model: 'AuthorizationCode', grant: 'g2' });
      assert.notEqual(await catalog.findIssuerRecord({ model: 'RefreshToken', by: 'id', value: 'r1' }), null);
      await catalog.dropGrant({ model: 'RefreshToken', grant: 'g2' });
      assert.equal(await catalog.findIssuerRecord({ model: 'RefreshToken', by: 'id', value: 'r1' }), null);
    });

    it('forgets records that are over, and only those', async () => {
      await catalog.putIssuerRecord(grantOf('finn', 'old'));
      await catalog.putIssuerRecord({ ...grantOf('finn', 'new'), expiresAt: what.at + 5000 });
      assert.ok((await catalog.forgetIssuerRecords({ at: what.at + 2000 })) >= 1);
      assert.equal(await catalog.findIssuerRecord({ model: 'Grant', by: 'id', value: 'old' }), null);
      assert.notEqual(await catalog.findIssuerRecord({ model: 'Grant', by: 'id', value: 'new' }), null);
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
      const wrong = catalog.removeCertificate({ application: two.name, thumbprint: 't1', ...what });
      await assert.rejects(wrong, refuses('CertificateNotFound'));
      await catalog.removeCertificate({ application: one.name, thumbprint: 't1', ...what });
      assert.deepEqual((await catalog.findApplication({ appKey: one.appKey }))?.certificates, []);
      const onClient = catalog.addCertificate({ application: 'left', certificate, ...what });
      await assert.rejects(onClient, refuses('InvalidField'));
    });

    it('registers nothing of an application whose certificate is taken', async () => {
      const certificate = { thumbprint: 't2', subject: 'CN=b', notAfter: what.at };
      await addServer('server-3', certificate);
      await assert.rejects(addServer('server-4', certificate), refuses('NameAlreadyExists'));
      assert.equal(await catalog.findApplication({ appKey: 'ak_server-4' }), null);
    });

    it('finds in which of several spaces an entry is', async () => {
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
