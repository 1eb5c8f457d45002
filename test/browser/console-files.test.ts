// Working with folders in the console, by keyboard alone where that is the harder way.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { call, createFolder, saveFile } from '../interface/client.ts';
import { eventually } from '../service/service.ts';
import { withoutBrowser } from './browser.ts';
import { openConsole } from './console-world.ts';
import { shareConsole } from './shared-console.ts';

const options = { skip: withoutBrowser };
const shared = shareConsole('test');
const { row, said, openFolder, namesIn } = shared;
let page: Page;

before(() => {
  ({ page } = shared);
});

const rows = (): Promise<string[]> => page.locator('.entry-name').allInnerTexts();

test('folders are created, renamed, opened and left by keyboard alone', options, async () => {
  const folder = await openFolder('b.txt');
  await page.locator('.entries').focus();
  await page.keyboard.press('n');
  await page.locator('[role=dialog] input:focus').waitFor();
  await page.keyboard.type('Inbox');
  await page.keyboard.press('Enter');
  await said('Folder “Inbox” created');
  await row('Inbox').waitFor();
  await page.locator('.entries').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('F2');
  await page.locator('.rename:focus').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('WriteQueue');
  await page.keyboard.press('Enter');
  await said('Renamed to “WriteQueue”');
  assert.deepEqual(await namesIn(folder), ['WriteQueue', 'b.txt']);
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByText('An empty folder').waitFor();
  await eventually('the page is called by its folder', async () => (await page.title()) === 'WriteQueue – Cabinet');
  await page.goBack();
  await row('b.txt').waitFor();
});

test('a taken name shows an error with a hint, and can be edited further', options, async () => {
  await openFolder('a.txt', 'b.txt');
  await page.locator('.entries').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('F2');
  await page.locator('.rename:focus').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('b.txt');
  await page.keyboard.press('Enter');
  const notice = page.locator('.notice-bad');
  await notice.getByText('“b.txt” exists here already.').waitFor();
  assert.equal(await page.locator('.rename').count(), 1);
  await page.locator('.rename').press('Escape');
  await row('a.txt').waitFor();
  shared.problems.splice(0);
});

test('a range is selected with Shift, deleted, and restored by undo', options, async () => {
  const folder = await openFolder('1.txt', '2.txt', '3.txt', '4.txt');
  await page.locator('.entries').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 items selected').first().waitFor();
  await page.keyboard.press('Delete');
  await said('2 items moved to the trash');
  await row('2.txt').waitFor({ state: 'detached' });
  assert.deepEqual(await namesIn(folder), ['1.txt', '4.txt']);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await row('2.txt').waitFor();
  await row('3.txt').waitFor();
  assert.deepEqual(await namesIn(folder), ['1.txt', '2.txt', '3.txt', '4.txt']);
  assert.deepEqual(await rows(), ['1.txt', '2.txt', '3.txt', '4.txt']);
});

test('a name being typed in a tile stays when changes move the tile into another row', options, async () => {
  const files = Array.from({ length: 12 }, (_, index) => `b${10 + index}.txt`);
  const folder = await openFolder(...files);
  await page.getByRole('button', { name: 'Grid' }).click();
  const tile = (name: string) => page.locator('.tile', { hasText: name });
  await tile('b10').waitFor();
  const top = async (name: string) => (await tile(name).boundingBox())?.y;
  const first = await top('b10');
  const inRow = [];
  for (const name of files) if ((await top(name)) === first) inRow.push(name);
  const last = inRow.at(-1) as string;
  await tile(last).click();
  await page.keyboard.press('F2');
  await page.locator('.rename:focus').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('half a na');
  await saveFile(shared.world.caller, { FolderId: folder, FileName: 'a.txt' }, 'news');
  await tile('a.txt').waitFor();
  await page.keyboard.type('me');
  assert.equal(await page.locator('.rename:focus').inputValue(), 'half a name');
  await page.keyboard.press('Enter');
  await said('Renamed to “half a name”');
  await page.getByRole('button', { name: 'List' }).click();
  await row('half a name').waitFor();
});

test('a cut entry is pasted into another folder, and a copied one stays in place', options, async () => {
  const folder = await openFolder('a.txt', 'b.txt');
  const inner = await createFolder(shared.world.caller, folder, 'inner');
  await row('inner').waitFor();
  await page.locator('.entries').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Control+X');
  await said('1 item cut');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByText('An empty folder').waitFor();
  // It listens to keys once it has been drawn.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  await page.keyboard.press('Control+V');
  await said('1 item moved to “inner”');
  await row('b.txt').waitFor();
  assert.deepEqual(await namesIn(inner.Id), ['b.txt']);
  await page.locator('.entries').focus();
  await page.keyboard.press('Backspace');
  await row('a.txt').waitFor();
  await row('a.txt').click();
  await page.getByRole('toolbar').getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: /Copy to/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'inner' }).click();
  await page.getByRole('dialog').locator('strong', { hasText: 'inner' }).waitFor();
  await page.getByRole('button', { name: 'Copy here' }).click();
  await said('1 item copied to “inner”');
  assert.deepEqual(await namesIn(inner.Id), ['a.txt', 'b.txt']);
  assert.deepEqual(await namesIn(folder), ['inner', 'a.txt']);
});

