// What somebody expects who has not used the console before: where things are, what a button says, what follows what.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createFolder, saveFile } from '../interface/client.ts';
import { withoutBrowser } from './browser.ts';
import { leaveByEscape, walkTo, walkToFolder } from './console-world.ts';
import { drawPicture } from './sample-picture.ts';
import { shareConsole } from './shared-console.ts';

const options = { skip: withoutBrowser };
const shared = shareConsole('first use');
const { row, openFolder, childrenOf, folderName } = shared;
let page: Page;

before(() => {
  ({ page } = shared);
});

const text = (name: string) => ({ name, body: `text of ${name}` });
const pane = () => page.locator('.look');
const item = (name: string) => page.getByRole('menuitem', { name });
const closePane = () => page.getByRole('button', { name: 'Close details' }).click();

test('the details show what is selected, and the list selects what the address names', options, async () => {
  const folder = await openFolder(text('a.txt'), text('b.txt'));
  await row('a.txt').click();
  await page.keyboard.press('i');
  await pane().getByRole('heading', { name: 'a.txt' }).waitFor();
  await row('b.txt').click();
  await pane().getByRole('heading', { name: 'b.txt' }).waitFor();
  await page.keyboard.press('ArrowUp');
  await pane().getByRole('heading', { name: 'a.txt' }).waitFor();
  const b = (await childrenOf(folder)).find(({ Name }) => Name === 'b.txt');
  await walkTo(page, '/search');
  await walkTo(page, `/files/${folder}?look=${b?.Id}`);
  await page.locator('[role=row][aria-selected=true]', { hasText: 'b.txt' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('2 items', { exact: true }).waitFor();
  await closePane();
});

test('the menu leads to details and versions, and a text is edited from wherever it is shown', options, async () => {
  await openFolder(text('a.txt'), { name: 'b.png', type: 'image/png', body: drawPicture() });
  const isOpen = (name: string) => page.locator('[role=tab][aria-selected=true]', { hasText: name }).waitFor();
  await row('a.txt').click({ button: 'right' });
  await item('Versions').click();
  await isOpen('Versions');
  await row('a.txt').click({ button: 'right' });
  await item('Details').click();
  await isOpen('Details');
  await pane().getByRole('button', { name: 'Edit text' }).click();
  await page.getByRole('textbox', { name: 'Text' }).waitFor();
  await leaveByEscape(page);
  await closePane();
  await row('a.txt').dblclick();
  await page.locator('.viewer').getByRole('button', { name: 'Edit text' }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('changed in the viewer');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.viewer').getByText('changed in the viewer').waitFor();
  await leaveByEscape(page);
  await row('b.png').dblclick();
  await page.locator('.viewer img').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Edit text' }).count(), 0);
  await leaveByEscape(page);
});

test('the buttons for one entry stay where they are for several', options, async () => {
  await openFolder('1.txt', '2.txt', '3.txt');
  const place = async () => await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).boundingBox();
  await row('1.txt').click();
  const one = await place();
  assert.ok(one !== null);
  await row('3.txt').click({ modifiers: ['Shift'] });
  await page.getByText('3 items selected').waitFor();
  assert.deepEqual(await place(), one);
  await page.getByRole('toolbar').getByRole('button', { name: 'Move to' }).click();
  await page.getByRole('dialog', { name: 'Move 3 items' }).waitFor();
  await leaveByEscape(page);
});

test('the toolbar has room for all its buttons, beside the details and on a phone', options, async () => {
  await openFolder('1.txt', '2.txt');
  const overflow = `(() => {
    const { scrollWidth, clientWidth } = document.querySelector('.toolbar');
    return scrollWidth - clientWidth;
  })()`;
  await row('1.txt').click();
  await page.keyboard.press('i');
  await pane().getByRole('heading', { name: '1.txt' }).waitFor();
  assert.equal(await page.evaluate(overflow), 0);
  await closePane();
  await page.setViewportSize({ width: 390, height: 720 });
  assert.equal(await page.evaluate(overflow), 0, 'on a phone');
  await page.getByRole('button', { name: 'Clear the selection' }).click();
  assert.equal(await page.evaluate(overflow), 0, 'on a phone, with nothing selected');
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('the dialog of a move shows the path, and its folders are buttons', options, async () => {
  const folder = await openFolder('a.txt');
  await createFolder(shared.world.caller, '-root-', `${folderName()} target`);
  await row('a.txt').click();
  await page.getByRole('toolbar').getByRole('button', { name: 'Move to' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('[aria-current]', { hasText: folderName() }).waitFor();
  await dialog.getByRole('navigation').getByRole('button', { name: 'office' }).click();
  await dialog.getByRole('button', { name: `${folderName()} target` }).click();
  await dialog.locator('[aria-current]', { hasText: `${folderName()} target` }).waitFor();
  await dialog.getByRole('button', { name: 'Move here' }).click();
  await row('a.txt').waitFor({ state: 'detached' });
  assert.deepEqual(await childrenOf(folder), []);
});

test('a folder that was left has the right size when it is opened again', options, async () => {
  const outer = await openFolder('inner/');
  const [inner] = await childrenOf(outer);
  assert.ok(inner);
  await saveFile(shared.world.caller, { FolderId: inner.Id, FileName: 'nine.txt' }, '123456789');
  await row('inner').getByText('9 bytes').waitFor();
  await walkToFolder(page, inner);
  await row('nine.txt').click();
  await page.keyboard.press('Delete');
  await page.getByText('An empty folder').waitFor();
  await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name: folderName() }).click();
  await row('inner').getByText('0 bytes').waitFor();
});

test(
  'files are requested from the menu of a folder, and who cannot share with people begins with links',
  options,
  async () => {
    await openFolder('inner/');
    await row('inner').click({ button: 'right' });
    await item('Request files').click();
    const form = page.getByRole('dialog', { name: 'New link to “inner”' });
    await form.locator('label', { hasText: 'Send files' }).locator('input:checked').waitFor({ state: 'attached' });
    await leaveByEscape(page);
    await page.locator('[role=tab][aria-selected=true]', { hasText: 'Links' }).waitFor();
    await leaveByEscape(page);
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await item('Request files').click();
    const here = page.getByRole('dialog', { name: `New link to “${folderName()}”` });
    await here.waitFor();
    await leaveByEscape(page);
    await leaveByEscape(page);
  },
);

test('what was found by its name is marked there, with its thumbnail and its folder', options, async () => {
  await openFolder({ name: 'seashore_4711.png', type: 'image/png', body: drawPicture() });
  await walkTo(page, '/search?q=shore_47');
  const found = page.locator('.found-one', { hasText: 'seashore_4711.png' });
  await found.locator('.found-name mark', { hasText: 'shore_47' }).waitFor();
  await found.locator('img.thumbnail').waitFor();
  await found.getByText(`/${folderName()}/ ·`).waitFor();
  assert.equal(await found.getByText('seashore_4711').count(), 1, 'the name is there once');
});

test('the page is as high as the window', options, async () => {
  await openFolder();
  assert.equal(await page.evaluate('document.documentElement.scrollHeight - innerHeight'), 0);
});

test('the browser reported no errors', options, () => {
  assert.deepEqual(shared.problems, []);
});
