// Rules about links (docs/contract.md §14.1): the settings of the service, and stricter ones of a space.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, createFolder } from '../interface/client.ts';
import { ask, type Event, get, manage } from '../interface/managing.ts';
import { changeShare, dayMs, makeShare, type Share, secretOf, showShare, use } from '../interface/shares.ts';
import { addApplication, addUser, setRole } from '../service/operator.ts';
import { type Environment, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { addPage, discover, signIn } from './people.ts';

interface Rules {
  Allowed: boolean;
  Makers: 'editors' | 'managers';
  PasswordRequired: boolean;
  MaxDays: number;
}

/** A service with a space, its manager, and an editor of it. */
class Place {
  readonly #dataFolder = makeDataFolder();
  #service: StartedHere | null = null;
  space = '';
  folder = '';
  boss!: Caller;
  editor!: Caller;

  async open(environment: Environment): Promise<void> {
    const folder = this.#dataFolder;
    this.#service = await startServiceHere(folder, { environment: { CABINET_MTLS_PORT: 'off', ...environment } });
    const base = this.#service.production;
    const page = await addPage(folder, 'page');
    const { Space } = await addApplication(folder, 'office');
    const enter = async (user: string, role: string): Promise<Caller> => {
      const who = await addUser(folder, user);
      await setRole(folder, user, role, Space);
      const { access_token: token } = await signIn(await discover(base, page), who);
      return { base, application: { Name: 'page', ...page }, token };
    };
    this.boss = await enter('boss', 'manager');
    this.editor = await enter('eve', 'editor');
    const { Spaces } = await get<{ Spaces: { Id: string; RootFolderId: string }[] }>(this.boss, '/spaces');
    this.space = Spaces[0]?.Id ?? '';
    this.folder = (await createFolder(this.boss, Spaces[0]?.RootFolderId ?? '', randomUUID())).Id;
  }

  async close(): Promise<void> {
    await this.#service?.stop();
    removeDataFolder(this.#dataFolder);
  }

  async set(rules: { [Name in keyof Rules]?: Rules[Name] | null }): Promise<Rules | undefined> {
    const path = `/spaces/${this.space}`;
    return (await manage<{ Shares?: Rules }>(this.boss, 'PATCH', path, { Shares: rules })).Shares;
  }

  async show(caller = this.boss): Promise<Rules | undefined> {
    return (await get<{ Shares?: Rules }>(caller, `/spaces/${this.space}`)).Shares;
  }

  post(caller: Caller, fields: object = {}) {
    return ask(caller, 'POST', `/entries/${this.folder}/shares`, { Access: 'read', ...fields });
  }
}

const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const ofService = { Allowed: true, Makers: 'editors', PasswordRequired: false, MaxDays: 365 };
const unset = { Allowed: null, Makers: null, PasswordRequired: null, MaxDays: null };
const lax = new Place();
const strict = new Place();

before(async () => {
  await lax.open({});
  const environment = { CABINET_SHARE_MAKERS: 'managers', CABINET_SHARE_PASSWORD: 'required' } as const;
  await strict.open({ ...environment, CABINET_SHARE_MAX_DAYS: '7' });
});

after(async () => {
  await lax.close();
  await strict.close();
});

const statusOf = async (share: Share) => (await use(lax.boss, secretOf(share))).status;

test('A space has the rules of the service until its managers set stricter ones', async () => {
  assert.equal(await lax.show(), undefined);
  assert.deepEqual(await lax.set({ MaxDays: 10 }), { ...ofService, MaxDays: 10 });
  assert.deepEqual(await lax.set({ PasswordRequired: true }), { ...ofService, MaxDays: 10, PasswordRequired: true });
  assert.deepEqual(await lax.show(lax.editor), { ...ofService, MaxDays: 10, PasswordRequired: true });
  assert.equal(await lax.set(unset), undefined);
  const path = `/spaces/${lax.space}`;
  assertRefusal(await ask(lax.editor, 'PATCH', path, { Shares: { MaxDays: 5 } }), 403, 'Forbidden');
  const wrong = [{ MaxDays: 366 }, { MaxDays: 0 }, { MaxDays: 1.5 }, { Makers: 'viewers' }, { Allowed: 'no' }];
  for (const Shares of wrong) assertRefusal(await ask(lax.boss, 'PATCH', path, { Shares }), 400, 'InvalidField');
  assertRefusal(await ask(lax.boss, 'PATCH', path, {}), 400, 'InvalidField');
  assert.equal(await lax.show(), undefined);
  const { Events } = await get<{ Events: Event[] }>(lax.boss, '/audit?action=space.sharing-changed');
  assert.deepEqual(
    Events.map(({ Details }) => Details.MaxDays),
    [null, 10, 10],
  );
});

test('A name and rules can be sent together; a wrong rule changes no name', async () => {
  const path = `/spaces/${lax.space}`;
  const body = { Name: 'bureau', Shares: { MaxDays: 400 } };
  assertRefusal(await ask(lax.boss, 'PATCH', path, body), 400, 'InvalidField');
  assert.equal((await get<{ Name: string }>(lax.boss, path)).Name, 'office');
  const changed = await manage<{ Name: string; Shares: Rules }>(lax.boss, 'PATCH', path, {
    ...body,
    Shares: { MaxDays: 40 },
  });
  assert.deepEqual([changed.Name, changed.Shares.MaxDays], ['bureau', 40]);
  await lax.set(unset);
});

test('A space can be stricter than the service, and not laxer', async () => {
  const path = `/spaces/${strict.space}`;
  const rules = { Allowed: true, Makers: 'managers', PasswordRequired: true, MaxDays: 7 };
  assert.equal(await strict.show(), undefined);
  for (const [name, value] of Object.entries({ Makers: 'editors', PasswordRequired: false, MaxDays: 8 })) {
    const refused = await ask(strict.boss, 'PATCH', path, { Shares: { [name]: value } });
    assertRefusal(refused, 400, 'InvalidField');
    assert.match(refused.body.toString(), new RegExp(`"Target":"Shares.${name}"`));
  }
  assert.deepEqual(await strict.set({ MaxDays: 3 }), { ...rules, MaxDays: 3 });
  const late = await strict.post(strict.boss, { Password: 'x', ExpiresAt: inDays(4) });
  assertRefusal(late, 400, 'InvalidField');
});

test('Where only managers make links, editors neither make nor change them, and revoke their own', async () => {
  assertRefusal(await strict.post(strict.editor, { Password: 'x' }), 403, 'Forbidden');
  assert.equal((await strict.post(strict.boss, { Password: 'x' })).status, 200);
  const share = await makeShare(lax.editor, lax.folder);
  await lax.set({ Makers: 'managers' });
  assertRefusal(await lax.post(lax.editor), 403, 'Forbidden');
  assertRefusal(await ask(lax.editor, 'PATCH', `/shares/${share.Id}`, { Note: 'x' }), 403, 'Forbidden');
  assert.equal((await changeShare(lax.boss, share, { Note: 'x' })).Note, 'x');
  assert.equal(await statusOf(share), 200);
  await manage(lax.editor, 'DELETE', `/shares/${share.Id}`);
  assert.equal(await statusOf(share), 404);
  await lax.set(unset);
  assert.equal((await lax.post(lax.editor)).status, 200);
});

test('Where a password is required, no link is made or prolonged without one', async () => {
  const share = await makeShare(lax.editor, lax.folder);
  await lax.set({ PasswordRequired: true });
  assertRefusal(await lax.post(lax.editor), 400, 'InvalidField');
  const path = `/shares/${share.Id}`;
  assert.equal((await changeShare(lax.editor, share, { Note: 'as before' })).HasPassword, false);
  for (const fields of [{ ExpiresAt: inDays(40) }, { MaxDownloads: 3 }, { Password: null }]) {
    assertRefusal(await ask(lax.editor, 'PATCH', path, fields), 400, 'InvalidField');
  }
  assert.equal((await changeShare(lax.editor, share, { ExpiresAt: inDays(40), Password: 'x' })).HasPassword, true);
  await lax.set(unset);
});

test('The maximum of the space is that of new and prolonged links, and the default if it is less than 30 days', async () => {
  await lax.set({ MaxDays: 5 });
  assertRefusal(await lax.post(lax.editor, { ExpiresAt: inDays(6) }), 400, 'InvalidField');
  const share = await makeShare(lax.editor, lax.folder);
  assert.ok(Date.parse(share.ExpiresAt) <= Date.now() + 5 * dayMs);
  assertRefusal(await ask(lax.editor, 'PATCH', `/shares/${share.Id}`, { ExpiresAt: inDays(6) }), 400, 'InvalidField');
  await lax.set(unset);
  assert.equal((await ask(lax.editor, 'PATCH', `/shares/${share.Id}`, { ExpiresAt: inDays(6) })).status, 200);
});

test('Links that a space switches off are suspended, and come back', async () => {
  const share = await makeShare(lax.editor, lax.folder, { Password: 'x' });
  assert.equal(await statusOf(share), 401);
  await lax.set({ Allowed: false });
  assertRefusal(await use(lax.boss, secretOf(share)), 404, 'ShareNotFound');
  assert.equal((await showShare(lax.boss, share)).State, 'suspended');
  assertRefusal(await lax.post(lax.boss), 403, 'Forbidden');
  await lax.set({ Allowed: true });
  assert.equal(await statusOf(share), 401);
});
