// Past attacks on the sign-in: filling the disk from outside, guessing in parallel, locking others out.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type * as client from 'openid-client';
import { assertEnvelope, assertRefusal } from '../interface/assertions.ts';
import { type Answer, askToken, type Caller, call, type Headers, send } from '../interface/client.ts';
import { addUser, command, type Person, setRole } from '../service/operator.ts';
import { addCaller, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { askSilently, behindProxy, cookieOf, fromElsewhere, get, openSignIn, post } from './attacks-sign-in.ts';
import { Browser } from './browser.ts';
import { addPage, begin, discover, finish, redirectUri, signIn } from './people.ts';
import { tally } from './tally.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let own: Caller;
let page: Registered;
let configuration: client.Configuration;
let ann: Person;

before(async () => {
  service = await startServiceHere(dataFolder, {
    environment: {
      CABINET_TEST_PORT: '0',
      ...behindProxy,
      CABINET_CORS_ORIGINS: 'https://friend.example',
    },
  });
  own = await addCaller(dataFolder, service.production, 'own');
  page = await addPage(dataFolder, 'page');
  configuration = await discover(service.production, page);
  ann = await addMember('ann');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function addMember(user: string): Promise<Person> {
  const person = await addUser(dataFolder, user);
  await setRole(dataFolder, user, 'editor', 'own');
  return person;
}

function pathOf(path: string): URL {
  return new URL(path, service.production);
}

function readRecords<Row>(sql: string): Row[] {
  const database = new DatabaseSync(join(dataFolder, 'production/catalog.db'), { readOnly: true });
  try {
    return database.prepare(sql).all() as Row[];
  } finally {
    database.close();
  }
}

function countRecords(model = '%'): number {
  const [counted] = readRecords<{ count: number }>(
    `SELECT count(*) AS count FROM issuer_records WHERE model LIKE '${model}'`,
  );
  return Number(counted?.count);
}

test('pages opened anonymously leave no session in the catalog', async () => {
  const before = countRecords();
  const from = fromElsewhere();
  const pages = await Promise.all(Array.from({ length: 100 }, () => get(pathOf('/oauth2/logout'), from)));
  assert.ok(pages.every(({ status }) => status === 200));
  assert.ok(pages.every(({ headers }) => headers['set-cookie'] !== undefined));
  assert.equal(countRecords(), before);
  const sessions = countRecords('Session');
  const { url } = await begin(configuration);
  await Promise.all(Array.from({ length: 50 }, () => get(url, from)));
  assert.equal(countRecords('Session'), sessions);
});

test('a page with a query of more than 4096 characters is refused, and nothing of it is stored', async () => {
  const { url } = await begin(configuration);
  url.searchParams.set('state', '');
  url.searchParams.set('state', 'A'.repeat(4096 - (url.search.length - 1)));
  const from = fromElsewhere();
  assert.equal((await get(url, from)).status, 303);
  const before = countRecords();
  assertRefusal(await get(new URL(`${url.href}A`), from), 400, 'MalformedRequest');
  assertRefusal(await get(pathOf(`/oauth2/logout?state=${'A'.repeat(4096)}`), from), 400, 'MalformedRequest');
  assertRefusal(await get(pathOf(`/oauth2/authorize/x?${'A'.repeat(4097)}`), from), 400, 'MalformedRequest');
  assert.equal(countRecords(), before);
  const large = { state: 'A'.repeat(50_000) };
  assertRefusal(await askForm('/oauth2/authorize', large), 400, 'InvalidBody');
  assertRefusal(await askForm('/oauth2/logout', large), 404, 'MethodNotAllowed');
});

function askForm(path: string, form: Record<string, string>, headers: Headers = {}): Promise<Answer> {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  return send(service.production, path, { method: 'POST', headers: { ...type, ...headers }, body });
}

test('an address that opens more than 300 pages must wait, but only for pages', async () => {
  const from = fromElsewhere();
  const pages: Answer[] = [];
  while (pages.length < 700 && pages.every(({ status }) => status === 200)) {
    pages.push(...(await Promise.all(Array.from({ length: 175 }, () => get(pathOf('/oauth2/logout'), from)))));
  }
  const shown = pages.filter(({ status }) => status === 200).length;
  assert.ok(shown >= 300 && shown < 700, `${shown} were shown`);
  for (const refused of pages.filter(({ status }) => status !== 200)) {
    assertRefusal(refused, 403, 'TooManyRequests');
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
  }
  const { url } = await begin(configuration);
  for (const path of [url.href, '/oauth2/login/x', '/oauth2/logout/success', '/oauth2/authorize/x']) {
    // Of those at once a few are shown: five a second are given back meanwhile.
    const answers = await Promise.all(Array.from({ length: 60 }, () => get(pathOf(path), from)));
    const refused = answers.filter(({ status }) => status === 403);
    assert.ok(refused.length > 0, `${path}: all were shown`);
    for (const each of refused) assertRefusal(each, 403, 'TooManyRequests');
  }
  assertEnvelope(await call(own, '/folders/-root-', { headers: from }));
  assert.equal((await get(url, fromElsewhere())).status, 303);
});

test('with less free disk space than the reserve there are no sign-in pages', async () => {
  const folder = makeDataFolder();
  const full = await startServiceHere(folder, { environment: { CABINET_RESERVE: '8000TiB' } });
  try {
    for (const path of ['/oauth2/logout', '/oauth2/authorize?client_id=x', '/oauth2/login/x']) {
      assertRefusal(await send(full.production, path), 500, 'StorageFull');
    }
    assert.equal((await send(full.production, '/oauth2/jwks')).status, 200);
  } finally {
    await full.stop();
    removeDataFolder(folder);
  }
});

test('of many concurrent wrong passwords ten are checked, and then the right one must wait too', async () => {
  const guessed = await addMember('guessed');
  const opened = await openSignIn(configuration);
  const from = fromElsewhere();
  const guess = async (n: number) => (await post(opened, { ...guessed, Password: `wrong ${n}` }, from)).status;
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, n) => guess(n)));
  while (statuses.filter((status) => status === 403).length < 10) {
    statuses.push(await guess(statuses.length));
    assert.equal(statuses.at(-1), 403, 'they are looked at one by one while there are fewer than ten');
  }
  assert.equal(statuses.filter((status) => status === 403).length, 10);
  assert.ok(statuses.every((status) => status === 403 || status === 429));
  const right = await post(opened, guessed, from);
  assert.equal(right.status, 429);
  assert.ok(Number(right.headers['retry-after']) > 30, `${right.headers['retry-after']} seconds`);
  assert.equal((await post(opened, guessed, fromElsewhere())).status, 303, 'who is elsewhere is not held up');
  tally('bad credentials', 2);
});

