// Looking in the console: previews that run nothing, versions, downloads, search, the trash, and changes as they happen.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { call, createFolder, saveFile } from '../interface/client.ts';
import { eventually } from '../service/service.ts';
import { patientMs, readDownload, withoutBrowser } from './browser.ts';
import { leaveByEscape, samplePng, walkTo } from './console-world.ts';
import { makeSound } from './sample-media.ts';
import { makePdf } from './sample-pdf.ts';
import { type Sample, shareConsole } from './shared-console.ts';

const options = { skip: withoutBrowser };
const shared = shareConsole('looked');
const { row, said, openFolder, becomes } = shared;
let page: Page;

before(() => {
  ({ page } = shared);
});

async function openDetails(name: string): Promise<void> {
  const pane = page.locator('.look');
  await row(name).click();
  if ((await pane.count()) > 0) {
    await page.keyboard.press('i');
    await pane.waitFor({ state: 'detached' });
  }
  await page.keyboard.press('i');
  await pane.locator('h2', { hasText: name }).waitFor();
}

/** Of the first page of a PDF. */
const darkPoints = `(() => {
  const [canvas] = document.querySelectorAll('.pdf-page canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, at) => at % 4 === 0 && value < 100).length;
})()`;

const text = (name: string, body: string, type = 'text/plain'): Sample => ({ name, type, body });

test('text, code, Markdown, tables, pictures, audio and PDF are previewed beside the list', options, async () => {
  await openFolder(
    text('a.txt', 'plain words'),
    { name: 'b.ts', type: 'video/mp2t', body: 'const answer = 42; // why not' },
    text('c.md', '# Title\n\n- one **bold** item\n\n| Name | Size |\n|---|--:|\n| a | 1 |\n', 'text/markdown'),
    text('d.csv', 'name;size\n"a;b";1\n', 'text/csv'),
    { name: 'e.png', type: 'image/png', body: samplePng },
    { name: 'f.wav', type: 'audio/wav', body: makeSound(0.1) },
    { name: 'g.pdf', type: 'application/pdf', body: makePdf('First page', 'Second page') },
    { name: 'h.bin', type: 'application/octet-stream', body: Buffer.alloc(9, 1) },
  );
  const look = async (name: string, seen: Locator) => {
    await openDetails(name);
    await seen.first().waitFor();
  };
  await look('a.txt', page.locator('.look-code', { hasText: 'plain words' }));
  await look('b.ts', page.locator('.tok-number', { hasText: '42' }));
  await look('c.md', page.locator('.look-markdown li strong', { hasText: 'bold' }));
  await page.locator('.look-markdown h3', { hasText: 'Title' }).waitFor();
  await page.locator('.look-markdown table').getByRole('cell', { name: '1', exact: true }).waitFor();
  await look('d.csv', page.getByRole('cell', { name: 'a;b' }));
  await look('e.png', page.getByRole('img', { name: 'Picture e.png' }));
  await becomes("document.querySelector('.look-picture img').naturalWidth === 2");
  await look('f.wav', page.locator('audio'));
  await becomes("document.querySelector('audio').readyState >= 1");
  await look('g.pdf', page.locator('.pdf-text', { hasText: 'Second page' }));
  assert.ok(Number(await page.evaluate(darkPoints)) > 50, 'there is writing on it');
  await look('h.bin', page.getByText('Nothing can be shown of this kind'));
  await page.reload();
  await page.getByText('Nothing can be shown of this kind').waitFor();
});

