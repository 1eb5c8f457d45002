// Checks what is on the screen: axe in light and dark, and nothing that leaves the screen. `--pictures` also keeps screenshots.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../service/service.ts';
import { findBarriers } from './axe.ts';

const { PICTURES } = process.env;
/** What the docs show. Into another folder everything is kept. */
const pictured: ReadonlySet<string> = new Set([
  ...['share-links-light', 'shared-by-me-light', 'link-page-light', 'link-page-dark', 'link-request-light'],
  ...['viewer-picture-light', 'viewer-pdf-light', 'viewer-table-light', 'viewer-code-dark'],
]);

export async function checkView(page: Page, name: string): Promise<void> {
  await assertOnScreen(page, name);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findBarriers(page), [], `${name}-${colorScheme}`);
    const file = `${name}-${colorScheme}`;
    if (PICTURES === undefined || (PICTURES === 'docs/images' && !pictured.has(file))) continue;
    const folder = join(import.meta.dirname, '../..', PICTURES);
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${file}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

interface Measured {
  /** What leaves the screen. */
  outside: string[];
  scrollWidth: number;
  width: number;
}

const measure = `(() => {
  const outside = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].flatMap((dialog) => {
    const { top, left, bottom, right } = dialog.getBoundingClientRect();
    const isInside = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
    return isInside ? [] : [JSON.stringify({ top, left, bottom, right, innerHeight, innerWidth })];
  });
  return { outside, scrollWidth: document.documentElement.scrollWidth, width: innerWidth };
})()`;

/** Dialogs are whole on the screen, and nothing has to be scrolled sideways. Whatever moves has come to rest before. */
export async function assertOnScreen(page: Page, name: string): Promise<void> {
  await page.evaluate('Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))');
  const look = async () => (await page.evaluate(measure)) as Measured;
  // What is placed beside something else follows a frame or two after the screen has changed.
  const isWhole = ({ outside, scrollWidth, width }: Measured) => outside.length === 0 && scrollWidth <= width;
  await eventually(name, async () => isWhole(await look())).catch(() => null);
  const { outside, scrollWidth, width } = await look();
  assert.deepEqual(outside, [], `${name}: a dialog leaves the screen`);
  assert.ok(scrollWidth <= width, `${name}: ${scrollWidth} px are wider than the screen of ${width}`);
}

/** Small screens on which every dialog must be whole. */
export const smallScreens = [
  { width: 1280, height: 560 },
  { width: 390, height: 600 },
] as const;

export async function checkSmallScreens(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const size of smallScreens) {
    await page.setViewportSize(size);
    await assertOnScreen(page, `${name} at ${size.width}x${size.height}`);
  }
  if (before !== null) await page.setViewportSize(before);
}
