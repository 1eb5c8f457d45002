// The viewer of the console: files in full, one after the other, in the order of the list.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createFolder, saveFile } from '../interface/client.ts';
import { withoutBrowser } from './browser.ts';
import { leaveByEscape, openConsole, walkToFolder } from './console-world.ts';
import { makePdf } from './sample-pdf.ts';
import { drawPicture } from './sample-picture.ts';
import { checkView } from './view.ts';
import { shareViewer } from './viewing.ts';

const options = { skip: withoutBrowser };
const { shared, viewer, shows } = shareViewer();
const { row, openFolder, becomes } = shared;
let page: Page;

before(() => {
  ({ page } = shared);
});

const list = () => page.locator('.entries');
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
  await leaveByEscape(page);
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
  await createFolder(shared.world.caller, folder, 'folders are left out');
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
  const { world } = shared;
  const folder = await createFolder(world.caller, '-root-', 'with many pages');
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
  await checkView(page, 'viewer-picture');
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
  await page.keyboard.press('ArrowRight');
  await shows('z.txt');
  await page.goBack();
});

test('on a phone, in German, a finger opens, swipes and closes', options, async () => {
  const folder = await openFolder(
    { name: 'a.md', type: 'text/markdown', body: '# Eins\n\nerster Text' },
    { name: 'b.pdf', type: 'application/pdf', body: makePdf('zweiter Text') },
    { name: 'c.png', type: 'image/png', body: drawPicture() },
  );
  const phone = { viewport: { width: 390, height: 600 }, isTouch: true, locale: 'de-DE', path: `/files/${folder}` };
  const opened = await openConsole(shared.world, shared.world.people.editor, phone);
  const { page: hand } = opened;
  const swipe = (by: number) =>
    hand.evaluate(`(() => {
      const stage = document.querySelector('.viewer-stage').firstElementChild;
      const touch = (x) => new Touch({ identifier: 1, target: stage, clientX: x, clientY: 300 });
      const send = (type, touches, changed) => stage.dispatchEvent(
        new TouchEvent(type, { touches, changedTouches: changed, bubbles: true }));
      send('touchstart', [touch(200)], [touch(200)]);
      send('touchend', [], [touch(${200 + by})]);
    })()`);
  await hand.getByText('a.md').tap();
  await hand.getByText('erster Text').waitFor();
  await hand.getByText('1 von 3').waitFor();
  await checkView(hand, 'viewer-phone-markdown');
  await swipe(-120);
  await hand.locator('.pdf-text', { hasText: 'zweiter Text' }).waitFor();
  await checkView(hand, 'viewer-phone-pdf');
  await swipe(-20);
  await hand.getByRole('dialog', { name: 'b.pdf' }).waitFor();
  await hand.getByRole('button', { name: 'Nächste Datei' }).tap();
  await hand.getByRole('img', { name: 'Bild c.png' }).waitFor();
  const actions = hand.locator('.viewer-actions');
  await actions.getByRole('button', { name: 'Einzelheiten' }).tap();
  await hand.getByText('SHA-256').waitFor();
  await checkView(hand, 'viewer-phone-details');
  await hand.getByRole('button', { name: 'Einzelheiten schließen' }).tap();
  await hand.locator('.viewer .look').waitFor({ state: 'detached' });
  await checkView(hand, 'viewer-phone-picture');
  await swipe(120);
  await hand.getByRole('dialog', { name: 'b.pdf' }).waitFor();
  await actions.getByRole('button', { name: 'Schließen' }).tap();
  await hand.getByRole('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(opened.problems, []);
  await opened.context.close();
});

test('the browser reported no errors', options, () => {
  assert.deepEqual(shared.problems, []);
});
