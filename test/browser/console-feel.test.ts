// What one notices while working: dialogs on small screens, where keys go, what is counted, what covers what.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { applicationToken, connect, saveFiles } from '@cabinet/client';
import type { Page } from 'playwright-core';
import { createFolder, saveFile } from '../interface/client.ts';
import { eventually } from '../service/service.ts';
import { withoutBrowser } from './browser.ts';
import { leaveByEscape, walkToFolder } from './console-world.ts';
import { shareConsole } from './shared-console.ts';
import { checkSmallScreens } from './view.ts';

const options = { skip: withoutBrowser };
const shared = shareConsole('feel');
const { row, said, openFolder, folderName } = shared;
let page: Page;

before(() => {
  ({ page } = shared);
});

/** What follows from it is on the screen. */
const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Files that arrive with the pointer, as from the desktop. */
const carryFiles = (name: string) =>
  page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    carried.items.add(new File(['12345'], '${name}'));
    return carried;
  })()`);

test('long dialogs stay on small screens: 30 folders to move to, two versions of 200 lines', options, async () => {
  const folders = Array.from({ length: 30 }, (_, index) => `folder ${index}`);
  const folder = await openFolder('a.txt', ...folders.map((name) => `${name}/`));
  const lines = (word: string) => Array.from({ length: 200 }, (_, index) => `${word} ${index}`).join('\n');
  for (const word of ['old', 'new'])
    await saveFile(shared.world.caller, { FolderId: folder, FileName: 'a.txt' }, lines(word));
  await page.locator('.entries').focus();
  await page.keyboard.press('End');
  await row('a.txt').click();
  await page.getByRole('toolbar').getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: /Copy to/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'folder 29' }).waitFor();
  await checkSmallScreens(page, 'targets');
  await leaveByEscape(page);
  await row('a.txt').click();
  await page.keyboard.press('i');
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: /Compare.*Version 2/ }).click();
  await page.locator('.compared-added').first().waitFor();
  await checkSmallScreens(page, 'comparison');
  await leaveByEscape(page);
  await page.getByRole('button', { name: 'Close details' }).click();
});

test('what was dragged away is not selected any more', options, async () => {
  await openFolder('1.txt', '2.txt', '3.txt', 'inner/');
  await row('1.txt').click();
  await row('3.txt').click({ modifiers: ['Shift'] });
  await page.getByText('3 items selected').waitFor();
  await row('2.txt').dragTo(row('inner'));
  await said('3 items moved to “inner”');
  await row('1.txt').waitFor({ state: 'detached' });
  assert.equal(await page.getByText(/selected/).count(), 0);
  await page.getByText('1 item', { exact: true }).waitFor();
});

test('keys work at once after a folder was opened: no click first', options, async () => {
  await openFolder('a.txt', 'b.txt');
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Control+a');
  await page.getByText('2 items selected').waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('n');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name of the folder' }).waitFor();
  await leaveByEscape(page);
});

test('letters go to the name that begins so', options, async () => {
  await openFolder('Äpfel.txt', 'Band.txt', 'Berg.txt', 'nine.txt', 'Zoo.txt');
  await page.locator('.entries').focus();
  const chosen = (name: string) => page.locator('[role=row][aria-selected=true]', { hasText: name }).waitFor();
  await page.keyboard.type('ber');
  await chosen('Berg');
  // The keys of commands begin a name with Shift.
  await page.keyboard.press('Home');
  await chosen('Äpfel');
});

test('a folder shows its size as soon as files are dropped into it, and the hint names it', options, async () => {
  await openFolder('inner/');
  await row('inner').getByText('0 byte').waitFor();
  const carried = await carryFiles('five.txt');
  await page.dispatchEvent('.side', 'dragover', { dataTransfer: carried });
  await page.getByText(`Drop to save in “${folderName()}”`).waitFor();
  const target = '[role=row][aria-rowindex]';
  await page.dispatchEvent(target, 'dragover', { dataTransfer: carried });
  await page.getByText('Drop to save in “inner”').waitFor();
  await page.dispatchEvent(target, 'drop', { dataTransfer: carried });
  await row('inner').getByText('5 byte').waitFor();
  assert.equal(await page.getByText(/Drop to save/).count(), 0);
});

test('End goes to the last of all entries, which are counted before they are loaded', options, async () => {
  const { AppKey, Secret } = shared.world.caller.application;
  const cabinet = connect({ url: shared.world.base, appKey: AppKey, token: applicationToken({ secret: Secret }) });
  const folder = await createFolder(shared.world.caller, '-root-', 'long');
  const files = Array.from({ length: 450 }, (_, index) => ({ name: `file ${index}`, content: 'x' }));
  await saveFiles(cabinet, { folder: folder.Id, files });
  await walkToFolder(page, folder);
  await page.getByText('450 items').waitFor();
  await page.locator('.entries').focus();
  await page.keyboard.press('End');
  await row('file 449').waitFor();
  await page.locator('[role=row][aria-selected=true]', { hasText: 'file 449' }).waitFor();
});

test('a new property has the focus, and only programs are shown object types', options, async () => {
  await openFolder('a.txt');
  await row('a.txt').click();
  await page.keyboard.press('i');
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Add a property' }).click();
  assert.equal(await page.locator('input:focus').getAttribute('placeholder'), 'Key');
  assert.equal(await page.getByRole('textbox', { name: 'Object type' }).count(), 0);
  await page.getByRole('button', { name: 'Close details' }).click();
});

test(
  'an ordinary mistake has no tracking id, and its notice does not cover the name that is edited',
  options,
  async () => {
    const files = Array.from({ length: 40 }, (_, index) => `name ${10 + index}.txt`);
    await openFolder(...files);
    await page.locator('.entries').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('F2');
    await page.locator('.rename:focus').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('a/b');
    await page.keyboard.press('Enter');
    const notice = page.locator('.notice-bad');
    await notice.getByText('A name can’t contain “/”').waitFor();
    assert.equal(await notice.locator('code').count(), 0);
    await eventually('it covers nothing', async () => {
      const [above, below] = await Promise.all([notice.boundingBox(), page.locator('.rename').boundingBox()]);
      return (
        above !== null && below !== null && (above.y + above.height <= below.y || above.y >= below.y + below.height)
      );
    });
    await page.locator('.rename').press('Escape');
    await notice.getByRole('button', { name: 'Close' }).click();
    shared.problems.splice(0);
  },
);

test('a notification leaves by itself, but not while somebody points at it', options, async () => {
  await openFolder('a.txt');
  await row('a.txt').click();
  await page.keyboard.press('Delete');
  const notice = page.locator('.notice', { hasText: 'moved to the trash' });
  await notice.hover();
  await page.locator('.notices:hover').waitFor();
  await page.evaluate('passTime()');
  await page.evaluate(drawn);
  assert.equal(await notice.count(), 1);
  await page.mouse.move(300, 10);
  await page.locator('.notices:hover').waitFor({ state: 'detached' });
  await page.evaluate('passTime()');
  await notice.waitFor({ state: 'detached' });
});

test('finished uploads leave by themselves', options, async () => {
  await openFolder();
  // Not over the tray: whoever points at it keeps it.
  await page.mouse.move(300, 10);
  await page.setInputFiles('input[data-files]', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
  await row('a.txt').waitFor();
  const tray = page.locator('.tray');
  await eventually('it leaves', async () => {
    await page.evaluate('passTime()');
    return (await tray.count()) === 0;
  });
});

test('the browser reported no errors', options, () => {
  assert.deepEqual(shared.problems, []);
});
