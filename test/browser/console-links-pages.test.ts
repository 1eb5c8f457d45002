// The pages of links: what a person shares, what everybody in a space shares, how a link was used, and badges in lists.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Caller, saveFile } from '../interface/client.ts';
import { makeShare, secretOf, showShare, use } from '../interface/shares.ts';
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
let letter: string;
/** The editor, by a token that their browser got. */
let edith: Caller;
let editor: OpenedConsole;
let manager: OpenedConsole;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  ({ invoices } = await fillSamples(world));
  const headers = { FolderId: '', FileName: 'brief.txt', 'Content-Type': 'text/plain' };
  letter = (await saveFile(world.caller, headers, 'Dear Ms Ames')).File.Id;
  editor = await openConsole(world, world.people.editor);
  edith = await takeCaller(editor.page);
  manager = await openConsole(world, world.people.manager);
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

/** What the page sends with its next request, for calls of the same person. */
async function takeCaller(page: Page): Promise<Caller> {
  const request = page.waitForRequest((one) => one.url().includes('/v1/contentmanagement/'));
  await walkTo(page, '/trash');
  const { authorization = '', appkey = '' } = await (await request).allHeaders();
  const application = { ...world.caller.application, AppKey: appkey };
  return { ...world.caller, application, token: authorization.replace(/^Bearer /, '') };
}

const row = (page: Page, name: string) => page.locator('[role=row][aria-rowindex], [role=option]', { hasText: name });
const badge = (page: Page, name: string) => row(page, name).getByText('Shared by link');
const card = (page: Page, name: string) => page.locator('.link', { hasText: name });

