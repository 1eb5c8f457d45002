// The viewer of the console: files in full, one after the other, in the order of the list.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createFolder, saveFile } from '../interface/client.ts';
import { eventually } from '../service/service.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { openConsole, openWorld, type World, walkToFolder } from './console-world.ts';
import { makePdf } from './sample-pdf.ts';
import { drawPicture } from './sample-picture.ts';
import { checkView } from './view.ts';

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

interface Sample {
  name: string;
  type?: string;
  body: string | Buffer;
}

const row = (name: string): Locator => page.locator('[role=row][aria-rowindex]', { hasText: name });
const viewer = () => page.locator('.viewer');
const shows = (name: string) => page.getByRole('dialog', { name, exact: true }).waitFor();
const list = () => page.locator('.entries');

async function openFolder(...samples: Sample[]): Promise<string> {
  count += 1;
  const folder = await createFolder(world.caller, '-root-', `viewed ${count}`);
  for (const { name, type = 'text/plain', body } of samples) {
    await saveFile(world.caller, { FolderId: folder.Id, FileName: name, 'Content-Type': type }, body);
  }
  await walkToFolder(page, folder);
  return folder.Id;
}

/** Polled from outside: `waitForFunction` evaluates within the page, which the page's policy forbids. */
const becomes = (expression: string) =>
  eventually(expression, async () => (await page.evaluate(expression)) === true, patientMs);

const hasFocus = (selector: string) => becomes(`document.activeElement?.matches('${selector}') === true`);

test('Enter, a double click and a button open a file in full; Escape and going back close it', options, async () => {
  await openFolder({ name: 'a.txt', body: 'first' }, { name: 'b.txt', body: 'second' });
  const before = page.url();
  await list().focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await shows('a.txt');
  await viewer().getByText('first').waitFor();
  assert.match(page.url(), /[?&]view=/);
  assert.equal(await page.title(), 'a.txt – Cabinet');
  await page.keyboard.press('Escape');
  await viewer().waitFor({ state: 'detached' });
  assert.equal(page.url(), before);
  await hasFocus('.entries');
  await row('b.txt').dblclick();
  await shows('b.txt');
  await page.goBack();
  await viewer().waitFor({ state: 'detached' });
  assert.equal(page.url(), before);
  await page.keyboard.press('i');
  await page.getByRole('button', { name: 'Full screen' }).click();
  await shows('b.txt');
  // An address that somebody sent.
  await page.reload();
  await shows('b.txt');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await viewer().waitFor({ state: 'detached' });
  assert.doesNotMatch(page.url(), /view=/);
  await page.getByRole('button', { name: 'Close details' }).click();
});

test('previous and next go over the files of the list, and the list follows', options, async () => {
  const folder = await openFolder(
    ...['file10.txt', 'file2.txt', 'Äpfel.txt', 'zoo.txt'].map((name) => ({ name, body: `it is ${name}` })),
  );
  await createFolder(world.caller, folder, 'folders are left out');
  await row('folders are left out').waitFor();
  await row('Äpfel.txt').dblclick();
  await viewer().getByText('1 of 4').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Previous file' }).isDisabled(), true);
  await page.keyboard.press('ArrowRight');
  await viewer().getByText('it is file2.txt').waitFor();
  await page.getByRole('button', { name: 'Next file' }).click();
  await viewer().getByText('it is file10.txt').waitFor();
  await page.getByRole('button', { name: 'Next file' }).click();
  await shows('zoo.txt');
  // At the end the button is off; keys still work.
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await shows('file10.txt');
  await page.keyboard.press('i');
  await viewer().getByText('SHA-256').waitFor();
  await viewer().getByRole('tab', { name: 'Versions' }).click();
  await viewer().getByText('Version 1').waitFor();
  await page.keyboard.press('Escape');
  await viewer().locator('.look').waitFor({ state: 'detached' });
  await shows('file10.txt');
  await page.goBack();
  await viewer().waitFor({ state: 'detached' });
  await becomes("document.querySelector('[data-cursor=true]')?.textContent.includes('file10.txt') === true");
});