test('an address that tries many passwords does not block others', async () => {
  const busy = await addMember('busy');
  const [opened, others] = [await openSignIn(configuration), await openSignIn(configuration)];
  const cookie = cookieOf(opened.browser, opened.shown.url.pathname);
  const headers = { ...fromElsewhere(), Cookie: cookie } as Record<string, string>;
  // Right ones of one user, and any of others. Not by `post`: it has 64 connections, and so many may wait.
  const flood = Array.from({ length: 150 }, (_, n) => {
    const body = new URLSearchParams({ user: n % 2 === 0 ? busy.User : `somebody-${n}`, password: busy.Password });
    return fetch(opened.shown.url, { method: 'POST', redirect: 'manual', headers, body });
  });
  for (let n = 0; n < 5; n += 1) {
    await wait(50);
    assert.equal((await post(others, ann, fromElsewhere())).status, 303);
  }
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  assert.ok(statuses.every((status) => [303, 403, 429].includes(status)));
  // Those that are looked at come before everyone else's.
  assert.ok(statuses.filter((status) => status !== 429).length < 30);
});

test("a page of the service's own origin may ask for tokens, and pages elsewhere cannot read them unless configured", async () => {
  const tokens = await signIn(configuration, ann);
  const form = { grant_type: 'refresh_token', client_id: page.AppKey, refresh_token: String(tokens.refresh_token) };
  const allowed = { [service.production]: undefined, 'https://evil.example': undefined, null: undefined };
  for (const [origin, shown] of Object.entries({ ...allowed, 'https://friend.example': 'https://friend.example' })) {
    const answer = await askToken(service.production, form, { Origin: origin });
    assert.equal(answer.status, 200, answer.body.toString());
    assert.equal(answer.headers['access-control-allow-origin'], shown);
    form.refresh_token = (JSON.parse(answer.body.toString()) as { refresh_token: string }).refresh_token;
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
    const preflight = await send(service.production, '/oauth2/token', { method: 'OPTIONS', headers });
    assert.equal(preflight.headers['access-control-allow-origin'], shown);
  }
});

test('signing in to test leaves the same browser signed in to production', async () => {
  const inTest = { env: 'test' };
  const app = { name: 'page', redirectUris: redirectUri, forPeople: true, ...inTest };
  const elsewhere = await discover(String(service.test), await command<Registered>(dataFolder, 'app add', app));
  const tester = await addUser(dataFolder, 'tester', inTest);
  // Cookies know hosts but no ports: this browser has one jar for both.
  const browser = new Browser();
  await signIn(configuration, ann, browser);
  assert.equal((await signIn(elsewhere, tester, browser)).claims()?.sub, 'tester');
  for (const [where, user] of [
    [configuration, 'ann'],
    [elsewhere, 'tester'],
  ] as const) {
    const begun = await begin(where, { prompt: 'none' });
    const { url } = await browser.open(begun.url);
    assert.equal((await finish(where, url, begun)).claims()?.sub, user);
  }
});

test('a sign-in lasts 14 days from its start, however often it is used', async () => {
  const lasting = await addMember('lasting');
  const browser = new Browser();
  await signIn(configuration, lasting, browser);
  const signedInAt = Date.now();
  const expiries = () =>
    readRecords<{ model: string; expires_at: number }>(
      `SELECT model, expires_at FROM issuer_records
       WHERE user_id = 'lasting' AND payload IS NOT NULL AND model IN ('Session', 'Grant') ORDER BY model`,
    );
  const before = expiries();
  assert.deepEqual(
    before.map(({ model }) => model),
    ['Grant', 'Session'],
  );
  // `oidc-provider` has the system's clock, and it counts in seconds.
  await wait(2100);
  // Also an application that comes later gets no more than what is left.
  const later = await discover(service.production, await addPage(dataFolder, 'later'));
  for (const through of [configuration, later]) assert.ok(await askSilently(cookieOf(browser), await begin(through)));
  const after = expiries();
  assert.equal(after.length, 3);
  for (const { model, expires_at: expiresAt } of after) {
    const moved = expiresAt - Number(before.find((known) => known.model === model)?.expires_at);
    // Lifetimes are whole seconds.
    assert.ok(Math.abs(moved) < 1000, `${model} moved by ${moved} ms`);
    assert.ok(expiresAt <= signedInAt + 14 * 86_400_000 + 2000);
  }
});
