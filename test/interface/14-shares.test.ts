// Making links (docs/contract.md §14.1). Using them: `14-shared.test.ts`.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { type Caller, call, createFolder, makeFolder, saveFile, signIn } from './client.ts';
import { addApplication, ask, type Event, get, getAll, manage } from './managing.ts';
import { changeShare, dayMs, makeShare, type Share, secretOf, showShare } from './shares.ts';

const admin = await signIn('Administrator');
const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const reader = await signIn('Reader');
const stranger = await signIn('Stranger');

const post = (caller: Caller, entry: string, fields: object) => ask(caller, 'POST', `/entries/${entry}/shares`, fields);
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

test('A link has what was sent, and defaults', async () => {
  const folder = await makeFolder(main);
  const before = Date.now();
  const { Id, Url, ExpiresAt, CreatedAt, ...rest } = await makeShare(main, folder.Id);
  assert.ok(Id.length > 10);
  assert.match(String(Url), /^https?:\/\/.+\/s\/[\w-]{43}$/);
  const lifetimeMs = Date.parse(ExpiresAt) - 30 * dayMs;
  assert.ok(lifetimeMs >= before - 1000 && lifetimeMs <= Date.now() + 1000, ExpiresAt);
  assert.ok(Date.parse(CreatedAt) >= before - 1000);
  assert.deepEqual(rest, {
    ...{ EntryId: folder.Id, Access: 'read', Name: folder.Name, Note: null, HasPassword: false, MaxDownloads: null },
    ...{ Downloads: 0, Uploads: 0, CreatedBy: `app:${main.application.Name}`, LastUsedAt: null, State: 'active' },
  });
  const options = { Name: 'Für Zoë', Note: 'two\nlines', ExpiresAt: inDays(3), MaxDownloads: 7 };
  const other = await makeShare(main, folder.Id, { ...options, Password: 'x' });
  assert.deepEqual({ ...other, ...options }, other);
  assert.equal(other.HasPassword, true);
  assert.equal(JSON.stringify(other).includes('"x"'), false);
});

test('Only its maker sees the address', async () => {
  const folder = await makeFolder(main);
  const made = await makeShare(main, folder.Id);
  for (const caller of [neighbour, reader]) {
    assert.deepEqual(await showShare(caller, made), { ...made, Url: null });
    const { Shares } = await get<{ Shares: Share[] }>(caller, `/entries/${folder.Id}/shares`);
    assert.deepEqual(Shares, [{ ...made, Url: null }]);
  }
  assert.deepEqual(await showShare(main, made), made);
  assertRefusal(await call(stranger, `/shares/${made.Id}`), 404, 'ShareNotFound');
  assertRefusal(await call(stranger, `/entries/${folder.Id}/shares`), 404, 'EntryNotFound');
});

test('Links are listed by entry, by maker and by space, newest first', async () => {
  const folder = await makeFolder(admin);
  const { File } = await saveFile(admin, { FolderId: folder.Id, FileName: 'a.txt' }, 'a');
  const made: Share[] = [];
  for (const entry of [folder.Id, File.Id, folder.Id]) made.unshift(await makeShare(admin, entry));
  const [third, second, first] = made as [Share, Share, Share];
  assert.deepEqual(await getAll(admin, `/entries/${folder.Id}/shares?limit=1`, 'Shares'), [third, first]);
  assert.deepEqual(await getAll(admin, `/entries/${File.Id}/shares`, 'Shares'), [second]);
  for (const path of ['/shares?limit=1', '/shares?all=true&limit=2']) {
    const listed = await getAll<Share>(admin, path, 'Shares');
    assert.deepEqual(
      listed.filter(({ EntryId }) => EntryId === folder.Id || EntryId === File.Id),
      made,
    );
  }
  assertRefusal(await call(main, '/shares?all=true'), 403, 'InsufficientScope');
  assertRefusal(await call(admin, '/shares?all=yes'), 400, 'InvalidField');
  assertRefusal(await call(admin, '/shares?cursor=x'), 400, 'InvalidCursor');
  assert.ok(
    (await getAll<Share>(neighbour, '/shares', 'Shares')).every(({ CreatedBy }) => /Neighbour/i.test(CreatedBy)),
  );
});

test('What cannot be made is refused', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'a');
  assertRefusal(await post(reader, folder.Id, { Access: 'read' }), 403, 'InsufficientScope');
  assertRefusal(await post(stranger, folder.Id, { Access: 'read' }), 404, 'EntryNotFound');
  assertRefusal(await post(main, randomUUID(), { Access: 'read' }), 404, 'EntryNotFound');
  const intoFile = await post(main, File.Id, { Access: 'upload' });
  assertRefusal(intoFile, 400, 'NotAFolder');
  assert.match(intoFile.body.toString(), /into folders only/);
  const wrong: object[] = [
    {},
    { Access: 'write' },
    { Access: 'read', ExpiresAt: inDays(366) },
    { Access: 'read', ExpiresAt: inDays(-1) },
    { Access: 'read', ExpiresAt: 'tomorrow' },
    { Access: 'read', MaxDownloads: 0 },
    { Access: 'read', MaxDownloads: 1.5 },
    { Access: 'upload', MaxDownloads: 1 },
    { Access: 'read', Password: '' },
    { Access: 'read', Password: 'x'.repeat(257) },
    { Access: 'read', Password: 5 },
    { Access: 'read', Name: '' },
    { Access: 'read', Name: 'a\nb' },
    { Access: 'read', Note: 'x'.repeat(2001) },
  ];
  for (const fields of wrong) assertRefusal(await post(main, folder.Id, fields), 400, 'InvalidField');
  assert.deepEqual((await get<{ Shares: Share[] }>(main, `/entries/${folder.Id}/shares`)).Shares, []);
});