test('entries are dragged into a folder, and the move is undone', options, async () => {
  const folder = await openFolder('a.txt', 'b.txt');
  const inner = await createFolder(shared.world.caller, folder, 'drop here');
  await row('drop here').waitFor();
  await row('a.txt').click();
  await row('b.txt').click({ modifiers: ['Control'] });
  await row('b.txt').dragTo(row('drop here'));
  await said('2 items moved to “drop here”');
  assert.deepEqual(await namesIn(inner.Id), ['a.txt', 'b.txt']);
  assert.deepEqual(await rows(), ['drop here']);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await row('b.txt').waitFor();
  assert.deepEqual(await namesIn(inner.Id), []);
});

test('the order is in the URL, and the URL restores it', options, async () => {
  const folder = await openFolder('a.txt', 'b.txt', 'c.txt');
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  await page.waitForURL(/order=-natural/);
  await page.locator('.entry-name').first().filter({ hasText: 'c.txt' }).waitFor();
  await page.reload();
  await page.locator('.entry-name').first().filter({ hasText: 'c.txt' }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/files/${folder}`);
});

test('properties and the object type are changed beside the list', options, async () => {
  const folder = await openFolder();
  const { File } = await saveFile(shared.world.caller, { FolderId: folder, FileName: 'a.txt' }, 'x');
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ ObjectType: 'acme:letter' });
  await call(shared.world.caller, `/entries/${File.Id}`, { method: 'PATCH', headers, body });
  await row('a.txt').click();
  await page.keyboard.press('i');
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Add a property' }).click();
  await page.getByRole('textbox', { name: 'Key' }).fill('Customer');
  await page.getByRole('textbox', { name: 'Value' }).fill('4711');
  await page.getByRole('textbox', { name: 'Object type' }).fill('acme:invoice');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said('Saved');
  const listed = await call(shared.world.caller, `/folders/${folder}`);
  const [file] = (JSON.parse(listed.body.toString()) as { Children: Record<string, unknown>[] }).Children;
  assert.deepEqual([file?.Properties, file?.ObjectType], [{ Customer: '4711' }, 'acme:invoice']);
});

test('changes of others appear without a reload', options, async () => {
  const folder = await openFolder('mine.txt');
  await saveFile(shared.world.caller, { FolderId: folder, FileName: 'theirs.txt' }, 'x');
  await row('theirs.txt').waitFor();
  assert.deepEqual(await rows(), ['mine.txt', 'theirs.txt']);
});

test('hostile names are shown as text', options, async () => {
  const hostile = '<img src=x onerror=document.title=1> & "x".html';
  const folder = await openFolder(hostile, '=cmd|calc.csv', 'كتاب.txt');
  await createFolder(shared.world.caller, folder, '<svg onload=document.title=2>');
  await row('<svg').waitFor();
  await row('<img').click();
  await page.keyboard.press('i');
  await page.locator('.look-head h2').filter({ hasText: hostile }).waitFor();
  await row('<svg').dblclick();
  await page.getByText('An empty folder').waitFor();
  const title = '<svg onload=document.title=2> – Cabinet';
  await eventually('the page is called by its folder', async () => (await page.title()) === title);
  assert.equal(await page.locator('main img, main script').count(), 0);
});

test('a viewer sees everything and is offered only what is allowed', options, async () => {
  const folder = await openFolder('a.txt');
  const viewer = await openConsole(shared.world, shared.world.people.viewer, { path: `/files/${folder}` });
  const looked = viewer.page;
  await looked.locator('[role=row][aria-rowindex]').click();
  await looked.getByRole('button', { name: 'Download' }).waitFor();
  assert.equal(await looked.getByRole('button', { name: /Delete|Upload|New folder/ }).count(), 0);
  for (const key of ['F2', 'Delete', 'n']) await looked.keyboard.press(key);
  await looked.keyboard.press('i');
  await looked.getByRole('tab', { name: 'Details' }).click();
  await looked.getByText('SHA-256').waitFor();
  assert.equal((await looked.getByRole('dialog').count()) + (await looked.locator('.rename').count()), 0);
  assert.equal(await looked.getByRole('button', { name: 'Save', exact: true }).count(), 0);
  assert.equal(await looked.getByRole('link', { name: 'Manage' }).count(), 0);
  assert.deepEqual(await namesIn(folder), ['a.txt']);
  assert.deepEqual(viewer.problems, []);
  await viewer.context.close();
});

test('the browser reported no errors', options, () => {
  assert.deepEqual(shared.problems, []);
});
