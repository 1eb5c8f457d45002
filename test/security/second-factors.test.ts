// Second factors (docs/contract.md §12.7): whoever knows the password alone does not get in.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type * as client from 'openid-client';
import { encode } from 'uqr';
import { toStep, toTotpCode } from '../../src/operations/totp.ts';
import { assertRefusal } from '../interface/assertions.ts';
import { basicAuthorization, type Caller, call } from '../interface/client.ts';
import { ask, type Event, get, manage, type NewUser } from '../interface/managing.ts';
import { addApplication, addUser, command, type Person, setRole, setUp } from '../service/operator.ts';
import { makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { fromElsewhere } from './attacks-sign-in.ts';
import { Browser, type Page } from './browser.ts';
import { addPage, begin, discover, finish, redirectUri, signIn } from './people.ts';
import { type Opened, openStep, stepOf } from './second-step.ts';
import { tally } from './tally.ts';

const dataFolder = makeDataFolder();
let service: Awaited<ReturnType<typeof startServiceHere>>;
let page: Registered;
let configuration: client.Configuration;
let manager: Caller;
/** How far the clock of the service was moved. */
let movedMs = 0;

interface Factors {
  SecondFactors: { Id: string; Kind: string; Name: string; LastUsedAt: string | null }[];
  RecoveryCodesLeft: number;
  IsRequired: boolean;
}

before(async () => {
  const environment = { CABINET_PROXIES: '127.0.0.1' };
  service = await startServiceHere(dataFolder, { hasClock: true, environment });
  const application = {
    Name: 'left',
    ...(await addApplication(dataFolder, 'left', { scopes: 'content.read content.write content.admin' })),
  };
  page = await addPage(dataFolder, 'page');
  configuration = await discover(service.production, page);
  const mia = await addUser(dataFolder, 'mia');
  await setRole(dataFolder, 'mia', 'manager', application.Space);
  manager = await enter(mia);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function advance(ms: number): Promise<void> {
  await service.advance(ms);
  movedMs += ms;
}

/** The code of now, or of other steps. */
const codeOf = (secret: string, drift = 0) => toTotpCode(secret, toStep(Date.now() + movedMs) + drift);

async function enter(person: Person): Promise<Caller> {
  return toCaller(await signIn(configuration, person));
}

function toCaller({ access_token: token }: { access_token: string }): Caller {
  return { base: service.production, application: { Name: 'page', ...page }, token };
}

interface Protected {
  person: Person;
  caller: Caller;
  secret: string;
  codes: string[];
  id: string;
}

/** Somebody with an authenticator app, whose last code was used in an earlier step. */
async function addProtected(user: string): Promise<Protected> {
  const person = await addUser(dataFolder, user);
  await setRole(dataFolder, user, 'editor', 'left');
  const caller = await enter(person);
  const { secret, answer } = await addTotp(caller, person);
  await advance(60_000);
  return { person, caller, secret, codes: answer.RecoveryCodes, id: answer.SecondFactor.Id };
}

interface Added {
  SecondFactor: Factors['SecondFactors'][number];
  RecoveryCodes: string[];
}

async function addTotp(caller: Caller, { Password }: Person): Promise<{ secret: string; answer: Added }> {
  const begun = await manage<{ Secret: string; Setup: string }>(caller, 'POST', '/me/second-factors/totp/setup', {
    Password,
  });
  const { Secret: secret, Setup } = begun;
  const fields = { Setup, Code: codeOf(secret), Name: 'phone' };
  return { secret, answer: await manage<Added>(caller, 'POST', '/me/second-factors/totp', fields) };
}

const openSecondStep = (person: Person, headers: Record<string, string> = {}) =>
  openStep(configuration, person, headers);

/** Sends a code without following anything. */
async function sendCode({ browser, shown }: Opened, code: string, headers: Record<string, string> = {}): Promise<Page> {
  const body = new URLSearchParams({ step: stepOf(shown), code });
  return await browser.open(shown.url, { method: 'POST', body, headers });
}

async function enterWith(person: Person, code: string): Promise<Caller> {
  const opened = await openSecondStep(person);
  const back = await sendCode(opened, code);
  assert.equal(back.url.origin, new URL(redirectUri).origin, back.text);
  const tokens = await finish(configuration, back.url, opened.begun);
  return { ...toCaller(tokens), amr: tokens.claims()?.amr } as Caller;
}

const uriIn = (text: string) => (/href="(otpauth:[^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&#38;', '&');

/** The dark modules of a QR code. */
const darkOf = (uri: string) =>
  encode(uri, { ecc: 'M', border: 4 }).data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `${x} ${y}` : [])),
  );
const darkIn = (text: string) => [...text.matchAll(/M(\d+ \d+)h1v1/g)].map(([, place]) => place);

const isIn = ({ url }: Page) => url.searchParams.has('code');

test('After the password a page asks for the code, which works without script; the sign-in says how it was done', async () => {
  const { person, secret, codes, caller } = await addProtected('ann');
  assert.equal(codes.length, 10);
  assert.equal(new Set(codes).size, 10);
  const { shown } = await openSecondStep(person);
  assert.match(shown.text, /<form method="post">/);
  assert.doesNotMatch(shown.text, /<script/);
  assert.match(String(shown.headers.get('content-security-policy')), /default-src 'none'/);
  assert.equal(shown.headers.get('cache-control'), 'no-store');
  const entered = await enterWith(person, codeOf(secret));
  assert.deepEqual((entered as Caller & { amr?: string[] }).amr, ['pwd', 'otp', 'mfa']);
  assert.deepEqual((await get<{ SecondFactors: string[] }>(entered, '/me')).SecondFactors, ['totp']);
  const listed = await get<Factors>(caller, '/me/second-factors');
  assert.deepEqual([listed.RecoveryCodesLeft, listed.IsRequired, listed.SecondFactors.length], [10, false, 1]);
  assert.ok(Date.parse(String(listed.SecondFactors[0]?.LastUsedAt)) > 0);
});

test('A code works once, in any browser, and so does a recovery code', async () => {
  const { person, secret, codes, caller } = await addProtected('bob');
  const code = codeOf(secret);
  await enterWith(person, code);
  const again = await openSecondStep(person);
  assert.equal((await sendCode(again, code)).status, 403, 'the same code');
  assert.equal((await sendCode(again, codeOf(secret, -1))).status, 403, 'an earlier code than the last one');
  const [first = '', second = ''] = codes;
  await enterWith(person, first);
  const { shown, ...more } = await openSecondStep(person);
  assert.equal((await sendCode({ shown, ...more }, first)).status, 403, 'a recovery code that was used');
  await enterWith(person, second.toUpperCase().replaceAll('-', ' '));
  assert.equal((await get<Factors>(caller, '/me/second-factors')).RecoveryCodesLeft, 8);
  tally('bad credentials', 3);
});

test('Of several uses of one code at once, one gets in', async () => {
  const { person, secret, codes } = await addProtected('bea');
  for (const code of [codeOf(secret), codes[0] as string]) {
    const opened = await Promise.all([1, 2, 3].map(() => openSecondStep(person)));
    const pages = await Promise.all(opened.map((one) => sendCode(one, code)));
    assert.equal(pages.filter(isIn).length, 1, pages.map(({ status }) => status).join());
  }
});

test('Codes of another person, of other times, and things that are no codes do not get in', async () => {
  const { person, secret } = await addProtected('cem');
  const other = await addProtected('cora');
  const opened = await openSecondStep(person);
  const wrong = [codeOf(other.secret), other.codes[0] as string, codeOf(secret, -3), codeOf(secret, 3), '', '000000x'];
  for (const code of wrong) assert.equal((await sendCode(opened, code)).status, 403, code);
  tally('bad credentials', wrong.length);
  assert.ok(isIn(await sendCode(opened, codeOf(secret))));
});

test('What no passkey of the person signed does not get in', async () => {
  const { person } = await addProtected('lea');
  const { browser, shown } = await openSecondStep(person);
  for (const credential of ['', 'null', '{"id":"x"}', '{"id":null}', 'no JSON', '[]']) {
    const body = new URLSearchParams({ step: stepOf(shown), credential });
    assert.equal((await browser.open(shown.url, { method: 'POST', body })).status, 403, credential);
  }
  tally('bad credentials', 6);
});

test('The step cannot be skipped: not by the address that the sign-in continues at, nor by a step of another sign-in', async () => {
  const { person, secret } = await addProtected('dan');
  const thief = await addProtected('dora');
  const opened = await openSecondStep(person);
  const uid = opened.shown.url.pathname.split('/').at(-1);
  const resumed = await opened.browser.open(`${service.production}/oauth2/authorize/${uid}`);
  assert.equal(isIn(resumed), false);
  assert.match(resumed.text, /name="password"/, 'it is a new sign-in');
  const silent = await opened.browser.open((await begin(configuration, { prompt: 'none' })).url);
  assert.equal(silent.url.searchParams.get('error'), 'login_required');

  // The step belongs to one person: the thief's own code does not open another's, in either browser.
  const victim = await openSecondStep(person);
  const own = await openSecondStep(thief.person);
  const code = codeOf(thief.secret);
  assert.equal((await sendCode({ ...own, shown: { ...own.shown, text: victim.shown.text } }, code)).status, 403);
  assert.equal((await sendCode({ ...victim, shown: { ...victim.shown, text: own.shown.text } }, code)).status, 403);
  const forged = `<input type="hidden" name="step" value="${'A'.repeat(200)}">`;
  assert.equal((await sendCode({ ...victim, shown: { ...victim.shown, text: forged } }, codeOf(secret))).status, 403);
  tally('bad credentials', 5);
  assert.ok(isIn(await sendCode(own, code)), 'where it belongs it is right');
});

test('Guesses at the code are limited like those at a password, wherever they come from', async () => {
  const { person, secret } = await addProtected('eva');
  const opened = await openSecondStep(person);
  const statuses: number[] = [];
  for (let n = 0; n < 24; n += 1) {
    statuses.push(
      (await sendCode(opened, String(n).padStart(6, '0'), fromElsewhere() as Record<string, string>)).status,
    );
  }
  assert.deepEqual(statuses.slice(0, 20), Array(20).fill(403));
  assert.ok(statuses.slice(20).includes(429), String(statuses));
  const limited = await sendCode(opened, codeOf(secret), fromElsewhere() as Record<string, string>);
  assert.equal(limited.status, 429, 'even the right one, at a new address');
  assert.ok(Number(limited.headers.get('retry-after')) > 0);
  tally('bad credentials', statuses.length);
  assert.ok(isIn(await sendCode(opened, codeOf(secret))), 'where she has been before');
});

test('A step is over after ten minutes, or when the password changes', async () => {
  const { person, secret, caller } = await addProtected('fay');
  const late = await openSecondStep(person);
  await advance(11 * 60_000);
  const over = await sendCode(late, codeOf(secret));
  assert.equal(over.status, 403);
  assert.match(over.text, /Sign in again/);
  const opened = await openSecondStep(person);
  const New = 'four words nobody expects';
  await manage(caller, 'PUT', '/me/password', { Current: person.Password, New });
  const back = await sendCode(opened, codeOf(secret));
  assert.equal(
    isIn(back) &&
      (await finish(configuration, back.url, opened.begun).then(
        () => true,
        () => false,
      )),
    false,
  );
});

test('Changes need the password, and an application that an operator registered', async () => {
  const { person, caller, id } = await addProtected('gil');
  const fields = { Password: 'a wrong password' };
  for (const path of ['totp/setup', 'recovery-codes', `${id}/remove`]) {
    assertRefusal(await ask(caller, 'POST', `/me/second-factors/${path}`, fields), 403, 'PasswordInvalid');
  }
  const right = { Password: person.Password };
  const begun = await manage<{ Secret: string; Setup: string }>(caller, 'POST', '/me/second-factors/totp/setup', right);
  const add = (by: Caller, Code: string, Setup = begun.Setup) =>
    ask(by, 'POST', '/me/second-factors/totp', { Setup, Code, Name: 'x' });
  assertRefusal(await add(caller, '12345'), 403, 'SecondFactorInvalid');
  assertRefusal(await add(caller, codeOf(begun.Secret), 'x'), 400, 'InvalidField');
  assertRefusal(await add(manager, codeOf(begun.Secret)), 400, 'InvalidField');
  assertRefusal(await add(caller, codeOf(begun.Secret)), 400, 'TooManySecondFactors');
  assertRefusal(await ask(manager, 'POST', `/me/second-factors/${id}/remove`, right), 403, 'PasswordInvalid');
  const other = await addProtected('gus');
  const own = { Password: other.person.Password };
  assertRefusal(await ask(other.caller, 'POST', `/me/second-factors/${id}/remove`, own), 404, 'SecondFactorNotFound');
});

test('New recovery codes end the earlier ones, and all of them end with the last second factor', async () => {
  const { person, caller, codes, id } = await addProtected('hal');
  const fields = { Password: person.Password };
  const { RecoveryCodes } = await manage<Added>(caller, 'POST', '/me/second-factors/recovery-codes', fields);
  assert.equal((await sendCode(await openSecondStep(person), codes[0] as string)).status, 403);
  const entered = await enterWith(person, RecoveryCodes[0] as string);
  await manage(entered, 'POST', `/me/second-factors/${id}/remove`, fields);
  const left = await get<Factors>(entered, '/me/second-factors');
  assert.deepEqual([left.SecondFactors, left.RecoveryCodesLeft], [[], 0]);
  await enter(person);
  assertRefusal(await ask(entered, 'POST', '/me/second-factors/recovery-codes', fields), 404, 'SecondFactorNotFound');
  const { Events } = await get<{ Events: (Event & { Details: object })[] }>(manager, '/audit?entry=hal');
  const shown = Events.filter(({ Action }) => Action.startsWith('second-factor.')).map(({ Action, By }) => [
    Action,
    By,
  ]);
  assert.deepEqual(shown, [
    ['second-factor.removed', 'hal'],
    ['second-factor.code-used', 'hal'],
    ['second-factor.codes-renewed', 'hal'],
    ['second-factor.added', 'hal'],
  ]);
  assert.ok(!JSON.stringify(Events).includes(RecoveryCodes[1] as string));
});

test('A setup link of a manager leaves second factors alone; one of an operator removes them', async () => {
  const { person, secret } = await addProtected('ida');
  const { User } = person;
  const [first, second] = ['four words nobody expects', 'five words nobody ever expects'];
  const { SetupUrl } = await manage<NewUser>(manager, 'POST', `/users/${User}/setup`);
  assert.equal(await setUp(SetupUrl, first), 200);
  const opened = await openSecondStep({ User, Password: first });
  assert.ok(isIn(await sendCode(opened, codeOf(secret))));
  const { SetupUrl: url } = await command<NewUser>(dataFolder, 'user setup', { user: User });
  await openSecondStep({ User, Password: first });
  assert.equal(await setUp(url, second), 200);
  const entered = await enter({ User, Password: second });
  assert.deepEqual((await get<Factors>(entered, '/me/second-factors')).SecondFactors, []);
});

test('App passwords go on working over WebDAV, without a second factor', async () => {
  const { caller, person } = await addProtected('jan');
  const fields = { Name: 'laptop', Access: 'read' };
  const { Password } = await manage<{ Password: string }>(caller, 'POST', '/me/app-passwords', fields);
  const open = (password: string) =>
    fetch(`${service.production}/dav/`, {
      method: 'PROPFIND',
      headers: { Authorization: basicAuthorization(person.User, password), Depth: '0' },
    });
  assert.equal((await open(Password)).status, 207);
  assert.equal((await open(person.Password)).status, 401);
  assert.equal((await call(caller, '/me')).status, 200, 'sign-ins from before go on');
});

test('Where a second factor is required, people without one set it up when they sign in; elsewhere not', async () => {
  const folder = makeDataFolder();
  const environment = { CABINET_SECOND_FACTOR: 'required', CABINET_TEST_PORT: '0' };
  const strict = await startServiceHere(folder, { environment });
  try {
    const application = await addPage(folder, 'page');
    const kim = await addUser(folder, 'kim');
    const tested = await addUser(folder, 'tim', { env: 'test' });
    const more = { redirectUris: redirectUri, forPeople: true, env: 'test' };
    const inTest = await addApplication(folder, 'page', more);
    await signIn(await discover(String(strict.test), inTest), tested);

    const own = await discover(strict.production, application);
    const ask = async (text: string, fields: Record<string, string>, opened: Opened) =>
      await opened.browser.submit({ ...opened.shown, text }, fields);
    const open = async (): Promise<Opened> => {
      const browser = new Browser();
      const begun = await begin(own);
      const first = await browser.open(begun.url);
      return { browser, begun, shown: await browser.submit(first, { user: kim.User, password: kim.Password }) };
    };
    const [opened, other] = [await open(), await open()];
    const keyOf = ({ text }: Page) => /<code>([A-Z2-7 ]+)</.exec(text)?.[1]?.replaceAll(' ', '') ?? '';
    const now = (secret: string) => toTotpCode(secret, toStep(Date.now()));
    assert.doesNotMatch(opened.shown.text, /<script/);
    const wrong = await ask(opened.shown.text, { code: '1' }, opened);
    assert.equal(wrong.status, 403);
    assert.equal(keyOf(wrong), keyOf(opened.shown), 'the key stays');
    assert.deepEqual(darkIn(wrong.text), darkOf(uriIn(wrong.text)), 'the picture has the address that the link has');
    const codes = await ask(wrong.text, { code: now(keyOf(wrong)) }, opened);
    assert.equal((codes.text.match(/<li>/g) ?? []).length, 10);
    const late = await ask(other.shown.text, { code: now(keyOf(other.shown)) }, other);
    assert.equal(late.status, 403, 'a setup that was begun before there was a second factor');
    const back = await ask(codes.text, {}, opened);
    const tokens = await finish(own, back.url, opened.begun);
    assert.deepEqual(tokens.claims()?.amr, ['pwd', 'otp', 'mfa']);
    const again = await open();
    assert.match(again.shown.text, /One more step/);
    const code = /<code>([a-z2-7-]{19})</.exec(codes.text)?.[1] ?? '';
    assert.ok(isIn(await ask(again.shown.text, { code }, again)));
  } finally {
    await strict.stop();
    removeDataFolder(folder);
  }
});
