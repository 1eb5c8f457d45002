// Every page of the console, in both colours, wide and on a phone: axe finds nothing. With `--pictures` those that the
// README shows are made anew.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findBarriers } from './axe.ts';
import { withoutBrowser } from './browser.ts';
import { fillSamples, openConsole, openWorld, type World } from './console-world.ts';

const options = { skip: withoutBrowser };
const folder = process.env.PICTURES;
/** Those that the README shows. */
const pictured: ReadonlySet<string> = new Set([
  'files-light',
  'preview-light',
  'tiles-dark',
  'search-dark',
  'changes-light',
  'versions-light',
  'sign-in-light',
  'sign-in-dark',
  'phone-files-light',
  'phone-files-dark',
  'phone-preview-dark',
]);
let world: World;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  await fillSamples(world);
});
after(() => world?.close());

async function hold(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findBarriers(page), [], name);
  if (folder === undefined || !pictured.has(name)) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

interface Stop {
  name: string;
  path: string;
  /** What is there when the page is whole. */
  seen: string;
  act?: (page: Page) => Promise<void>;
}

const stops: readonly Stop[] = [
  { name: 'files', path: '/', seen: '[role=row][aria-rowindex]' },
  {
    name: 'preview',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByText('Welcome.md').dblclick();
      await page.waitForSelector('.look-markdown');
    },
  },
  {
    name: 'details',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByText('Invoices').last().click();
      await page.keyboard.press('i');
      await page.waitForSelector('.facts');
    },
  },
  {
    name: 'versions',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByText('letter.txt').dblclick();
      await page.getByRole('tab', { name: 'Versions' }).click();
      await page.waitForSelector('.version');
      await page.getByRole('button', { name: /Compare.*Version 1/ }).click();
      await page.waitForSelector('.compared-added');
    },
  },
  {
    name: 'tiles',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByRole('button', { name: 'Grid' }).click();
      await page.waitForSelector('.tile img');
    },
  },
  { name: 'search', path: '/search?q=invoice', seen: '.found-one' },
  { name: 'search-empty', path: '/search', seen: '.empty' },
  { name: 'changes', path: '/changes', seen: '.change' },
  { name: 'trash', path: '/trash', seen: '.empty' },
  {
    name: 'new-folder',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByRole('button', { name: 'New folder' }).click();
      await page.waitForSelector('[role=dialog]');
    },
  },
  {
    name: 'move',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByText('plan.ts').click();
      await page.getByRole('toolbar').getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: /Move to/ }).click();
      await page.waitForSelector('.target-list');
    },
  },
  {
    name: 'account',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByRole('button', { name: 'Account' }).click();
      await page.waitForSelector('[role=menu]');
    },
  },
];

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing on any page in ${colorScheme} colours`, options, async () => {
    const { page, context, problems } = await openConsole(world, world.people.manager, { colorScheme });
    for (const { name, path, seen, act } of stops) {
      await page.goto(world.base + path);
      await page.locator(seen).first().waitFor();
      await act?.(page);
      await hold(page, `${name}-${colorScheme}`);
      await page.evaluate("localStorage.removeItem('cabinet.preferences')");
    }
    assert.deepEqual(problems, []);
    await context.close();
  });

  test(`axe finds nothing on a phone in ${colorScheme} colours`, options, async () => {
    const viewport = { width: 390, height: 780 };
    const opened = await openConsole(world, world.people.manager, { colorScheme, viewport, isTouch: true });
    const { page, context, problems } = opened;
    const seen = page.locator('[role=row][aria-rowindex]').first();
    await seen.waitFor();
    await hold(page, `phone-files-${colorScheme}`);
    await page.getByRole('button', { name: 'Navigation' }).tap();
    await page.locator('.side[data-open=true] .tree-link').first().waitFor();
    await hold(page, `phone-drawer-${colorScheme}`);
    await page.goto(`${world.base}/`);
    await page.getByText('Welcome.md').tap();
    await page.waitForSelector('.look-markdown');
    await hold(page, `phone-preview-${colorScheme}`);
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    assert.equal(wide, false, 'nothing is wider than the screen');
    assert.deepEqual(problems, []);
    await context.close();
  });

  test(`axe finds nothing on the sign-in page in ${colorScheme} colours`, options, async () => {
    const made = await world.browser.context
      .browser()
      ?.newContext({ colorScheme, viewport: { width: 1280, height: 800 } });
    assert.ok(made);
    const page = await made.newPage();
    await page.goto(world.base);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await hold(page, `sign-in-${colorScheme}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForSelector('#user');
    await hold(page, `password-${colorScheme}`);
    await made.close();
  });
}
