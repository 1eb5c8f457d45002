// Ending a sign-in ends it for good, whatever is in progress: a stolen cookie in use, a password that is being checked, a
// page that was opened before.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type * as client from 'openid-client';
import { assertRefusal } from '../interface/assertions.ts';
import { type Answer, call } from '../interface/client.ts';
import { addUser, command } from '../service/operator.ts';
import { eventually, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { sized } from '../size.ts';
import { askSilently, behindProxy, cookieOf, fromElsewhere, type Opened, openSignIn, post } from './attacks-sign-in.ts';
import { Browser } from './browser.ts';
import { addPage, begin, discover, finish, signIn } from './people.ts';
import { openStream } from './stream.ts';
import { tally } from './tally.ts';

/** So many use a stolen cookie at once. */
const thieves = sized(4, 8);
const dataFolder = makeDataFolder();
let service: StartedHere;
let page: Registered;
let configuration: client.Configuration;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: behindProxy });
  page = await addPage(dataFolder, 'page');
  configuration = await discover(service.production, page);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

function spacesWith(token: string): Promise<Answer> {
  return call({ base: service.production, application: { Name: '', ...page }, token }, '/spaces');
}

async function assertNoUse(token: string): Promise<void> {
  await eventually('the token is of no use', async () => (await spacesWith(token)).status === 401, 1000);
  assertRefusal(await spacesWith(token), 401, 'TokenInvalid');
}

async function signOut(browser: Browser): Promise<void> {
  const submit = async () =>
    await browser.submit(await browser.open(new URL('/oauth2/logout', service.production)), { logout: 'yes' });
  // As often as it takes while the thief is at it; that once is not enough has a test of its own.
  await eventually('they are signed out', async () => /You are signed out/.test((await submit()).text));
}

const endings: Record<string, (user: string, browser: Browser) => Promise<unknown>> = {
  'a new password': (user) => command(dataFolder, 'user password', { user }),
  'being disabled for a moment': async (user) => {
    await command(dataFolder, 'user disable', { user });
    await command(dataFolder, 'user enable', { user });
  },
  'signing out': (_user, browser) => signOut(browser),
};

for (const [ending, end] of Object.entries(endings)) {
  test(`${ending} ends a session whose stolen cookie is used all the time`, async () => {
    for (let round = 0; round < sized(2, 5); round += 1) {
      const person = await addUser(dataFolder, `${ending.replaceAll(' ', '-')}-${round}`);
      const browser = new Browser();
      const { access_token: token } = await signIn(configuration, person, browser);
      const cookie = cookieOf(browser);
      const silent = await begin(configuration, { prompt: 'none' });
      let tokens: string[] = [];
      const thief = openStream(thieves, async () => {
        const code = await askSilently(cookie, silent);
        const got = code === null ? null : await finish(configuration, code, silent).catch(() => null);
        if (got !== null) tokens.push(got.access_token);
        return null;
      });
      await thief.go(3);
      assert.ok(tokens.length > 0, 'the cookie is good until then');
      tokens = [token];
      await end(person.User, browser);
      await thief.go(3);
      assert.deepEqual((await thief.stop()).failures, []);
      for (const got of tokens) await assertNoUse(got);
      assert.equal(await askSilently(cookie, silent), null, `round ${round}`);
      tally('bad credentials', 2);
    }
  });
}

test('a stolen cookie cannot prevent a person from signing out', async () => {
  for (let round = 0; round < sized(2, 4); round += 1) {
    const browser = new Browser();
    await signIn(configuration, await addUser(dataFolder, `hindered-${round}`), browser);
    const silent = await begin(configuration, { prompt: 'none' });
    const cookie = cookieOf(browser);
    const thief = openStream(thieves, () => askSilently(cookie, silent).then(() => null));
    await thief.go(2);
    const shown = await browser.open(new URL('/oauth2/logout', service.production));
    const { text } = await browser.submit(shown, { logout: 'yes' });
    await thief.stop();
    assert.match(text, /You are signed out/);
  }
});

/** Goes on from where a sign-in stood, and gets nothing of use. */
const inSeconds = () => Math.floor(Date.now() / 1000);

async function assertLeadsNowhere({ browser, begun }: Opened, posted: Answer): Promise<void> {
  const back = await browser.open(String(posted.headers.location));
  assert.notEqual(back.status, 500, back.text);
  const got = back.url.searchParams.has('code') ? await finish(configuration, back.url, begun).catch(() => null) : null;
  if (got !== null) await assertNoUse(got.access_token);
  assert.equal(await askSilently(cookieOf(browser), await begin(configuration, { prompt: 'none' })), null);
}

test('a sign-in in progress fails when the password changes or the person is disabled', async () => {
  const waiting: [Opened, Answer][] = [];
  for (const ending of ['a new password', 'being disabled for a moment'] as const) {
    const person = await addUser(dataFolder, `under-way-${ending.length}`);
    const opened = await openSignIn(configuration);
    const posted = await post(opened, person);
    assert.equal(posted.status, 303);
    await endings[ending]?.(person.User, opened.browser);
    waiting.push([opened, posted]);
  }
  // Times of sign-ins are whole seconds: in the next one it would count as new, if the time were taken now.
  for (const second = inSeconds(); inSeconds() === second; ) await wait(20);
  for (const [opened, posted] of waiting) {
    await assertLeadsNowhere(opened, posted);
    tally('bad credentials');
  }
});

test('a password that changes while its check is queued is refused', async () => {
  const person = await addUser(dataFolder, 'waiting');
  const [crowd, thief] = [await openSignIn(configuration), await openSignIn(configuration)];
  const queue = (length: number) =>
    Array.from({ length }, (_, n) => post(crowd, { User: `nobody-${n}`, Password: 'wrong' }, fromElsewhere()));
  const ahead = queue(8);
  await wait(50);
  const changed = command(dataFolder, 'user password', { user: 'waiting' });
  await wait(50);
  const between = queue(8);
  await wait(50);
  const posted = await post(thief, person, fromElsewhere());
  await Promise.all([changed, ...ahead, ...between]);
  if (posted.status === 303) await assertLeadsNowhere(thief, posted);
  tally('bad credentials');
});
