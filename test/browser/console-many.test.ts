// A folder with very many entries: the first are seen at once, few are drawn however far one scrolls, and all are reached.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { applicationToken, connect, saveFiles } from '@cabinet/client';
import type { Page } from 'playwright-core';
import { createFolder, saveFile } from '../interface/client.ts';
import { sized } from '../size.ts';
import { withoutBrowser } from './browser.ts';
import { leaveByEscape, openConsole, openWorld, type World } from './console-world.ts';

const options = { skip: withoutBrowser };
const entries = sized(3000, 100_000);
const nameOf = (index: number) => `file ${String(index).padStart(6, '0')}.txt`;
const perBatch = 1000;
let world: World;
let folderId: string;

before(async () => {
  if (withoutBrowser !== false) return;
  world = await openWorld();
  folderId = (await createFolder(world.caller, '-root-', 'many')).Id;
  await fill(folderId);
});
after(() => world?.close());

async function fill(folder: string): Promise<void> {
  const { AppKey, Secret } = world.caller.application;
  const cabinet = connect({ url: world.base, appKey: AppKey, token: applicationToken({ secret: Secret }) });
  const firsts = Array.from({ length: entries / perBatch }, (_, index) => index * perBatch);
  const work = async () => {
    for (let first = firsts.shift(); first !== undefined; first = firsts.shift()) {
      const files = Array.from({ length: perBatch }, (_, index) => ({
        name: nameOf((first ?? 0) + index),
        content: 'x',
      }));
      await saveFiles(cabinet, { folder, files });
    }
  };
  await Promise.all([work(), work(), work()]);
}

/** How many entries the page has asked for at most. */
function countWanted(page: Page): () => number {
  let wanted = 0;
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.endsWith(`/folders/${folderId}`)) wanted += Number(url.searchParams.get('limit') ?? 100);
  });
  return () => wanted;
}

async function openMany(params = '') {
  const opened = await openConsole(world, world.people.editor, { path: `/files/${folderId}${params}` });
  const wanted = countWanted(opened.page);
  await opened.page.getByText(nameOf(0)).first().waitFor();
  await opened.page.locator('.entries').focus();
  return { ...opened, wanted };
}

/** The entry at the cursor, which is the one that is read out. */
async function readCursor(page: Page): Promise<string> {
  const id = await page.locator('.entries').getAttribute('aria-activedescendant');
  return id === null ? '' : ((await page.locator(`#${id} :is(.entry-name, .tile-name)`).textContent()) ?? '');
}

async function scrollTo(page: Page, share: number): Promise<void> {
  await page.locator('.entries').evaluate((list, at) => {
    list.scrollTop = list.scrollHeight * at;
  }, share);
}

test('of very many entries few are rendered, and all can be selected', options, async () => {
  const { page, problems, context } = await openMany();
  // Whoever selects all has all.
  await page.keyboard.press('Control+a');
  await page.getByText(`${entries.toLocaleString('en')} items selected`).waitFor({ timeout: 180_000 });
  await page.keyboard.press('Escape');
  await page.keyboard.press('End');
  await page.getByText(nameOf(entries - 1)).waitFor();
  const most = (await page.evaluate(scrollThrough)) as number;
  assert.ok(most > 0 && most < 100, `${most} rows are drawn`);
  assert.deepEqual(problems, []);
  await context.close();
});

/** By key, until the last entry is selected. */
async function goToEnd(page: Page): Promise<void> {
  await page.keyboard.press('End');
  await page
    .locator('[aria-selected=true]')
    .getByText(nameOf(entries - 1))
    .waitFor();
}

test('End, the way back from there and the scroll bar reach any entry, and little is loaded', options, async () => {
  const { page, problems, context, wanted } = await openMany();
  const before = wanted();
  await goToEnd(page);
  assert.equal(await readCursor(page), nameOf(entries - 1));
  assert.equal(await page.locator('[aria-selected=true]').getAttribute('aria-rowindex'), String(entries + 1));
  await page.keyboard.press('ArrowUp');
  assert.equal(await readCursor(page), nameOf(entries - 2));
  await page.keyboard.press('Home');
  await page.locator('[aria-selected=true]').getByText(nameOf(0)).waitFor();
  await scrollTo(page, 0.5);
  const middle = Math.round(entries * 0.5) + 3;
  await page.getByText(nameOf(middle)).waitFor();
  assert.equal(
    await page.locator('[aria-rowindex]', { hasText: nameOf(middle) }).getAttribute('aria-rowindex'),
    `${middle + 2}`,
  );
  assert.ok(wanted() - before <= 400, `${wanted() - before} entries were loaded`);
  // Upwards from the end, over what was not loaded then.
  await goToEnd(page);
  for (let seen = entries - 1; seen > entries - 300; ) {
    await page.keyboard.press('PageUp');
    const name = await readCursor(page);
    const position = Number(/\d+/.exec(name)?.[0] ?? Number.NaN);
    assert.ok(position <= seen, `${name} is after ${seen}`);
    if (position === seen) await page.waitForRequest(/cursor=/).catch(() => null);
    seen = position;
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test('A range to the end is everything between, also what was not loaded', options, async () => {
  const { page, problems, context } = await openMany();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await goToEnd(page);
  await page.locator('.entries').press('ArrowUp');
  await page.keyboard.press('Shift+Home');
  await page.getByText(`${(entries - 1).toLocaleString('en')} items selected`).waitFor({ timeout: 180_000 });
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await page.getByText(`${entries.toLocaleString('en')} items selected`).waitFor({ timeout: 180_000 });
  assert.equal(await readCursor(page), nameOf(entries - 1));
  assert.deepEqual(problems, []);
  await context.close();
});

test('At the end, changes by others are shown, and the viewer steps without a gap', options, async () => {
  const { page, problems, context, wanted } = await openMany();
  const before = wanted();
  await goToEnd(page);
  const added = await saveFile(world.caller, { FolderId: folderId, FileName: `${nameOf(entries - 1)} added` }, 'x');
  await page.getByText(added.File.Name).waitFor();
  await page.locator(`.entries[aria-rowcount='${entries + 2}']`).waitFor();
  assert.equal(await readCursor(page), nameOf(entries - 1));
  await page.keyboard.press('Enter');
  await page
    .locator('.viewer-place')
    .getByText(`${entries.toLocaleString('en')} of`)
    .waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.viewer-title', { hasText: nameOf(entries - 2) }).waitFor();
  await leaveByEscape(page);
  assert.equal(await readCursor(page), nameOf(entries - 2));
  assert.ok(wanted() - before < 1500, `${wanted() - before} entries were loaded`);
  assert.deepEqual(problems, []);
  await context.close();
});

/** Runs in the page: jumps through the list, and tells the most rows that were ever drawn. */
const scrollThrough = `(async () => {
  const list = document.querySelector('.entries');
  const drawn = [];
  for (let step = 0; step <= 30; step += 1) {
    list.scrollTop = (list.scrollHeight * step) / 30;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    drawn.push(list.querySelectorAll('[role=row][aria-rowindex]').length);
  }
  return Math.max(...drawn);
})()`;
