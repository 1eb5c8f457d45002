// Every route of the router against every kind of caller who must be refused, and the exact response of each. A route that
// is in none of the tables fails, and so does a line of a table that is not a route.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Action } from '../../src/domain/permission.ts';
import type { CallerRoute } from '../../src/rest/route.ts';
import { routes } from '../../src/rest/routes.ts';
import { assertAnswer, assertRefusal, must, UUID } from '../interface/assertions.ts';
import { type Answer, basicAuthorization, CONTENT, type Headers, listFolder, send } from '../interface/client.ts';
import { makeDataFolder, removeDataFolder } from '../service/service.ts';
import { davLines, davRefusals } from './dav-lines.ts';
import {
  type ActorName,
  actorNames,
  askOpen,
  type ContentLine,
  contentLines,
  makeWorld,
  type World,
} from './matrix.ts';
import { openLines } from './open-lines.ts';
import { invalidToken, withoutError } from './refused.ts';
import { tally } from './tally.ts';

const dataFolder = makeDataFolder();
let world: World;

before(async () => {
  world = await makeWorld(dataFolder);
});

after(async () => {
  await world.service.stop();
  removeDataFolder(dataFolder);
});

const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const contentRoutes = routes.filter(
  (route): route is CallerRoute => route.action !== null && route.action !== 'foreign',
);
const otherRoutes = routes.filter(({ action }) => action === null || action === 'foreign');

test('Every route is in one of the tables, and every line of the tables is a route', () => {
  const lines = { content: Object.keys(contentLines), open: Object.keys(openLines) };
  const found = { content: contentRoutes.map(keyOf), open: otherRoutes.map(keyOf) };
  for (const kind of ['content', 'open'] as const) {
    for (const key of found[kind]) assert.ok(lines[kind].includes(key), `${key} is in no table: say who may use it`);
    for (const key of lines[kind]) assert.ok(found[kind].includes(key), `${key} is in a table, but is no route`);
  }
});

test('Every content request but OPTIONS and the use of a link needs credentials', () => {
  const isOfLink = (path: string) => path.startsWith(`${CONTENT}/shared/{secret}`);
  const others = otherRoutes.filter(({ method, path }) => method !== 'OPTIONS' && !isOfLink(path));
  for (const { path } of others) assert.ok(!path.startsWith(CONTENT), `${path} needs none`);
});

type Expected = { status: 200 } | { status: number; code: string; challenge: string | undefined };

const refused = (status: number, code: string, challenge?: string): Expected => ({ status, code, challenge });
const lackingScope = (scope: string) =>
  refused(403, 'InsufficientScope', `Bearer error="insufficient_scope", scope="${scope}"`);

const scopes = { read: 'content.read', write: 'content.write', manage: 'content.admin' };
const forMaker = ({ isForMaker, missing }: ContentLine): Expected | null =>
  isForMaker === true && missing !== null ? refused(404, missing) : null;
const forPeople = ({ refusal }: ContentLine): Expected =>
  refusal === undefined ? { status: 200 } : refused(refusal.status, refusal.code);
const forApplications = (line: ContentLine): Expected =>
  line.isForPeople ? refused(403, 'Forbidden') : forPeople(line);
/** `isAllowed`: by the role. */
const forRole = (line: ContentLine, isAllowed: boolean): Expected =>
  forMaker(line) ?? (isAllowed || line.isForEveryRole ? forPeople(line) : refused(403, 'Forbidden'));

const expectations: Record<ActorName, (action: Action, line: ContentLine) => Expected> = {
  'the application itself': (action, line) =>
    action === 'manage' ? lackingScope('content.admin') : forApplications(line),
  'no token': () => refused(401, 'TokenMissing', withoutError),
  'an invalid token': () => refused(401, 'TokenInvalid', invalidToken),
  'no AppKey': () => refused(401, 'AppKeyMissing', withoutError),
  'another application’s AppKey': () => refused(401, 'AppKeyMismatch', withoutError),
  'another space': (_action, line) => (line.missing === null ? forApplications(line) : refused(404, line.missing)),
  'content.read alone': (action, line) => (action === 'read' ? forApplications(line) : lackingScope(scopes[action])),
  'content.write alone': (action, line) => (action === 'write' ? forApplications(line) : lackingScope(scopes[action])),
  'an application with content.admin': (_action, line) => forMaker(line) ?? forApplications(line),
  'a viewer': (action, line) => forRole(line, action === 'read'),
  'an editor': (action, line) => forRole(line, action !== 'manage' && line.isForMakerAndManagers !== true),
  'a manager': (_action, line) => forRole(line, true),
  'a disabled application': () => refused(401, 'AppKeyUnknown', withoutError),
  'a client application on the mutual-TLS address': () => refused(403, 'MutualTlsNotAllowed'),
  'a server application on the plain address': () => refused(403, 'MutualTlsRequired'),
  'a production token on the test address': () => refused(401, 'TokenInvalid', invalidToken),
  'a test token on the production address': () => refused(401, 'TokenInvalid', invalidToken),
};

