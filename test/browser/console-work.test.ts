// Everyday work beside the list: editing texts, comments on versions, the trash, what has changed, filters of a search.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { call, saveFile } from '../interface/client.ts';
import { withoutBrowser } from './browser.ts';
import { walkTo } from './console-world.ts';
import { shareConsole } from './shared-console.ts';
import { checkSmallScreens, checkView } from './view.ts';

const options = { skip: withoutBrowser };
const shared = shareConsole('work');
const { row, said, openFolder, childrenOf, folderName } = shared;
let page: Page;

before(() => {
  ({ page } = shared);
});

const button = (name: string | RegExp) => page.getByRole('button', { name });

async function content(id: string | undefined): Promise<string> {
  return (await call(shared.world.caller, `/files/${id}/content`)).body.toString();
}

test(
  'a text is edited in place; what others saved meanwhile is not lost; versions have comments',
  options,
  async () => {
    const folder = await openFolder({ name: 'notes.txt', body: 'one\r\ntwo\r\n' });
    const id = (await childrenOf(folder))[0]?.Id;
    const edit = async () => {
      await row('notes.txt').click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Edit text' }).click();
      await page.getByRole('textbox', { name: 'Text' }).waitFor();
    };
    await edit();
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.fill('one\nthree\n');
    await checkView(page, 'text-editor');
    await checkSmallScreens(page, 'text editor');
    await page.keyboard.press('Escape');
    await page.getByText('Your changes are not saved').waitFor();
    await button('Go on editing').click();
    await text.press('Control+s');
    await said('“notes.txt” saved as a new version');
    assert.equal(await content(id), 'one\r\nthree\r\n', 'its line ends stay');
    await edit();
    await saveFile(shared.world.caller, { FolderId: folder, FileName: 'notes.txt' }, 'theirs');
    await text.fill('mine');
    await button('Save').click();
    await page.getByText('Somebody saved this file').waitFor();
    assert.equal(await content(id), 'theirs');
    await button('Save mine as the newest version').click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    assert.equal(await content(id), 'mine');
    // The refused save is a 412, which the browser notes.
    assert.equal(shared.problems.splice(0).length, 1);
    await walkTo(page, `/files/${folder}?look=${id}&tab=versions`);
    await button('Comment: Version 4').click();
    await page.locator('.version-edit input').fill('after the meeting');
    await page.keyboard.press('Enter');
    await page.locator('.version-comment', { hasText: 'after the meeting' }).waitFor();
    await button('Change the comment: Version 4').waitFor();
  },
);

test('several are found in the trash, brought back and removed together', options, async () => {
  const folder = await openFolder('red 1.txt', 'red 2.txt', 'blue.txt');
  for (const { Id } of await childrenOf(folder))
    await call(shared.world.caller, `/entries/${Id}`, { method: 'DELETE' });
  await walkTo(page, '/trash');
  await page.getByRole('textbox', { name: 'Find in the trash' }).fill('red');
  await page.locator('.trashed-one', { hasText: 'blue' }).waitFor({ state: 'detached' });
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await checkView(page, 'trash-several');
  await button('Restore 2 items').click();
  await said('2 items are back');
  await page.getByRole('textbox', { name: 'Find in the trash' }).fill('');
  await page.getByRole('checkbox', { name: 'Select blue.txt' }).check();
  await button('Remove 1 item for good').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove for good' }).click();
  await page.getByText('The trash is empty').waitFor();
});

test('changes are grouped by day, with names and where they are', options, async () => {
  const folder = await openFolder('a.txt', 'b.txt', 'c.txt');
  await walkTo(page, '/changes');
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  const line = page.locator('.change', { hasText: '3 items: c.txt, b.txt, a.txt' });
  await line.getByRole('link', { name: `/${folderName()}`, exact: true }).waitFor();
  await checkView(page, 'changes-grouped');
  await line.getByRole('link', { name: `/${folderName()}`, exact: true }).click();
  await page.waitForURL(`**/files/${folder}`);
});

test('filters of a search are chips that are taken away one by one', options, async () => {
  await walkTo(page, '/search?q=work&type=folder&since=7');
  await button('Remove the filter Folders').click();
  await page.waitForURL((url) => !url.searchParams.has('type') && url.searchParams.get('since') === '7');
  await checkView(page, 'search-chips');
});

test('the browser reported no errors', options, () => {
  assert.deepEqual(shared.problems, []);
});
