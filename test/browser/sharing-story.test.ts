// The whole story of sharing: an owner, a colleague who is given access, and a stranger with a link on a phone, each in a browser of
// their own.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { listFolder } from '../interface/client.ts';
import { addUser, type Person } from '../service/operator.ts';
import { patientMs, readDownload, withoutBrowser } from './browser.ts';
import { comeBackTo, fillSamples, leaveByEscape, openConsole, openWorld, type World, walkTo } from './console-world.ts';
import { openStranger, type Stranger } from './stranger.ts';
import { checkSmallScreens, checkView } from './view.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
let world: World;
let gus: Person;
let invoices: string;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  ({ invoices } = await fillSamples(world));
  gus = await addUser(world.dataFolder, 'gus');
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

const card = (page: Page, name: string) => page.locator('.link', { hasText: name });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const file = (name: string, body: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(body) });

/** Of the entry that is shown in the details pane; the dialog of sharing is open after it. */
async function createLink(page: Page, name: string, more: (form: ReturnType<Page['getByRole']>) => Promise<void>) {
  if ((await page.getByRole('dialog').count()) === 0) await button(page, 'Share').click();
  await page.getByRole('tab', { name: 'Links' }).click();
  await button(page, 'New link').click();
  const form = page.getByRole('dialog', { name: /^New link to/ });
  await form.getByLabel('Name').fill(name);
  await more(form);
  await form.getByRole('button', { name: 'Create link' }).click();
  await card(page, name).getByText('Active').waitFor();
  await button(page, `Copy the link “${name}”`).click();
  await page.locator('.notice', { hasText: 'Link copied' }).first().waitFor();
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

/** The owner gives the colleague access and creates two links. */
async function shareEverything(page: Page): Promise<{ toRead: string; toSend: string }> {
  await walkTo(page, `/files?look=${invoices}`);
  await button(page, 'Share').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User id').fill('gus');
  await dialog.getByRole('button', { name: 'View May' }).click();
  await page.getByRole('option', { name: 'Edit' }).click();
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await dialog.getByText('Edit · shared here').waitFor();
  await checkSmallScreens(page, 'people and groups');
  const toRead = await createLink(page, 'Books for the auditor', async (form) => {
    await form.getByLabel('Password').fill('open sesame');
    await form.getByLabel('Maximum number of downloads').fill('2');
  });
  const toSend = await createLink(page, 'Send us receipts', async (form) => {
    await form.locator('.chosen-one', { hasText: 'Send files' }).click();
  });
  await checkView(page, 'share-links');
  return { toRead, toSend };
}

/** The colleague finds the folder, saves a file in it, and creates a link too. */
async function workTogether(page: Page): Promise<string> {
  await page.getByRole('main').getByRole('link', { name: 'Invoices' }).click();
  await page.getByText('Invoice 4711.txt').waitFor();
  await page.setInputFiles('input[data-files]', [file('by gus.txt', 'from gus')]);
  await page.locator('[role=row][aria-rowindex]', { hasText: 'by gus.txt' }).waitFor();
  await page.getByText('Invoice 4711.txt').click();
  await page.keyboard.press('i');
  await page.getByRole('heading', { level: 2, name: 'Invoice 4711.txt' }).waitFor();
  return await createLink(page, 'One invoice', async () => undefined);
}

async function readAndSend({ page }: Stranger, { toRead, toSend }: { toRead: string; toSend: string }): Promise<void> {
  await page.goto(toRead);
  await page.getByLabel('Password').fill('open sesame');
  await button(page, 'Open').tap();
  await page.getByRole('heading', { level: 1, name: 'Books for the auditor' }).waitFor();
  await checkView(page, 'link-page');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download by gus.txt' }).tap();
  assert.equal(await readDownload(await download), 'from gus');
  await page.goto(toSend);
  await page.getByLabel('Files to send').setInputFiles([file('receipt.txt', 'paid')]);
  await button(page, 'Send').tap();
  await page.getByText('Sent', { exact: true }).waitFor();
  await checkView(page, 'link-request');
}

/** The owner sees what happened, and ends it. */
async function stopEverything(page: Page): Promise<void> {
  await comeBackTo(page, '/manage/links');
  await card(page, 'Books for the auditor').getByText('1 of 2 downloads').waitFor();
  await card(page, 'Send us receipts').getByText('1 file received').waitFor();
  await button(page, 'Actions for the link “Send us receipts”').click();
  await page.getByRole('menuitem', { name: 'Activity' }).click();
  await page.getByRole('dialog').getByText('receipt.txt').waitFor();
  await leaveByEscape(page);
  await button(page, 'Actions for the link “Books for the auditor”').click();
  await page.getByRole('menuitem', { name: 'Stop sharing' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop sharing' }).click();
  await card(page, 'Books for the auditor').getByText('It was stopped for good.').waitFor();
  await walkTo(page, `/files?look=${invoices}`);
  await button(page, 'Share').click();
  await button(page, 'Stop sharing with gus').click();
  await button(page, 'Stop sharing with gus').waitFor({ state: 'detached' });
  await leaveByEscape(page);
  await comeBackTo(page, '/manage/links');
  await card(page, 'One invoice')
    .getByText(/does not work while gus may not edit/)
    .waitFor();
}

test(
  'an owner shares, a colleague works with it, a stranger reads and sends, and all of it ends',
  options,
  async () => {
    const owner = await openConsole(world, world.people.manager);
    const links = await shareEverything(owner.page);
    const colleague = await openConsole(world, gus);
    const ofGus = await workTogether(colleague.page);
    const stranger = await openStranger(world);
    await readAndSend(stranger, links);
    await stranger.page.goto(ofGus);
    await stranger.page.getByRole('heading', { level: 1, name: 'One invoice' }).waitFor();
    const names = (await listFolder(world.caller, invoices)).map(({ Name }) => Name);
    assert.deepEqual(names, ['2025', '2026', 'Invoice 4711.txt', 'by gus.txt', 'receipt.txt']);
    await stopEverything(owner.page);
    for (const ended of [links.toRead, ofGus]) {
      await stranger.page.goto(ended);
      await stranger.page.getByRole('heading', { level: 1, name: 'This link does not work' }).waitFor();
    }
    await stranger.page.goto(links.toSend);
    await stranger.page.getByLabel('Files to send').waitFor();
    await colleague.page.reload();
    await colleague.page.getByText('You are in no space yet').waitFor();
    assert.deepEqual(owner.problems, []);
    const unexpected = [...colleague.problems, ...stranger.problems].filter((problem) => !/40[14]/.test(problem));
    assert.deepEqual(unexpected, []);
    for (const { context } of [owner, colleague, stranger]) await context.close();
  },
);
