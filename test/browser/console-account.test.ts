// The account page, and locks in the lists, in a real browser against a real service.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { basicAuthorization } from '../interface/client.ts';
import { manage } from '../interface/managing.ts';
import { Browser } from '../security/browser.ts';
import { begin, discover, finish, redirectUri } from '../security/people.ts';
import { addUser, type Person, setRole } from '../service/operator.ts';
import { eventually, type Registered } from '../service/service.ts';
import { findBarriers } from './axe.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import {
  comeBackTo,
  fillSamples,
  type OpenedConsole,
  openConsole,
  openWorld,
  type World,
  walkTo,
} from './console-world.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
/** `npm run test:browser -- --pictures` keeps what was seen. */
const { PICTURES } = process.env;
/** Those that docs/console.md shows. */
const pictured: ReadonlySet<string> = new Set(['account-light', 'account-dark', 'locked-light']);
let world: World;
let nora: Person;
let opened: OpenedConsole;
let page: Page;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  await fillSamples(world);
  nora = await addUser(world.dataFolder, 'nora');
  await setRole(world.dataFolder, 'nora', 'editor', 'office');
  opened = await openConsole(world, nora, { isAsked: true });
  page = opened.page;
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

const dialog = () => page.getByRole('dialog').or(page.getByRole('alertdialog'));
const button = (name: string | RegExp) => page.getByRole('button', { name });
const notice = (text: string | RegExp) => page.locator('.notice', { hasText: text }).first().waitFor();

