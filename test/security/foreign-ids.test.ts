// Entries in another space return exactly, byte for byte, what unknown ids return (docs/contract.md §5.4). Response times are
// compared in `long/timing.test.ts`.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { routes } from '../../src/rest/routes.ts';
import { assertEnvelope, assertRefusal } from '../interface/assertions.ts';
import {
  type Answer,
  askToken,
  basicAuthorization,
  type Caller,
  CONTENT,
  call,
  createFolder,
  download,
  fetchToken,
  listFolder,
  type Request,
  saveFile,
} from '../interface/client.ts';
import { trash } from '../interface/life.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import { addCaller, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { isLong } from '../size.ts';
import { mine, unknownId, type Way, ways, withoutIds } from './foreign-ways.ts';
import { addPage, discover, signIn } from './people.ts';
import { tally } from './tally.ts';
import { makeUpload } from './upload-lines.ts';

const dataFolder = makeDataFolder();
const trackingId = '0199b7a4-0000-4000-8000-000000000000';
let service: StartedHere;
let left: Caller;
let right: Caller;
/** An application, and people who are let in by other rules: a role that writes, one that reads, several spaces. */
let callers: Caller[];
let viewer: Caller;
let folder: string;
let file: string;
let upload: string;
let spaceId: string;

before(async () => {
  service = await startServiceHere(dataFolder);
  left = await addCaller(dataFolder, service.production, 'left');
  right = await addCaller(dataFolder, service.production, 'right');
  await addCaller(dataFolder, service.production, 'third');
  const page = await addPage(dataFolder, 'page');
  const enter = (user: string, roles: Record<string, string>) => enterAs(page, user, roles);
  viewer = await enter('viewer', { left: 'viewer' });
  callers = [
    left,
    await enter('editor', { left: 'editor' }),
    viewer,
    await enter('both', { left: 'editor', third: 'viewer' }),
    await enter('manager', { left: 'manager' }),
    await addAdministrator(),
  ];
  await enter('theirs', { right: 'manager' });
  folder = (await createFolder(right, right.application.RootFolderId, 'taken')).Id;
  await createFolder(right, folder, 'taken');
  file = (await saveFile(right, { FolderId: folder, FileName: 'taken.txt' }, 'theirs')).File.Id;
  upload = await makeUpload(right);
  mine.file = (await saveFile(left, { FolderId: '-root-', FileName: 'mine' }, 'x')).File.Id;
  mine.trashed = (await saveFile(left, { FolderId: '-root-', FileName: 'trashed' }, 'x')).File.Id;
  await trash(left, mine.trashed);
  const { Spaces } = JSON.parse(String((await call(right, '/spaces')).body)) as { Spaces: [{ Id: string }] };
  spaceId = Spaces[0].Id;
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function addAdministrator(): Promise<Caller> {
  const scopes = 'content.read content.write content.admin';
  const registered = await addApplication(dataFolder, 'administrator', { space: 'left', scopes });
  const application = { Name: 'administrator', ...registered };
  return { base: left.base, application, token: await fetchToken(left.base, application) };
}

async function enterAs(page: Registered, user: string, roles: Record<string, string>): Promise<Caller> {
  const person = await addUser(dataFolder, user);
  for (const [space, role] of Object.entries(roles)) await setRole(dataFolder, user, role, space);
  const { access_token: token } = await signIn(await discover(service.production, page), person);
  return { base: service.production, application: { Name: 'page', ...page }, token };
}

test('Every route of the content API is tried with foreign ids, or takes none', () => {
  const known = [...Object.keys(ways), ...withoutIds];
  // What links lead to takes ids, too: shares.test.ts tries them.
  const isOfLink = (path: string) => path.startsWith(`${CONTENT}/shared/{secret}`);
  const checked = routes.filter(
    ({ method, path }) => path.startsWith(CONTENT) && method !== 'OPTIONS' && !isOfLink(path),
  );
  const found = checked.map(({ method, path }) => `${method} ${path}`);
  for (const key of found) assert.ok(known.includes(key), `${key} is not tried with foreign ids: add how it takes one`);
  for (const key of known) assert.ok(found.includes(key), `${key} is no route`);
  for (const key of withoutIds) assert.ok(!key.includes('{'), `${key} takes an id`);
});

/** Everything that a caller sees, but for the time of day. */
function toBytes({ status, headers, body }: Answer): string {
  const { date: _, ...rest } = headers;
  return JSON.stringify([status, Object.entries(rest), body.toString('latin1')]);
}

async function ask(caller: Caller, way: Way, id: string): Promise<Answer> {
  const { path, ...request } = way.ask(id);
  return await call(caller, path, { ...request, headers: { requesttrackingid: trackingId, ...request.headers } });
}

/** Said of every id alike. */
const mayNot = /^(Forbidden|InsufficientScope)$/;

function foreignIds(): string[] {
  return [folder, file, upload, right.application.RootFolderId, right.application.AppKey, 'theirs'];
}

/** Those that were just shown to someone of their own space. */
function shownIds(): string[] {
  return isLong ? foreignIds() : [folder, file];
}

/** All but the foreign space are shared out: two of the callers ask for each, and in the long run every caller asks for all of them. */
function otherIds(caller: Caller): string[] {
  const unknown = [
    unknownId(),
    trackingId,
    unknownKey,
    'x',
    'nothing',
    folder.slice(0, -1),
    `${folder}0`,
    folder.replaceAll('-', ''),
    'i'.repeat(300),
    "x' OR 1",
  ];
  const share = callers.indexOf(caller) % 3;
  return [spaceId, ...unknown.filter((_, n) => isLong || n % 3 === share)];
}

for (const [route, some] of Object.entries(ways)) {
  for (const [name, way] of Object.entries(some)) {
    test(`${route} ${name} answers a foreign id with the bytes of an unknown and of a malformed one`, async () => {
      const said = new Map<Caller, string>();
      for (const caller of way.isForWriters ? callers.filter((one) => one !== viewer) : callers) {
        const first = await ask(caller, way, unknownId());
        const { Code } = assertRefusal(first, first.status, way.code);
        assert.equal(first.status, Code.endsWith('NotFound') ? 404 : mayNot.test(Code) ? 403 : 400);
        said.set(caller, toBytes(first));
        for (const id of otherIds(caller)) assert.equal(toBytes(await ask(caller, way, id)), toBytes(first), id);
        for (const id of foreignIds()) {
          assert.equal(toBytes(await ask(caller, way, id)), toBytes(first), 'the response reveals that it exists');
          tally('cross-space calls');
        }
      }
      // Now its first page is remembered, and so is where it is.
      assertEnvelope(await call(right, `/folders/${folder}`));
      assert.equal((await download(right, file)).toString(), 'theirs');
      for (const [caller, bytes] of said) {
        for (const id of shownIds()) {
          assert.equal(toBytes(await ask(caller, way, id)), bytes, 'the response reveals that it was just shown');
          tally('cross-space calls');
        }
      }
    });
  }
}

test('A foreign space returns the bytes of an unknown one wherever -root- is meant', async () => {
  const requests: ({ path: string } & Request)[] = [
    { path: '/folders/-root-' },
    {
      path: '/folders',
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"FolderName":"taken"}',
    },
    { path: '/files', method: 'POST', headers: { FileName: 'taken.txt' }, body: 'x' },
    { path: '/trash' },
    { path: '/trash', method: 'DELETE' },
    { path: '/changes' },
    { path: '/search?q=taken' },
  ];
  for (const caller of callers) {
    for (const { path, headers, ...request } of requests) {
      const askIn = (SpaceId: string) =>
        call(caller, path, { ...request, headers: { ...headers, SpaceId, requesttrackingid: trackingId } });
      const unknown = await askIn(unknownId());
      assertRefusal(unknown, 404, 'SpaceNotFound');
      for (const id of [spaceId, 'x', folder, right.application.RootFolderId]) {
        assert.equal(toBytes(await askIn(id)), toBytes(unknown));
        tally('cross-space calls');
      }
    }
  }
});

test('None of these requests wrote anything', async () => {
  const there = await listFolder(right, folder);
  assert.deepEqual(
    there.map(({ Name }) => Name),
    ['taken', 'taken.txt'],
  );
  const own = await listFolder(left, left.application.RootFolderId);
  assert.deepEqual(
    own.map(({ Id }) => Id),
    [mine.file],
  );
});

const wrongSecret = `cs_${'x'.repeat(43)}`;

function askWrongly(appKey: string, isForm = false): Promise<Answer> {
  const fields = isForm ? { client_id: appKey, client_secret: wrongSecret } : {};
  const headers = isForm ? {} : { Authorization: basicAuthorization(appKey, wrongSecret) };
  return askToken(
    service.production,
    { grant_type: 'client_credentials', ...fields },
    { requesttrackingid: trackingId, ...headers },
  );
}

const unknownKey = `ak_${'0'.repeat(32)}`;

test('The token endpoint answers an unknown AppKey, a disabled one and a wrong secret with the same bytes', async () => {
  const asleep = await addCaller(dataFolder, service.production, 'asleep');
  await command(dataFolder, 'app disable', { application: 'asleep' });
  for (const isForm of [false, true]) {
    const unknown = await askWrongly(unknownKey, isForm);
    assert.equal(unknown.status, 401);
    for (const key of [left.application.AppKey, asleep.application.AppKey, 'x', 'left']) {
      assert.equal(toBytes(await askWrongly(key, isForm)), toBytes(unknown));
    }
  }
});

test('The token endpoint still answers with the same bytes after a hundred wrong credentials', async () => {
  for (let n = 0; n < 120; n += 1) await askWrongly(`ak_${String(n).padStart(32, '0')}`);
  const known = await askWrongly(right.application.AppKey);
  const unknown = await askWrongly(`ak_${'9'.repeat(32)}`);
  assert.equal(unknown.status, known.status, 'a limit tells which AppKeys exist');
});