for (const route of contentRoutes) {
  for (const name of actorNames) {
    test(`${keyOf(route)} answers ${name} as expected`, async () => {
      const line = must(contentLines[keyOf(route)], `line for ${keyOf(route)}`);
      const answer = await ask(route, line, name);
      assertExpected(answer, expectations[name](route.action, line), line.success);
      for (const text of world.foreignNames) assert.ok(!answer.body.includes(text), `it tells of ${text}`);
      tally('routes × callers');
      if (line.endsSignIn) await world.actors[name].signInAgain?.();
      if (name === 'another space') tally('cross-space calls');
    });
  }
}

async function ask({ method }: CallerRoute, line: ContentLine, name: ActorName): Promise<Answer> {
  const own = (await line.prepare?.(world.left, world.own)) ?? world.own;
  const ids = name === 'another space' ? world.foreign : own;
  const request = line.request(ids);
  // Names that are taken would be another refusal.
  const headers: Headers = { ...request.headers, ...(method === 'POST' && { ConflictBehavior: 'Rename' }) };
  return await world.actors[name].send(CONTENT + line.path(ids), { ...request, method, headers });
}

function assertExpected(answer: Answer, expected: Expected, success = 200): void {
  if (!('code' in expected)) {
    assert.equal(answer.status, success, answer.body.toString());
    assert.equal(answer.headers['www-authenticate'], undefined);
    return;
  }
  assertRefusal(answer, expected.status, expected.code);
  assert.equal(answer.headers['www-authenticate'], expected.challenge);
}

for (const route of contentRoutes.filter(({ method }) => method === 'GET')) {
  test(`HEAD ${route.path} is authorized like GET`, async () => {
    const line = must(contentLines[keyOf(route)], `line for ${keyOf(route)}`);
    for (const name of actorNames) {
      const ids = name === 'another space' ? world.foreign : world.own;
      const answer = await world.actors[name].send(CONTENT + line.path(ids), { method: 'HEAD' });
      const expected = expectations[name](route.action, line);
      assert.equal(answer.status, 'code' in expected ? expected.status : (line.headSuccess ?? 200), name);
      assert.equal(answer.headers['www-authenticate'], 'challenge' in expected ? expected.challenge : undefined);
      assert.equal(answer.body.length, 0);
      tally('routes × callers');
    }
  });
}

