// A folder with a hundred thousand entries: the first are seen at once, scrolling stays smooth, and all of them are reached.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { saveFiles } from '../../sdk/src/batch.ts';
import { connect } from '../../sdk/src/connect.ts';
import { applicationToken } from '../../sdk/src/tokens.ts';
import { createFolder } from '../interface/client.ts';
import { withoutBrowser } from './browser.ts';
import { openConsole, openWorld, type World } from './console-world.ts';

const options = { skip: withoutBrowser };
const entries = 100_000;
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
        name: `file ${String((first ?? 0) + index).padStart(6, '0')}.txt`,
        content: 'x',
      }));
      await saveFiles(cabinet, { folder, files });
    }
  };
  await Promise.all([work(), work(), work()]);
}

test('a hundred thousand entries scroll like ten', options, async () => {
  const folder = await createFolder(world.caller, '-root-', 'many');
  await fill(folder.Id);
  const { page, problems, context } = await openConsole(world, world.people.editor, { path: `/files/${folder.Id}` });
  const list = page.locator('.entries');
  await page.getByText('file 000000.txt').waitFor();
  // Whoever selects all has all.
  await list.focus();
  await page.keyboard.press('Control+a');
  await page.getByText('100,000 items selected').waitFor({ timeout: 180_000 });
  await page.keyboard.press('Escape');
  await page.keyboard.press('End');
  await page.getByText('file 099999.txt').waitFor();
  const drawn = await page.locator('[role=row][aria-rowindex]').count();
  assert.ok(drawn < 100, `${drawn} rows are drawn`);
  const usual = (await page.evaluate(scrollThrough)) as number;
  // 16 ms on a machine with nothing else to do; a list that drew all its rows would take seconds.
  assert.ok(usual < 500, `a picture while scrolling took ${usual} ms`);
  assert.deepEqual(problems, []);
  await context.close();
});

/** Runs in the page: jumps through the list, and tells the usual (median) time between two pictures, in ms. */
const scrollThrough = `(async () => {
  const list = document.querySelector('.entries');
  const times = [];
  for (let step = 0; step <= 60; step += 1) {
    const begun = performance.now();
    list.scrollTop = (list.scrollHeight * step) / 60;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[30];
})()`;
