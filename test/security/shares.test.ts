// Links for people without an account (docs/contract.md §14.1, §14.2 and §14.3): they end with the rights of their maker and with
// time, on every address that they have, and nothing beyond them can be reached.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Answer, type Caller, CONTENT, createFolder, fetchToken, saveFile, send } from '../interface/client.ts';
import { ask, manage } from '../interface/managing.ts';
import { dayMs, makeShare, type Share, secretOf, showShare, use } from '../interface/shares.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import { addCaller, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { addPage, discover, signIn } from './people.ts';
import { tally } from './tally.ts';

const dataFolder = makeDataFolder();
let service: Awaited<ReturnType<typeof startServiceHere>>;
let page: Registered;
let owner: Caller;
let expiring: Share;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_MTLS_PORT: 'off' }, hasClock: true });
  page = await addPage(dataFolder, 'page');
  owner = await addCaller(dataFolder, service.production, 'owner');
  const { folder } = await makeFolder();
  expiring = await makeShare(owner, folder.Id, { ExpiresAt: new Date(Date.now() + dayMs).toISOString() });
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

/** Another application of the owner's space, with a new token. */
async function addToSpace(): Promise<Caller> {
  const Name = `caller-${randomUUID()}`;
  const application = { Name, ...(await addApplication(dataFolder, Name, { space: owner.application.Space })) };
  return { base: service.production, application, token: await fetchToken(service.production, application) };
}

async function enter(user: string, role: string): Promise<Caller> {
  const who = await addUser(dataFolder, user);
  await setRole(dataFolder, user, role, owner.application.Space);
  const { access_token: token } = await signIn(await discover(service.production, page), who);
  return { base: service.production, application: { Name: 'page', ...page }, token };
}

async function makeFolder() {
  const folder = await createFolder(owner, owner.application.RootFolderId, randomUUID());
  const { File } = await saveFile(owner, { FolderId: folder.Id, FileName: 'a.txt' }, 'theirs');
  return { folder, file: File };
}

const statusOf = async (share: Share) => (await use(owner, secretOf(share))).status;

test('A link is suspended while its maker has lost the role or is disabled', async () => {
  const { folder } = await makeFolder();
  const editor = await enter('eve', 'editor');
  const share = await makeShare(editor, folder.Id);
  assert.equal(await statusOf(share), 200);
  for (const role of ['viewer', 'none']) {
    await setRole(dataFolder, 'eve', role, owner.application.Space);
    assertRefusal(await use(owner, secretOf(share)), 404, 'ShareNotFound');
    assert.equal((await showShare(owner, share)).State, 'suspended');
  }
  await setRole(dataFolder, 'eve', 'editor', owner.application.Space);
  assert.equal(await statusOf(share), 200);
  await command(dataFolder, 'user disable', { user: 'eve' });
  assert.equal(await statusOf(share), 404);
  await command(dataFolder, 'user enable', { user: 'eve' });
  assert.equal(await statusOf(share), 200);
});

test('A grant, also to a group, carries a link as long as it lasts', async () => {
  const { folder } = await makeFolder();
  const boss = await enter('boss', 'manager');
  const guest = await enter('guest', 'none');
  assertRefusal(await ask(guest, 'POST', `/entries/${folder.Id}/shares`, { Access: 'read' }), 404, 'EntryNotFound');
  await manage(boss, 'PUT', `/entries/${folder.Id}/access/user:guest`, { Role: 'viewer' });
  const refused = await ask(guest, 'POST', `/entries/${folder.Id}/shares`, { Access: 'read' });
  assertRefusal(refused, 403, 'Forbidden');
  await manage(boss, 'PUT', `/entries/${folder.Id}/access/user:guest`, { Role: 'editor' });
  const own = await makeShare(guest, folder.Id);
  assert.equal(await statusOf(own), 200);
  await manage(boss, 'DELETE', `/entries/${folder.Id}/access/user:guest`);
  assert.equal(await statusOf(own), 404);
  await manage(boss, 'POST', '/groups', { Name: 'writers', Members: ['guest'] });
  await manage(boss, 'PUT', `/entries/${folder.Id}/access/group:writers`, { Role: 'editor' });
  assert.equal(await statusOf(own), 200);
  await manage(boss, 'PATCH', '/groups/writers', { Remove: ['guest'] });
  assert.equal(await statusOf(own), 404);
});

