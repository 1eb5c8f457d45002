// The contract of the catalog about second factors: every engine's own test file calls this too.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { refuses, what } from './requests.ts';

const password = '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA';
const hashes = ['h1', 'h2', 'h3'];

export function testSecondFactors(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog about second factors`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;

    before(async () => {
      under = await open();
      catalog = under.catalog;
      for (const id of ['ann', 'bob', 'cem', 'dan']) await catalog.addUser({ id, name: id, password, ...what });
    });
    after(() => under.close());

    const passkey = {
      kind: 'passkey',
      secret: null,
      publicKey: 'pk',
      transports: 'usb nfc',
      isFirstOnly: false,
    } as const;
    const totp = {
      ...({ kind: 'totp', secret: 'encrypted', credential: null, publicKey: null, transports: null } as const),
      ...{ name: 'phone', counter: 7, isFirstOnly: false, recoveryHashes: hashes },
    };
    const addTotp = (user: string, id: string) => catalog.addSecondFactor({ ...totp, id, user, ...what });
    const addPasskey = (user: string, id: string, credential: string) =>
      catalog.addSecondFactor({
        ...{ ...passkey, name: 'key', credential, counter: 0, recoveryHashes: ['x'] },
        ...{ id, user, ...what },
      });

    it('keeps what it is given, and the recovery codes of the first one', async () => {
      assert.equal(await addTotp('ann', 'a1'), true);
      assert.equal(await addPasskey('ann', 'a2', 'c-a2'), false);
      const { factors, recoveryCodes } = await catalog.findSecondFactors({ user: 'ann' });
      assert.equal(recoveryCodes, 3);
      const { isFirstOnly: _, recoveryHashes: __, ...kept } = totp;
      assert.deepEqual(factors[0], { ...kept, id: 'a1', createdAt: what.at, usedAt: null });
      assert.deepEqual([factors[1]?.id, factors[1]?.credential, factors[1]?.transports], ['a2', 'c-a2', 'usb nfc']);
      assert.deepEqual(await catalog.findSecondFactors({ user: 'bob' }), { factors: [], recoveryCodes: 0 });
    });

    it('has one TOTP for each person, each passkey once, ten in all, and a first one only if there is none', async () => {
      await assert.rejects(addTotp('ann', 'a3'), refuses('TooManySecondFactors'));
      await assert.rejects(addPasskey('bob', 'b0', 'c-a2'), refuses('InvalidField'));
      const first = { ...totp, id: 'a4', user: 'ann', kind: 'passkey', isFirstOnly: true } as const;
      await assert.rejects(catalog.addSecondFactor({ ...first, ...what }), refuses('TooManySecondFactors'));
      for (let n = 0; n < 10; n += 1) await addPasskey('bob', `b${n}`, `c-b${n}`);
      await assert.rejects(addPasskey('bob', 'b10', 'c-b10'), refuses('TooManySecondFactors'));
    });

    it('lets a code be used once, none before it, and only of its owner; a key that does not count stays at 0', async () => {
      const use = (user: string, id: string, counter: number) =>
        catalog.useSecondFactor({ user, id, counter, at: what.at + 1 });
      assert.deepEqual([await use('ann', 'a1', 7), await use('bob', 'a1', 8)], [false, false]);
      assert.deepEqual([await use('ann', 'a1', 8), await use('ann', 'a1', 8)], [true, false]);
      assert.deepEqual(
        [await use('ann', 'a2', 0), await use('ann', 'a2', 0), await use('ann', 'a2', 3)],
        [true, true, true],
      );
      assert.deepEqual([await use('ann', 'a2', 3), await use('ann', 'a2', 0)], [false, false]);
      assert.equal((await catalog.findSecondFactors({ user: 'ann' })).factors[0]?.usedAt, what.at + 1);
    });

    it('uses up recovery codes, gives new ones, and forgets them with the last second factor', async () => {
      const use = (user: string, hash: string) => catalog.useRecoveryCode({ user, hash, ...what });
      assert.deepEqual([await use('bob', 'h1'), await use('ann', 'h1'), await use('ann', 'h1')], [false, true, false]);
      await catalog.setRecoveryCodes({ user: 'ann', hashes: ['n1', 'n2'], ...what });
      assert.deepEqual([await use('ann', 'h2'), await use('ann', 'n1')], [false, true]);
      await assert.rejects(catalog.setRecoveryCodes({ user: 'cem', hashes, ...what }), refuses('SecondFactorNotFound'));
      const remove = (user: string, id: string) => catalog.removeSecondFactor({ user, id, ...what });
      await assert.rejects(remove('bob', 'a1'), refuses('SecondFactorNotFound'));
      await remove('ann', 'a1');
      assert.equal((await catalog.findSecondFactors({ user: 'ann' })).recoveryCodes, 1);
      await remove('ann', 'a2');
      assert.deepEqual(await catalog.findSecondFactors({ user: 'ann' }), { factors: [], recoveryCodes: 0 });
    });

    it('removes them when a setup link of an operator is used, and no other', async () => {
      await addTotp('dan', 'd1');
      const link = { user: 'dan', role: null, expiresAt: what.at + 10, ...what };
      await catalog.addSetupLink({ ...link, space: null, hash: 'l1' });
      assert.equal((await catalog.findSecondFactors({ user: 'dan' })).factors.length, 1, 'not before');
      await catalog.useSetup({ hash: 'l1', password, at: what.at, request: 'r' });
      assert.deepEqual(await catalog.findSecondFactors({ user: 'dan' }), { factors: [], recoveryCodes: 0 });
    });
  });
}
