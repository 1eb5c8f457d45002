// People: the code flow with PKCE through an unmodified client library, roles, spaces, signing out.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { assertEnvelope, assertRefusal } from '../interface/assertions.ts';
import {
  type Answer,
  type Caller,
  call,
  createFolder,
  postFile,
  postFolder,
  saveFile,
  send,
} from '../interface/client.ts';
import { trash } from '../interface/life.ts';
import { contentHead, openWire } from '../interface/wire.ts';
import { addApplication, addUser, command, type Person, setRole } from '../service/operator.ts';
import { addCaller, eventually, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { Browser } from './browser.ts';
import { addPage, begin, discover, finish, redirectUri, signIn } from './people.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let page: Registered;
let configuration: client.Configuration;
let left: Caller;
let right: Caller;
let ann: Person;

before(async () => {
  service = await startServiceHere(dataFolder);
  left = await addCaller(dataFolder, service.production, 'left');
  right = await addCaller(dataFolder, service.production, 'right');
  page = await addPage(dataFolder, 'page');
  configuration = await discover(service.production, page);
  ann = await addUser(dataFolder, 'Ann');
  await setRole(dataFolder, 'ann', 'editor', 'left');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

function as(token: string, application: Registered = page): Caller {
  return { base: service.production, application: { Name: '', ...application }, token };
}

function spacesOf(caller: Caller, headers = {}): Promise<Answer> {
  return call(caller, '/spaces', { headers });
}

/** A new person with a role in each of these spaces, signed in. */
async function enterAs(user: string, roles: Record<string, string>): Promise<Caller> {
  const person = await addUser(dataFolder, user);
  for (const [space, role] of Object.entries(roles)) await setRole(dataFolder, user, role, space);
  return as((await signIn(configuration, person)).access_token);
}

test('a person signs in with PKCE, works under their own id, refreshes, and the old refresh token is refused', async () => {
  const browser = new Browser();
  const tokens = await signIn(configuration, ann, browser);
  assert.equal(tokens.claims()?.sub, 'ann');
  assert.equal(tokens.claims()?.name, 'Ann'.toLowerCase());
  const caller = as(tokens.access_token);
  const { Folder } = assertEnvelope(await postFolder(caller, { FolderName: 'from Ann' }));
  assert.deepEqual([Folder.CreatedBy, Folder.ModifiedBy], ['ann', 'ann']);
  const refreshed = await client.refreshTokenGrant(configuration, String(tokens.refresh_token));
  assert.notEqual(refreshed.refresh_token, tokens.refresh_token);
  assertEnvelope(await call(as(refreshed.access_token), `/folders/${Folder.Id}`));
  await assert.rejects(
    client.refreshTokenGrant(configuration, String(tokens.refresh_token)),
    (error) => error instanceof client.ResponseBodyError && error.error === 'invalid_grant',
  );
  // Someone had the old one: everything that came from this sign-in ends.
  await assert.rejects(client.refreshTokenGrant(configuration, String(refreshed.refresh_token)));
  await eventually(
    'the access token is refused',
    async () => (await spacesOf(as(refreshed.access_token))).status === 401,
    1000,
  );
});

test('a signed-in person need not sign in again in the same browser, but must in another', async () => {
  const browser = new Browser();
  await signIn(configuration, ann, browser);
  const begun = await begin(configuration);
  const back = await browser.open(begun.url);
  assert.equal(back.url.origin, new URL(redirectUri).origin);
  assert.equal((await finish(configuration, back.url, begun)).claims()?.sub, 'ann');
  const other = await new Browser().open((await begin(configuration)).url);
  assert.match(other.text, /<label for="password">/);
});

test('a code can be used once, by the client that began, and only with its verifier', async () => {
  const browser = new Browser();
  await signIn(configuration, ann, browser);
  const begun = await begin(configuration);
  const { url } = await browser.open(begun.url);
  const tokens = await finish(configuration, url, begun);
  await assert.rejects(finish(configuration, url, begun));
  await assert.rejects(
    client.refreshTokenGrant(configuration, String(tokens.refresh_token)),
    'a code used twice ends what it gave',
  );
  const another = await begin(configuration);
  const elsewhere = await browser.open(another.url);
  const stolen = { ...another, verifier: client.randomPKCECodeVerifier() };
  await assert.rejects(finish(configuration, elsewhere.url, stolen));
});

test('a request without PKCE, with the plain method, or with an unregistered redirect URI gets no code', async () => {
  const { url } = await begin(configuration);
  for (const change of [
    (p: URLSearchParams) => p.delete('code_challenge'),
    (p: URLSearchParams) => p.set('code_challenge_method', 'plain'),
    (p: URLSearchParams) => p.delete('code_challenge_method'),
    (p: URLSearchParams) => p.set('response_type', 'token'),
    (p: URLSearchParams) => p.set('redirect_uri', 'https://evil.example/back'),
    (p: URLSearchParams) => p.set('redirect_uri', `${redirectUri}/more`),
    (p: URLSearchParams) => p.set('redirect_uri', `${redirectUri}?x=1`),
    (p: URLSearchParams) => p.set('client_id', left.application.AppKey),
    (p: URLSearchParams) => p.set('client_id', 'ak_00000000000000000000000000000000'),
  ]) {
    const changed = new URL(url);
    change(changed.searchParams);
    const answer = await new Browser().open(changed);
    assert.equal(answer.url.searchParams.get('code'), null);
    assert.notEqual(answer.url.origin, 'https://evil.example');
    assert.doesNotMatch(answer.text, /<label for="password">/);
  }
});

test('signing out ends the session, the refresh token and the access token', async () => {
  const browser = new Browser();
  const tokens = await signIn(configuration, ann, browser);
  const caller = as(tokens.access_token);
  assert.equal((await spacesOf(caller)).status, 200);
  const url = client.buildEndSessionUrl(configuration, {
    id_token_hint: String(tokens.id_token),
    post_logout_redirect_uri: redirectUri,
  });
  const page = await browser.open(url);
  assert.match(page.text, /Do you want to sign out\?/);
  const back = await browser.submit(page, { logout: 'yes' });
  assert.equal(back.url.origin, new URL(redirectUri).origin);
  await assert.rejects(client.refreshTokenGrant(configuration, String(tokens.refresh_token)));
  await eventually('the access token is refused', async () => (await spacesOf(caller)).status === 401, 1000);
  assertRefusal(await spacesOf(caller), 401, 'TokenInvalid');
  const again = await browser.open((await begin(configuration)).url);
  assert.match(again.text, /<label for="password">/);
});

test('revoking a refresh token ends the access token that came with it', async () => {
  const tokens = await signIn(configuration, ann);
  await client.tokenRevocation(configuration, String(tokens.refresh_token));
  await assert.rejects(client.refreshTokenGrant(configuration, String(tokens.refresh_token)));
  await eventually('it is refused', async () => (await spacesOf(as(tokens.access_token))).status === 401, 1000);
});

test('disabling a person, and a new password, end sessions and tokens within a second', async () => {
  for (const ending of ['disable', 'password']) {
    const person = await addUser(dataFolder, `gone-${ending}`);
    const tokens = await signIn(configuration, person);
    assert.equal((await spacesOf(as(tokens.access_token))).status, 200);
    await command(dataFolder, `user ${ending}`, { user: person.User });
    await eventually('refused', async () => (await spacesOf(as(tokens.access_token))).status === 401, 1000);
    await assert.rejects(client.refreshTokenGrant(configuration, String(tokens.refresh_token)));
    await assert.rejects(signIn(configuration, person), 'the old password is of no use');
  }
});

test('a viewer can read but not write, and sees nothing of other spaces', async () => {
  const viewer = await enterAs('viewer', { left: 'viewer' });
  const mine = await createFolder(left, left.application.RootFolderId, 'seen');
  const foreign = await createFolder(right, right.application.RootFolderId, 'unseen');
  assertEnvelope(await call(viewer, `/folders/${mine.Id}`));
  for (const folder of [mine.Id, '-root-', '']) {
    const error = assertRefusal(
      await postFolder(viewer, { ParentFolderId: folder, FolderName: 'x' }),
      403,
      'Forbidden',
    );
    assert.match(error.Message, /editor/);
    assertRefusal(await postFile(viewer, { FolderId: folder, FileName: 'x' }, 'x'), 403, 'Forbidden');
  }
  for (const folder of [foreign.Id, '0199b7a4-0000-7000-8000-000000000000', 'nothing']) {
    assertRefusal(await call(viewer, `/folders/${folder}`), 404, 'FolderNotFound');
    assertRefusal(await postFolder(viewer, { ParentFolderId: folder, FolderName: 'x' }), 404, 'FolderNotFound');
    assertRefusal(await postFile(viewer, { FolderId: folder, FileName: 'x' }, 'x'), 404, 'FolderNotFound');
  }
});

test('a person with several spaces names one where no id selects it, and reaches all entries by id', async () => {
  const both = await enterAs('both', { left: 'editor', right: 'viewer' });
  const { Spaces } = JSON.parse(String((await spacesOf(both)).body)) as { Spaces: Record<string, string>[] };
  assert.deepEqual(
    Spaces.map(({ Name, RootFolderId, Role }) => [Name, RootFolderId, Role]),
    [
      ['left', left.application.RootFolderId, 'editor'],
      ['right', right.application.RootFolderId, 'viewer'],
    ],
  );
  const pages = [];
  for (let path: string | undefined = '/spaces?limit=1'; path !== undefined; ) {
    const page = await call(both, path);
    pages.push(...(JSON.parse(String(page.body)) as { Spaces: { Name: string }[] }).Spaces);
    path = /contentmanagement(\/[^>]+)>/.exec(String(page.headers.link ?? ''))?.[1];
  }
  assert.deepEqual(pages, Spaces);
  for (const path of ['/folders/-root-', '/entries/-root-']) {
    assertRefusal(await call(both, path), 400, 'SpaceMissing');
  }
  assertRefusal(await postFolder(both, { FolderName: 'where' }), 400, 'SpaceMissing');
  const SpaceId = String(Spaces[1]?.Id);
  assert.equal(
    assertEnvelope(await call(both, '/folders/-root-', { headers: { SpaceId } })).Folder.Id,
    right.application.RootFolderId,
  );
  assertRefusal(await postFolder(both, { FolderName: 'x' }, { SpaceId }), 403, 'Forbidden');
  assertEnvelope(await postFolder(both, { FolderName: 'in left' }, { SpaceId: String(Spaces[0]?.Id) }));
  assertEnvelope(await call(both, `/folders/${right.application.RootFolderId}`));
  assertEnvelope(await postFolder(both, { ParentFolderId: left.application.RootFolderId, FolderName: 'by id' }));
  const third = await addCaller(dataFolder, service.production, 'third');
  const { Spaces: others } = JSON.parse(String((await spacesOf(third)).body)) as { Spaces: Record<string, string>[] };
  for (const id of [String(others[0]?.Id), '0199b7a4-0000-7000-8000-000000000000']) {
    assertRefusal(await call(both, '/folders/-root-', { headers: { SpaceId: id } }), 404, 'SpaceNotFound');
  }
  assertRefusal(await call(both, `/folders/${third.application.RootFolderId}`), 404, 'FolderNotFound');
});

test('a cursor belongs to the space in SpaceId, or to that of the folder searched in', async () => {
  const person = await enterAs('pager', { left: 'viewer', right: 'viewer' });
  const { Spaces } = JSON.parse(String((await spacesOf(person)).body)) as { Spaces: Record<string, string>[] };
  const [here, there] = Spaces.map(({ Id }) => ({ SpaceId: String(Id) }));
  const folder = await createFolder(left, '-root-', 'paged');
  for (const name of ['cursory one', 'cursory two']) {
    await saveFile(left, { FolderId: folder.Id, FileName: name }, 'x');
    await trash(left, (await createFolder(left, folder.Id, name.toUpperCase())).Id);
  }
  const next = ({ headers: { link } }: Answer) => /<[^>]*(\/(?:trash|search)\?[^>]+)>/.exec(String(link))?.[1];
  const trashed = String(next(await call(person, '/trash?limit=1', { headers: here ?? {} })));
  assert.equal((await call(person, trashed, { headers: here ?? {} })).status, 200);
  assertRefusal(await call(person, trashed, { headers: there ?? {} }), 400, 'InvalidCursor');
  const question = `/search?q=cursory&limit=1&folder=${folder.Id}`;
  let found: string | undefined;
  await eventually('both are found', async () => {
    found = next(await call(person, question));
    return found !== undefined;
  });
  for (const headers of [{}, here ?? {}]) assert.equal((await call(person, String(found), { headers })).status, 200);
});

test('a viewer who comments a version is refused before the body is read', async () => {
  const viewer = await enterAs('commenter', { left: 'viewer' });
  const { File } = await saveFile(left, { FolderId: '-root-', FileName: 'commented' }, 'x');
  const headers = { 'Content-Type': 'application/json', 'Content-Length': '1000', Expect: '100-continue' };
  using wire = await openWire(service.production);
  wire.write(contentHead(viewer, 'PATCH', `/files/${File.Id}/versions/1`, headers));
  assertRefusal(await wire.answer(), 403, 'Forbidden');
});

test('an application that is registered into a space gives people access to that space only', async () => {
  const bound = await addApplication(dataFolder, 'bound', { redirectUris: redirectUri, space: 'left' });
  const person = await addUser(dataFolder, 'roamer');
  await setRole(dataFolder, 'roamer', 'editor', 'left');
  await setRole(dataFolder, 'roamer', 'editor', 'right');
  const through = as((await signIn(await discover(service.production, bound), person)).access_token, bound);
  assert.equal(assertEnvelope(await call(through, '/folders/-root-')).Folder.Id, left.application.RootFolderId);
  assertRefusal(await call(through, `/folders/${right.application.RootFolderId}`), 404, 'FolderNotFound');
});

test('a person without a space sees none', async () => {
  const homeless = await enterAs('homeless', {});
  assert.equal(String((await spacesOf(homeless)).body), '{"Spaces":[]}');
  assertRefusal(await call(homeless, '/folders/-root-'), 403, 'Forbidden');
  assertRefusal(await call(homeless, `/folders/${left.application.RootFolderId}`), 404, 'FolderNotFound');
});

test('an Idempotency-Key belongs to the person, not to all users of the application', async () => {
  const [one, two] = [await enterAs('key-one', { left: 'editor' }), await enterAs('key-two', { left: 'editor' })];
  const headers = { 'Idempotency-Key': 'the-same' };
  const first = assertEnvelope(await postFolder(one, { FolderName: 'key one' }, headers));
  const second = assertEnvelope(await postFolder(two, { FolderName: 'key two' }, headers));
  assert.notEqual(first.Folder.Id, second.Folder.Id);
});

test('an application for people gets no token of its own', async () => {
  await assert.rejects(client.clientCredentialsGrant(configuration));
});

test('wrong, unknown and disabled credentials get the same page, and after ten an address must wait', async () => {
  await addUser(dataFolder, 'asleep');
  await command(dataFolder, 'user disable', { user: 'asleep' });
  const attempt = async (user: string, password: string) => {
    const browser = new Browser();
    return await browser.submit(await browser.open((await begin(configuration)).url), { user, password });
  };
  const pages = [await attempt('ann', 'wrong'), await attempt('no-one', 'wrong'), await attempt('asleep', 'wrong')];
  const shown = pages.map(({ text }) => text.replace(/value="[^"]*"/, ''));
  assert.deepEqual(
    pages.map(({ status }) => status),
    [403, 403, 403],
  );
  assert.equal(new Set(shown).size, 1);
  assert.match(shown[0] ?? '', /The user or the password is not right\./);
  for (let n = 0; n < 9; n += 1) assert.equal((await attempt('guessed', `wrong ${n}`)).status, 403);
  await attempt('guessed', 'tenth');
  const waiting = await attempt('guessed', 'eleventh');
  assert.equal(waiting.status, 429);
  assert.ok(Number(waiting.headers.get('retry-after')) > 0);
  // Others at the same address are not held up by it.
  await signIn(configuration, ann);
});

test('the sign-in page runs no script, cannot be framed, and escapes its content', async () => {
  const browser = new Browser();
  const shown = await browser.open((await begin(configuration)).url);
  const policy = shown.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.match(policy, /form-action 'self' https:\/\/app\.example/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
  assert.equal(shown.headers.get('cache-control'), 'no-store');
  const attacked = await browser.submit(shown, { user: '"><script>alert(1)</script>', password: 'x' });
  assert.doesNotMatch(attacked.text, /<script/);
  const stray = await send(service.production, new URL(shown.url).pathname, {});
  assert.equal(stray.status, 400, 'without the cookie of the browser that began there is nothing to sign in to');
});