test('500 attempts to reach beyond a link fail', async (context) => {
  const fresh = await addToSpace();
  const top = await createFolder(fresh, fresh.application.RootFolderId, randomUUID());
  const inner = await createFolder(fresh, top.Id, 'inner');
  const { File: hidden } = await saveFile(fresh, { FolderId: top.Id, FileName: 'hidden.txt' }, 'hidden text');
  const { File: shown } = await saveFile(fresh, { FolderId: inner.Id, FileName: 'shown.txt' }, 'shown');
  const read = secretOf(await makeShare(fresh, inner.Id));
  const upload = secretOf(await makeShare(fresh, inner.Id, { Access: 'upload' }));
  const locked = secretOf(await makeShare(fresh, inner.Id, { Password: 'a long password' }));
  const ids = [top.Id, hidden.Id, fresh.application.RootFolderId, '-root-', '-trash-', '-hidden-', randomUUID(), '..'];
  const suffixes = ['', '/', '%2F', '?version=1', '?path=/', '%00', '/../..', `?id=${hidden.Id}`];
  const attempts: [string, { method?: string; headers?: Record<string, string>; body?: string }][] = [];
  for (const secret of [read, upload, locked]) {
    for (const id of ids) {
      for (const suffix of suffixes) {
        attempts.push([`/shared/${secret}/files/${id}/content${suffix}`, {}]);
        attempts.push([`/shared/${secret}/folders/${id}${suffix}`, {}]);
      }
      attempts.push([`/shared/${secret}/files/${id}/content`, { headers: { Range: 'bytes=1-' } }]);
      attempts.push([
        `/files/${id}/content`,
        { headers: { Authorization: `Bearer ${secret}`, AppKey: `share:${secret}` } },
      ]);
      attempts.push([`/shared/${secret}/files/${id}/content`, { method: 'DELETE' }]);
      attempts.push([`/shared/${secret}/files/${id}/content`, { method: 'PUT', body: 'x' }]);
    }
  }
  for (const secret of [upload, locked]) {
    attempts.push([`/shared/${secret}/files/${shown.Id}/content`, {}], [`/shared/${secret}/archive`, {}]);
    for (const header of ['Cookie', 'SharePassword', 'X-Forwarded-For']) {
      const headers = { [header]: `cabinet-share=${randomBytes(32).toString('hex')}` };
      attempts.push([`/shared/${secret}/files/${shown.Id}/content`, { headers }]);
    }
  }
  while (attempts.length < 500) attempts.push([`/shared/${randomBytes(32).toString('base64url')}`, {}]);
  for (const [path, request] of attempts) assertNothing(await send(fresh.base, CONTENT + path, request), path);
  for (const id of ids) {
    const headers = { FolderId: id, FileName: 'x.txt', ConflictBehavior: 'Version' };
    await send(fresh.base, `${CONTENT}/shared/${upload}/files`, { method: 'POST', headers, body: 'x' });
  }
  type Children = { Children: { Name: string }[] };
  const { Children } = await manage<Children>(fresh, 'GET', `/folders/${top.Id}`);
  assert.deepEqual(
    Children.map(({ Name }) => Name),
    ['inner', 'hidden.txt'],
  );
  tally('attempts beyond links and grants', attempts.length);
  context.diagnostic(`${attempts.length} attempts failed`);

  function assertNothing({ status, body }: Answer, path: string): void {
    assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
    for (const text of ['hidden', top.Id, top.Name, 'shown'])
      assert.ok(!body.includes(text), `${path} tells of ${text}`);
  }
});

test('Neither the secret nor a password is in the data folder, the metrics or the journal', async () => {
  const { folder, file } = await makeFolder();
  const password = `password-${randomUUID()}`;
  const share = await makeShare(owner, folder.Id, { Password: password });
  const secret = secretOf(share);
  const headers = { SharePassword: password };
  for (const path of ['', `/files/${file.Id}/content`]) {
    assert.equal((await use(owner, secret, path, { headers })).status, 200);
  }
  const metrics = (await send(owner.base, '/metrics')).body.toString();
  const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const stored = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  for (const text of [secret, password]) {
    assert.ok(!metrics.includes(text));
    for (const bytes of stored) assert.ok(!bytes.includes(text));
  }
});

/** Without what differs by design. */
function toComparable({ status, headers: { date: _, requesttrackingid, ...headers }, body }: Answer): unknown {
  return { status, headers, body: body.toString().replaceAll(String(requesttrackingid), '') };
}

