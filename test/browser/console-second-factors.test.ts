// Second factors in a real browser: an authenticator app and a passkey are added on the account page, and used to sign in. The
// passkey is of Chromium's virtual authenticator. The address is `localhost`, because passkeys need a name.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { toStep, toTotpCode } from '../../src/operations/totp.ts';
import { findFreePort } from '../free-ports.ts';
import { addUser, type Person, setRole } from '../service/operator.ts';
import { findBarriers } from './axe.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { type OpenedConsole, openConsole, openWorld, type World } from './console-world.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
let world: World;
let nora: Person;
let opened: OpenedConsole;
let page: Page;
let secret = '';
let codes: string[] = [];

before(async () => {
  if (withoutBrowser) return;
  const port = await findFreePort();
  const base = `http://localhost:${port}`;
  world = { ...(await openWorld({ CABINET_PORT: String(port), CABINET_PUBLIC_URL: base })), base };
  nora = await addUser(world.dataFolder, 'nora');
  await setRole(world.dataFolder, 'nora', 'editor', 'office');
  opened = await openConsole(world, nora, { path: '/account', isAsked: true });
  page = opened.page;
  await addAuthenticator(page);
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

/** A key that is always there, and answers without a touch. It stays with the page. */
async function addAuthenticator(on: Page): Promise<void> {
  const devtools = await on.context().newCDPSession(on);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true },
  });
}

const dialog = () => page.getByRole('dialog').or(page.getByRole('alertdialog'));
const notice = (text: string) => page.locator('.notice', { hasText: text }).first().waitFor();
const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click();

async function hold(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findBarriers(page), [], `${name} in ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** To the page after the password, in the same browser, whose sign-in is forgotten. */
async function typePassword(): Promise<void> {
  await page.context().clearCookies();
  await page.evaluate('sessionStorage.clear(); localStorage.clear()');
  await page.goto(`${world.base}/account`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.fill('#user', nora.User);
  await page.fill('#password', nora.Password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
}

const isIn = () => page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();

test(
  'an authenticator app is added with the password and its first code; the recovery codes are shown once',
  options,
  async () => {
    await page.getByRole('button', { name: 'Add an app' }).click();
    await dialog().getByLabel('Your password').fill('not the right one');
    await press('Go on');
    await dialog().getByText('The current password is not right').waitFor();
    await dialog().getByLabel('Your password').fill(nora.Password);
    await hold('password');
    await press('Go on');
    secret = ((await dialog().locator('.totp-key').textContent()) ?? '').replaceAll(' ', '');
    assert.match(secret, /^[A-Z2-7]{32}$/);
    assert.match(String(await dialog().getByRole('link').getAttribute('href')), /^otpauth:\/\/totp\/Cabinet/);
    await dialog().getByRole('img', { name: 'QR code with the key' }).waitFor();
    await hold('key');
    await dialog().getByLabel('Code that the app shows').fill('000000');
    await press('Add');
    await dialog().getByText('This code or passkey was not accepted').waitFor();
    // The code of the step before, so that the current one is left for signing in.
    await dialog()
      .getByLabel('Code that the app shows')
      .fill(toTotpCode(secret, toStep(Date.now()) - 1));
    await press('Add');
    await dialog().getByText('they are shown this once').waitFor();
    codes = ((await dialog().locator('code').textContent()) ?? '').split(' ');
    assert.equal(codes.length, 10);
    await hold('codes');
    await press('I have kept it');
    await page.locator('.thing', { hasText: 'Authenticator app' }).waitFor();
    await page.getByText('10 recovery codes are left').waitFor();
    await hold('account');
  },
);

test('signing in needs the code, and a wrong one is refused', options, async () => {
  await typePassword();
  await hold('second step');
  await page.getByLabel(/Code of your authenticator app/).fill('000000');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('This is not right').waitFor();
  await hold('second step, wrong');
  await page.getByLabel(/Code of your authenticator app/).fill(toTotpCode(secret, toStep(Date.now()) + 1));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await isIn();
});

test('a passkey that the browser does not make is explained in words', options, async () => {
  // As when the dialog of the browser is closed.
  await page.evaluate(
    `navigator.credentials.create = () => Promise.reject(new DOMException('not allowed', 'NotAllowedError'))`,
  );
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await dialog().getByLabel('Your password').fill(nora.Password);
  await press('Go on');
  await dialog().getByText('No passkey was made').waitFor();
  await page.reload();
  await isIn();
});

test('a passkey is added, and used to sign in after the password', options, async () => {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await dialog().getByLabel('Your password').fill(nora.Password);
  await dialog().getByLabel('Name').fill('key ring');
  await hold('passkey');
  await press('Go on');
  await notice('“key ring” is added');
  await page.locator('.thing', { hasText: 'key ring' }).getByText('Passkey', { exact: true }).waitFor();
  await typePassword();
  await page.getByRole('button', { name: 'Use your passkey' }).waitFor();
  await hold('second step with passkey');
  await page.getByRole('button', { name: 'Use your passkey' }).click();
  await isIn();
  await page
    .locator('.thing', { hasText: 'key ring' })
    .getByText(/last used/)
    .waitFor();
});

test(
  'a recovery code signs in where neither is at hand; second factors are removed with the password',
  options,
  async () => {
    await typePassword();
    await page.getByLabel(/Code of your authenticator app/).fill(codes[0] as string);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await isIn();
    await page.getByText('9 recovery codes are left').waitFor();
    for (const name of ['Authenticator app', 'key ring']) {
      await page.getByRole('button', { name: `Remove ${name}` }).click();
      await dialog().getByLabel('Your password').fill(nora.Password);
      await press('Remove');
      await notice(`“${name}” is removed`);
    }
    await page.getByRole('button', { name: 'Add an app' }).waitFor();
    assert.deepEqual(
      opened.problems.filter((problem) => !problem.includes('403')),
      [],
    );
  },
);
