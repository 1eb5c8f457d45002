// A folder with a hundred thousand entries: the first are seen at once, scrolling stays smooth, and all of them are reached.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { saveFiles } from '../../sdk/src/batch.ts';
import { connect } from '../../sdk/src/connect.ts';
import { applicationToken } from '../../sdk/src/tokens.ts';
import { createFolder } from '../interface/client.ts';
import { hasBrowser } from './browser.ts';
import { openConsole, openWorld, type World } from './console-world.ts';

const options = { skip: !hasBrowser };
const entries = 100_000;
const perBatch = 1000;
let world: World;

before(async () => {
  if (hasBrowser) world = await openWorld();
});
after(() => world?.close());

async function fill(folder: string): Promise<void> {
  const { AppKey, Secret } = world.caller.application;
  const cabinet = connect({ url: world.base, appKey: AppKey, token: applicationToken({ secret: Secret }) });
  for (let first = 0; first < entries; first += perBatch) {
    const files = Array.from({ length: perBatch }, (_, index) => ({
      name: `file ${String(first + index).padStart(6, '0')}.txt`,
      content: 'x',
    }));
    await saveFiles(cabinet, { folder, files });
  }
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
  const slow = (await page.evaluate(scrollThrough)) as number;
  assert.ok(slow < 1000, `the slowest picture while scrolling took ${slow} ms`);
  assert.deepEqual(problems, []);
  await context.close();
});

/** Runs in the page: jumps through the list, and tells the longest time between two pictures, in ms. */
const scrollThrough = `(async () => {
  const list = document.querySelector('.entries');
  let slowest = 0;
  let last = performance.now();
  for (let step = 0; step <= 60; step += 1) {
    list.scrollTop = (list.scrollHeight * step) / 60;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const now = performance.now();
    slowest = Math.max(slowest, now - last);
    last = now;
  }
  return slowest;
})()`;
