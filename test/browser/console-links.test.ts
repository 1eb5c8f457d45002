// Links for people without an account in the Share dialog, in a real browser against a real service.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { send } from '../interface/client.ts';
import { get } from '../interface/managing.ts';
import { dayMs, makeShare, type Share } from '../interface/shares.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import {
  comeBackTo,
  fillSamples,
  leaveByEscape,
  type OpenedConsole,
  openConsole,
  openWorld,
  type World,
  walkTo,
} from './console-world.ts';
import { checkSmallScreens, checkView } from './view.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
let world: World;
let invoices: string;
let editor: OpenedConsole;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  ({ invoices } = await fillSamples(world));
  editor = await openConsole(world, world.people.editor);
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

async function listLinks(entry = invoices, { caller } = world): Promise<Share[]> {
  return (await get<{ Shares: Share[] }>(caller, `/entries/${entry}/shares`)).Shares;
}

/** The tab of links in the Share dialog of an entry. */
async function openLinks(page: Page, entry = invoices): Promise<void> {
  await walkTo(page, `/files?look=${entry}`);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('tab', { name: 'Links' }).click();
  await page.getByText('Whoever has a link needs no account.').waitFor();
}

const card = (page: Page, name: string) => page.locator('.link', { hasText: name });

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page
    .getByRole('dialog')
    .last()
    .getByRole('button', { name: new RegExp(`${label}$`) })
    .click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function act(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for the link “${name}”` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

const notice = (page: Page, text: string) => page.locator('.notice', { hasText: text }).first().waitFor();

test(
  'an editor creates a link with everything that it can have, copies it, and shows its QR code',
  options,
  async () => {
    const { page, problems } = editor;
    await openLinks(page);
    await page.getByText('No links yet').waitFor();
    await checkView(page, 'links-none');
    await page.getByRole('button', { name: 'New link' }).click();
    const form = page.getByRole('dialog', { name: 'New link to “Invoices”' });
    await choose(page, 'Expires', 'In 7 days');
    await form.getByLabel('Password').fill('open sesame');
    await form.getByLabel('Maximum number of downloads').fill('many');
    await form.getByText('The maximum is a whole number').waitFor();
    assert.ok(await form.getByRole('button', { name: 'Create link' }).isDisabled());
    await form.getByLabel('Maximum number of downloads').fill('10');
    await form.getByLabel('Name').fill('Invoices <b>for</b> the auditor');
    await form.getByLabel('Note to visitors').fill('Two lines\nof text');
    await checkView(page, 'link-form');
    await checkSmallScreens(page, 'the form of a link');
    await form.getByRole('button', { name: 'Create link' }).click();
    await form.waitFor({ state: 'detached' });
    const made = card(page, 'the auditor');
    await made.getByText('0 of 10 downloads').waitFor();
    await made.getByText('Active').waitFor();
    const [link, ...others] = await listLinks();
    assert.ok(link);
    assert.equal(others.length, 0);
    assert.deepEqual(
      [link.Access, link.Name, link.Note, link.HasPassword, link.MaxDownloads, link.CreatedBy],
      ['read', 'Invoices <b>for</b> the auditor', 'Two lines\nof text', true, 10, 'edith'],
    );
    const days = (Date.parse(link.ExpiresAt) - Date.now()) / dayMs;
    assert.ok(days > 6.9 && days < 7, `${days} days`);
    await made.getByRole('button', { name: 'Copy the link “Invoices <b>for</b> the auditor”' }).click();
    await notice(page, 'Link copied');
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.equal(copied, await made.getByRole('textbox').inputValue());
    const opened = await send(world.base, new URL(copied).pathname);
    assert.equal(opened.status, 401, 'it asks for the password');
    await made.getByRole('button', { name: /^QR code/ }).click();
    const code = made.getByRole('img', { name: /^QR code/ });
    const size = await code.boundingBox();
    assert.ok(size !== null && size.width >= 150 && size.width === size.height, 'a camera can read it');
    await checkView(page, 'links');
    await checkSmallScreens(page, 'the links of an entry');
    assert.deepEqual(problems, []);
  },
);

test('a file request is created for a folder; a file has none', options, async () => {
  const { page, problems } = editor;
  await comeBackTo(page, '/files');
  await openLinks(page);
  await page.getByRole('button', { name: 'New link' }).click();
  const form = page.getByRole('dialog', { name: 'New link to “Invoices”' });
  await form.locator('.chosen-one', { hasText: 'Send files' }).click();
  assert.equal(await form.getByLabel('Maximum number of downloads').count(), 0, 'nothing is downloaded by it');
  await choose(page, 'Expires', 'On a date …');
  assert.ok(await form.getByRole('button', { name: 'Create link' }).isDisabled(), 'the date is missing');
  const date = new Date(Date.now() + 3 * dayMs).toISOString().slice(0, 10);
  await form.getByLabel('Last day').fill(date);
  await form.getByLabel('Name').fill('Send us your invoices');
  await form.getByRole('button', { name: 'Create link' }).click();
  await card(page, 'Send us your invoices').getByText('0 files received').waitFor();
  const link = (await listLinks()).find(({ Name }) => Name === 'Send us your invoices');
  assert.equal(link?.Access, 'upload');
  assert.equal(Date.parse(link.ExpiresAt), new Date(`${date}T23:59:59`).getTime());
  await leaveByEscape(page);
  await page.getByText('Welcome.md').dblclick();
  const viewer = page.getByRole('dialog', { name: 'Welcome.md' });
  await viewer.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('tab', { name: 'Links' }).click();
  await page.getByRole('button', { name: 'New link' }).click();
  await page.getByRole('dialog', { name: 'New link to “Welcome.md”' }).waitFor();
  assert.equal(await page.getByRole('radio').count(), 0);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test('a link is changed and stopped, and says why it does not work', options, async () => {
  const usedUp = await makeShare(world.caller, invoices, { Name: 'by the office', MaxDownloads: 1 });
  const { page, problems } = await openConsole(world, world.people.manager);
  await openLinks(page);
  const made = card(page, 'by the office');
  await made.getByText('Only the application office can see the address.').waitFor();
  assert.equal(await made.getByRole('button', { name: /^Copy/ }).count(), 0);
  await act(page, 'by the office', 'Change');
  const form = page.getByRole('dialog', { name: 'Change the link “by the office”' });
  await form.getByRole('button', { name: /^Unchanged: / }).waitFor();
  await form.getByLabel('Password').fill('a word');
  await form.getByLabel('Maximum number of downloads').fill('');
  await form.getByLabel('Note to visitors').fill('Hello');
  await checkView(page, 'link-change');
  await form.getByRole('button', { name: 'Save' }).click();
  await made.getByText('Hello').waitFor();
  const find = async () => (await listLinks()).find(({ Id }) => Id === usedUp.Id) as Share;
  const changed = await find();
  assert.deepEqual([changed.HasPassword, changed.MaxDownloads, changed.Note], [true, null, 'Hello']);
  assert.equal(changed.ExpiresAt, usedUp.ExpiresAt, 'what was not touched stays');
  await act(page, 'by the office', 'Change');
  await form.getByRole('button', { name: /Password$/ }).click();
  await page.getByRole('option', { name: 'Remove it' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  assert.equal((await find()).HasPassword, false);
  await act(page, 'by the office', 'Stop sharing');
  await checkView(page, 'link-stop');
  await checkSmallScreens(page, 'the question before a link is stopped');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop sharing' }).click();
  await notice(page, 'The link does not work any more');
  assert.equal((await find()).State, 'revoked');
  await page.getByText('1 stopped link').click();
  await made.getByText('It was stopped for good.').waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test('a viewer sees the links of others, and cannot create one', options, async () => {
  const { page, problems } = await openConsole(world, world.people.viewer);
  await walkTo(page, `/files?look=${invoices}`);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('tab', { name: 'Links' }).click();
  await page.getByText('Editors of the space create links.').waitFor();
  await card(page, 'the auditor').getByText('Only edith can see the address.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'New link' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: /Actions for the link/ }).count(), 0);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test('on a phone and by keyboard alone, in German', options, async () => {
  const viewport = { width: 390, height: 844 };
  const { page, problems } = await openConsole(world, world.people.editor, { viewport, locale: 'de-DE' });
  await walkTo(page, `/files?look=${invoices}`);
  await page.getByRole('button', { name: 'Teilen', exact: true }).press('Enter');
  await page.getByRole('tab', { name: 'Personen und Gruppen' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('Wer einen Link hat, braucht kein Konto.').waitFor();
  await page.getByRole('button', { name: 'Neuer Link' }).press('Enter');
  const form = page.getByRole('dialog', { name: 'Neuer Link zu „Invoices“' });
  await form.waitFor();
  await checkView(page, 'link-form-phone');
  await form.getByLabel('Name').focus();
  await page.keyboard.type('mit Tasten');
  await page.keyboard.press('Enter');
  const made = card(page, 'mit Tasten');
  await made.getByText('noch nicht benutzt').waitFor();
  await checkView(page, 'links-phone');
  await page.getByRole('button', { name: 'Aktionen für den Link „mit Tasten“' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Nicht mehr teilen' }).press('Enter');
  const question = page.getByRole('alertdialog');
  await question.waitFor();
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Abbrechen', 'what does no harm');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  assert.equal((await listLinks()).find(({ Name }) => Name === 'mit Tasten')?.State, 'revoked');
  await leaveByEscape(page);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test('what the service refuses is said in the form, in words', options, async () => {
  const strict = await openWorld({ CABINET_SHARE_PASSWORD: 'required', CABINET_SHARE_MAX_DAYS: '7' });
  const off = await openWorld({ CABINET_SHARES: 'off' });
  try {
    const folder = (await fillSamples(strict)).invoices;
    const { page } = await openConsole(strict, strict.people.editor);
    await openLinks(page, folder);
    await page.getByRole('button', { name: 'New link' }).click();
    const form = page.getByRole('dialog', { name: 'New link to “Invoices”' });
    const send = () => form.getByRole('button', { name: 'Create link' }).click();
    await send();
    await form.getByText('Every link needs a password here. Enter one.').waitFor();
    await checkView(page, 'link-refused');
    await form.getByLabel('Password').fill('a word');
    await choose(page, 'Expires', 'In 90 days');
    await send();
    await form.getByText('A link may last 7 days at most here.').waitFor();
    await choose(page, 'Expires', 'In 30 days');
    await send();
    await card(page, 'Invoices').getByText('Active').waitFor();
    const [link] = await listLinks(folder, strict);
    assert.ok(Date.parse(link?.ExpiresAt ?? '') < Date.now() + 7.1 * dayMs, 'the limit of the service is what it got');
    const other = await openConsole(off, off.people.editor);
    await openLinks(other.page, (await fillSamples(off)).invoices);
    await other.page.getByRole('button', { name: 'New link' }).click();
    await other.page.getByRole('button', { name: 'Create link' }).click();
    await other.page.getByText('Links are disabled here.').waitFor();
  } finally {
    await strict.close();
    await off.close();
  }
});
