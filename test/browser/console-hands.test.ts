// Working on entries with the pointer, a finger and keys: menus, boxes, one request for many, undo.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { applicationToken, connect, saveFiles } from '@cabinet/client';
import type { Page } from 'playwright-core';
import { call, createFolder } from '../interface/client.ts';
import { findBarriers } from './axe.ts';
import { withoutBrowser } from './browser.ts';
import { leaveByEscape, walkTo, walkToFolder } from './console-world.ts';
import { shareConsole } from './shared-console.ts';
import { checkSmallScreens, checkView } from './view.ts';

const options = { skip: withoutBrowser };
const shared = shareConsole('hands');
const { row, said, openFolder, namesIn, folderName } = shared;
let page: Page;

before(() => {
  ({ page } = shared);
});

const menu = () => page.getByRole('menu');
const item = (name: string) => menu().getByRole('menuitem', { name });
const undo = () => page.getByRole('button', { name: 'Undo' }).last().click();

test('a right click, the menu key and the button of a row open the same menu', options, async () => {
  await openFolder('a.txt', 'b.txt');
  await row('a.txt').click({ button: 'right' });
  await item('Rename').waitFor();
  const labels = await menu().getByRole('menuitem').allInnerTexts();
  await checkView(page, 'context-menu');
  await checkSmallScreens(page, 'context menu');
  await leaveByEscape(page);
  await page.locator('.entries:focus').waitFor();
  await page.keyboard.press('Shift+F10');
  await item('Rename').waitFor();
  assert.deepEqual(await menu().getByRole('menuitem').allInnerTexts(), labels);
  await leaveByEscape(page);
  await row('b.txt').hover();
  await row('b.txt').getByRole('button', { name: 'Menu of b.txt' }).click();
  await item('Rename').click();
  await page.locator('.rename:focus').fill('c.txt');
  await page.keyboard.press('Enter');
  await said('Renamed to “c.txt”');
  await undo();
  await row('b.txt').waitFor();
});

test('boxes select, and all that are selected are copied, deleted and brought back together', options, async () => {
  const folder = await openFolder('1.txt', '2.txt', '3.txt');
  const box = (name: string) => row(name).getByRole('checkbox');
  await box('1.txt').click();
  await box('3.txt').click({ modifiers: ['Shift'] });
  await box('2.txt').click();
  await page.getByText('2 items selected').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await row('3.txt').click({ button: 'right' });
  const zip = page.waitForEvent('download');
  await item('Download as ZIP').click();
  assert.equal((await zip).suggestedFilename(), `${folderName()}.zip`);
  await row('1.txt').click({ button: 'right' });
  await item('Copy to').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'New folder' }).click();
  await dialog.getByRole('textbox').press('Escape');
  // The dialog stays, and keys go on in it.
  await dialog.locator('button:focus', { hasText: 'New folder' }).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByRole('textbox').fill('inner');
  await checkSmallScreens(page, 'new folder in a dialog');
  await page.keyboard.press('Enter');
  await dialog.locator('strong', { hasText: 'inner' }).waitFor();
  await dialog.getByRole('button', { name: 'Copy here' }).click();
  await said('2 items copied to “inner”');
  await row('inner').waitFor();
  await undo();
  await said('Undone');
  await page.locator('.entries').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('4 items selected').waitFor();
  await page.keyboard.press('Delete');
  await page.getByText('An empty folder').waitFor();
  await undo();
  await row('inner').waitFor();
  assert.deepEqual(await namesIn(folder), ['inner', '1.txt', '2.txt', '3.txt']);
  const { body } = await call(shared.world.caller, `/folders?path=/${encodeURIComponent(folderName())}/inner`);
  assert.deepEqual((JSON.parse(body.toString()) as { Children: unknown[] }).Children, [], 'the copies are gone');
});

test(
  'a finger that is held opens the menu, and the menu of the folder is where there is no entry',
  options,
  async () => {
    await openFolder('a.txt');
    const box = await row('a.txt').boundingBox();
    assert.ok(box);
    const touch = { pointerType: 'touch', clientX: box.x + 80, clientY: box.y + 10, isPrimary: true, bubbles: true };
    await row('a.txt').locator('.entry-name').dispatchEvent('pointerdown', touch);
    await item('Rename').waitFor();
    await leaveByEscape(page);
    await page.locator('.entries').click({ button: 'right', position: { x: 200, y: 300 } });
    await item('New folder').click();
    await page.getByRole('dialog').getByRole('textbox').waitFor();
    await leaveByEscape(page);
  },
);

test('thousands are deleted in few requests, with progress', options, async () => {
  const { AppKey, Secret } = shared.world.caller.application;
  const cabinet = connect({ url: shared.world.base, appKey: AppKey, token: applicationToken({ secret: Secret }) });
  const folder = await createFolder(shared.world.caller, '-root-', 'thousands');
  const files = Array.from({ length: 1_000 }, (_, index) => ({ name: `file ${index}`, content: 'x' }));
  await saveFiles(cabinet, { folder: folder.Id, files });
  await walkToFolder(page, folder);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await page.locator('.entries').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('1,000 items selected').waitFor();
  await page.keyboard.press('Delete');
  await said('1,000 items moved to the trash');
  const changes = sent.filter((one) => !one.startsWith('GET'));
  assert.ok(changes.length <= 4, `${changes}`);
});

test('starred entries have their page, and so has what was opened or saved last', options, async () => {
  await openFolder('a.txt', 'b.txt');
  await row('a.txt').click();
  await page.keyboard.press('s');
  await said('1 item starred');
  await row('a.txt').getByText('Starred').waitFor();
  await walkTo(page, '/starred');
  await page.locator('.found-one', { hasText: 'a.txt' }).waitFor();
  await checkView(page, 'starred');
  await page.getByRole('button', { name: 'Remove the star: a.txt' }).click();
  await page.getByText('Nothing is starred').waitFor();
  await walkTo(page, '/recent');
  await page.getByRole('heading', { name: 'Recent' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
});

test('the browser reported no errors', options, () => {
  assert.deepEqual(shared.problems, []);
});
