// The viewer of the console: files in full, one after the other, in the order of the list.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { makeDocx, makePptx, makeXlsx } from '../../src/search/extract/documents-for-tests.ts';
import { createFolder, saveFile } from '../interface/client.ts';
import { eventually } from '../service/service.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { openConsole, openWorld, type World, walkToFolder } from './console-world.ts';
import { makeSound } from './sample-media.ts';
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

test('a PDF has pages, text and search', options, async () => {
  const pages = Array.from({ length: 12 }, (_, index) => `Contract, page ${index + 1}`);
  await openFolder({ name: 'contract.pdf', type: 'application/pdf', body: makePdf(...pages) });
  await row('contract.pdf').dblclick();
  await viewer().locator('.pdf-text', { hasText: 'Contract, page 1' }).waitFor();
  await viewer().getByText('Page 1 of 12').waitFor();
  assert.ok((await viewer().locator('canvas').count()) < 12, 'only what is near is drawn');
  await page.evaluate("getSelection().selectAllChildren(document.querySelector('.pdf-text span'))");
  assert.equal(await page.evaluate('String(getSelection())'), 'Contract, page 1');
  await viewer().getByRole('searchbox', { name: 'Find in the document' }).fill('PAGE 1');
  await viewer().getByText('1 of 4', { exact: true }).waitFor();
  await becomes("CSS.highlights.get('pdf-current')?.size === 1");
  await page.keyboard.press('Enter');
  await viewer().getByText('2 of 4', { exact: true }).waitFor();
  await viewer().locator('.pdf-text', { hasText: 'Contract, page 10' }).waitFor();
  await viewer().getByText('Page 10 of 12').waitFor();
  await becomes("[...CSS.highlights.get('pdf-current')].map(String).join() === 'page 1'");
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

test('a table of 400,000 cells is shown at once, and scrolls to its end in both directions', options, async () => {
  const head = Array.from({ length: 400 }, (_, column) => `column ${column + 1}`).join(',');
  const line = (row: number) => Array.from({ length: 400 }, (_, column) => `${row}:${column + 1}`).join(',');
  const body = [head, ...Array.from({ length: 1_000 }, (_, row) => line(row + 1))].join('\n');
  await openFolder({ name: 'large.csv', type: 'text/csv', body });
  await row('large.csv').dblclick();
  await viewer().getByText('1,001 rows, 400 columns').waitFor();
  await viewer().getByRole('cell', { name: '1:1', exact: true }).waitFor();
  const table = viewer().getByRole('table', { name: 'large.csv' });
  assert.equal(await table.getAttribute('aria-rowcount'), '1001');
  assert.ok((await viewer().getByRole('cell').count()) < 1_000, 'only what is on the screen is drawn');
  await checkView(page, 'viewer-table');
  const scroller = "document.querySelector('.table-scroller')";
  await page.evaluate(`${scroller}.scrollTo(${scroller}.scrollWidth, ${scroller}.scrollHeight)`);
  await viewer().getByRole('cell', { name: '1000:400', exact: true }).waitFor();
  await viewer().getByRole('columnheader', { name: 'column 400' }).waitFor();
  assert.equal(await viewer().getByRole('cell', { name: '1:1', exact: true }).count(), 0);
  await viewer().getByRole('button', { name: 'Source' }).click();
  await viewer().locator('.look-code', { hasText: 'column 1,column 2' }).waitFor();
  await page.goBack();
});

const code = `import { readFile } from 'node:fs/promises';

/** How many lines a file has,
 *  empty ones too. */
export async function countLines(path: string): Promise<number> {
  const text = await readFile(path, 'utf8');
  return text === '' ? 0 : text.split('\\n').length; // 42
}
`;

test('code is coloured by its language, and Markdown has tables', options, async () => {
  const markdown = '# Plan\n\n| Task | Days |\n|---|--:|\n| build | 3 |\n\n- [x] done\n\n```\ncode\n```\n';
  await openFolder(
    { name: 'count.ts', type: 'video/mp2t', body: code },
    { name: 'notes.md', type: 'text/markdown', body: markdown },
    { name: 'bytes.ts', type: 'video/mp2t', body: Buffer.from('G\0\0\0G\0') },
    { name: 'wide.txt', body: Buffer.from('\ufeffGrüße', 'utf16le') },
  );
  await row('count.ts').dblclick();
  await viewer().locator('.tok-word', { hasText: 'import' }).waitFor();
  await viewer().locator('.tok-comment', { hasText: 'empty ones too' }).waitFor();
  assert.equal(await viewer().locator('.look-code > span').count(), 9);
  await checkView(page, 'viewer-code');
  await page.keyboard.press('ArrowRight');
  await viewer().getByRole('cell', { name: 'build' }).waitFor();
  await checkView(page, 'viewer-markdown');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await viewer().getByText('Nothing can be shown of this kind').waitFor();
  await walkToView('wide.txt');
  await viewer().getByText('Grüße').waitFor();
  await page.goBack();
});

async function walkToView(name: string): Promise<void> {
  await page.keyboard.press('Escape');
  await row(name).dblclick();
  await shows(name);
}

test('office documents show their text, and say that it is only that', options, async () => {
  const sheet = [
    ['Quarter', 'Spent'],
    ['Q1 & <b>', 11_350],
  ];
  await openFolder(
    {
      name: 'a.docx',
      type: 'application/octet-stream',
      body: makeDocx(['Dear Ms Ames &amp; Co,', '&lt;script&gt; stays']),
    },
    { name: 'b.xlsx', type: 'application/octet-stream', body: makeXlsx('Budget', sheet) },
    { name: 'c.pptx', type: 'application/octet-stream', body: makePptx(['One slide', 'Another']) },
    { name: 'd.docx', type: 'application/octet-stream', body: makeDocx(['x'.repeat(20_000_000)]) },
    { name: 'e.docx', type: 'application/octet-stream', body: 'this is none' },
  );
  await row('a.docx').dblclick();
  await viewer().getByText('Dear Ms Ames & Co,').waitFor();
  await viewer().getByText('<script> stays').waitFor();
  await viewer().getByText('Only the text of the document is shown').waitFor();
  assert.equal(await viewer().getByText('stylesheet').count(), 0);
  await checkView(page, 'viewer-office');
  const texts = async () => await viewer().locator('.look-office p').allInnerTexts();
  await page.keyboard.press('ArrowRight');
  await eventually('the cells are shown', async () => (await texts()).includes('Quarter\tSpent'), patientMs);
  assert.equal((await texts())[1]?.split('\t')[1], '11350');
  await page.keyboard.press('ArrowRight');
  await viewer().getByText('Another').waitFor();
  await page.keyboard.press('ArrowRight');
  await viewer().getByText('The first 524 kB are shown.').waitFor();
  await page.keyboard.press('ArrowRight');
  await viewer().getByText('Nothing can be shown of this kind').waitFor();
  await page.goBack();
});

test('sound and video are played, what cannot be shown is said, and keys of players are theirs', options, async () => {
  await openFolder(
    { name: 'a.wav', type: 'audio/wav', body: makeSound(2) },
    { name: 'b.mp4', type: 'video/mp4', body: 'this is none' },
    { name: 'c.bin', type: 'application/octet-stream', body: Buffer.alloc(9, 1) },
    { name: 'd.pdf', type: 'application/pdf', body: '%PDF-1.4\n%%EOF' },
    { name: 'e.txt', body: '' },
  );
  await row('a.wav').dblclick();
  await becomes("document.querySelector('.viewer audio')?.duration === 2");
  await viewer().locator('audio').focus();
  await page.keyboard.press('ArrowRight');
  await shows('a.wav');
  await page.locator('.viewer').focus();
  for (const text of ['It cannot be shown.', 'Nothing can be shown', 'It cannot be shown.', 'The file is empty.']) {
    await page.keyboard.press('ArrowRight');
    await viewer().getByText(text).waitFor();
  }
  const download = page.waitForEvent('download');
  await viewer().locator('.viewer-actions').getByRole('button', { name: 'Download' }).click();
  assert.equal((await download).suggestedFilename(), 'e.txt');
  await page.goBack();
});

test('nothing of a hostile file runs, and nothing elsewhere is fetched', options, async () => {
  const attack = "parent.document.title='owned';document.title='owned';fetch('/owned')";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="${attack}"><script>${attack}</script><image href="https://evil.example/z"/><rect width="40" height="40"/></svg>`;
  const html = `<!doctype html><script>${attack}</script><img src="https://evil.example/x" onerror="${attack}">`;
  await openFolder(
    { name: 'a.svg', type: 'image/svg+xml', body: svg },
    { name: 'b.html', type: 'text/html', body: html },
    { name: 'c.md', type: 'text/markdown', body: `${html}\n\n[a](javascript:alert(1)) ![b](https://evil.example/y)` },
    { name: 'd.pdf', type: 'application/pdf', body: makePdf('drawn') },
    { name: 'e.csv', type: 'text/csv', body: `${html},=cmd|'/c calc'!A1\n${html},2` },
    { name: 'f<b>"&.ts', type: 'video/mp2t', body: `"${html}"` },
  );
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('dialog', (dialog) => asked.push(`owned by a dialog: ${dialog.message()}`));
  await row('a.svg').dblclick();
  await becomes("document.querySelector('.viewer img')?.naturalWidth === 40");
  for (const seen of ['.look-code', '.look-markdown', '.pdf-text span', '.table-cell', '.look-code .tok-string']) {
    await page.keyboard.press('ArrowRight');
    await viewer().locator(seen).first().waitFor();
    assert.equal(await viewer().locator('script, iframe, img, object, embed').count(), 0, seen);
  }
  await shows('f<b>"&.ts');
  assert.equal(await page.title(), 'f<b>"&.ts – Cabinet');
  assert.deepEqual(
    asked.filter((url) => /owned|evil/.test(url)),
    [],
  );
  await page.goBack();
});

test('on a phone, in German, a finger opens, swipes and closes', options, async () => {
  const folder = await openFolder(
    { name: 'a.md', type: 'text/markdown', body: '# Eins\n\nerster Text' },
    { name: 'b.pdf', type: 'application/pdf', body: makePdf('zweiter Text') },
    { name: 'c.png', type: 'image/png', body: drawPicture() },
  );
  const phone = { viewport: { width: 390, height: 600 }, isTouch: true, locale: 'de-DE', path: `/files/${folder}` };
  const opened = await openConsole(world, world.people.editor, phone);
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
  assert.deepEqual(problems, []);
});
