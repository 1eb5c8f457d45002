// The console from right to left: everything is mirrored, and nothing is wider than the screen.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from './browser.ts';
import { fillSamples, type OpenedConsole, openConsole, openWorld, type World, walkTo } from './console-world.ts';

const options = { skip: withoutBrowser };
let world: World;
let opened: OpenedConsole;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  await fillSamples(world);
  opened = await openConsole(world, world.people.manager);
  await opened.page.evaluate("document.documentElement.dir = 'rtl'");
});
after(() => world?.close());

/** Where it begins and ends, from the left. */
async function span(page: Page, selector: string): Promise<{ left: number; right: number }> {
  const box = await page.locator(selector).first().boundingBox();
  assert.ok(box, selector);
  return { left: box.x, right: box.x + box.width };
}

async function holdWidth(page: Page, where: string): Promise<void> {
  const wider = await page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = [...document.querySelectorAll('.content, .paper, .toolbar, .side')].filter((one) => one.scrollWidth > one.clientWidth + 1);
    return [scrollWidth - clientWidth, ...wide.map((one) => one.className)];
  })()`);
  assert.deepEqual(wider, [0], where);
}

test('a wide page is mirrored: the tree on the right, the preview on the left', options, async () => {
  const { page, problems } = opened;
  await page.getByText('Welcome.md').click();
  await page.keyboard.press('i');
  await page.waitForSelector('.look-markdown');
  const [side, list, look] = [await span(page, '.side'), await span(page, '.folder'), await span(page, '.look')];
  assert.ok(side.left >= list.right, 'the tree stands on the right of the list');
  assert.ok(look.right <= list.left, 'what one looks at stands on the left of the list');
  const [icon, name] = [await span(page, '.tree-icon'), await span(page, '.tree-link bdi')];
  assert.ok(icon.left >= name.right, 'a folder has its icon on the right of its name');
  await holdWidth(page, 'wide');
  assert.deepEqual(problems, []);
});

test('on a phone the drawer comes from the right, and no page is wider than the screen', options, async () => {
  const { page, problems } = opened;
  await page.setViewportSize({ width: 390, height: 780 });
  await walkTo(page, '/');
  await page.locator('[role=row][aria-rowindex]').first().waitFor();
  await holdWidth(page, 'files');
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.locator('.side[data-open=true] .tree-link').first().waitFor();
  await page.evaluate('Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))');
  assert.equal(Math.round((await span(page, '.side')).right), 390);
  await page.keyboard.press('Escape');
  for (const way of ['search', 'changes', 'trash', 'manage']) {
    await page.evaluate(`document.querySelector('.bottom a[href^="/${way}"]').click()`);
    await page.locator('.content h1').first().waitFor({ state: 'attached' });
    await page.locator('.content .skeleton').first().waitFor({ state: 'detached' });
    await holdWidth(page, way);
  }
  assert.deepEqual(problems, []);
});