test('further pages of the list are loaded', options, async () => {
  count += 1;
  const folder = await createFolder(world.caller, '-root-', `viewed ${count}`);
  const files = Array.from({ length: 205 }, (_, index) => `n${1000 + index}.txt`);
  for (let at = 0; at < files.length; at += 41) {
    const some = files.slice(at, at + 41);
    await Promise.all(some.map((name) => saveFile(world.caller, { FolderId: folder.Id, FileName: name }, name)));
  }
  await walkToFolder(page, folder);
  await row('n1000').dblclick();
  await viewer().getByText('1 of 200+').waitFor();
  const last = await saveFile(world.caller, { FolderId: folder.Id, FileName: 'n1205.txt' }, 'the last one');
  // By its address: the list has not got that far.
  await page.goto(`${world.base}/files/${folder.Id}?view=${last.File.Id}`);
  await viewer().getByText('206 of 206').waitFor();
  await viewer().getByText('the last one').waitFor();
  await page.keyboard.press('ArrowLeft');
  await shows('n1204.txt');
});

test('a picture is zoomed, moved and rotated', options, async () => {
  await openFolder({ name: 'sun.png', type: 'image/png', body: drawPicture() }, { name: 'z.txt', body: 'next' });
  await row('sun.png').dblclick();
  const picture = viewer().getByRole('img', { name: 'Picture sun.png' });
  const box = async () => (await picture.boundingBox()) ?? { width: 0, height: 0 };
  await becomes("document.querySelector('.viewer img')?.naturalWidth === 320");
  await viewer()
    .getByRole('button', { name: /Fit.*100%/ })
    .waitFor();
  assert.deepEqual([(await box()).width, (await box()).height], [320, 208]);
  await page.keyboard.press('r');
  assert.deepEqual([(await box()).width, (await box()).height], [208, 320]);
  await viewer().getByRole('button', { name: 'Rotate' }).click();
  for (const _ of Array(7)) await page.keyboard.press('+');
  await viewer()
    .getByRole('button', { name: /Fit.*600%/ })
    .waitFor();
  assert.equal((await box()).width, 1920);
  const scroller = "document.querySelector('.image-scroller')";
  const left = Number(await page.evaluate(`${scroller}.scrollLeft`));
  assert.ok(left > 100, `zooming keeps the middle: ${left}`);
  // It scrolls sideways now, so the keys do not leave it.
  await page.locator('.image-scroller').focus();
  await page.keyboard.press('ArrowRight');
  await becomes(`${scroller}.scrollLeft > ${left}`);
  await page.mouse.move(600, 400);
  await page.mouse.down();
  await page.mouse.move(900, 400);
  await page.mouse.up();
  await becomes(`${scroller}.scrollLeft < ${left - 200}`);
  await page.keyboard.press('0');
  await viewer()
    .getByRole('button', { name: /Fit.*100%/ })
    .waitFor();
  await checkView(page, 'viewer-picture');
  await page.keyboard.press('ArrowRight');
  await shows('z.txt');
  await page.goBack();
});

test('a PDF has pages, text and search', options, async () => {
  const pages = Array.from({ length: 12 }, (_, index) => `Page ${index + 1} of the contract`);
  await openFolder({ name: 'contract.pdf', type: 'application/pdf', body: makePdf(...pages) });
  await row('contract.pdf').dblclick();
  await viewer().locator('.pdf-text', { hasText: 'Page 1 of the contract' }).waitFor();
  await viewer().getByText('Page 1 of 12').waitFor();
  assert.ok((await viewer().locator('canvas').count()) < 12, 'only what is near is drawn');
  await page.evaluate("getSelection().selectAllChildren(document.querySelector('.pdf-text span'))");
  assert.equal(await page.evaluate('String(getSelection())'), 'Page 1 of the contract');
  await viewer().getByRole('searchbox', { name: 'Find in the document' }).fill('PAGE 1');
  await viewer().getByText('1 of 4', { exact: true }).waitFor();
  await becomes("CSS.highlights.get('pdf-current')?.size === 1");
  await page.keyboard.press('Enter');
  await viewer().getByText('2 of 4', { exact: true }).waitFor();
  await viewer().locator('.pdf-text', { hasText: 'Page 10 of the contract' }).waitFor();
  await viewer().getByText('Page 10 of 12').waitFor();
  await becomes("[...CSS.highlights.get('pdf-current')].map(String).join() === 'Page 1'");
  await checkView(page, 'viewer-pdf');
  await viewer().getByRole('searchbox').fill('no such words');
  await viewer().getByText('Not found').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await viewer().getByRole('searchbox').inputValue(), '');
  const width = async () => Number((await viewer().locator('.pdf-page').first().boundingBox())?.width);
  const before = await width();
  await viewer().getByRole('button', { name: 'Zoom in' }).click();
  await becomes(`document.querySelector('.pdf-page').offsetWidth > ${Math.round(before * 1.2)}`);
  await page.goBack();
});

test('the browser reported no errors', options, () => {
  assert.deepEqual(problems, []);
});