test('no script of a previewed file runs', options, async () => {
  const attack = "parent.document.title='owned';document.title='owned';fetch('/owned')";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${attack}"><script>${attack}</script><rect width="9" height="9"/></svg>`;
  const html = `<!doctype html><script>${attack}</script><img src=x onerror="${attack}">`;
  const links = '[click](javascript:alert(1)) [ok](https://example.com/) ![picture](/owned.png)';
  const folder = await openFolder(
    { name: 'a.svg', type: 'image/svg+xml', body: svg },
    { name: 'b.html', type: 'text/html', body: html },
    { name: 'c.md', type: 'text/markdown', body: `${html}\n\n${links}` },
    { name: 'd.pdf', type: 'application/pdf', body: html },
    { name: 'e.txt', type: 'text/plain', body: html },
    // Its script opens a dialog and another page.
    { name: 'f.pdf', type: 'application/pdf', body: makePdf('it is drawn') },
  );
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('dialog', (dialog) => requested.push(`owned by a dialog: ${dialog.message()}`));
  for (const [name, seen] of [
    ['a.svg', '.look-picture img'],
    ['b.html', '.look-code'],
    ['c.md', '.look-markdown'],
    ['d.pdf', '.empty'],
    ['e.txt', '.look-code'],
    ['f.pdf', '.pdf-text'],
  ] as const) {
    await openDetails(name);
    await page.locator(seen).first().waitFor();
  }
  await openDetails('c.md');
  await page.locator('.look-markdown a').first().waitFor();
  assert.deepEqual(
    await page.locator('.look-markdown a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ['https://example.com/'],
  );
  assert.match(await page.title(), /^looked/);
  assert.deepEqual(
    requested.filter((url) => url.includes('owned')),
    [],
  );
  assert.ok(folder);
});

test('versions are listed, compared and restored', options, async () => {
  const folder = await openFolder(text('v.txt', 'first\nsame\n'));
  await saveFile(shared.world.caller, { FolderId: folder, FileName: 'v.txt', Comment: 'better' }, 'second\nsame\n');
  await openDetails('v.txt');
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByText('better').waitFor();
  await page.getByRole('button', { name: /Compare.*Version 1/ }).click();
  await page.locator('.compared-removed', { hasText: 'first' }).waitFor();
  await page.locator('.compared-added', { hasText: 'second' }).waitFor();
  await leaveByEscape(page);
  await page.getByRole('button', { name: /Restore: Version 1/ }).click();
  await said('Version 1 is the current one again');
  await page.getByText('Version 3').waitFor();
});

test('a file and a folder are downloaded', options, async () => {
  await openFolder(text('take me.txt', 'with you'));
  await row('take me.txt').click();
  const file = page.waitForEvent('download');
  await page.getByRole('toolbar').getByRole('button', { name: 'Download' }).click();
  const saved = await file;
  assert.equal(saved.suggestedFilename(), 'take me.txt');
  assert.equal(await readDownload(saved), 'with you');
  await page.getByRole('button', { name: 'Clear the selection' }).click();
  await page.getByRole('toolbar').getByRole('button', { name: 'Add' }).click();
  const zip = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download as ZIP' }).click();
  assert.match((await zip).suggestedFilename(), /^looked \d+\.zip$/);
});

test('search runs while typing, shows results, and takes filters from the URL', options, async () => {
  const folder = await openFolder(text('report.txt', 'the quarterly zeppelin <b>report</b>'));
  await createFolder(shared.world.caller, folder, 'zeppelins');
  // What was just saved is found a moment later.
  await eventually(
    'both are found',
    async () => {
      const { body } = await call(shared.world.caller, '/search?q=zeppelin*');
      return (JSON.parse(body.toString()) as { Results: unknown[] }).Results.length === 2;
    },
    patientMs,
  );
  await page.keyboard.press('/');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('zeppelin');
  await page.locator('.found-snippet mark', { hasText: 'zeppelin' }).first().waitFor();
  await page.getByText('<b>report</b>').waitFor();
  await page.goto(`${page.url().replace(/q=[^&]*/, 'q=zeppelin')}&type=folder`);
  await page.locator('.found-one', { hasText: 'zeppelins' }).waitFor();
  assert.equal(await page.locator('.found-one').count(), 1);
  await page.locator('.found-name').click();
  await page.waitForURL(/\/files\//);
});

test('search finds names by a part within a word', options, async () => {
  await openFolder(text('IMG_2000_harbour.txt', 'x'));
  await eventually(
    'it is found',
    async () => {
      const { body } = await call(shared.world.caller, '/search?q=g_2000_har&match=part');
      return body.toString().includes('IMG_2000_harbour');
    },
    patientMs,
  );
  await page.keyboard.press('/');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('g_2000_har');
  await page.locator('.found-name mark', { hasText: 'G_2000_har' }).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.evaluate('document.activeElement.blur()');
});

test('search loads more results with a filter on recent changes', options, async () => {
  const names = Array.from({ length: 51 }, (_, index) => `dirigible ${index}`);
  const folder = await openFolder();
  for (const name of names) await createFolder(shared.world.caller, folder, name);
  await eventually(
    'all are found',
    async () => {
      const { body } = await call(shared.world.caller, '/search?q=dirigible&limit=100');
      return (JSON.parse(body.toString()) as { Results: unknown[] }).Results.length === names.length;
    },
    patientMs,
  );
  await page.keyboard.press('/');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('dirigible');
  await page.locator('.found-one').nth(49).waitFor();
  await page.goto(`${page.url()}&since=7`);
  await page.locator('.found-one').nth(49).waitFor();
  await page.getByRole('button', { name: 'More results' }).click();
  await page.locator('.found-one').nth(50).waitFor();
});

test('entries are restored from the trash, and it is emptied', options, async () => {
  const folder = await openFolder(text('gone.txt', 'x'), text('for good.txt', 'y'));
  for (const name of ['gone.txt', 'for good.txt']) {
    await row(name).click();
    await page.keyboard.press('Delete');
    await row(name).waitFor({ state: 'detached' });
  }
  await page.getByRole('link', { name: 'Trash' }).first().click();
  await page.getByRole('button', { name: 'Restore: gone.txt' }).click();
  await said('“gone.txt” is back');
  await page.getByRole('button', { name: 'Empty the trash' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove for good' }).click();
  await page.getByText('The trash is empty').waitFor();
  const { body } = await call(shared.world.caller, `/folders/${folder}`);
  const { Children } = JSON.parse(body.toString()) as { Children: { Name: string }[] };
  assert.deepEqual(
    Children.map(({ Name }) => Name),
    ['gone.txt'],
  );
});

test('changes of others are listed as they happen', options, async () => {
  await walkTo(page, '/changes');
  await page.locator('.live[data-live=true]').waitFor();
  await saveFile(shared.world.caller, { FolderId: '', FileName: 'just now.txt' }, 'x');
  await page.locator('.change', { hasText: 'just now.txt' }).waitFor();
});

test('the browser reported no errors', options, () => {
  assert.deepEqual(shared.problems, []);
});
