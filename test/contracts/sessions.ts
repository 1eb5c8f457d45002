// The contract of the catalog about sessions of people: every engine's own test file calls this too.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { CatalogUnderTest } from './catalog.ts';
import { addApplication, refuses, what } from './requests.ts';

const password = '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA';
const since = Math.floor(what.at / 1000);
const expiresAt = what.at + 1_000_000;

export function testSessions(name: string, open: () => Promise<CatalogUnderTest>): void {
  describe(`${name} fulfils the contract of the catalog about sessions`, () => {
    let under: CatalogUnderTest;
    let catalog: Catalog;

    before(async () => {
      under = await open();
      catalog = under.catalog;
      await addApplication(catalog, 'first');
    });
    after(() => under.close());

    /** As the issuer and the recording of sessions write them. `id` names the grant and the browser. */
    async function signIn(user: string, id: string, startedAt = what.at): Promise<void> {
      const record = { user, since, expiresAt, grant: null };
      const [grant, session] = [`grant-${id}`, `session-${id}`];
      const browser = { ...record, model: 'Session', id: `cookie-${id}`, uid: session };
      await catalog.putIssuerRecord({ ...browser, payload: `{"loginTs":${since},"uid":"u"}` });
      await catalog.putIssuerRecord({ ...record, model: 'Grant', id: grant, uid: null, payload: `{"iat":${since}}` });
      const token = { ...record, model: 'RefreshToken', id: `refresh-${id}`, uid: null, since: null, grant };
      await catalog.putIssuerRecord({ ...token, payload: '{}' });
      const seen = { appKey: 'ak_first', at: startedAt, address: '192.0.2.1', userAgent: 'test', expiresAt };
      await catalog.putSession({ grant, session, user, ...seen });
    }

    async function addPerson(user: string): Promise<void> {
      await catalog.addUser({ id: user, name: user, password, ...what });
      await catalog.setRole({ id: user, space: 'first', role: 'editor', ...what });
    }

    const list = async (user: string, at = what.at) => (await catalog.listSessions({ user, at })).map(({ id }) => id);
    const isValid = async (user: string, id: string) =>
      (await catalog.findPerson({
        id: user,
        signIn: { grant: `grant-${id}`, session: `session-${id}` },
        at: what.at,
      })) !== null;
    const findToken = (id: string) =>
      catalog.findIssuerRecord({ model: 'RefreshToken', by: 'id', value: `refresh-${id}`, at: what.at });

    it('lists the sessions of a person, newest first, while their records are valid', async () => {
      await addPerson('ann');
      await signIn('ann', 'a1');
      await signIn('ann', 'a2', what.at + 5);
      const [newest, oldest] = await catalog.listSessions({ user: 'ann', at: what.at });
      assert.deepEqual(newest, {
        id: 'grant-a2',
        appKey: 'ak_first',
        applicationName: 'first',
        startedAt: what.at + 5,
        usedAt: what.at + 5,
        address: '192.0.2.1',
        userAgent: 'test',
      });
      assert.equal(oldest?.id, 'grant-a1');
      assert.deepEqual(await list('ben'), []);
      assert.deepEqual(await list('ann', expiresAt), []);
      await catalog.endIssuerRecord({ model: 'Session', id: 'cookie-a1' });
      assert.deepEqual(await list('ann'), ['grant-a2'], 'its browser has signed out');
      await catalog.endIssuerRecord({ model: 'Grant', id: 'grant-a2' });
      assert.deepEqual(await list('ann'), []);
      assert.equal(await catalog.hasSession({ grant: 'grant-a2' }), true);
    });

    it('keeps the beginning of a session that is continued, and the last of its uses', async () => {
      await addPerson('bea');
      await signIn('bea', 'b1');
      await catalog.noteSessionUse({ grant: 'grant-b1', at: what.at + 9 });
      await catalog.noteSessionUse({ grant: 'grant-b1', at: what.at + 2 });
      const [session] = await catalog.listSessions({ user: 'bea', at: what.at });
      assert.deepEqual([session?.startedAt, session?.usedAt], [what.at, what.at + 9]);
      await signIn('bea', 'b1', what.at + 20);
      const [continued] = await catalog.listSessions({ user: 'bea', at: what.at });
      assert.deepEqual([continued?.startedAt, continued?.usedAt], [what.at, what.at + 20]);
    });

    it('ends one session of its owner, with its tokens, and no other', async () => {
      await addPerson('cem');
      await addPerson('dan');
      await signIn('cem', 'c1');
      await signIn('cem', 'c2');
      await assert.rejects(catalog.endSession({ id: 'grant-c1', user: 'dan', ...what }), refuses('SessionNotFound'));
      await catalog.endSession({ id: 'grant-c1', user: 'cem', ...what });
      assert.deepEqual(await list('cem'), ['grant-c2']);
      assert.deepEqual([await isValid('cem', 'c1'), await isValid('cem', 'c2')], [false, true]);
      assert.equal(await findToken('c1'), null);
      assert.equal(await catalog.hasSession({ grant: 'grant-c1' }), false);
      await signIn('cem', 'c1').catch(() => undefined);
      assert.equal(await isValid('cem', 'c1'), false, 'a request in flight revives nothing');
      await assert.rejects(catalog.endSession({ id: 'grant-c1', user: 'cem', ...what }), refuses('SessionNotFound'));
    });

    it('remembers consents, adds to them, and ends the sessions of the application with them', async () => {
      await addPerson('gil');
      await addPerson('hal');
      await addApplication(catalog, 'other');
      const consent = { user: 'gil', appKey: 'ak_first', ...what };
      await catalog.giveConsent({ ...consent, scopes: ['openid', 'content.read'] });
      await catalog.giveConsent({ ...consent, scopes: ['content.read', 'content.write'], at: what.at + 5 });
      await catalog.giveConsent({ ...consent, scopes: ['openid'], at: what.at + 9 });
      await catalog.giveConsent({ ...consent, appKey: 'ak_other', scopes: ['openid'] });
      const scopes = ['openid', 'content.read', 'content.write'];
      assert.deepEqual(await catalog.findConsent({ user: 'gil', appKey: 'ak_first' }), scopes);
      assert.deepEqual(await catalog.findConsent({ user: 'hal', appKey: 'ak_first' }), []);
      const [first, second] = await catalog.listConsents({ user: 'gil' });
      assert.deepEqual(first, { appKey: 'ak_first', applicationName: 'first', scopes, givenAt: what.at + 5 });
      assert.equal(second?.appKey, 'ak_other');
      await signIn('gil', 'g1');
      await signIn('hal', 'h1');
      await assert.rejects(catalog.endConsent({ ...consent, user: 'hal' }), refuses('ConsentNotFound'));
      await catalog.endConsent(consent);
      assert.deepEqual([await isValid('gil', 'g1'), await isValid('hal', 'h1')], [false, true]);
      assert.equal(await findToken('g1'), null);
      assert.deepEqual(await catalog.findConsent({ user: 'gil', appKey: 'ak_first' }), []);
      assert.equal((await catalog.listConsents({ user: 'gil' })).length, 1);
      await assert.rejects(catalog.endConsent(consent), refuses('ConsentNotFound'));
    });

    it('ends all sessions of a person at once', async () => {
      await addPerson('eva');
      await signIn('eva', 'e1');
      await signIn('eva', 'e2');
      await catalog.endSessions({ user: 'eva', ...what });
      assert.deepEqual(await list('eva'), []);
      assert.deepEqual([await isValid('eva', 'e1'), await findToken('e2')], [false, null]);
    });

    it('sets a password that its owner chose, and keeps the session of the owner alone', async () => {
      await addPerson('fay');
      await signIn('fay', 'f1');
      await signIn('fay', 'f2');
      const kept = { grant: 'grant-f1', session: 'session-f1' };
      const change = { id: 'fay', password: `${password}B`, before: password, signIn: kept, ...what };
      assert.equal(await catalog.setOwnPassword(change), true);
      assert.deepEqual([await isValid('fay', 'f1'), await isValid('fay', 'f2')], [true, false]);
      assert.deepEqual([(await findToken('f1'))?.grant, await findToken('f2')], ['grant-f1', null]);
      const stored = await catalog.findIssuerRecord({ model: 'Session', by: 'uid', value: 'session-f1', at: what.at });
      assert.deepEqual(JSON.parse(stored?.payload ?? ''), { loginTs: stored?.since, uid: 'u' });
      assert.ok(Number(stored?.since) > since, 'the issuer writes it back as new');
      assert.equal(await catalog.setOwnPassword(change), false, 'another password was set meanwhile');
    });

    it('notes the first sign-in of an account, and forgets what has expired', async () => {
      await addPerson('ida');
      await signIn('ida', 'i1');
      assert.equal(await catalog.forgetSessions({ at: expiresAt - 1 }), 0);
      assert.ok((await catalog.forgetSessions({ at: expiresAt })) > 0);
      assert.equal(await catalog.hasSession({ grant: 'grant-i1' }), false);
    });
  });
}
