// The kinds of files that the viewer of the console shows: PDF, tables, code, Markdown, office documents, sound; and that nothing of
// them runs.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeDocx, makePptx, makeXlsx } from '../../src/search/extract/documents-for-tests.ts';
import { eventually } from '../service/service.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { leaveByEscape } from './console-world.ts';
import { makeSound } from './sample-media.ts';
import { makePdf } from './sample-pdf.ts';
import { checkView } from './view.ts';
import { shareViewer } from './viewing.ts';

const options = { skip: withoutBrowser };
const { shared, viewer, shows } = shareViewer();
const { row, openFolder, becomes } = shared;
let page: Page;

before(() => {
  ({ page } = shared);
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
  await leaveByEscape(page);
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

test('the browser reported no errors', options, () => {
  assert.deepEqual(shared.problems, []);
});
