// The pages for managing, in a real browser against a real service: each page's main flow, and what a viewer sees of it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeCa } from '../../src/certificates/certificates-for-tests.ts';
import { askToken, basicAuthorization, call, saveFile } from '../interface/client.ts';
import type { Event } from '../interface/managing.ts';
import { makeClient } from '../security/company-ca.ts';
import { setUp } from '../service/operator.ts';
import { patientMs, readDownload, withoutBrowser } from './browser.ts';
import { fillSamples, type OpenedConsole, openConsole, type World } from './console-world.ts';
import { goToManaging, hiddenToken, openManagedWorld } from './managing-world.ts';
import { checkSmallScreens } from './view.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
let world: World;
let opened: OpenedConsole;
let page: Page;

before(async () => {
  if (withoutBrowser) return;
  world = await openManagedWorld();
  await fillSamples(world);
  opened = await openConsole(world, world.people.manager, { path: '/manage' });
  page = opened.page;
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

const dialog = () => page.getByRole('dialog').or(page.getByRole('alertdialog'));
const button = (name: string | RegExp) => page.getByRole('button', { name });
const notice = (text: string | RegExp) => page.locator('.notice', { hasText: text }).first().waitFor();

async function tokenStatus(appKey: string, secret: string): Promise<number> {
  const headers = { Authorization: basicAuthorization(appKey, secret) };
  return (await askToken(world.base, { grant_type: 'client_credentials' }, headers)).status;
}

/** The AppKey and the secret, as the dialog shows them once. */
async function readSecret(): Promise<[string, string]> {
  await dialog().getByText('Keep it now').waitFor();
  const [appKey = '', secret = ''] = await dialog().locator('code').allTextContents();
  return [appKey, secret];
}

test(
  'an application is created by keyboard alone; its secret is shown once, is copied, and works',
  options,
  async () => {
    await page.getByRole('heading', { name: 'Applications of office' }).waitFor();
    await button('New application').first().focus();
    await page.keyboard.press('Enter');
    await dialog().locator('input:focus').waitFor();
    await checkSmallScreens(page, 'new application');
    await page.keyboard.type('bad name');
    await page.keyboard.press('Enter');
    await dialog().getByRole('alert').waitFor();
    assert.doesNotMatch((await dialog().getByRole('alert').textContent()) ?? '', /Tracking id/);
    await dialog().getByRole('textbox', { name: 'Name' }).fill('scanner');
    await page.keyboard.press('Enter');
    const [appKey, secret] = await readSecret();
    assert.equal(await tokenStatus(appKey, secret), 200);
    await dialog().getByRole('button', { name: 'Copy secret' }).click();
    // It is part of the dialog, and covers none of its buttons.
    await dialog().locator('.notice', { hasText: 'secret copied' }).waitFor();
    await page.keyboard.press('Escape');
    await checkSmallScreens(page, 'secret');
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
    await dialog().getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('heading', { name: 'scanner', exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/manage/applications/${appKey}`);
    assert.ok(!(await page.content()).includes(secret), 'nothing of it is left on the page');
  },
);

test('the code snippets contain the address and the AppKey', options, async () => {
  const appKey = page.url().split('/').at(-1) ?? '';
  const lines: string[] = [];
  for (const language of ['curl', 'TypeScript', 'Python']) {
    await page.getByRole('tab', { name: language }).click();
    lines.push((await page.getByRole('tabpanel').locator('pre').textContent()) ?? '');
  }
  for (const text of lines) assert.ok(text.includes(appKey) && text.includes(world.base));
  assert.match(lines[0] ?? '', /\/folders\/-root-.*\/files/s);
  assert.match(lines[1] ?? '', /from '@cabinet\/client'.*saveFile/s);
  assert.match(lines[2] ?? '', /import requests.*FolderId/s);
});

test('a new secret leaves the old one valid for the chosen time; disabling and removing end it', options, async () => {
  await button('New secret').click();
  await dialog()
    .getByRole('button', { name: /The old secret stays valid/ })
    .click();
  await page.getByRole('option', { name: 'For a day' }).click();
  await dialog().getByRole('button', { name: 'New secret' }).click();
  const [appKey, first] = await readSecret();
  await dialog().getByRole('button', { name: 'I have kept it' }).click();
  await button('New secret').click();
  await dialog().getByRole('button', { name: 'New secret' }).click();
  const [, second] = await readSecret();
  await dialog().getByRole('button', { name: 'I have kept it' }).click();
  assert.deepEqual([await tokenStatus(appKey, first), await tokenStatus(appKey, second)], [200, 200]);

  await button('Disable').click();
  await dialog().getByRole('button', { name: 'Disable' }).click();
  await notice('“scanner” is disabled');
  assert.equal(await tokenStatus(appKey, second), 401);
  await button('Enable').click();
  await notice('enabled again');
  assert.equal(await tokenStatus(appKey, second), 200);
  await button('Remove').click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await notice('“scanner” is removed');
  await page.getByRole('heading', { name: 'Applications of office' }).waitFor();
  await page.getByRole('link', { name: 'scanner' }).waitFor({ state: 'detached' });
  assert.equal(await tokenStatus(appKey, second), 401);
});

test('certificates of a server-based application are added by file, and removed', options, async () => {
  await button('New application').first().click();
  await dialog().getByRole('textbox', { name: 'Name' }).fill('archiver');
  await dialog().getByText('With a certificate').click();
  await dialog().getByRole('button', { name: 'Create' }).click();
  await page.getByText('No certificate yet').waitFor();
  const { pem } = await makeClient('CN=archiver-one', await makeCa('CN=console'));
  const give = (text: string) =>
    page.setInputFiles('input[type=file]', { name: 'a.pem', mimeType: 'text/plain', buffer: Buffer.from(text) });
  await give('-----BEGIN PRIVATE KEY-----');
  await notice('Choose the certificate, not the key');
  await give(pem);
  await page.locator('.thing', { hasText: 'archiver-one' }).waitFor();
  const curl = (await page.getByRole('tabpanel').locator('pre').textContent()) ?? '';
  assert.ok(curl.includes(String(world.service.mutualTls)), 'it calls the mutual-TLS address');
  await button(/Remove the certificate/).click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No certificate yet').waitFor();
});

test('a person is added with a setup link that is shown once, gets another role, and is removed', options, async () => {
  await goToManaging(page, 'people');
  await button('Add a person').click();
  await dialog().getByRole('textbox', { name: 'User name' }).fill('nina');
  await dialog().getByRole('textbox', { name: 'Full name' }).fill('Nina Neu');
  await dialog().getByText('Looks at everything').click();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Send it to the person').waitFor();
  const [User = '', setupUrl = ''] = await dialog().locator('code').allTextContents();
  const Password = 'nobody else knows it';
  assert.equal(await setUp(setupUrl, Password), 200);
  await dialog().getByRole('button', { name: 'I have kept it' }).click();

  const nina = await openConsole(world, { User, Password });
  assert.equal(await nina.page.getByRole('link', { name: 'Manage' }).count(), 0, 'she is a viewer');
  await nina.context.close();
  await button(/Role of Nina Neu/).click();
  await page.getByRole('option', { name: 'Editor' }).click();
  await notice('Nina Neu is Editor now');
  const line = page.locator('.thing', { hasText: 'Nina Neu' });
  await line.getByRole('button', { name: /Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await dialog().getByText('cabinet user disable nina').waitFor();
  await dialog().getByText('cabinet user setup nina').waitFor();
  await dialog().locator('footer button').click();
  await line.getByRole('button', { name: /Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Take out' }).click();
  await dialog().getByRole('button', { name: 'Take out' }).click();
  await line.waitFor({ state: 'detached' });
});

test('the last manager cannot lose the role, and the message says why', options, async () => {
  await button(/Role of mona/).click();
  await page.getByRole('option', { name: 'Viewer' }).click();
  await notice('without a manager');
  assert.match((await button(/Role of mona/).textContent()) ?? '', /Manager/);
});

test('usage is shown by time, type, space and person, with the numbers in tables', options, async () => {
  await goToManaging(page, 'usage');
  await page.getByText('files counted').waitFor();
  assert.match((await page.locator('.usage-tile').first().textContent()) ?? '', /Stored[\d.]+ kB/);
  assert.match((await page.getByRole('img', { name: /^By time/ }).getAttribute('aria-label')) ?? '', /kB$/);
  const types = page.locator('.chart', { has: page.getByRole('heading', { name: 'By type' }) });
  assert.match((await types.locator('.bars').textContent()) ?? '', /Pictures.*Text and code/);
  await types.getByText('As a table').click();
  const rows = await types.getByRole('row').allTextContents();
  const [pictures, ...more] = rows.filter((row) => row.startsWith('image/png'));
  assert.match(pictures ?? '', /^image\/png[\d.]+ kB1$/);
  assert.deepEqual(more, []);
  const people = page.locator('.chart', { has: page.getByRole('heading', { name: 'By who saved it' }) });
  assert.match((await people.textContent()) ?? '', /app:office/);
});

test('the audit log names the file of every event', options, async () => {
  const file = await saveFile(world.caller, { FolderId: '-root-', FileName: 'named.txt' }, 'x');
  const headers = { 'Content-Type': 'application/json' };
  const path = `/files/${file.File.Id}/versions/1`;
  await call(world.caller, path, { method: 'PATCH', headers, body: JSON.stringify({ Comment: 'first' }) });
  await goToManaging(page, 'audit');
  await page.evaluate(`history.pushState(null, '', '/manage/audit?action=version.commented')`);
  await page.evaluate(`dispatchEvent(new PopStateEvent('popstate'))`);
  await page.getByText('1 event shown').waitFor();
  await page.locator('.audit-about', { hasText: 'named.txt' }).waitFor();
});

test('the audit log takes filters from the URL, and the filtered events are exported', options, async () => {
  await goToManaging(page, 'audit');
  await page.locator('.audit tbody tr').first().waitFor();
  await page.locator('.audit-filters').getByRole('button', { name: /What/ }).click();
  await page.getByRole('option', { name: 'Application removed' }).click();
  await page.getByText('1 event shown').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('action'), 'application.removed');
  const exportAs = async (kind: string) => {
    await button('Export').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: kind }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^audit-office-.*\.(csv|json)$/);
    return await readDownload(download);
  };
  const { Events } = JSON.parse(await exportAs('As JSON')) as { Events: Event[] };
  assert.deepEqual(
    Events.map(({ Action, By }) => [Action, By]),
    [['application.removed', 'mona']],
  );
  const csv = await exportAs('As CSV');
  assert.match(csv, /^\ufeffPosition,At,By,Action/);
  assert.equal(csv.trim().split('\r\n').length, 2);
  await page.getByRole('textbox', { name: 'Who' }).fill('nobody');
  await page.getByText('Nothing matches').waitFor();
  await button('Clear filters').click();
  await page.locator('.audit tbody tr').nth(5).waitFor();
});

test(
  'the health page shows the state of the service; the settings are those that managers may see',
  options,
  async () => {
    await goToManaging(page, 'health');
    await page.getByRole('heading', { name: 'It takes new work' }).waitFor();
    await page.getByText('Production', { exact: true }).waitFor();
    await goToManaging(page, 'settings');
    await page.getByText('CABINET_TRASH_DAYS').waitFor();
    assert.ok(!(await page.content()).includes(hiddenToken));
    assert.equal(await page.getByText('CABINET_METRICS_TOKEN').count(), 0);
    await page.getByText('Only what differs').click();
    await page.getByText('CABINET_TRASH_DAYS').waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('nothing like it');
    await page.getByText('No setting matches').waitFor();
  },
);

test('a space is created and renamed, and links to its people', options, async () => {
  await goToManaging(page, 'spaces');
  await button('New space').click();
  await dialog().getByRole('textbox', { name: 'Name' }).fill('archive');
  await page.keyboard.press('Enter');
  await notice('Space “archive” created');
  await button('Rename “archive”').click();
  await dialog().getByRole('textbox', { name: 'Name' }).fill('attic');
  await page.keyboard.press('Enter');
  await notice('called “attic” now');
  await page
    .locator('.thing', { hasText: 'attic' })
    .getByRole('link', { name: /People/ })
    .click();
  await page.getByRole('heading', { name: 'People of attic' }).waitFor();
});

test('a viewer sees no management pages: no link, nothing at the URL, and no requests', options, async () => {
  const {
    page: seen,
    context,
    problems,
  } = await openConsole(world, world.people.viewer, {
    path: '/manage/applications',
  });
  const requested: string[] = [];
  seen.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await seen.getByText('Only managers of a space manage it').waitFor();
  assert.equal(await seen.getByRole('link', { name: 'Manage' }).count(), 0);
  assert.equal(await seen.getByRole('button', { name: 'New application' }).count(), 0);
  assert.deepEqual(
    requested.filter((path) => /applications|users|audit|settings/.test(path)),
    [],
  );
  assert.deepEqual(problems, []);
  await context.close();
});

test('the browser reported no errors but the expected ones', options, () => {
  assert.deepEqual(
    opened.problems.filter((text) => !/status of 400/.test(text)),
    [],
  );
});