/** In light colours and in dark ones. */
async function hold(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const whole = `${name}-${colorScheme}`;
    assert.deepEqual(await findBarriers(page), [], whole);
    if (PICTURES === undefined || !pictured.has(whole)) continue;
    mkdirSync(join(import.meta.dirname, '../..', PICTURES), { recursive: true });
    await page.screenshot({ path: join(import.meta.dirname, '../..', PICTURES, `${whole}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

async function dav(
  method: string,
  path: string,
  authorization: string,
  more: { body?: string; headers?: object } = {},
) {
  const headers = { Authorization: authorization, Depth: '0', ...more.headers };
  const response = await fetch(`${world.base}/dav/office/${path}`, {
    method,
    headers,
    ...(more.body && { body: more.body }),
  });
  await response.text();
  return response;
}

test('the menu leads to the account, which axe finds nothing on', options, async () => {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
  await page.getByText('This one').waitFor();
  assert.equal(new URL(page.url()).pathname, '/account');
  await hold('account');
});

test('an app password is shown once, opens WebDAV, and no longer after it is removed', options, async () => {
  await button('New app password').click();
  await dialog().locator('input:focus').waitFor();
  await hold('account-new');
  await page.keyboard.type('laptop');
  await dialog().getByText('Only read').click();
  await dialog()
    .getByRole('button', { name: /It ends/ })
    .click();
  await page.getByRole('option', { name: 'After 30 days' }).click();
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog().getByText('Keep it now').waitFor();
  const [user = '', password = '', address] = await dialog().locator('code').allTextContents();
  assert.deepEqual([user, address], ['nora', `${world.base}/dav/office/`]);
  await hold('account-shown');
  await dialog().getByRole('button', { name: 'Copy Password' }).click();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), password);
  await dialog().getByRole('button', { name: 'I have kept it' }).click();
  const line = page.locator('.thing', { hasText: 'laptop' });
  await line.getByText(/only reads/).waitFor();
  await line.getByText(/until/).waitFor();
  assert.ok(!(await page.content()).includes(password), 'nothing of it is left on the page');
  const authorization = basicAuthorization(user, password);
  assert.equal((await dav('PROPFIND', '', authorization)).status, 207);
  assert.equal((await dav('MKCOL', 'made', authorization)).status, 403);
  await line.getByRole('button', { name: 'Remove the app password laptop' }).click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await notice('is removed');
  await line.waitFor({ state: 'detached' });
  await eventually('it is refused', async () => (await dav('PROPFIND', '', authorization)).status === 401);
});

test('an application that the person has allowed is listed, until that is revoked', options, async () => {
  const fields = { Name: 'reports', RedirectUris: [redirectUri] };
  const registered = await manage<Registered>(world.caller, 'POST', '/applications', fields);
  const configuration = await discover(world.base, registered);
  const allow = async () => {
    const other = new Browser();
    const begun = await begin(configuration, { scope: 'openid content.read content.write' });
    const asked = await other.submit(await other.open(begun.url), { user: nora.User, password: nora.Password });
    assert.match(asked.text, /Allow reports/);
    return await finish(configuration, (await other.submit(asked, { answer: 'allow' })).url, begun);
  };
  const { access_token } = await allow();
  await comeBackTo(page, '/account');
  const line = page.locator('.thing', { hasText: `${registered.AppKey}` }).filter({ hasText: 'allowed' });
  await line.getByText('Write', { exact: true }).waitFor();
  await hold('account-consents');
  await line.getByRole('button', { name: 'Revoke reports' }).click();
  await dialog().getByRole('button', { name: 'Revoke' }).click();
  await notice('“reports” no longer acts for you');
  await line.waitFor({ state: 'detached' });
  const headers = { Authorization: `Bearer ${access_token}`, AppKey: registered.AppKey };
  await eventually('its token is refused', async () => {
    const { status } = await fetch(`${world.base}/v1/contentmanagement/me`, { headers });
    return status === 401;
  });
});

test('every system gets its address, with a button that copies it', options, async () => {
  const shown: Record<string, string> = {};
  for (const system of ['Windows', 'macOS', 'Linux', 'rclone', 'curl']) {
    await page.getByRole('tab', { name: system, exact: true }).click();
    shown[system] = (await page.getByRole('tabpanel').textContent()) ?? '';
    assert.ok(shown[system].includes('/dav/office/'), system);
  }
  assert.match(shown.Windows ?? '', /net use Z: .* \/user:nora/);
  assert.match(shown.Linux ?? '', /dav:\/\/.*mount -t davfs/s);
  await page.getByRole('tab', { name: 'macOS' }).click();
  await button('Copy macOS: Address').click();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${world.base}/dav/office/`);
});

test('the password is changed with the current one, and the other sign-ins end', options, async () => {
  const other = await openConsole(world, nora);
  await button('Change password').click();
  await dialog().getByRole('textbox').or(dialog().locator('input[type=password]')).first().waitFor();
  const fields = dialog().locator('input[type=password]');
  const next = 'words that nobody expects';
  for (const [index, text] of ['not the right one', next, `${next}!`].entries()) await fields.nth(index).fill(text);
  await dialog().getByText('The two are not the same').waitFor();
  await hold('account-password');
  assert.ok(await dialog().getByRole('button', { name: 'Change password' }).isDisabled());
  await fields.nth(2).fill(next);
  await dialog().getByRole('button', { name: 'Change password' }).click();
  await dialog().getByText('The current password is not right').waitFor();
  await fields.nth(0).fill(nora.Password);
  await dialog().getByRole('button', { name: 'Change password' }).click();
  await notice('Your password is changed');
  nora = { ...nora, Password: next };
  await walkTo(other.page, '/account');
  await other.page.getByText('Your sign-in is over').first().waitFor();
  await other.context.close();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
});

test('sign-ins are listed; one is ended, and then all', options, async () => {
  const other = await openConsole(world, nora, { isAsked: true, path: '/account' });
  await other.page.getByText('This one').waitFor();
  await comeBackTo(page, '/account');
  await page.getByText('This one').waitFor();
  const lines = page.locator('.thing', { hasText: 'console, Chrome on Linux' });
  await lines.nth(1).waitFor();
  assert.equal(await lines.count(), 2);
  await lines.filter({ hasNotText: 'This one' }).getByRole('button', { name: /^End/ }).click();
  await notice('That sign-in has ended');
  // Any request finds it out: this one, or one before it that the page makes by itself, and then nothing can be clicked any more.
  const create = async () => {
    await other.page.getByRole('button', { name: 'New app password' }).click();
    await other.page.getByRole('textbox', { name: 'What is it for?' }).fill('x');
    await other.page.getByRole('button', { name: 'Create' }).click();
  };
  void create().catch(() => undefined);
  await other.page.getByText('Your sign-in is over').first().waitFor();
  await other.context.close();
  await button('End all').click();
  await dialog().getByRole('button', { name: 'End all' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await opened.context.close();
});

const lockInfo =
  '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner>Office 1</D:owner></D:lockinfo>';

test('who has locked a file is seen in the list and beside it, until the lock is released', options, async () => {
  opened = await openConsole(world, world.people.editor, { path: '/files' });
  page = opened.page;
  const row = page.getByRole('row', { name: /letter.txt/ });
  await row.waitFor();
  const { AppKey, Secret } = world.caller.application;
  const authorization = basicAuthorization(AppKey, Secret);
  const locked = await dav('LOCK', 'letter.txt', authorization, { body: lockInfo });
  assert.equal(locked.status, 200);
  await row.getByText('Locked by the application office').waitFor();
  await row.click();
  await page.keyboard.press('i');
  await page.getByText(/Locked by the application office \(Office 1\) until/).waitFor();
  await hold('locked');
  const headers = { 'Lock-Token': locked.headers.get('lock-token') ?? '' };
  assert.equal((await dav('UNLOCK', 'letter.txt', authorization, { headers })).status, 204);
  await row.getByText('Locked by the application office').waitFor({ state: 'detached' });
  await page.getByText(/Locked by the application office \(Office 1\) until/).waitFor({ state: 'detached' });
  assert.deepEqual(opened.problems, []);
  await opened.context.close();
});

test('on a phone, in German, the account fits', options, async () => {
  const phone = { viewport: { width: 390, height: 844 }, isTouch: true, locale: 'de-DE', path: '/account' };
  opened = await openConsole(world, world.people.viewer, phone);
  await opened.page.getByRole('heading', { level: 1, name: 'Ihr Konto' }).waitFor();
  await opened.page.getByText('Diese hier').waitFor();
  const wider = await opened.page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.equal(wider, 0);
  await opened.context.close();
});
