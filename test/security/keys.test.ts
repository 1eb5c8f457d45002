// `cabinet keys rotate`: new signing keys under full load, and revoking the old ones.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { decodeProtectedHeader, type JWK } from 'jose';
import * as client from 'openid-client';
import { findFreePort } from '../free-ports.ts';
import { assertEnvelope, assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, fetchToken, makeFolder, send } from '../interface/client.ts';
import { cabinetJson } from '../service/here.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import { cabinet, eventually, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { sized } from '../size.ts';
import { Browser } from './browser.ts';
import { addPage, begin, discover, finish, redirectUri, signIn } from './people.ts';
import { openStream } from './stream.ts';
import { tally } from './tally.ts';

const connections = sized(16, 32);
const rotations = sized(4, 8);
const dataFolder = makeDataFolder();
let service: StartedHere;
let callers: Caller[];
let page: Registered;

async function serve(): Promise<StartedHere> {
  const environment = { CABINET_PORT: String(port), CABINET_TEST_PORT: '0' };
  return await startServiceHere(dataFolder, { environment });
}

const port = await findFreePort();

before(async () => {
  service = await serve();
  const base = service.production;
  callers = [];
  for (const Name of ['one', 'two', 'three', 'four']) {
    const application = { Name, ...(await addApplication(dataFolder, Name)) };
    callers.push({ base, application, token: await fetchToken(base, application) });
  }
  page = await addPage(dataFolder, 'page');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

function rotate(input: Record<string, unknown> = {}): Promise<object> {
  return command(dataFolder, 'keys rotate', input);
}

/** The published keys for access tokens. */
async function readJwks(base: string | null): Promise<JWK[]> {
  const answer = await send(base ?? '', '/oauth2/jwks');
  assert.equal(answer.status, 200);
  const { keys } = JSON.parse(answer.body.toString()) as { keys: JWK[] };
  return keys.filter(({ alg }) => alg === 'ES256');
}

function kidOf(token: string): string {
  return String(decodeProtectedHeader(token).kid);
}

/** The keys for access tokens, and those of cookies. */
function readKeysFile(environment = 'production'): { Signing: (JWK & { retired?: number })[]; Cookies: string[] } {
  const path = join(dataFolder, environment, 'keys.json');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(
    readdirSync(join(dataFolder, environment)).filter((name) => name.startsWith('keys.json')),
    ['keys.json'],
  );
  const { Signing, Cookies } = JSON.parse(readFileSync(path, 'utf8')) as ReturnType<typeof readKeysFile>;
  assert.ok(Signing.every(({ alg }) => alg === 'ES256'));
  return { Signing, Cookies };
}

async function renew(caller: Caller): Promise<Caller> {
  return { ...caller, token: await fetchToken(caller.base, caller.application) };
}

async function statusOf(caller: Caller): Promise<number> {
  return (await call(caller, '/folders/-root-')).status;
}

test(`no request of ${connections} connections fails while keys are rotated ${rotations} times`, async (context) => {
  const [own] = callers as [Caller];
  const kids = [kidOf(own.token)];
  const newest = [...callers];
  const turns = ['old', 'new', 'token', 'old', 'save', 'new'] as const;
  const counts = { old: 0, new: 0, token: 0, save: 0 };
  let requestCount = 0;
  const stream = openStream(connections, async (connection) => {
    const at = connection % callers.length;
    requestCount += 1;
    const turn = turns[requestCount % turns.length] as keyof typeof counts;
    counts[turn] += 1;
    if (turn === 'token') newest[at] = await renew(callers[at] as Caller);
    if (turn === 'save') await makeFolder(newest[at] as Caller);
    if (turn === 'token' || turn === 'save') return null;
    const status = await statusOf((turn === 'old' ? callers : newest)[at] as Caller);
    return status === 200 ? null : `${turn} token: ${status}`;
  });
  for (let n = 0; n < rotations; n += 1) {
    await stream.go(4);
    if (n === 0) await cabinetJson(dataFolder, ['keys', 'rotate']);
    else await rotate();
    const { token } = await renew(own);
    assert.ok(!kids.includes(kidOf(token)), 'a new token is signed with a new key');
    kids.unshift(kidOf(token));
    const published = await readJwks(service.production);
    assert.deepEqual(
      published.map(({ kid }) => kid),
      kids,
    );
    for (const key of published)
      assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  }
  await stream.go(4);
  const { count, failures } = await stream.stop();
  context.diagnostic(`${count} requests: ${JSON.stringify(counts)}`);
  assert.deepEqual(failures, []);
  assert.ok(Object.values(counts).every((each) => each >= 50));
  const { Signing, Cookies } = readKeysFile();
  assert.deepEqual(
    Signing.map(({ kid }) => kid),
    kids,
  );
  assert.deepEqual(
    Signing.map(({ retired }) => typeof retired),
    ['undefined', ...Array(rotations).fill('number')],
  );
  assert.equal(Cookies.length, 4);
});

/** As the browser would go on, until a page or an address elsewhere. After a rotation cookies are signed anew, and those
 *  signatures alone, which are of no use to anyone, lack the attributes that `Browser` insists on. */
async function goOn({ cookies }: Browser, from: URL, fields: Record<string, string> | null): Promise<[URL, string]> {
  const jar = new Map(cookies.map(({ name, value }) => [name, value]));
  let [url, body] = [from, fields && new URLSearchParams(fields)];
  for (;;) {
    const headers = { Accept: 'text/html', Cookie: [...jar].map((pair) => pair.join('=')).join('; ') };
    const answer = await fetch(url, { method: body === null ? 'GET' : 'POST', body, redirect: 'manual', headers });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^(.*?)=(.*?);/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) return [url, await answer.text()];
    [url, body] = [new URL(location, url), null];
    if (url.origin !== from.origin) return [url, ''];
  }
}

test('sign-ins in progress continue, sessions stay, and refresh tokens stay valid', async () => {
  const ann = await addUser(dataFolder, 'ann');
  await setRole(dataFolder, 'ann', 'viewer', 'one');
  const configuration = await discover(service.production, page);
  const tokens = await signIn(configuration, ann);
  const browser = new Browser();
  const begun = await begin(configuration);
  const shown = await browser.open(begun.url);
  const kid = kidOf(tokens.access_token);
  await rotate();
  const [back, text] = await goOn(browser, shown.url, { user: ann.User, password: ann.Password });
  assert.equal(back.origin, new URL(redirectUri).origin, text);
  const after = await finish(configuration, back, begun);
  const refreshed = await client.refreshTokenGrant(configuration, String(tokens.refresh_token));
  for (const { access_token: token } of [after, refreshed]) assert.notEqual(kidOf(token), kid);
  for (const { access_token: token } of [tokens, after, refreshed]) {
    const caller = { base: service.production, application: { Name: '', ...page }, token };
    assertEnvelope(await call(caller, '/folders/-root-'));
  }
  await rotate();
  await rotate();
  assert.ok((await client.refreshTokenGrant(configuration, String(refreshed.refresh_token))).access_token);
});

test('revoking the old keys ends all their tokens at once, also those just used, and new ones work', async () => {
  const bob = await addUser(dataFolder, 'bob');
  await setRole(dataFolder, 'bob', 'viewer', 'one');
  const configuration = await discover(service.production, page);
  const browser = new Browser();
  const { access_token: token, refresh_token: refreshToken } = await signIn(configuration, bob, browser);
  const person = { base: service.production, application: { Name: '', ...page }, token };
  const fresh = await Promise.all(callers.map(renew));
  await rotate();
  const newest = await Promise.all(callers.map(renew));
  const all = [...callers, ...fresh, ...newest, person];
  assert.deepEqual(new Set(await Promise.all(all.map(statusOf))), new Set([200]));
  assert.deepEqual(await rotate({ revokeOld: true }), { Environment: 'production', OldKeys: 'revoked' });
  for (const caller of all) {
    assertRefusal(await call(caller, '/folders/-root-'), 401, 'TokenInvalid');
    tally('bad credentials');
  }
  const renewed = await Promise.all(callers.map(renew));
  assert.deepEqual(new Set(await Promise.all(renewed.map(statusOf))), new Set([200]));
  const published = await readJwks(service.production);
  assert.deepEqual(
    published.map(({ kid }) => kid),
    [kidOf(String(renewed[0]?.token))],
  );
  const { Signing, Cookies } = readKeysFile();
  assert.deepEqual([Signing.length, Cookies.length], [1, 1]);
  const [, again] = await goOn(browser, (await begin(configuration)).url, null);
  assert.match(again, /<label for="password">/, 'a cookie of the old keys signs nobody in');
  await assert.rejects(client.refreshTokenGrant(configuration, String(refreshToken)), 'nor does a refresh token');
  callers = renewed;
});

test('concurrent rotations each add a key, and none is lost', async () => {
  const before = await readJwks(service.production);
  await Promise.all(Array.from({ length: 4 }, () => rotate()));
  const kids = (await readJwks(service.production)).map(({ kid }) => kid);
  assert.equal(new Set(kids).size, before.length + 4);
  assert.deepEqual(
    readKeysFile().Signing.map(({ kid }) => kid),
    kids,
  );
  assert.deepEqual(
    kids.slice(4),
    before.map(({ kid }) => kid),
  );
  assert.deepEqual(new Set(await Promise.all(callers.map(statusOf))), new Set([200]));
});

test('the test environment has its own keys and rotations', async () => {
  const tester = await addApplication(dataFolder, 'tester', { env: 'test' });
  const base = service.test ?? '';
  const application = { Name: 'tester', ...tester };
  const caller = { base, application, token: await fetchToken(base, application) };
  const [production, testing] = [await readJwks(service.production), await readJwks(base)];
  assert.ok(testing.every(({ kid, x }) => production.every((other) => other.kid !== kid && other.x !== x)));
  assert.deepEqual(await rotate({ env: 'test', revokeOld: true }), {
    Environment: 'test',
    OldKeys: 'revoked',
  });
  assert.deepEqual(await readJwks(service.production), production);
  assert.notEqual((await readJwks(base))[0]?.kid, testing[0]?.kid);
  assertRefusal(await call(caller, '/folders/-root-'), 401, 'TokenInvalid');
  tally('bad credentials');
  assert.equal(await statusOf(callers[0] as Caller), 200);
  await rotate();
  assert.equal((await readJwks(base)).length, 1);
  assert.equal(readKeysFile('test').Signing.length, 1);
  const unknown = await cabinet(dataFolder, ['keys', 'rotate', '--env', 'staging', '--json']);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stdout, /"Error"/);
});

test('keys are rotated while no service runs, by one command at a time, and none is lost', async () => {
  const caller = await renew(callers[0] as Caller);
  await service.stop();
  const before = readKeysFile().Signing.map(({ kid }) => kid);
  await cabinetJson(dataFolder, ['keys', 'rotate']);
  const ran = await Promise.all(Array.from({ length: 3 }, () => cabinet(dataFolder, ['keys', 'rotate'])));
  const done = ran.filter(({ code }) => code === 0).length;
  for (const { code, stderr } of ran)
    if (code !== 0) assert.match(stderr, /is in use by (another process|process \d+ \(cabinet keys rotate)/);
  assert.ok(done >= 1);
  const kids = readKeysFile().Signing.map(({ kid }) => kid);
  assert.deepEqual(kids.slice(1 + done), before);
  service = await serve();
  await eventually('the old token is taken', async () => (await statusOf(caller)) === 200, 1000);
  assert.equal(kidOf((await renew(caller)).token), kids[0]);
});
