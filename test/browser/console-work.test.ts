// Everyday work beside the list: editing texts, comments on versions, the trash, what has changed, filters of a search.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { call, createFolder, saveFile } from '../interface/client.ts';
import { withoutBrowser } from './browser.ts';
import { openConsole, openWorld, type World, walkTo, walkToFolder } from './console-world.ts';
import { checkSmallScreens, checkView } from './view.ts';

const options = { skip: withoutBrowser };
let world: World;
let page: Page;
let problems: string[];
let count = 0;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  ({ page, problems } = await openConsole(world, world.people.editor));
});
after(() => world?.close());

const row = (name: string): Locator => page.locator('[role=row][aria-rowindex]', { hasText: name });
const said = (text: string) => page.locator('.unseen[role=status]', { hasText: text }).waitFor({ state: 'attached' });
const button = (name: string | RegExp) => page.getByRole('button', { name });

async function openFolder(files: Record<string, string>): Promise<{ folder: string; ids: string[] }> {
  count += 1;
  const folder = await createFolder(world.caller, '-root-', `work ${count}`);
  const ids: string[] = [];
  for (const [name, body] of Object.entries(files)) {
    const { File } = await saveFile(world.caller, { FolderId: folder.Id, FileName: name }, body);
    ids.push(File.Id);
  }
  await walkToFolder(page, folder);
  return { folder: folder.Id, ids };
}

async function content(id: string | undefined): Promise<string> {
  return (await call(world.caller, `/files/${id}/content`)).body.toString();
}

test(
  'a text is edited in place; what others saved meanwhile is not lost; versions have comments',
  options,
  async () => {
    const { folder, ids } = await openFolder({ 'notes.txt': 'one\r\ntwo\r\n' });
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
    assert.equal(await content(ids[0]), 'one\r\nthree\r\n', 'its line ends stay');
    await edit();
    await saveFile(world.caller, { FolderId: folder, FileName: 'notes.txt' }, 'theirs');
    await text.fill('mine');
    await button('Save').click();
    await page.getByText('Somebody saved this file').waitFor();
    assert.equal(await content(ids[0]), 'theirs');
    await button('Save mine as the newest version').click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    assert.equal(await content(ids[0]), 'mine');
    // The refused save is a 412, which the browser notes.
    assert.equal(problems.splice(0).length, 1);
    await walkTo(page, `/files/${folder}?look=${ids[0]}&tab=versions`);
    await button('Comment: Version 4').click();
    await page.locator('.version-edit input').fill('after the meeting');
    await page.keyboard.press('Enter');
    await page.locator('.version-comment', { hasText: 'after the meeting' }).waitFor();
    await button('Change the comment: Version 4').waitFor();
  },
);

test('several are found in the trash, brought back and removed together', options, async () => {
  const { ids } = await openFolder({ 'red 1.txt': '1', 'red 2.txt': '2', 'blue.txt': '3' });
  for (const id of ids) await call(world.caller, `/entries/${id}`, { method: 'DELETE' });
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
  const { folder } = await openFolder({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
  await walkTo(page, '/changes');
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  const line = page.locator('.change', { hasText: '3 items: c.txt, b.txt, a.txt' });
  await line.getByRole('link', { name: `/work ${count}`, exact: true }).waitFor();
  await checkView(page, 'changes-grouped');
  await line.getByRole('link', { name: `/work ${count}`, exact: true }).click();
  await page.waitForURL(`**/files/${folder}`);
});

test('filters of a search are chips that are taken away one by one', options, async () => {
  await walkTo(page, '/search?q=work&type=folder&since=7');
  await button('Remove the filter Folders').click();
  await page.waitForURL((url) => !url.searchParams.has('type') && url.searchParams.get('since') === '7');
  await checkView(page, 'search-chips');
});

test('the browser reported no errors', options, () => {
  assert.deepEqual(problems, []);
});
