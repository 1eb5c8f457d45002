// Every page of the console, in both colours, wide and on a phone: axe finds nothing. With `--pictures` those that the
// README shows are made anew.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findBarriers } from './axe.ts';
import { withoutBrowser } from './browser.ts';
import { comeBackTo, fillSamples, leaveByEscape, openConsole, openWorld, type World, walkTo } from './console-world.ts';

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

/** As it is drawn in light colours and in dark ones: the page is the same, only colours are looked at twice. */
async function hold(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const whole = `${name}-${colorScheme}`;
    assert.deepEqual(await findBarriers(page), [], whole);
    if (folder === undefined || !pictured.has(whole)) continue;
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${whole}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

interface Stop {
  name: string;
  path: string;
  /** What is there when the page is whole. */
  seen: string;
  act?: (page: Page) => Promise<void>;
  /** How it is left, where another address alone does not. */
  leave?: (page: Page) => Promise<void>;
}

const stops: readonly Stop[] = [
  { name: 'files', path: '/', seen: '[role=row][aria-rowindex]' },
  {
    name: 'preview',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByText('Welcome.md').click();
      await page.keyboard.press('i');
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
      await page.getByText('letter.txt').click();
      await page.keyboard.press('i');
      await page.getByRole('tab', { name: 'Versions' }).click();
      await page.waitForSelector('.version');
      await page.getByRole('button', { name: /Compare.*Version 1/ }).click();
      await page.waitForSelector('.compared-added');
    },
    leave: leaveByEscape,
  },
  {
    name: 'tiles',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByRole('button', { name: 'Grid' }).click();
      await page.waitForSelector('.tile img');
    },
    leave: (page) => page.getByRole('button', { name: 'List' }).click(),
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
    leave: leaveByEscape,
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
    leave: leaveByEscape,
  },
  {
    name: 'account',
    path: '/',
    seen: '[role=row][aria-rowindex]',
    async act(page) {
      await page.getByRole('button', { name: 'Account' }).click();
      await page.waitForSelector('[role=menu]');
    },
    leave: leaveByEscape,
  },
];

test('axe finds nothing on any page, in light and dark colours', options, async () => {
  const { page, context, problems } = await openConsole(world, world.people.manager);
  for (const { name, path, seen, act, leave } of stops) {
    await walkTo(page, path);
    await page.locator('.look').waitFor({ state: 'detached' });
    await page.locator(seen).first().waitFor();
    await act?.(page);
    await hold(page, name);
    await leave?.(page);
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test('axe finds nothing on a phone, in light and dark colours', options, async () => {
  const viewport = { width: 390, height: 780 };
  const { page, context, problems } = await openConsole(world, world.people.manager, { viewport, isTouch: true });
  const seen = page.locator('[role=row][aria-rowindex]').first();
  await seen.waitFor();
  const moving = await page.evaluate("getComputedStyle(document.querySelector('.shell')).transitionDuration");
  assert.equal(moving, '0s', 'who wants less motion has none, not one of each element at every change');
  await hold(page, 'phone-files');
  await page.getByRole('button', { name: 'Navigation' }).tap();
  await page.locator('.side[data-open=true] .tree-link').first().waitFor();
  await hold(page, 'phone-drawer');
  await comeBackTo(page, '/');
  await page.getByText('Welcome.md').tap();
  await page.waitForSelector('.viewer .look-markdown');
  await hold(page, 'phone-preview');
  const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  assert.equal(wide, false, 'nothing is wider than the screen');
  assert.deepEqual(problems, []);
  await context.close();
});

test('axe finds nothing on the sign-in pages, in light and dark colours', options, async () => {
  const viewport = { width: 1280, height: 800 };
  const made = await world.browser.newContext({ viewport });
  const page = await made.newPage();
  await page.goto(world.base);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await hold(page, 'sign-in');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForSelector('#user');
  await hold(page, 'password');
  await made.close();
});
