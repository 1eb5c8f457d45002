// The parameter `prompt` of an authorization request (OpenID Connect Core 1.0, section 3.1.2.1), and the request as a form.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type * as client from 'openid-client';
import { send } from '../interface/client.ts';
import { addApplication, addUser, type Person } from '../service/operator.ts';
import { makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { Browser, type Page } from './browser.ts';
import { addPage, type Begun, begin, discover, finish, redirectUri, signIn } from './people.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let page: Registered;
let configuration: client.Configuration;
let ann: Person;
let bob: Person;

before(async () => {
  service = await startServiceHere(dataFolder);
  page = await addPage(dataFolder, 'page');
  configuration = await discover(service.production, page);
  ann = await addUser(dataFolder, 'ann');
  bob = await addUser(dataFolder, 'bob');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function browserOf(person: Person): Promise<Browser> {
  const browser = new Browser();
  await signIn(configuration, person, browser);
  return browser;
}

async function userOf({ url }: Page, begun: Begun): Promise<string | undefined> {
  assert.equal(url.origin, new URL(redirectUri).origin, url.href);
  return (await finish(configuration, url, begun)).claims()?.sub;
}

/** Where a browser is sent that answers no question. */
async function askSilently(browser: Browser): Promise<URLSearchParams> {
  const { url } = await browser.open((await begin(configuration, { prompt: 'none' })).url);
  return url.searchParams;
}

test('prompt=select_account offers the account that is signed in, which needs no password', async () => {
  const browser = await browserOf(ann);
  const begun = await begin(configuration, { prompt: 'select_account' });
  const shown = await browser.open(begun.url);
  assert.match(shown.text, /Choose an account for page/);
  assert.match(shown.text, /Continue as ann/);
  assert.equal(await userOf(await browser.submit(shown, { account: 'current' }), begun), 'ann');
});

test('prompt=select_account: another account signs in there, and the first one is signed out', async () => {
  const browser = await browserOf(ann);
  const begun = await begin(configuration, { prompt: 'select_account' });
  const shown = await browser.open(begun.url);
  const wrong = await browser.submit(shown, { user: bob.User, password: 'wrong' });
  assert.equal(wrong.status, 403);
  assert.match(wrong.text, /Continue as ann/);
  // The issuer's own page ends the session of the first one; a browser sends its form by itself.
  const between = await browser.submit(wrong, { user: bob.User, password: bob.Password });
  assert.equal(await userOf(await browser.submit(between, {}), begun), 'bob');
  const silent = await begin(configuration, { prompt: 'none' });
  assert.equal(await userOf(await browser.open(silent.url), silent), 'bob');
});

test('prompt=select_account without a session is the sign-in page, and the current account cannot be chosen', async () => {
  const browser = new Browser();
  const begun = await begin(configuration, { prompt: 'select_account' });
  const shown = await browser.open(begun.url);
  assert.match(shown.text, /<h1>Sign in to page/);
  assert.doesNotMatch(shown.text, /Continue as/);
  assert.equal((await browser.submit(shown, { account: 'current' })).status, 403);
  assert.equal(await userOf(await browser.submit(shown, { user: ann.User, password: ann.Password }), begun), 'ann');
});

test('prompt=login asks for the password again; the signed-in account cannot be chosen in its place', async () => {
  const browser = await browserOf(ann);
  const begun = await begin(configuration, { prompt: 'login' });
  const shown = await browser.open(begun.url);
  assert.doesNotMatch(shown.text, /Continue as/);
  assert.equal((await browser.submit(shown, { account: 'current' })).status, 403);
});

test('prompt=consent asks, naming the application, the person and the rights; Allow gives a code', async () => {
  const browser = await browserOf(ann);
  const scope = 'openid content.read';
  const begun = await begin(configuration, { prompt: 'consent', scope });
  const shown = await browser.open(begun.url);
  assert.match(shown.url.pathname, /^\/oauth2\/consent\//);
  assert.match(shown.text, /Allow page to use Cabinet\?/);
  assert.match(shown.text, /signed in as <strong>ann<\/strong>/);
  assert.match(shown.text, /<li>Know who you are<\/li>\n<li>See your folders and files<\/li>\n<\/ul>/);
  assert.match(shown.text, /app\.example/);
  assert.match(String(shown.headers.get('content-security-policy')), /frame-ancestors 'none'/);
  assert.equal((await browser.submit(shown, { answer: 'perhaps' })).status, 400);
  assert.equal(await userOf(await browser.submit(shown, { answer: 'allow' }), begun), 'ann');
});

test('prompt=consent: Cancel sends the browser back with access_denied, and the person stays signed in', async () => {
  const browser = await browserOf(ann);
  const begun = await begin(configuration, { prompt: 'consent' });
  const { url } = await browser.submit(await browser.open(begun.url), { answer: 'deny' });
  assert.equal(url.origin, new URL(redirectUri).origin);
  assert.deepEqual([url.searchParams.get('error'), url.searchParams.get('state')], ['access_denied', begun.state]);
  assert.equal(url.searchParams.has('code'), false);
  assert.equal((await askSilently(browser)).has('code'), true);
});

test('several prompts are asked one after the other, and each needs its own answer', async () => {
  const browser = await browserOf(ann);
  const begun = await begin(configuration, { prompt: 'login consent select_account' });
  const shown = await browser.open(begun.url);
  const login = await browser.submit(shown, { account: 'current' });
  assert.match(login.text, /<h1>Sign in to page/);
  const consent = await browser.submit(login, { user: ann.User, password: ann.Password });
  assert.match(consent.url.pathname, /^\/oauth2\/consent\//);
  assert.equal(await userOf(await browser.submit(consent, { answer: 'allow' }), begun), 'ann');
});

test('a page of another question or another browser answers nothing', async () => {
  const browser = await browserOf(ann);
  const shown = await browser.open((await begin(configuration, { prompt: 'consent' })).url);
  const stranger = await browserOf(bob);
  assert.equal((await stranger.submit(shown, { answer: 'allow' })).status, 400);
  const cookie = browser.cookies
    .filter(({ path }) => path.startsWith('/oauth2/consent/'))
    .map((one) => `${one.name}=${one.value}`);
  const { pathname } = shown.url;
  const headers = { Cookie: cookie.join('; '), 'Content-Type': 'application/x-www-form-urlencoded' };
  const asSignIn = { method: 'POST', headers, body: `user=${bob.User}&password=${encodeURIComponent(bob.Password)}` };
  assert.equal((await send(service.production, pathname.replace('consent', 'login'), asSignIn)).status, 400);
});

test('without consent or a choice, prompt=none says which of them is missing', async () => {
  const answer = await askSilently(new Browser());
  assert.equal(answer.get('error'), 'login_required');
  const { prompt_values_supported: values } = configuration.serverMetadata() as { prompt_values_supported?: unknown };
  assert.deepEqual(values, ['none', 'login', 'consent', 'select_account']);
});

test('an authorization request may come as a form', async () => {
  const browser = await browserOf(ann);
  const begun = await begin(configuration);
  const action = new URL(begun.url);
  action.search = '';
  const back = await browser.open(action, { method: 'POST', body: begun.url.searchParams });
  assert.equal(await userOf(back, begun), 'ann');
  const wrong = await new Browser().open(action, { method: 'POST', body: new URLSearchParams({ client_id: 'x' }) });
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /<title>This did not work/);
  const large = { method: 'POST', body: new URLSearchParams({ state: 'x'.repeat(5000) }) };
  assert.equal((await new Browser().open(action, large)).status, 400);
});

test('a grant that the application may not use is unauthorized_client', async () => {
  const program = await addApplication(dataFolder, 'program');
  const asProgram = { client_id: program.AppKey, client_secret: String(program.Secret) };
  for (const form of [
    { grant_type: 'client_credentials', client_id: page.AppKey },
    { grant_type: 'refresh_token', refresh_token: 'x', ...asProgram },
    { grant_type: 'authorization_code', code: 'x', redirect_uri: redirectUri, ...asProgram },
  ]) {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const request = { method: 'POST', headers, body: new URLSearchParams(form).toString() };
    const { status, body } = await send(service.production, '/oauth2/token', request);
    assert.deepEqual([status, (JSON.parse(body.toString()) as { error: string }).error], [400, 'unauthorized_client']);
  }
});