test('entries that the person shares by link have a badge, without a request for each', options, async () => {
  await makeShare(edith, letter, { Name: 'a letter' });
  await makeShare(world.caller, invoices, { Name: 'not theirs' });
  const { page, problems } = editor;
  const asked: string[] = [];
  page.on('request', (request) => request.url().includes('/shares') && asked.push(request.url()));
  await page.goto(`${world.base}/files`);
  await badge(page, 'brief.txt').waitFor({ state: 'attached' });
  assert.equal(await page.getByText('Shared by link').count(), 1, 'nothing that only others share');
  await checkView(page, 'badges-list');
  await page
    .getByRole('button', { name: 'View', exact: true })
    .or(page.getByRole('button', { name: 'Grid' }))
    .click();
  await row(page, 'brief.txt').locator('.tile-name').waitFor();
  assert.equal(await badge(page, 'brief.txt').count(), 1);
  await checkView(page, 'badges-tiles');
  await page.getByRole('button', { name: 'List' }).click();
  assert.equal(asked.length, 1, asked.join('\n'));
  await page.getByRole('link', { name: 'Shared by me' }).click();
  await page.getByRole('button', { name: 'Actions for the link “a letter”' }).click();
  await page.getByRole('menuitem', { name: 'Stop sharing' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop sharing' }).click();
  await card(page, 'a letter').getByText('It was stopped for good.').waitFor();
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  await row(page, 'brief.txt').waitFor();
  await badge(page, 'brief.txt').waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

test('“Shared by me” lists the links of the person, and finds them by state, kind and text', options, async () => {
  await makeShare(edith, invoices, { Name: 'Books 2025', Note: 'for the auditor' });
  await makeShare(edith, invoices, { Name: 'Receipts', Access: 'upload' });
  const used = await makeShare(edith, letter, { Name: 'One letter', MaxDownloads: 1 });
  const download = await use(world.caller, secretOf(used), `/files/${letter}/content`);
  assert.equal(download.status, 200);
  const { page, problems } = editor;
  await comeBackTo(page, '/links');
  await page.getByRole('heading', { level: 1, name: 'Shared by me' }).waitFor();
  await card(page, 'One letter').getByText('It was downloaded 1 time, which is its maximum.').waitFor();
  assert.equal(await card(page, 'not theirs').count(), 0);
  await checkView(page, 'shared-by-me');
  const names = async () => (await page.locator('.link-name').allTextContents()).sort();
  const found = (count: string) => page.getByText(count, { exact: true }).waitFor();
  await page.getByLabel('Name or note').fill('AUDITOR');
  await found('1 link');
  assert.deepEqual(await names(), ['Books 2025']);
  await page.getByLabel('Name or note').fill('');
  await page.getByRole('button', { name: /State$/ }).click();
  await page.getByRole('option', { name: 'Active' }).click();
  await found('2 links');
  await page.getByRole('button', { name: /Kind$/ }).click();
  await page.getByRole('option', { name: 'File request' }).click();
  await found('1 link');
  assert.deepEqual(await names(), ['Receipts']);
  await page.reload();
  await found('1 link');
  await page.getByLabel('Name or note').fill('nothing like it');
  await page.getByText('No link matches').waitFor();
  await page.getByLabel('Name or note').fill('');
  await page.getByRole('link', { name: 'Receipts' }).click();
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
  assert.deepEqual(problems, []);
});

test('a manager sees all links of the space, how one was used, and stops it', options, async () => {
  const books = await makeShare(edith, invoices, { Name: 'Books 2026' });
  const request = await makeShare(edith, invoices, { Name: 'Send receipts', Access: 'upload' });
  await use(world.caller, secretOf(books));
  assert.equal((await use(world.caller, secretOf(books), '/archive')).status, 200);
  const headers = { 'Content-Type': 'application/octet-stream', FileName: 'r<b>1.txt' };
  const sent = await use(world.caller, secretOf(request), '/files', { method: 'POST', headers, body: 'one' });
  assert.equal(sent.status, 200, sent.body.toString());
  const { page, problems } = manager;
  await walkTo(page, '/manage/links');
  await page.getByRole('heading', { level: 1, name: 'Links of office' }).waitFor();
  await card(page, 'not theirs').getByText('created by the application office').waitFor();
  await checkView(page, 'all-links');
  const activity = async (name: string) => {
    await page.getByRole('button', { name: `Actions for the link “${name}”` }).click();
    await page.getByRole('menuitem', { name: 'Activity' }).click();
    const dialog = page.getByRole('dialog', { name: `Activity of the link “${name}”` });
    await dialog.locator('.share-line').first().or(dialog.getByText('Nobody has used this link yet.')).waitFor();
    return dialog;
  };
  const ofBooks = await activity('Books 2026');
  await ofBooks.getByText('Invoices').first().waitFor();
  assert.deepEqual(await ofBooks.locator('.share-line strong').allTextContents(), ['Downloaded', 'Opened']);
  await ofBooks.getByText('from 127.0.0.1').first().waitFor();
  await checkView(page, 'link-activity');
  await leaveByEscape(page);
  const ofRequest = await activity('Send receipts');
  await ofRequest.getByText('r<b>1.txt').waitFor();
  assert.deepEqual(await ofRequest.locator('.share-line strong').allTextContents(), ['Received']);
  await leaveByEscape(page);
  await activity('not theirs');
  await leaveByEscape(page);
  await page.getByRole('button', { name: 'Actions for the link “Books 2026”' }).click();
  await page.getByRole('menuitem', { name: 'Stop sharing' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop sharing' }).click();
  await card(page, 'Books 2026').getByText('It was stopped for good.').waitFor();
  assert.equal((await showShare(world.caller, books)).State, 'revoked');
  assert.equal((await use(world.caller, secretOf(books))).status, 404);
  assert.deepEqual(problems, []);
});

test('on a phone, “Shared with me” leads to “Shared by me” and back', options, async () => {
  const viewport = { width: 390, height: 844 };
  const { page, problems } = await openConsole(world, world.people.editor, {
    viewport,
    isTouch: true,
    path: '/shared',
  });
  await page.getByRole('heading', { level: 1, name: 'Shared with me' }).waitFor();
  await checkView(page, 'shared-with-me-phone');
  await page.getByRole('main').getByRole('link', { name: 'Shared by me' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shared by me' }).waitFor();
  await card(page, 'Receipts').first().waitFor();
  await checkView(page, 'shared-by-me-phone');
  await page.getByRole('main').getByRole('link', { name: 'Shared with me' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shared with me' }).waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test('whoever shares nothing is shown how to', options, async () => {
  const { page, problems } = await openConsole(world, world.people.viewer, { path: '/links', locale: 'de-DE' });
  await page.getByText('Sie teilen nichts über Links').waitFor();
  await checkView(page, 'shared-by-me-none');
  assert.deepEqual(problems, []);
  await page.context().close();
});

test('a manager sets rules for the links of the space, which the form of a link follows', options, async () => {
  await walkTo(manager.page, '/manage/links');
  const setRules = async (change: (form: ReturnType<Page['getByRole']>) => Promise<void>) => {
    await manager.page.getByRole('button', { name: 'Rules', exact: true }).click();
    const form = manager.page.getByRole('dialog', { name: 'Rules for links of office' });
    await change(form);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
  };
  const openForm = async () => {
    await comeBackTo(editor.page, `/files?look=${invoices}`);
    await editor.page.getByRole('button', { name: 'Share', exact: true }).click();
    await editor.page.getByRole('tab', { name: 'Links' }).click();
  };
  await openForm();
  await editor.page.getByRole('button', { name: 'New link' }).click();
  await setRules(async (form) => {
    await form.getByText('Every new link needs a password').click();
    await form.getByLabel('A new link works at most').fill('14');
    await checkView(manager.page, 'link-rules');
    await checkSmallScreens(manager.page, 'the rules for links');
  });
  const form = editor.page.getByRole('dialog', { name: 'New link to “Invoices”' });
  await form.getByRole('button', { name: 'Create link' }).click();
  await form.getByText('Every link needs a password here. Enter one.').waitFor();
  await openForm();
  await editor.page.getByRole('button', { name: 'New link' }).click();
  await form.getByRole('button', { name: 'In 14 days Expires' }).waitFor();
  assert.ok(await form.getByRole('button', { name: 'Create link' }).isDisabled(), 'the password is missing');
  await form.getByLabel('Password').fill('a word');
  await form.getByLabel('Name').fill('By the rules');
  await form.getByRole('button', { name: 'Create link' }).click();
  await card(editor.page, 'By the rules').getByText('Active').waitFor();
  await setRules((rules) => rules.getByText('Only managers create and change links').click());
  await openForm();
  await editor.page.getByText('Only managers of the space create and change links here.').waitFor();
  assert.equal(await editor.page.getByRole('button', { name: 'New link' }).count(), 0);
  await setRules((rules) => rules.getByText('Links are allowed', { exact: true }).click());
  await openForm();
  await editor.page.getByText('Links are disabled here.').waitFor();
  await card(editor.page, 'By the rules').getByText('Suspended').waitFor();
  await setRules(async (rules) => {
    for (const rule of [
      'Links are allowed',
      'Only managers create and change links',
      'Every new link needs a password',
    ])
      await rules.getByText(rule, { exact: true }).click();
    await rules.getByLabel('A new link works at most').fill('');
  });
  await openForm();
  await card(editor.page, 'By the rules').getByText('Active').waitFor();
  assert.deepEqual(
    [...manager.problems, ...editor.problems].filter((problem) => !problem.includes('400')),
    [],
  );
});
