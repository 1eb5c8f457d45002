// Links (docs/contract.md §10.11), which need no credentials: each ends within a second of its creator losing the permission,
// works only where its creator may use the API, and is never revealed, even in the log.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Answer, type Caller, CONTENT, call, fetchToken, saveFile, send } from '../interface/client.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import {
  eventually,
  makeDataFolder,
  type Registered,
  removeDataFolder,
  type Started,
  startService,
} from '../service/service.ts';
import { addPage, discover, signIn } from './people.ts';
import { addIssued, ask, askBound, type Issued, readOwnCa, through } from './server-applications.ts';
import { tally } from './tally.ts';

const dataFolder = makeDataFolder();
let service: Started;
let page: Registered;

before(async () => {
  const environment = { CABINET_MTLS_PORT: '0', CABINET_LOG_LEVEL: 'trace' } as const;
  service = await startService(dataFolder, { environment });
  page = await addPage(dataFolder, 'page');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function addCaller(Name: string, more: Record<string, unknown> = {}): Promise<Caller> {
  const application = { Name, ...(await addApplication(dataFolder, Name, more)) };
  return { base: service.production, application, token: await fetchToken(service.production, application) };
}

async function save(caller: Caller, bytes: string | Buffer = 'theirs'): Promise<string> {
  const FileName = `${randomBytes(4).toString('hex')}.txt`;
  return (await saveFile(caller, { FolderId: '-root-', FileName }, bytes)).File.Id;
}

function toLink(answer: Answer): string {
  assert.equal(answer.status, 200, answer.body.toString());
  return (JSON.parse(answer.body.toString()) as { Url: string }).Url;
}

const lasting = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{"ExpiresInSeconds": 3600}',
};

async function link(caller: Caller, file: string): Promise<string> {
  return toLink(await call(caller, `/files/${file}/link`, lasting));
}

function follow(url: string): Promise<Answer> {
  return send(service.production, new URL(url).pathname);
}

async function assertWorks(url: string): Promise<void> {
  assert.equal((await follow(url)).body.toString(), 'theirs');
}

async function assertEnds(url: string): Promise<void> {
  await eventually('it leads nowhere', async () => (await follow(url)).status !== 200, 1000);
  assertRefusal(await follow(url), 404, 'LinkNotFound');
  tally('bad credentials');
}

/** A person, and a file in a space of its own that they can read. */
async function enter(user: string, role = 'viewer'): Promise<{ person: Caller; owner: Caller; file: string }> {
  const owner = await addCaller(`owner-of-${user}`);
  const who = await addUser(dataFolder, user);
  await setRole(dataFolder, user, role, owner.application.Space);
  const { access_token: token } = await signIn(await discover(service.production, page), who);
  const person = { base: service.production, application: { Name: 'page', ...page }, token };
  return { person, owner, file: await save(owner) };
}

test('A link ends with its application', async () => {
  for (const [name, end] of [
    ['disabled', 'app disable'],
    ['removed', 'app remove'],
  ] as const) {
    const caller = await addCaller(name);
    const url = await link(caller, await save(caller));
    await assertWorks(url);
    await command(dataFolder, end, { application: name });
    await assertEnds(url);
  }
});

test('A link works again when its application is enabled again, if its tokens were not revoked', async () => {
  const caller = await addCaller('paused');
  const url = await link(caller, await save(caller));
  await command(dataFolder, 'app disable', { application: 'paused', revokeTokens: false });
  await assertEnds(url);
  await command(dataFolder, 'app enable', { application: 'paused' });
  await eventually('it works', async () => (await follow(url)).status === 200, 1000);
});

test('A link ends when its creator is disabled or loses the role in the space', async () => {
  const lost = await enter('lost');
  const url = await link(lost.person, lost.file);
  await assertWorks(url);
  await setRole(dataFolder, 'lost', 'none', lost.owner.application.Space);
  await assertEnds(url);
  const gone = await enter('gone', 'editor');
  const other = await link(gone.person, gone.file);
  await assertWorks(other);
  await command(dataFolder, 'user disable', { user: 'gone' });
  await assertEnds(other);
  await assertWorks(await link(gone.owner, gone.file));
});

test('A link of a person ends with the application it was made through, and with the sign-in', async () => {
  const { person, file } = await enter('leaving');
  const url = await link(person, file);
  await command(dataFolder, 'app disable', { application: 'page', revokeTokens: false });
  await assertEnds(url);
  await command(dataFolder, 'app enable', { application: 'page' });
  await eventually('it works', async () => (await follow(url)).status === 200, 1000);
  await command(dataFolder, 'user password', { user: 'leaving', password: 'another long password' });
  await assertEnds(url);
});

test('A role in another space does not keep a link alive', async () => {
  const { person, owner, file } = await enter('moving');
  const url = await link(person, file);
  const other = await addCaller('other-space');
  await setRole(dataFolder, 'moving', 'manager', other.application.Space);
  await setRole(dataFolder, 'moving', 'none', owner.application.Space);
  await assertEnds(url);
});

test('New keys keep links valid; revoking the old keys ends them', async () => {
  const caller = await addCaller('keys');
  const file = await save(caller);
  const url = await link(caller, file);
  await command(dataFolder, 'keys rotate');
  await assertWorks(url);
  await assertWorks(await link(caller, file));
  await command(dataFolder, 'keys rotate', { revokeOld: true });
  await assertEnds(url);
  const token = await fetchToken(service.production, caller.application);
  await assertWorks(await link({ ...caller, token }, file));
});

test('Credentials sent with a link are ignored', async () => {
  const caller = await addCaller('beside');
  const path = new URL(await link(caller, await save(caller))).pathname;
  for (const headers of [{ Authorization: 'Bearer x' }, { AppKey: 'x' }, { SpaceId: 'x' }]) {
    assert.equal((await send(service.production, path, { headers })).status, 200);
    assertRefusal(await send(service.production, `${path}x`, { headers }), 404, 'LinkNotFound');
    tally('bad credentials');
  }
});

async function addServer(name: string): Promise<{ issued: Issued; url: string }> {
  const issued = await addIssued(dataFolder, name);
  const over = through(String(service.mutualTls), issued.tls);
  const token = JSON.parse((await askBound(over, issued.AppKey)).body.toString()) as { access_token: string };
  const headers = { Authorization: `Bearer ${token.access_token}`, AppKey: issued.AppKey };
  const saved = await over(`${CONTENT}/files`, {
    method: 'POST',
    headers: { ...headers, FileName: 'a.txt', 'Content-Type': 'application/octet-stream' },
    body: 'theirs',
  });
  const path = `${CONTENT}/files/${saved.headers.entryid}/link`;
  return { issued, url: toLink(await over(path, { ...lasting, headers: { ...headers, ...lasting.headers } })) };
}

test('A link of a server-based application works only on the mutual-TLS address with its certificates', async () => {
  const { issued, url } = await addServer('backend');
  const stranger = await addServer('stranger');
  const { origin, pathname } = new URL(url);
  assert.equal(origin, service.mutualTls);
  const over = (tls: Issued['tls']) => through(origin, tls)(pathname);
  assert.equal((await over(issued.tls)).body.toString(), 'theirs');
  assertRefusal(await over(stranger.issued.tls), 404, 'LinkNotFound');
  assertRefusal(await over({ ca: readOwnCa(dataFolder) } as Issued['tls']), 404, 'LinkNotFound');
  assertRefusal(await follow(url), 404, 'LinkNotFound');
  await ask(dataFolder, 'app certificate remove', { application: 'backend', thumbprint: issued.thumbprint });
  await eventually('it leads nowhere', async () => (await over(issued.tls)).status === 404, 1000);
  tally('bad credentials', 4);
});

test('A link of another application does not work on the mutual-TLS address', async () => {
  const caller = await addCaller('plain');
  const { pathname } = new URL(await link(caller, await save(caller)));
  const { issued } = await addServer('curious');
  const answer = await through(String(service.mutualTls), issued.tls)(pathname);
  assertRefusal(answer, 404, 'LinkNotFound');
  tally('bad credentials');
});

/** Changes a byte of every blob. */
function rot(): void {
  const folder = join(dataFolder, 'production/blobs');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/[0-9a-f]{32}$/.test(name)) continue;
    const bytes = readFileSync(join(folder, name));
    bytes[0] = Number(bytes[0]) ^ 1;
    writeFileSync(join(folder, name), bytes);
  }
}

test('Links are never logged, even when they fail', async () => {
  const caller = await addCaller('quiet');
  const url = await link(caller, await save(caller, randomBytes(200_000)));
  const token = url.slice(url.lastIndexOf('/') + 1);
  assert.equal((await follow(url)).status, 200);
  rot();
  assertRefusal(await follow(url), 500, 'InternalError');
  await follow(`${url}x`);
  await send(service.production, `/links/${token}`, { method: 'POST' });
  await send(service.production, `/links/${token}/more`);
  await eventually('the failure is in the log', () => service.errors().includes('corrupt'));
  assert.ok(!service.errors().includes(token.slice(0, 40)));
});
