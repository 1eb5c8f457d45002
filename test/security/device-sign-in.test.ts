// Sign-ins of devices (RFC 8628): who guesses codes, who lures people to enter one, and who claims what is not theirs.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { commandLineAppKey } from '../../src/domain/built-in-applications.ts';
import { addApplication, addUser, command, type Person, type Registered, setRole } from '../service/operator.ts';
import { makeDataFolder, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { Browser, type Page } from './browser.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const dataFolder = makeDataFolder();
let service: Awaited<ReturnType<typeof startServiceHere>>;
let ann: Person;
let first: Registered;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_PROXIES: '127.0.0.1' }, hasClock: true });
  first = await addApplication(dataFolder, 'one');
  ann = await addUser(dataFolder, 'ann');
  await setRole(dataFolder, 'ann', 'editor', 'one');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

interface Codes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete?: string;
  expires_in: number;
  interval: number;
}

async function post(path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.production}${path}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const scope = 'openid content.read content.write';

async function beginDevice(headers: Record<string, string> = {}): Promise<Codes> {
  const { status, body } = await post('/oauth2/device', { client_id: commandLineAppKey, scope }, headers);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Codes;
}

function poll(code: string, client = commandLineAppKey) {
  return post('/oauth2/token', { grant_type: grant, client_id: client, device_code: code });
}

async function openCodePage(browser: Browser, from?: string): Promise<Page> {
  return await browser.open(`${service.production}/device`, from === undefined ? {} : { headers: toFrom(from) });
}

const toFrom = (address: string) => ({ 'X-Forwarded-For': address });

async function enter(browser: Browser, code: string, more: Record<string, string> = {}): Promise<Page> {
  return await browser.submit(await openCodePage(browser), { user_code: code, ...more });
}

/** As far as the consent page. */
async function signInFor(browser: Browser, { user_code: code }: Codes): Promise<Page> {
  const confirm = await enter(browser, code);
  assert.match(confirm.text, /Continue/);
  const next = await browser.submit(confirm, {});
  return next.url.pathname.includes('/login/')
    ? await browser.submit(next, { user: ann.User, password: ann.Password })
    : next;
}

interface Row {
  by: string;
  details: string;
}

function rows(action: string): Row[] {
  const database = new DatabaseSync(join(dataFolder, 'production/catalog.db'), { readOnly: true });
  try {
    return database.prepare('SELECT by, details FROM journal WHERE action = ?').all(action) as unknown as Row[];
  } finally {
    database.close();
  }
}