test('Settings require passwords, shorten lifetimes and switch links off', async () => {
  const folder = makeDataFolder();
  const open = (environment: Record<string, string>) =>
    startServiceHere(folder, { environment: { CABINET_MTLS_PORT: 'off', ...environment } });
  await using strict = await open({
    CABINET_SHARE_PASSWORD: 'required',
    CABINET_SHARE_MAX_DAYS: '7',
    CABINET_SHARE_UPLOAD_MAX: '1KiB',
  });
  const caller = await addCaller(folder, strict.production, 'caller');
  const top = await createFolder(caller, caller.application.RootFolderId, 'top');
  const path = `/entries/${top.Id}/shares`;
  assertRefusal(await ask(caller, 'POST', path, { Access: 'read' }), 400, 'InvalidField');
  const late = { Access: 'read', Password: 'x', ExpiresAt: new Date(Date.now() + 8 * dayMs).toISOString() };
  assertRefusal(await ask(caller, 'POST', path, late), 400, 'InvalidField');
  const share = await makeShare(caller, top.Id, { Access: 'upload', Password: 'x' });
  assert.ok(Date.parse(share.ExpiresAt) <= Date.now() + 7 * dayMs);
  assertRefusal(await ask(caller, 'PATCH', `/shares/${share.Id}`, { Password: null }), 400, 'InvalidField');
  const post = (size: number, more = {}) =>
    use(caller, secretOf(share), '/files', {
      method: 'POST',
      headers: { SharePassword: 'x', FileName: `${size}`, ...more },
      body: 'x'.repeat(size),
    });
  assert.equal((await post(1024)).status, 200);
  assertRefusal(await post(1025), 400, 'FileTooLarge');
  const tus = { SharePassword: 'x', 'Tus-Resumable': '1.0.0', 'Upload-Length': '1025', FileName: 'a' };
  assert.equal((await use(caller, secretOf(share), '/uploads', { method: 'POST', headers: tus })).status, 413);
  await strict.stop();
  await using off = await open({ CABINET_SHARES: 'off' });
  const there = { ...caller, base: off.production };
  for (const path of [`${CONTENT}/shared/`, '/s/']) {
    const [existing, unknown] = [
      await send(there.base, path + secretOf(share)),
      await send(there.base, `${path}unknown`),
    ];
    assert.equal(existing.status, 404);
    assert.deepEqual(toComparable(existing), toComparable(unknown));
  }
  assertRefusal(await use(there, secretOf(share)), 404, 'ShareNotFound');
  const again = { ...there, token: await fetchToken(off.production, caller.application) };
  assertRefusal(await ask(again, 'POST', path, { Access: 'read', Password: 'x' }), 403, 'Forbidden');
  await off.stop();
  removeDataFolder(folder);
});

// The clock of the issuer does not move: from here on tokens get old, and the last test makes nothing with them.

test('After ten wrong passwords one a minute is looked at', async () => {
  const fresh = await addToSpace();
  const folder = await createFolder(fresh, fresh.application.RootFolderId, randomUUID());
  const share = await makeShare(fresh, folder.Id, { Password: 'right' });
  const attempt = (password: string) => use(fresh, secretOf(share), '', { headers: { SharePassword: password } });
  const wrong = await Promise.all(Array.from({ length: 30 }, (_, index) => attempt(`wrong ${index}`)));
  const codes = wrong.map(({ body }) => (JSON.parse(body.toString()) as { Error: { Code: string } }).Error.Code);
  assert.equal(codes.filter((code) => code === 'SharePasswordInvalid').length, 10);
  assert.equal(codes.filter((code) => code === 'TooManyRequests').length, 20);
  await service.advance(61_000);
  assertRefusal(await attempt('wrong'), 401, 'SharePasswordInvalid');
  assertRefusal(await attempt('right'), 403, 'TooManyRequests');
  await service.advance(61_000);
  assert.equal((await attempt('right')).status, 200);
});

test('A download may be resumed for an hour', async () => {
  const { folder, file } = await makeFolder();
  const share = await makeShare(owner, folder.Id, { MaxDownloads: 1 });
  const read = (Range: string) => use(owner, secretOf(share), `/files/${file.Id}/content`, { headers: { Range } });
  assert.equal((await read('bytes=0-1')).status, 206);
  await service.advance(59 * 60 * 1000);
  assert.equal((await read('bytes=2-')).body.toString(), 'eirs');
  await service.advance(2 * 60 * 1000);
  assertRefusal(await read('bytes=2-'), 404, 'ShareNotFound');
});

test('A link expires', async () => {
  assert.equal(await statusOf(expiring), 200);
  await service.advance(dayMs);
  assertRefusal(await use(owner, secretOf(expiring)), 404, 'ShareNotFound');
});
