// The contract of the catalog about app passwords: every engine's own test file calls this too. The operations that check them
// run on the same catalog.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { Caller, SpaceAccess } from '../../src/domain/caller.ts';
import { addAppPassword, checkAppPassword } from '../../src/operations/app-passwords.ts';
import type { Cabinet } from '../../src/operations/cabinet.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, refuses, what } from './requests.ts';

const password = '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA';

export function testAccounts(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog about accounts`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;
    let now = what.at;
    let cabinet: Cabinet;
    const spaces: SpaceAccess[] = [];

    const addPerson = async (id: string) => {
      await catalog.addUser({ id, name: id, password, ...what });
      for (const { spaceName } of spaces) await catalog.setRole({ id, space: spaceName, role: 'editor', ...what });
      const found = await catalog.findPerson({ id, signIn: null, at: now });
      return toCaller(id, found ?? []);
    };
    const check = (user: string, secret: string) =>
      checkAppPassword(cabinet, { user, password: secret, requestId: 'q' });

    before(async () => {
      under = await open();
      catalog = under.catalog;
      cabinet = { catalog, clock: { now: () => now }, appPasswordKey: new Uint8Array(32) } as unknown as Cabinet;
      for (const space of ['first', 'second']) {
        const { access } = await addApplication(catalog, space);
        if (access !== null) spaces.push(access);
      }
    });
    after(() => under.close());

    const plain = { name: 'laptop', access: 'write', spaceId: null, expiresAt: null } as const;

    it('accepts an app password for its person only, with its rights only', async () => {
      const [ann, ben] = [await addPerson('ann'), await addPerson('ben')];
      const { password: writes, appPassword } = await addAppPassword(cabinet, ann, plain);
      assert.match(writes, /^cap_[0-9a-f]{32}_[\w-]{43}$/);
      const { id, ...shown } = appPassword;
      const record = { name: 'laptop', access: 'write', spaceId: null, createdAt: now, expiresAt: null, usedAt: null };
      assert.deepEqual(shown, record);
      const caller = await check('Ann', writes);
      assert.deepEqual([caller?.person, caller?.actor, caller?.appKey], ['ann', 'ann', 'ak_first']);
      assert.deepEqual(caller?.scopes, ['content.read', 'content.write']);
      assert.deepEqual(caller?.spaces, ann.spaces);
      assert.equal(await check('ben', writes), null);
      assert.equal(await check('ann', `${writes.slice(0, -1)}${writes.endsWith('A') ? 'B' : 'A'}`), null);
      assert.equal(await check('ann', password), null);
      const reads = await addAppPassword(cabinet, ben, { ...plain, access: 'read', spaceId: spaces[1]?.spaceId ?? '' });
      const reader = await check('ben', reads.password);
      assert.deepEqual(reader?.scopes, ['content.read']);
      assert.deepEqual(
        reader?.spaces.map(({ spaceName }) => spaceName),
        ['second'],
      );
      await catalog.setPassword({ id: 'ann', password, ...what });
      assert.notEqual(await check('ann', writes), null, 'a new password ends no app password');
      await assert.rejects(catalog.removeAppPassword({ id, user: 'ben', ...what }), refuses('AppPasswordNotFound'));
      await catalog.removeAppPassword({ id, user: 'ann', ...what });
      assert.equal(await check('ann', writes), null);
    });

    it('never gives an app password more than the token that made it', async () => {
      const cem = await addPerson('cem');
      const [first] = spaces;
      const narrow = addAppPassword(cabinet, { ...cem, scopes: ['content.write'] }, { ...plain, access: 'read' });
      await assert.rejects(narrow, refuses('InsufficientScope'));
      const registered = { ...cem, isOfOneSpace: true, spaces: cem.spaces.slice(0, 1) };
      const { appPassword } = await addAppPassword(cabinet, registered, plain);
      assert.equal(appPassword.spaceId, first?.spaceId);
      await assert.rejects(addAppPassword(cabinet, { ...cem, isTrusted: false }, plain), refuses('Forbidden'));
      await assert.rejects(addAppPassword(cabinet, { ...cem, person: null }, plain), refuses('Forbidden'));
      const elsewhere = addAppPassword(cabinet, cem, { ...plain, spaceId: 'nowhere' });
      await assert.rejects(elsewhere, refuses('SpaceNotFound'));
    });

    it('refuses an expired app password, and all of a person who may not act', async () => {
      const dan = await addPerson('dan');
      await assert.rejects(addAppPassword(cabinet, dan, { ...plain, expiresAt: now }), refuses('InvalidField'));
      const short = await addAppPassword(cabinet, dan, { ...plain, expiresAt: now + 1000 });
      const long = await addAppPassword(cabinet, dan, plain);
      assert.notEqual(await check('dan', short.password), null);
      now += 1000;
      assert.equal(await check('dan', short.password), null);
      assert.notEqual(await check('dan', long.password), null);
      await catalog.setUserState({ id: 'dan', state: 'disabled', ...what });
      assert.equal(await check('dan', long.password), null);
    });

    it('records the last use about once a minute', async () => {
      const eva = await addPerson('eva');
      const { appPassword, password: secret } = await addAppPassword(cabinet, eva, plain);
      const writes: number[] = [];
      const counting = {
        ...cabinet,
        catalog: {
          ...catalog,
          noteAppPasswordUse: async (use: { id: string; at: number }) => {
            writes.push(use.at);
            await catalog.noteAppPasswordUse(use);
          },
        },
      };
      const use = () => checkAppPassword(counting, { user: 'eva', password: secret, requestId: 'q' });
      const begin = now;
      await use();
      await catalog.noteAppPasswordUse({ id: appPassword.id, at: begin });
      now += 59_999;
      await use();
      now += 1;
      await use();
      assert.deepEqual(writes, [begin, begin + 60_000]);
      assert.equal((await catalog.listAppPasswords({ user: 'eva' })).length, 1);
    });

    it('allows a person 50 app passwords', async () => {
      const fay = await addPerson('fay');
      for (let count = 0; count < 50; count += 1) await addAppPassword(cabinet, fay, plain);
      await assert.rejects(addAppPassword(cabinet, fay, plain), refuses('TooManyAppPasswords'));
      const listed = await catalog.listAppPasswords({ user: 'fay' });
      assert.equal(listed.length, 50);
      await catalog.removeAppPassword({ id: listed[0]?.id ?? '', user: 'fay', ...what });
      await addAppPassword(cabinet, fay, plain);
    });
  });
}

function toCaller(person: string, spaces: readonly SpaceAccess[]): Caller {
  return {
    appKey: 'ak_first',
    actor: person,
    person,
    signIn: null,
    scopes: ['content.read', 'content.write'],
    spaces,
    isOfOneSpace: false,
    isTrusted: true,
    spaceId: null,
    requestId: 'q',
  };
}