test('a person allows a device: it gets tokens once, and the person sees its session and ends it', async () => {
  const codes = await beginDevice({ 'User-Agent': 'cabinet/9.9.9' });
  assert.match(codes.user_code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
  assert.equal(codes.verification_uri, `${service.production}/device`);
  assert.equal(codes.verification_uri_complete, undefined);
  assert.deepEqual([codes.expires_in, codes.interval], [600, 5]);
  assert.equal((await poll(codes.device_code)).body.error, 'authorization_pending');
  const browser = new Browser();
  const consent = await signInFor(browser, codes);
  assert.match(consent.text, /Allow cabinet-cli to use Cabinet\?/);
  assert.match(consent.text, /You are signed in as/);
  assert.match(consent.text, /127\.0\.0\.1\. It calls itself: <q>cabinet\/9\.9\.9<\/q>/);
  assert.match(consent.text, /Did somebody send you this code\? Then cancel/);
  await service.advance(5000);
  assert.equal((await poll(codes.device_code)).body.error, 'authorization_pending');
  const done = await browser.submit(consent, { answer: 'allow' });
  assert.match(done.text, /The device is signed in/);
  const tokens = await poll(codes.device_code);
  assert.equal(tokens.status, 200);
  assert.ok(tokens.body.refresh_token);
  const headers = { Authorization: `Bearer ${tokens.body.access_token}`, AppKey: commandLineAppKey };
  const sessions = await fetch(`${service.production}/v1/contentmanagement/me/sessions`, { headers });
  const { Sessions } = (await sessions.json()) as { Sessions: { Id: string; UserAgent: string; IsCurrent: boolean }[] };
  const own = Sessions.find(({ IsCurrent }) => IsCurrent);
  assert.equal(own?.UserAgent, 'cabinet/9.9.9');
  const again = await poll(codes.device_code);
  assert.equal(again.body.error, 'invalid_grant');
  const [row] = rows('device.allowed');
  assert.equal(row?.by, 'ann');
  assert.match(row?.details ?? '', /cabinet\/9\.9\.9/);
});

test('a device that asks too often is told to slow down, and waits longer from then on', async () => {
  const codes = await beginDevice();
  const other = await beginDevice();
  const pollAfter = async (seconds: number) => {
    await service.advance(seconds * 1000);
    const { status, body } = await poll(codes.device_code);
    return [status, body.error, body.interval];
  };
  const pending = [400, 'authorization_pending', undefined];
  assert.deepEqual(await pollAfter(0), pending);
  assert.deepEqual(await pollAfter(0), [400, 'slow_down', 10]);
  assert.deepEqual(await pollAfter(5), [400, 'slow_down', 15], 'what was right before is too early now');
  assert.equal((await poll(other.device_code)).body.error, 'authorization_pending', 'another device is not concerned');
  assert.deepEqual(await pollAfter(15), pending);
  const browser = new Browser();
  await browser.submit(await signInFor(browser, codes), { answer: 'allow' });
  assert.equal((await poll(codes.device_code)).status, 200, 'nobody waits for what is there');
});

test('the page shows what asks before anything is allowed, and warns of codes that somebody sent', async () => {
  const codes = await beginDevice({ 'User-Agent': '<b>evil</b>', ...toFrom('203.0.113.66') });
  const confirm = await enter(new Browser(), codes.user_code.toLowerCase().replace('-', ' '));
  assert.match(confirm.text, new RegExp(`<strong>${codes.user_code}</strong>`));
  assert.match(confirm.text, /address 203\.0\.113\.66\. It calls itself: <q>&#60;b&#62;evil&#60;\/b&#62;<\/q>/);
  assert.match(confirm.text, /Sign in cabinet-cli on another device\?/);
  assert.match(confirm.text, /Did somebody send you this code\? Then cancel/);
  assert.match(confirm.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  assert.equal((await poll(codes.device_code)).body.error, 'authorization_pending');
});

test('a link cannot bring its code along', async () => {
  const codes = await beginDevice();
  const browser = new Browser();
  for (const query of [`user_code=${codes.user_code}`, `user_code=${codes.user_code}&confirm=yes`]) {
    const page = await browser.open(`${service.production}/device?${query}`);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, new RegExp(codes.user_code));
    assert.doesNotMatch(page.text, /<script/);
  }
});

test('another site cannot send the form for a person', async () => {
  const codes = await beginDevice();
  const browser = new Browser();
  await openCodePage(browser);
  for (const xsrf of ['', 'guessed']) {
    const body = new URLSearchParams({ user_code: codes.user_code, confirm: 'yes', xsrf });
    const page = await browser.open(`${service.production}/device`, { method: 'POST', body });
    assert.equal(page.status, 400);
    assert.match(page.text, /not valid any more\. Type the code again/);
  }
  const body = new URLSearchParams({ user_code: codes.user_code, confirm: 'yes' });
  const stranger = await new Browser().open(`${service.production}/device`, { method: 'POST', body });
  assert.equal(stranger.status, 200);
  assert.doesNotMatch(stranger.text, /another device\?/);
  assert.equal((await poll(codes.device_code)).body.error, 'authorization_pending');
});

test('a person refuses a device, on either page', async () => {
  const early = await beginDevice();
  const browser = new Browser();
  const confirm = await enter(browser, early.user_code);
  const refused = await browser.submit(confirm, { abort: 'yes' });
  assert.match(refused.text, /The device is not signed in/);
  assert.equal((await poll(early.device_code)).body.error, 'access_denied');
  const late = await beginDevice();
  const consent = await signInFor(browser, late);
  assert.match((await browser.submit(consent, { answer: 'deny' })).text, /The device is not signed in/);
  assert.equal((await poll(late.device_code)).body.error, 'access_denied');
  const denied = rows('device.denied');
  assert.deepEqual(new Set(denied.map(({ by }) => by)), new Set(['nobody', 'ann']));
});

test('a code works once, in one browser', async () => {
  const codes = await beginDevice();
  const browser = new Browser();
  await signInFor(browser, codes);
  const other = await enter(new Browser(), codes.user_code);
  assert.match(other.text, /was used already/);
});

test('wrong codes are limited by address, in the audit log, and lock nobody else out', async () => {
  const codes = await beginDevice();
  const guess = async (address: string, code: string) => {
    const browser = new Browser();
    const page = await openCodePage(browser, address);
    const xsrf = /name="xsrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const body = new URLSearchParams({ xsrf, user_code: code });
    return await browser.open(`${service.production}/device`, { method: 'POST', body, headers: toFrom(address) });
  };
  // Many at once are counted like one after the other.
  const guesses = await Promise.all(Array.from({ length: 30 }, () => guess('203.0.113.9', 'BBBB-BBBB')));
  assert.equal(guesses.filter(({ status }) => status === 429).length, 20);
  const limited = await guess('203.0.113.9', codes.user_code);
  assert.equal(limited.status, 429);
  assert.ok(Number(limited.headers.get('retry-after')) > 0);
  assert.doesNotMatch(limited.text, /another device\?/);
  const elsewhere = await guess('203.0.113.10', codes.user_code);
  assert.match(elsewhere.text, /Sign in cabinet-cli on another device\?/);
  const failed = rows('device.failed');
  assert.equal(failed.filter(({ details }) => details.includes('203.0.113.9')).length, 10);
});

test('right codes are not counted', async () => {
  const browser = new Browser();
  for (let round = 0; round < 15; round += 1) {
    const { user_code: code } = await beginDevice();
    assert.equal((await enter(browser, code)).status, 200);
  }
});

test('only the application of the command line signs devices in, and only the one that began', async () => {
  const own = await post('/oauth2/device', { client_id: first.AppKey, client_secret: String(first.Secret), scope });
  assert.equal(own.status, 400);
  assert.equal((await post('/oauth2/device', { client_id: 'ak_nobody', scope })).status, 401);
  const codes = await beginDevice();
  const browser = new Browser();
  await browser.submit(await signInFor(browser, codes), { answer: 'allow' });
  const form = { grant_type: grant, device_code: codes.device_code };
  const stolen = await post('/oauth2/token', { ...form, client_id: first.AppKey, client_secret: String(first.Secret) });
  assert.notEqual(stolen.status, 200);
  assert.equal((await poll(codes.user_code)).body.error, 'invalid_grant');
  assert.equal((await poll(codes.device_code)).status, 200);
});

test('neither code is in the data folder, as long as they are valid', async () => {
  const codes = await beginDevice();
  const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const stored = Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
  for (const text of [codes.user_code, codes.user_code.replace('-', ''), codes.device_code]) {
    assert.equal(stored.indexOf(text), -1);
  }
});

test('after the operator has switched it off, codes that were begun are worth nothing', async () => {
  const codes = await beginDevice();
  const browser = new Browser();
  await browser.submit(await signInFor(browser, codes), { answer: 'allow' });
  await command(dataFolder, 'app disable', { application: 'cabinet-cli' });
  assert.equal((await poll(codes.device_code)).status, 401);
  assert.equal((await post('/oauth2/device', { client_id: commandLineAppKey, scope })).status, 401);
  await command(dataFolder, 'app enable', { application: 'cabinet-cli' });
});