test('A link is changed by its maker and by managers alone', async () => {
  const folder = await makeFolder(main);
  const made = await makeShare(main, folder.Id, { Name: 'one', Note: 'n', Password: 'secret', MaxDownloads: 2 });
  const changed = await changeShare(main, made, { Note: null, Password: null, MaxDownloads: null, Name: null });
  assert.deepEqual(changed, { ...made, Name: folder.Name, Note: null, HasPassword: false, MaxDownloads: null });
  assert.deepEqual(await changeShare(main, made, {}), changed);
  const upload = await changeShare(main, made, { Access: 'upload', ExpiresAt: inDays(2) });
  assert.equal(upload.Access, 'upload');
  for (const fields of [{ MaxDownloads: 3 }, { ExpiresAt: inDays(400) }, { Access: 'all' }]) {
    assertRefusal(await ask(main, 'PATCH', `/shares/${made.Id}`, fields), 400, 'InvalidField');
  }
  for (const method of ['PATCH', 'DELETE']) {
    const fields = method === 'PATCH' ? { Note: 'x' } : undefined;
    assertRefusal(await ask(neighbour, method, `/shares/${made.Id}`, fields), 403, 'Forbidden');
    assertRefusal(await ask(reader, method, `/shares/${made.Id}`, fields), 403, 'InsufficientScope');
    assertRefusal(await ask(stranger, method, `/shares/${made.Id}`, fields), 404, 'ShareNotFound');
    assertRefusal(await ask(main, method, `/shares/${randomUUID()}`, fields), 404, 'ShareNotFound');
  }
});

test('Managers change and revoke the links of others, without their addresses', async () => {
  const folder = await createFolder(admin, admin.application.RootFolderId, randomUUID());
  const other = await addApplication(admin);
  const made = await makeShare(other, folder.Id);
  assert.equal((await changeShare(admin, made, { Note: 'by a manager' })).Url, null);
  const { Share } = await manage<{ Share: Share }>(admin, 'DELETE', `/shares/${made.Id}`);
  assert.deepEqual([Share.State, Share.Url], ['revoked', null]);
  assert.equal((await showShare(other, made)).Url, made.Url);
});

test('A revoked link stays revoked, and stays listed', async () => {
  const folder = await makeFolder(main);
  const made = await makeShare(main, folder.Id);
  for (let times = 0; times < 2; times += 1) {
    const { Share } = await manage<{ Share: Share }>(main, 'DELETE', `/shares/${made.Id}`);
    assert.deepEqual(Share, { ...made, State: 'revoked' });
  }
  assertRefusal(await ask(main, 'PATCH', `/shares/${made.Id}`, { ExpiresAt: inDays(1) }), 403, 'Forbidden');
  const { Shares } = await get<{ Shares: Share[] }>(main, `/entries/${folder.Id}/shares`);
  assert.deepEqual(Shares, [{ ...made, State: 'revoked' }]);
});

test('A link is suspended while its maker is disabled and while its entry is in the trash', async () => {
  const folder = await createFolder(admin, admin.application.RootFolderId, randomUUID());
  const inner = await createFolder(admin, folder.Id, 'inner');
  const other = await addApplication(admin);
  const made = await makeShare(other, inner.Id);
  const stateOf = async () => (await showShare(admin, made)).State;
  const appPath = `/applications/${other.application.AppKey}`;
  await manage(admin, 'PATCH', appPath, { State: 'disabled' });
  assert.equal(await stateOf(), 'suspended');
  await manage(admin, 'PATCH', appPath, { State: 'active' });
  assert.equal(await stateOf(), 'active');
  await manage(admin, 'DELETE', `/entries/${folder.Id}`);
  assert.equal(await stateOf(), 'suspended');
  await manage(admin, 'POST', `/entries/${folder.Id}/restore`, {});
  assert.equal(await stateOf(), 'active');
});

test('Making, changing and revoking is in the audit log, without the secret', async () => {
  const folder = await createFolder(admin, admin.application.RootFolderId, randomUUID());
  const made = await makeShare(admin, folder.Id, { Password: 'open sesame', MaxDownloads: 4 });
  await changeShare(admin, made, { Password: null });
  await manage(admin, 'DELETE', `/shares/${made.Id}`);
  const { Events } = await get<{ Events: Event[] }>(admin, `/audit?entry=${folder.Id}`);
  const ofShare = Events.filter(({ Action }) => Action.startsWith('share.')).reverse();
  const limits = { Share: made.Id, Access: 'read', ExpiresAt: made.ExpiresAt, MaxDownloads: 4 };
  assert.deepEqual(
    ofShare.map(({ Action, Details }) => [Action, Details]),
    [
      ['share.created', { ...limits, HasPassword: true }],
      ['share.changed', { ...limits, HasPassword: false }],
      ['share.revoked', { Share: made.Id }],
    ],
  );
  const text = JSON.stringify(Events);
  for (const secret of [secretOf(made), 'open sesame']) assert.ok(!text.includes(secret));
  const { Changes } = await get<{ Changes: { Action: string }[] }>(admin, '/changes?limit=1000');
  assert.ok(Changes.every(({ Action }) => !Action.startsWith('share.')));
});
