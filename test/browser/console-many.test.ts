// A folder with very many entries: the first are seen at once, few are drawn however far one scrolls, and all are reached.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { applicationToken, connect, saveFiles } from '@cabinet/client';
import { createFolder } from '../interface/client.ts';
import { sized } from '../size.ts';
import { withoutBrowser } from './browser.ts';
import { openConsole, openWorld, type World } from './console-world.ts';

const options = { skip: withoutBrowser };
const entries = sized(3000, 100_000);
const nameOf = (index: number) => `file ${String(index).padStart(6, '0')}.txt`;
const perBatch = 1000;
let world: World;

before(async () => {
  if (withoutBrowser === false) world = await openWorld();
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

test('of very many entries few are rendered, and all can be reached', options, async () => {
  const folder = await createFolder(world.caller, '-root-', 'many');
  await fill(folder.Id);
  const { page, problems, context } = await openConsole(world, world.people.editor, { path: `/files/${folder.Id}` });
  const list = page.locator('.entries');
  await page.getByText(nameOf(0)).waitFor();
  // Whoever selects all has all.
  await list.focus();
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
