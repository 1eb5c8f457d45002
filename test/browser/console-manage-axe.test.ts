// axe on each page for managing and on its dialogs, light and dark; nothing is wider than a phone.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { findBarriers } from './axe.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { fillSamples, leaveByEscape, openConsole, type World } from './console-world.ts';
import { goToManaging, managingPages, openManagedWorld } from './managing-world.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
/** `npm run test:browser -- --pictures` keeps what was seen. */
const { PICTURES } = process.env;
let world: World;

before(async () => {
  if (withoutBrowser) return;
  world = await openManagedWorld();
  await fillSamples(world);
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

async function keepPicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined || !pictured.has(name)) return;
  const folder = join(import.meta.dirname, '../..', PICTURES);
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `manage-${name}.png`) });
}

/** Those that docs/console.md shows. */
const pictured: ReadonlySet<string> = new Set([
  'applications-light',
  'applications-dark',
  'usage-light',
  'usage-dark',
  'audit-light',
  'usage-phone',
]);

const dialogs = [
  ['applications', 'New application'],
  ['people', 'Add a person'],
  ['webhooks', 'New webhook'],
  ['spaces', 'New space'],
] as const;

/** In light colours and in dark ones: the page is the same, only colours are looked at twice. */
async function hold(page: Page, name: string, { isWhole }: { isWhole?: Locator } = {}): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findBarriers(page), [], `${name}, ${colorScheme}`);
    await isWhole?.waitFor();
    await keepPicture(page, `${name}-${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

test('axe finds nothing on the management pages and in their dialogs, in light and dark colours', options, async () => {
  const { page, context, problems } = await openConsole(world, world.people.manager, { path: '/manage' });
  for (const name of managingPages) {
    await goToManaging(page, name);
    await hold(page, name, name === 'usage' ? { isWhole: page.getByText('files counted') } : {});
  }
  for (const [name, label] of dialogs) {
    await goToManaging(page, name);
    await page.getByRole('button', { name: label }).first().click();
    await page.getByRole('dialog').waitFor();
    await hold(page, label);
    await leaveByEscape(page);
  }
  await goToManaging(page, 'applications');
  await page.locator('.things').getByRole('link', { name: 'office' }).click();
  await page.getByRole('tabpanel').waitFor();
  await hold(page, 'application');
  assert.deepEqual(problems, []);
  await context.close();
});

test('on a phone, in German, every management page fits', options, async () => {
  const phone = { viewport: { width: 390, height: 844 }, isTouch: true, locale: 'de-DE' };
  const { page, context } = await openConsole(world, world.people.manager, { path: '/manage', ...phone });
  await page.getByRole('heading', { name: 'Anwendungen von office' }).waitFor();
  for (const name of managingPages) {
    await goToManaging(page, name);
    const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.equal(wider, 0, name);
    await keepPicture(page, `${name}-phone`);
  }
  await context.close();
});