for (const route of otherRoutes) {
  test(`${keyOf(route)} answers everyone alike, with or without credentials`, async () => {
    const line = must(openLines[keyOf(route)], `line for ${keyOf(route)}`);
    const { path, request } = askOpen(route.method, route.path);
    for (const name of actorNames) {
      const actor = world.actors[name];
      const answer = await actor.send(path, request);
      const { status, says } = line[actor.address];
      assert.equal(answer.status, status, `${name}: ${answer.body}`);
      assert.match(answer.body.toString(), says);
      assert.match(String(answer.headers['www-authenticate']), status === 401 ? /^Basic realm="/ : /^undefined$/);
      assert.match(String(answer.headers.requesttrackingid), UUID);
      tally('routes × callers');
    }
  });
}

const credentials = 'grant_type=client_credentials';

for (const path of ['/oauth2/token', '/oauth2/revoke']) {
  test(`POST ${path} accepts only active clients of its own environment with their secret`, async () => {
    const { left, right, disabled, service } = world;
    const { AppKey, Secret } = left.application;
    const pairs: [string, string, string][] = [
      [service.production, AppKey, 'wrong'],
      [service.production, AppKey, right.application.Secret],
      [service.production, 'unknown', Secret],
      [service.production, disabled.application.AppKey, disabled.application.Secret],
      [String(service.test), AppKey, Secret],
    ];
    for (const [base, user, password] of pairs) {
      const headers = { Authorization: basicAuthorization(user, password) };
      assertInvalidClient(await post(base, path, headers, `${credentials}&token=${left.token}`));
      const inForm = `${credentials}&client_id=${user}&client_secret=${password}&token=${left.token}`;
      assertInvalidClient(await post(base, path, {}, inForm));
      tally('routes × callers', 2);
    }
  });
}

function post(base: string, path: string, headers: Headers, body: string): Promise<Answer> {
  const all = { 'Content-Type': 'application/x-www-form-urlencoded', ...headers };
  return send(base, path, { method: 'POST', headers: all, body });
}

/** RFC 6749, section 5.2. */
function assertInvalidClient(answer: Answer): void {
  assert.equal(answer.status, 401, answer.body.toString());
  assert.equal((JSON.parse(answer.body.toString()) as { error: string }).error, 'invalid_client');
}

test('No application gets a scope that it is not registered with', async () => {
  const { AppKey, Secret } = world.left.application;
  const headers = { Authorization: basicAuthorization(AppKey, Secret) };
  const answer = await post(world.left.base, '/oauth2/token', headers, `${credentials}&scope=content.admin`);
  assert.equal(answer.status, 400);
  assert.equal((JSON.parse(answer.body.toString()) as { error: string }).error, 'invalid_scope');
  tally('routes × callers');
});

test('Discovery names the same addresses on every address', async () => {
  const path = '/.well-known/openid-configuration';
  const plain = await world.actors['no token'].send(path, {});
  const mutualTls = await world.actors['a client application on the mutual-TLS address'].send(path, {});
  assert.deepEqual(JSON.parse(mutualTls.body.toString()), JSON.parse(plain.body.toString()));
});

/** A file of the application, for one request of WebDAV. */
async function makeDavFile(): Promise<string> {
  davFiles += 1;
  const name = `folder/dav-${davFiles}`;
  const made = await world.actors['the application itself'].send(`/dav/left/${name}`, { method: 'PUT', body: 'x' });
  assert.equal(made.status, 201, made.body.toString());
  return name;
}
let davFiles = 0;

for (const [method, line] of Object.entries(davLines)) {
  test(`WebDAV: ${method} answers every caller as expected, and shows nothing of other spaces`, async () => {
    for (const name of actorNames) {
      const made = await makeDavFile();
      const request = { method, ...line.request(made) };
      const { status, headers, body } = await world.actors[name].send(`/dav/left/${line.path(made)}`, request);
      const refusal = davRefusals[name](line.isWrite);
      assert.equal(status, refusal ?? line.success, `${name}: ${body}`);
      assert.match(String(headers['www-authenticate']), status === 401 ? /^Basic .*Bearer / : /^undefined$/, name);
      if (refusal !== null) assert.doesNotMatch(body.toString(), /changed|multistatus|<D:href>/);
      const foreign = await world.actors[name].send(`/dav/far-side/folder/file`, request);
      // Who may only read learns no more of another space than that there is nothing.
      const isRight =
        foreign.status === (refusal ?? line.foreign) || (refusal === 403 && foreign.status === line.foreign);
      assert.ok(isRight, `${name} elsewhere: ${foreign.status} ${foreign.body}`);
      const text = `${JSON.stringify(foreign.headers)} ${foreign.body}`;
      for (const secret of [world.foreign.file, world.foreign.folder]) assert.ok(!text.includes(secret));
      tally('routes × callers');
      tally('cross-space calls');
    }
  });
}

test('WebDAV: OPTIONS answers everyone alike, and `Destination` reaches no other space', async () => {
  for (const name of actorNames) {
    const { status, headers } = await world.actors[name].send('/dav/far-side/folder', { method: 'OPTIONS' });
    assert.deepEqual([status, headers.dav], [200, '1, 2, 3'], name);
    tally('routes × callers');
  }
  for (const method of ['COPY', 'MOVE']) {
    for (const to of ['far-side/taken', 'far-side/folder/file', 'nowhere/taken']) {
      const made = await makeDavFile();
      const request = { method, headers: { Destination: `/dav/${to}` } };
      const { status } = await world.actors['an editor'].send(`/dav/left/${made}`, request);
      assert.equal(status, 403, to);
      tally('cross-space calls');
    }
  }
});

test('WebDAV accepts only active applications of its own environment with their secret', async () => {
  const { left, right, disabled, service } = world;
  const { AppKey, Secret } = left.application;
  const pairs: [string, string, string][] = [
    [service.production, AppKey, 'wrong'],
    [service.production, AppKey, right.application.Secret],
    [service.production, 'ak_unknown', Secret],
    [service.production, disabled.application.AppKey, disabled.application.Secret],
    [String(service.test), AppKey, Secret],
  ];
  for (const [base, user, password] of pairs) {
    const headers = { Authorization: basicAuthorization(user, password), Depth: '0' };
    assert.equal((await send(base, '/dav/', { method: 'PROPFIND', headers })).status, 401);
    tally('bad credentials');
  }
});

test('Nothing was written into the other space', async () => {
  const { right, foreign } = world;
  const all = await listFolder(right, right.application.RootFolderId);
  assert.deepEqual(
    all.map(({ Id }) => Id),
    [foreign.folder],
  );
  const inside = await listFolder(right, foreign.folder);
  assert.deepEqual(
    inside.map(({ Id }) => Id),
    [foreign.file],
  );
  assertAnswer(await send(right.base, '/health/live'));
});
